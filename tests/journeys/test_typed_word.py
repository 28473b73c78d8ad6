"""A yes in a terminal takes one word of what is shown; without a terminal nothing is decided."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import forked
import pytest
from test_drafts_review import handed_in, statuses

from metier.store.tables import audit
from metier.store.tables.learning import lessons
from metier.types.lessons import Lesson
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

RULE = "3f9a0000"
DECISIONS = (
    ("lessons", "approve", RULE),
    ("lessons", "review"),
    ("drafts", "approve", "deploy"),
    ("drafts", "apply", "deploy"),
    ("drafts", "review"),
    ("cases", "accept", "--all"),
    ("cases", "review"),
    ("skills", "rollback", "deploy"),
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A workspace with a lesson that waits."""
    with Workspace.open(tmp_path) as ws, ws.context.store.write() as transaction:
        rule = Lesson(id=RULE, workspace=ws.name, kind="rule", text="Stage files by name.", subject="git add")
        lessons.put(transaction, [rule])
    return tmp_path


def status(folder: Path) -> str:
    with Workspace.open(folder) as ws:
        return ws.lessons(every=True)[0].status


@pytest.mark.parametrize("words", DECISIONS, ids=" ".join)
def test_without_a_terminal_nothing_is_decided_and_one_line_says_where_to(
    project: Path, words: tuple[str, ...]
) -> None:
    said = forked.run(["metier", *words], cwd=project, given="yes\nStage\nfiles\n")
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (1, "", 1)
    assert f"Run it in a terminal: metier {' '.join(words)} " in said.stderr
    assert "metier ui" in said.stderr


@pytest.mark.parametrize("answer", ["y\n", "yes\n", "\n", "names\n"])
def test_another_word_than_that_of_the_card_decides_nothing(project: Path, answer: str) -> None:
    said = forked.typed("lessons", "approve", RULE, cwd=project, keys=answer)
    assert (said.returncode, status(project)) == (1, "proposed")
    assert "Nothing was decided." in said.stderr


def test_the_word_of_the_card_is_a_yes_and_is_kept_as_one_in_a_terminal(project: Path) -> None:
    said = forked.typed("lessons", "approve", RULE, cwd=project, keys="stage\n")
    assert said.returncode == 0, said.stderr
    assert "Stage files by name." in said.stdout
    assert status(project) == "approved"
    with Workspace.open(project) as ws, ws.context.store.read() as transaction:
        assert audit.list_own(transaction)[-1].way == "terminal"


def test_output_that_goes_into_a_pipe_is_no_terminal(project: Path) -> None:
    command = [sys.executable, "-m", "metier", "lessons", "approve", RULE]
    main, side = os.openpty()
    os.write(main, b"stage\n")
    said = subprocess.run(command, cwd=project, stdin=side, capture_output=True, text=True, timeout=60)
    os.close(main)
    os.close(side)
    assert (said.returncode, status(project)) == (1, "proposed")


def test_no_option_and_no_variable_says_yes(project: Path) -> None:
    assert forked.run(["metier", "lessons", "approve", RULE, "--yes"], cwd=project).returncode == 2
    environ = os.environ | {"CI": "1", "EDITOR": "true"}
    assert forked.typed("lessons", "approve", RULE, cwd=project, env=environ, keys="\n").returncode == 1
    assert status(project) == "proposed"


def test_new_words_for_an_approved_lesson_need_a_person_too(project: Path) -> None:
    words = ("lessons", "edit", RULE, "Stage whole folders.")
    with Workspace.open(project) as ws:
        ws.approve(RULE)
    assert forked.run(["metier", *words], cwd=project).returncode == 1
    assert forked.typed(*words, cwd=project, keys="folders\n").returncode == 0
    with Workspace.open(project) as ws:
        assert [one.text for one in ws.lessons()] == ["Stage whole folders."]


def test_a_draft_takes_the_name_of_its_skill_once(tmp_path: Path) -> None:
    (draft,) = handed_in(tmp_path, "deploy")
    assert forked.typed("drafts", "apply", draft, cwd=tmp_path, keys="y\n").returncode == 1
    said = forked.typed("drafts", "approve", draft, cwd=tmp_path, keys="deploy\n")
    assert "a new skill: deploy" in said.stdout
    shipped = forked.typed("drafts", "apply", draft, cwd=tmp_path, keys="")
    assert "Shipped deploy v1" in shipped.stderr, "the yes was given already"
    assert statuses(tmp_path) == {draft: "accepted"}


def test_a_program_approves_and_ships_by_one_call(tmp_path: Path) -> None:
    (draft,) = handed_in(tmp_path, "deploy")
    with Workspace.open(tmp_path) as ws:
        done = ws.approve(draft, "read it")
        assert done.status == "accepted"
        assert [one.name for one in ws.skills()] == ["deploy"]
