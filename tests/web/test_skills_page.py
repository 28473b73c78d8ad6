"""Skills: the list with its filters in the address, one skill's story, and the way back from its last change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dashboard_world import HOSTILE, SKILL, make_project, serve_dashboard, ship_skill

from metier.library.changes import archive_skill, list_versions
from metier.store.tables.pulse import pulse
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dashboard_world import ServedDashboard

ODD = "Über <b>notes"
"""A name that no standard allows, and folders can have."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedDashboard]:
    """A dashboard with a skill in two versions, one that is archived, and one that somebody wrote by hand."""
    ws = make_project(tmp_path_factory.mktemp("skills") / "project")
    ship_skill(ws)
    ship_skill(ws, "old-notes", "Write the old notes.")
    archive_skill(ws.library, "old-notes", "nobody needs it")
    folder = ws.root / ".agents/skills" / ODD
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format(name="odd", description=f"'{HOSTILE}'"), encoding="utf-8")
    with serve_dashboard(ws) as served:
        yield served


@pytest.mark.parametrize(
    ("query", "skills"),
    [
        ("", 3),
        ("?state=archived", 1),
        ("?state=new", 1),
        ("?state=edited", 0),
        ("?state=hurts", 0),
        ("?q=OLD+write", 1),
        ("?from=9", 0),
    ],
)
def test_skills_are_filtered_by_the_address(shelf: ServedDashboard, query: str, skills: int) -> None:
    page = shelf.get(f"/skills{query}").text
    assert page.count("data-row") == skills
    assert ("No skill fits" in page) is (skills == 0)


def test_the_list_has_state_version_uses_and_lift(shelf: ServedDashboard) -> None:
    page = shelf.get("/skills?q=write-notes").text
    assert "Changed in the last seven days" not in page
    assert "Changed in the last seven days" in shelf.get("/skills").text
    for words in ("Write the notes.", "v2", "/runs?skill=write-notes", "not measured", "/skills/write-notes#versions"):
        assert words in page, words


def test_a_skills_story_has_runs_versions_difference_blame_outcomes_and_trials(shelf: ServedDashboard) -> None:
    page = shelf.get("/skills/write-notes").text
    for words in (
        "Learned from 2 runs, 1 of them deleted since.",
        "Fix the login test number 0",
        "What v2 changed, since v1",
        '<span class="add"><i>+</i>1. Run `pytest -x tests/` before every push.',
        "Where each line comes from",
        "import: from runs",
        "approved by a person",
        "metier trial start write-notes",
        "Take back the last change …",
        "the text now",
        "approve draft",
    ):
        assert words in page, words
    runs = page.partition('id="blame"')[2].partition('href="/runs?draft=')[2].partition('"')[0]
    assert shelf.get(f"/runs?draft={runs}").text.count("data-row") == 1
    assert "The first text, v1" in shelf.get("/skills/write-notes?version=1").text
    assert "/skills/old-notes/restore" in shelf.get("/skills/old-notes").text
    panel = shelf.get("/skills?open=write-notes").text
    assert '<aside id="panel" aria-label="Skill">' in panel
    assert "What v2 changed, since v1" in panel
    assert 'aria-label="Skill"' not in shelf.get("/skills?open=nothing").text


def test_hostile_names_and_texts_are_shown_as_text(shelf: ServedDashboard) -> None:
    for path in ("/skills", "/skills/%C3%9Cber%20%3Cb%3Enotes"):
        answer = shelf.get(path)
        assert answer.status == 200
        assert "Über &lt;b&gt;notes" in answer.text
        assert "&lt;img src=x" in answer.text
        assert not any(part in answer.text for part in ("<b>", "<img", "<script>alert", "\u202e"))


def test_a_name_that_only_runs_know_leads_to_them_and_to_its_draft(shelf: ServedDashboard) -> None:
    answer = shelf.get("/skills/run-the-tests")
    assert answer.status == 404
    assert "/runs?skill=run-the-tests" in answer.text
    assert "A draft for it waits for you." in answer.text


def test_the_last_change_is_taken_back_and_undo_brings_it_again(served: ServedDashboard) -> None:
    ws = served.board.ws
    ship_skill(ws)
    file = ws.root / ".agents/skills/write-notes/SKILL.md"
    newest = list_versions(ws.library, "write-notes")[-1]
    assert served.post("/skills/write-notes/rollback").status == 400
    assert served.post("/skills/write-notes/rollback", hash="0" * 64).status == 409
    assert served.post("/skills/no-such-skill/rollback", hash="0" * 64).status == 404
    assert served.post("/skills/write-notes/rollback", hash=newest.hash, to="1").status == 400
    done = served.post("/skills/write-notes/rollback", hash=newest.hash, to=1).json
    assert done["said"] == "write-notes is back to version 1 (saved as v3)."
    assert done["command"] == "metier skills rollback write-notes"
    assert "before every commit" in file.read_text(encoding="utf-8")
    assert served.post(f"/undo/{done['undo']}").json["said"] == "write-notes is back to version 2 again."
    assert "before every push" in file.read_text(encoding="utf-8")
    assert [one.action for one in list_versions(ws.library, "write-notes")][-2:] == ["rollback", "rollback"]


def test_a_version_is_chosen_by_what_it_would_change_and_two_texts_are_not_swapped_unseen(
    served: ServedDashboard,
) -> None:
    ws = served.board.ws
    ship_skill(ws)
    address = "/skills/write-notes"
    page = served.get(address).text
    assert f"{address}?back=1#back" in page
    assert f"{address}?back=2#back" not in page
    chosen = served.get(f"{address}?back=1").text.partition('id="back"')[2].partition('id="change"')[0]
    assert '<span class="drop"><i>−</i>1. Run `pytest -x tests/` before every push.' in chosen
    assert '<span class="add"><i>+</i>1. Run `pytest -x tests/` before every commit.' in chosen
    assert "It becomes v3; v2 stays in the history." in chosen
    newest = list_versions(ws.library, "write-notes")[-1]
    served.post(f"{address}/rollback", hash=newest.hash, to=1)
    assert served.post(f"{address}/rollback", hash=newest.hash, to=1).status == 409
    now = list_versions(ws.library, "write-notes")[-1]
    assert served.post(f"{address}/rollback", hash=now.hash, to=1).status == 400
    page = served.get(f"{address}?back=1").text
    for gone in ('id="back"', "Take back the last change", "back=3#back"):
        assert gone not in page, gone
    assert "same text as now" in page
    assert "back=2#back" in page
    assert [one.action for one in list_versions(ws.library, "write-notes")][-1] == "rollback"
    assert len(list_versions(ws.library, "write-notes")) == 3


def test_a_skill_is_archived_and_restored_each_with_its_undo(served: ServedDashboard) -> None:
    ws = served.board.ws
    ship_skill(ws)
    file = ws.root / ".agents/skills/write-notes/SKILL.md"

    def newest() -> str:
        return list_versions(ws.library, "write-notes")[-1].hash

    assert served.post("/skills/write-notes/archive", hash="0" * 64).status == 409
    done = served.post("/skills/write-notes/archive", hash=newest()).json
    assert done["said"] == "Archived write-notes (v3): no agent sees it."
    assert done["command"] == "metier skills restore write-notes"
    assert not file.exists()
    assert served.post("/skills/write-notes/archive", hash=newest()).status == 400
    assert served.post(f"/undo/{done['undo']}").json["said"] == "write-notes is back (v4)."
    assert file.exists()
    served.post("/skills/write-notes/archive", hash=newest())
    done = served.post("/skills/write-notes/restore", hash=newest()).json
    assert done["said"] == "Restored write-notes (v6)."
    assert served.post(f"/undo/{done['undo']}").json["said"] == "write-notes is archived: no agent sees it."
    assert not file.exists()


def test_a_task_is_tried_and_explained_and_nothing_is_recorded(served: ServedDashboard) -> None:
    ws = served.board.ws
    ship_skill(ws, "write-release-notes", "Write the release notes of the shop from merged pull requests.")
    list(ws.index_skills())
    assert "metier select" in served.get("/select").text
    with ws.context.store.read() as transaction:
        before = pulse(transaction)
    page = served.get("/select?task=write+the+release+notes+of+the+shop+from+merged+pull+requests").text
    for words in ("The agent gets", 'href="/skills/write-release-notes"', "what each score is made of", "Step by step"):
        assert words in page, words
    assert "Read the first failure before changing anything." in page
    assert "write-release-notes is chosen: match " in page
    assert "Your request shares with it: write, release, notes" in page
    nothing = served.get("/select?task=qqq+zzz").text
    assert "No skill fits" in nothing
    with ws.context.store.read() as transaction:
        assert pulse(transaction) == before


def test_no_skills_teach_the_next_command(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ws = Workspace.open(tmp_path / "empty", environ={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})
    with serve_dashboard(ws) as served:
        page = served.get("/skills").text
    assert "No skills yet" in page
    assert "metier import\nmetier learn" in page
