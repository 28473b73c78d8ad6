"""Learning without a model of its own: questions as files, answers as files, proposals only."""

from __future__ import annotations

import json
import os
import re
import stat
from typing import TYPE_CHECKING, Any

import pytest
from allowing import allow
from cli_shell import Shell, bumps
from states import state_of

from metier.library.proposals.drafts import list_drafts
from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BODY = """---
name: dependency-bump
description: Bumps a dependency to its newest version and fixes what breaks. Use when a dependency is to be updated.
---

# Bump a dependency

1. Run `python tools/pin.py PACKAGE`.
2. Run `pytest -q`.
3. Commit with `git commit -am 'Bump PACKAGE'`.
"""


def draft(_: str) -> dict[str, object]:
    return {
        "target": "dependency-bump",
        "kind": "create",
        "summary": "Bumps a dependency",
        "uses": ["a dependency is to be updated"],
        "entry_path": [],
        "avoid": [],
        "body": BODY,
    }


def lessons(text: str) -> dict[str, object]:
    quote = "Always run the linter before you commit."
    assert quote in text
    rule: dict[str, object] = {"text": "Run the linter before every commit.", "quote": quote, "candidates": [1]}
    return {"rules": [rule | {"scope": "project", "already_written": False}]}


def nothing(_: str) -> dict[str, object]:
    return {"rules": []}


ANSWERS: dict[str, Callable[[str], dict[str, object]]] = {"draft": draft, "lessons": nothing}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    folder = tmp_path / "project"
    folder.mkdir()
    with Workspace.open(folder) as ws:
        allow(ws, "question-files")
    found = Shell(folder, monkeypatch, capsys)
    found.deliver(bumps(5))
    return found


def deliver_wishes(shell: Shell, count: int = 90) -> None:
    """Sentences enough for several questions."""
    said = (f"Always run check number {n} on part {chr(97 + n % 26)} before you commit." for n in range(count))
    shell.deliver([Run(message=text, output="Yes.", status="completed", source="api", session=text) for text in said])


def nonce_of(place: Path, name: str) -> dict[str, str]:
    """What an answer to a question repeats."""
    found = re.search(r'"nonce": "([0-9a-f]{16})"', (place / f"{name}.md").read_text())
    assert found
    return {"nonce": found[1]}


def answer(place: Path, names: list[str]) -> None:
    for name in names:
        said = ANSWERS[name.partition("-")[0]]((place / f"{name}.md").read_text())
        (place / f"{name}.json").write_text(json.dumps(nonce_of(place, name) | said))


def round_of(shell: Shell, *words: str, code: int = 0) -> Any:
    return shell.json("learn", *words, code=code)


def rounds(shell: Shell, place: Path) -> tuple[list[list[str]], Any]:
    """Every round's questions, and what was learned in the end."""
    asked: list[list[str]] = []
    done = round_of(shell, "--questions", str(place))
    while done["questions"]:
        names = [one["name"] for one in done["questions"]]
        asked.append(names)
        answer(place, names)
        done = round_of(shell, "--answers", str(place))
        assert done["refused"] == []
        assert len(asked) < 10
    return asked, done["learned"]


def test_what_needs_reading_is_asked_in_files_until_a_draft_waits(shell: Shell, tmp_path: Path) -> None:
    asked, learned = rounds(shell, tmp_path / "ask")
    assert [[name.partition("-")[0] for name in names] for names in asked] == [["draft"]]
    assert [one["target"] for one in learned["drafts"]] == ["dependency-bump"]
    assert (learned["calls"], learned["applied"]) == (0, [])
    with Workspace.open(shell.folder) as ws:
        (made,) = list_drafts(ws.library)
        assert made.provenance.model == "session"
    assert list((tmp_path / "ask").glob("*.md")) == []


def test_many_runs_make_few_questions(shell: Shell, tmp_path: Path) -> None:
    shell.deliver(bumps(60))
    assert len(round_of(shell, "--questions", str(tmp_path / "ask"))["questions"]) == 1


def test_rules_that_the_person_gave_are_asked_about_as_well(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ANSWERS, "lessons", lessons)
    said = "Always run the linter before you commit."
    runs = [Run(message=said, output="Yes.", status="completed", source="api", session=f"x{n}") for n in range(2)]
    shell.deliver(runs)
    asked, learned = rounds(shell, tmp_path / "ask")
    assert "lessons" in {name.partition("-")[0] for name in asked[0]}
    assert "Run the linter before every commit." in [one["text"] for one in learned["lessons"]]
    assert sum(name.startswith("lessons") for names in asked for name in names) == 1


def test_nothing_is_asked_twice(shell: Shell, tmp_path: Path) -> None:
    asked, _ = rounds(shell, tmp_path / "ask")
    names = [name for one in asked for name in one]
    assert len(names) == len(set(names))
    elsewhere = round_of(shell, "--questions", str(tmp_path / "other"))
    assert elsewhere["questions"] == []
    assert not (tmp_path / "other").exists()


def test_answers_count_before_the_round_is_whole_and_survive_their_files(shell: Shell, tmp_path: Path) -> None:
    place = tmp_path / "ask"
    deliver_wishes(shell)
    names = [one["name"] for one in round_of(shell, "--questions", str(place))["questions"]]
    answer(place, names[:2])
    some = round_of(shell, "--answers", str(place))
    assert (some["taken"], [one["name"] for one in some["questions"]], some["learned"]) == (2, names[2:], None)
    for file in place.iterdir():
        file.unlink()
    assert [one["name"] for one in round_of(shell, "--questions", str(place))["questions"]] == names[2:]


def test_until_all_is_answered_nothing_is_decided(shell: Shell, tmp_path: Path) -> None:
    round_of(shell, "--questions", str(tmp_path / "ask"))
    with Workspace.open(shell.folder) as ws:
        assert ws.patterns() == []
        assert all(one.state == "new" for one in ws.runs())


def test_an_answer_that_cannot_be_used_is_told_and_asked_for_again(shell: Shell, tmp_path: Path) -> None:
    place = tmp_path / "ask"
    deliver_wishes(shell)
    first, second, third, fourth, fifth, *others = [
        one["name"] for one in round_of(shell, "--questions", str(place))["questions"]
    ]
    (place / f"{first}.json").write_text("I would rather not.")
    (place / f"{second}.json").write_bytes(b"x" * 2_000_000)
    (place / f"{third}.json").symlink_to("/etc/hostname")
    (place / f"{fourth}.json").mkdir()
    os.mkfifo(place / f"{fifth}.json")
    done = round_of(shell, "--answers", str(place), code=1)
    assert {one["name"] for one in done["refused"]} == {first, second, third, fourth, fifth}
    assert len(done["questions"]) == 5 + len(others)
    said = shell.run("learn", "--answers", str(place))
    assert (said.code, f"{first}.json cannot be used" in said.err) == (1, True)


def test_a_question_is_private_redacted_and_says_what_to_do(shell: Shell, tmp_path: Path) -> None:
    place = tmp_path / "ask"
    said = shell.run("learn", "--questions", str(place))
    assert (said.code, "1 question waits in" in said.err) == (0, True)
    assert f"Then run: metier learn --answers {place}" in said.err
    file = min(place.glob("*.md"))
    text = file.read_text()
    assert f"`{file.stem}.json`" in text
    assert '"body"' in text
    assert "is data" in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert file.stem in said.out


def test_a_secret_in_an_answer_is_not_kept(shell: Shell, tmp_path: Path) -> None:
    place = tmp_path / "ask"
    names = [one["name"] for one in round_of(shell, "--questions", str(place))["questions"]]
    secret = "ghp" + "_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    for name in names:
        found = draft("") | {"summary": f"Bumps a dependency with {secret}"}
        (place / f"{name}.json").write_text(json.dumps(found | nonce_of(place, name)))
    assert round_of(shell, "--answers", str(place))["taken"] == 1
    database = b"".join(file.read_bytes() for file in state_of(shell.folder).glob("metier.db*"))
    assert secret.encode() not in database


@pytest.mark.parametrize("more", [("--apply",), ("--dry-run",)])
def test_it_only_proposes(shell: Shell, tmp_path: Path, more: tuple[str, ...]) -> None:
    said = shell.run("learn", "--questions", str(tmp_path / "ask"), *more)
    assert (said.code, "only propose" in said.err) == (2, True)
    said = shell.run("--set", "mode=apply", "learn", "--questions", str(tmp_path / "ask"))
    assert said.code == 0
    shell.run("--set", "mode=apply", "learn", "--answers", str(tmp_path / "ask"))
    assert not (shell.folder / ".agents").exists()


def test_a_folder_that_is_none_is_refused(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert shell.run("learn", "--answers", str(tmp_path / "none")).code == 1
    (tmp_path / "file").chmod(0o600)
    said = shell.run("learn", "--questions", str(tmp_path / "file"))
    assert (said.code, "cannot be written" in said.err) == (1, True)


def test_in_mode_apply_a_whole_set_of_answers_ships_nothing(shell: Shell, tmp_path: Path) -> None:
    os.environ["METIER_MODE"] = "apply"
    try:
        rounds(shell, tmp_path / "ask")
    finally:
        del os.environ["METIER_MODE"]
    assert not (shell.folder / ".agents/skills").exists()


def test_without_a_yes_nothing_is_written_and_one_line_says_what_would_be(shell: Shell, tmp_path: Path) -> None:
    shell.ok("config", "unset", "send_sessions")
    said = shell.run("learn", "--questions", str(tmp_path / "ask"))
    assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)
    assert re.search(r"Text of 5 sessions \([\d,]{5,} characters\) would be written to .*/ask as questions", said.err)
    assert said.err.endswith("To agree, type in a terminal: metier models allow question-files\n")
    assert not (tmp_path / "ask").exists()
    with Workspace.open(shell.folder) as ws:
        assert all(one.state == "new" for one in ws.runs())


@pytest.mark.parametrize("place", ["project", "project/deeper", "clone/ask", "link"])
def test_questions_lie_in_no_work_tree(shell: Shell, tmp_path: Path, place: str) -> None:
    (tmp_path / "clone/.git").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "clone")
    said = shell.run("learn", "--questions", str(tmp_path / place))
    assert (said.code, "lies in the work tree" in said.err, said.err.count("\n")) == (2, True, 1)
    assert list((tmp_path / "clone").iterdir()) == [tmp_path / "clone/.git"]


def test_a_folder_that_others_can_read_gets_no_questions(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "ask").mkdir(mode=0o755)
    said = shell.run("learn", "--questions", str(tmp_path / "ask"))
    assert (said.code, "chmod 700" in said.err, list((tmp_path / "ask").iterdir())) == (2, True, [])


def test_an_answer_repeats_the_nonce_of_its_question(shell: Shell, tmp_path: Path) -> None:
    place = tmp_path / "ask"
    (name,) = [one["name"] for one in round_of(shell, "--questions", str(place))["questions"]]
    right = nonce_of(place, name)
    for wrong, reason in (
        ({}, "no JSON object with a nonce"),
        ({"nonce": "0" * 16}, "another question's or project's"),
        ({"nonce": 7}, "another question's"),
    ):
        (place / f"{name}.json").write_text(json.dumps(draft("") | wrong))
        (refused,) = round_of(shell, "--answers", str(place), code=1)["refused"]
        assert (refused["name"], reason in refused["reason"]) == (name, True)
        assert nonce_of(place, name) == right
    (place / f"{name}.json").write_text(json.dumps(draft("") | right))
    assert round_of(shell, "--answers", str(place))["taken"] == 1


def test_an_answer_to_another_projects_question_is_refused(shell: Shell, tmp_path: Path) -> None:
    place, other = tmp_path / "ask", tmp_path / "other"
    other.mkdir()
    with Workspace.open(other) as ws:
        allow(ws, "question-files").deliver(bumps(5))
    (name,) = [one["name"] for one in round_of(shell, "--questions", str(place))["questions"]]
    answer(place, [name])
    theirs = Shell(other, shell.monkeypatch, shell.capsys)
    done = round_of(theirs, "--answers", str(place), code=1)
    assert [one["name"] for one in done["refused"]] == [name]
