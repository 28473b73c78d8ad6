"""Training: the list, and each training's report with the gate's decision first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard_world import HOSTILE, add_training

if TYPE_CHECKING:
    from dashboard_world import ServedDashboard


def test_trainings_are_listed_with_their_result_and_each_has_its_report(served: ServedDashboard) -> None:
    page = served.get("/training").text
    assert "No trainings yet" in page
    assert "metier train SKILL --cases FILE" in page
    name = add_training(served.board.ws)
    page = served.get("/training").text
    for words in (f'href="/training/{name}"', "write-notes", "+12.5 points", "$0.25"):
        assert words in page, words
    assert "Training of write-notes</h1>" in served.get(f"/training/{name}").text  # there is no such skill to link to
    folder = served.board.ws.root / ".agents" / "skills" / "write-notes"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\nname: write-notes\ndescription: Use when you write notes.\n---\n\nBe brief.\n"
    )
    page = served.get(f"/training/{name}").text
    for words in (
        'Training of <a href="/skills/write-notes">',
        "data-curve=",
        "<polyline",
        "<strong>+12.5 points</strong> on fresh cases that nothing had looked at before",
        "5 of 8 train cases passed.",
        "trained skill",
        "12 rollouts, 3 model calls",
        "metier train show 9907b73f --report report.html",
    ):
        assert words in page, words
    assert page.index("+12.5 points</strong>") < page.index("<table>")
    assert served.get("/training/ffffffff").status == 404


def test_a_trainings_hostile_texts_are_shown_as_text(served: ServedDashboard) -> None:
    name = add_training(served.board.ws, HOSTILE)
    for path in ("/training", f"/training/{name}"):
        page = served.get(path).text
        assert "&lt;img src=x" in page
        assert not any(part in page for part in ("<img", "<script>alert", "\u202e"))
