"""Lessons through the command line: from sessions to decisions, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import forked
import pytest

if TYPE_CHECKING:
    from pathlib import Path

ERROR = "\x1b[31merror:\x1b[0m either --session or --path must be provided"


def sessions() -> str:
    """Two sessions with the same trouble, one run a line."""
    return "".join(
        json.dumps(
            {
                "id": f"r{number}",
                "session": f"s{number}",
                "message": f"open the pull request {number}",
                "status": "completed",
                "output": "It is open.",
                "tools": [
                    {"name": "Bash", "ok": False, "input": "tool pr", "output": ERROR},
                    {"name": "Bash", "input": "tool pr --path .", "output": "ok"},
                ],
            }
        )
        + "\n"
        for number in range(2)
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A workspace that has learned from two sessions."""
    folder = tmp_path / "p"
    folder.mkdir()
    assert forked.metier("record", cwd=folder, given=sessions()).returncode == 0
    done = forked.metier("learn", cwd=folder)
    assert "Lessons from your sessions:" in done.stdout
    return folder


def data(folder: Path, *words: str) -> Any:
    done = forked.metier(*words, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_lesson_is_listed_shown_and_decided_and_every_write_names_its_undo(project: Path) -> None:
    (lesson,) = data(project, "lessons", "list")
    assert lesson["text"].endswith("`tool pr --path .`")
    assert lesson.keys() >= {"id", "kind", "scope", "trigger", "status", "strength", "sessions", "quotes", "check"}
    short = lesson["id"][:8]
    shown = forked.metier("lessons", "show", short, cwd=project)
    assert "the agent ran" in shown.stdout
    assert "\x1b" not in shown.stdout
    for words, undo in (
        (("approve", short), f"Undo: metier lessons forget {short}"),
        (("edit", short, "Say where: `tool pr --path .`"), f"Undo: metier lessons edit {short} 'When `tool pr`"),
        (("forget", short), f"Undo: metier lessons approve {short}"),
        (("reject", short, "--reason", "no"), f"Undo: metier lessons approve {short}"),
    ):
        assert undo in forked.metier("lessons", *words, cwd=project).stderr
    assert data(project, "lessons", "list") == []
    assert data(project, "lessons", "list", "--all")[0]["status"] == "rejected"


def test_a_lesson_is_published_taken_out_and_paused_and_every_write_names_its_undo(project: Path) -> None:
    (fix,) = data(project, "lessons", "list")
    forked.metier("lessons", "approve", fix["id"], cwd=project)
    refused = forked.metier("lessons", "publish", fix["id"], cwd=project)
    assert (refused.returncode, "not for a page" in refused.stderr) == (1, True)
    why = f"Nothing was published. Told only when its error appears: {fix['id'][:8]}."
    assert why in forked.metier("lessons", "publish", cwd=project).stderr
    assert "No lesson is published." in forked.metier("lessons", "unpublish", cwd=project).stderr
    unknown = forked.metier("lessons", "wrong", cwd=project)
    assert (unknown.returncode, "No agent was told a lesson yet" in unknown.stderr) == (1, True)
    paused = forked.metier("lessons", "wrong", fix["id"], cwd=project)
    assert f"Undo: metier lessons approve {fix['id'][:8]}" in paused.stderr
    assert "Paused" in forked.metier("lessons", "list", cwd=project).stdout
    assert data(project, "lessons", "wrong", fix["id"])["status"] == "paused"


def test_checks_checkup_and_digest_speak_both_ways(project: Path) -> None:
    (check,) = data(project, "lessons", "checks")
    assert (check["check"]["program"], check["before"]) == (["tool", "pr"], {"applies": 4, "violated": 2})
    assert "violates it: tool pr" in forked.metier("lessons", "show", check["id"], cwd=project).stdout
    assert "2 of 4" in forked.metier("lessons", "checks", cwd=project).stdout
    assert "approve ID --deny" in forked.metier("lessons", "checks", cwd=project).stderr
    forked.metier("lessons", "approve", check["id"], "--deny", cwd=project)
    assert "--deny" not in forked.metier("lessons", "checks", cwd=project).stderr, "it is set already"
    assert data(project, "lessons", "list")[0]["check"]["step"] == "deny"
    assert forked.metier("digest", cwd=project).stdout.count("\n") == 3
    assert data(project, "digest").keys() == {"checked", "before", "without_calls", "came_back", "unused", "gone"}
    looked = forked.metier("checkup", cwd=project).stderr
    for words in ("No sessions of an agent in ", "Looked in ", "/.claude", "metier checkup --all", "metier demo"):
        assert words in looked, words
    elsewhere = forked.metier("checkup", str(project), cwd=project.parent)
    assert f"No sessions of an agent in {project}." in elsewhere.stderr
    missing = forked.metier("checkup", "no-such-folder", cwd=project)
    assert (missing.returncode, "There is no folder" in missing.stderr) == (1, True)
    assert data(project, "checkup").keys() >= {"corrections", "errors", "violated", "proposals"}


def test_a_pass_as_json_has_lessons_and_problems(project: Path) -> None:
    learned = data(project, "learn")
    assert [one["kind"] for one in learned["lessons"]] == ["fix"]
    assert learned["problems"] == data(project, "problems") == []


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("lessons", "show", "zzz"), 1, "There is no lesson 'zzz'"),
        (("lessons", "reject"), 2, "Name one lesson, or give --all"),
        (("lessons", "approve", "x", "--deny", "--remind"), 2, "Choose one"),
        (("lessons", "reject", "--all"), 0, "Rejected lesson"),
    ],
)
def test_what_cannot_be_done_says_why(project: Path, words: tuple[str, ...], code: int, told: str) -> None:
    done = forked.metier(*words, cwd=project)
    assert done.returncode == code
    assert told in done.stderr


def test_the_story_of_a_lesson_in_both_forms(project: Path) -> None:
    (lesson,) = data(project, "lessons", "list")
    before = forked.metier("lessons", "why", lesson["id"], cwd=project).stdout
    assert "nobody has decided on it yet" in before
    assert "nothing to look for" in before
    forked.metier("lessons", "approve", lesson["id"], "--reason", "it costs us time", cwd=project)
    told = forked.metier("lessons", "why", lesson["id"][:6], cwd=project).stdout
    parts = (
        "approve lesson (observe): it costs us time",
        "told now: when the error appears",
        "no; watched since",
        "too few",
    )
    for part in parts:
        assert part in told
    story = data(project, "lessons", "why", lesson["id"])
    assert (story["channel"], story["came_back"]["runs"], story["checked"]["change"]) == ("after", [], None)
