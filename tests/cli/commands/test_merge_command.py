"""`metier skills merge` and `metier lessons merge` in a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from selection_shop import SKILLS, put, stocked

from metier.store.tables.learning import lessons
from metier.types.lessons import Lesson
from metier.workspace import Workspace

if TYPE_CHECKING:
    from cli_shell import Shell


def test_two_skills_become_one_draft(shell: Shell) -> None:
    assert "No near-duplicates" in shell.ok("skills", "merge")
    with Workspace.open(shell.folder) as ws:
        about, body = SKILLS["flaky-tests"]
        put(stocked(ws), "unstable-tests", about, f"{body}\n\n## Seeds\n\nFix the seed first.")
    assert [one["keep"] for one in shell.json("skills", "merge")] == ["unstable-tests"]
    assert "unstable-tests" in shell.ok("skills", "merge")
    said = shell.ok("skills", "merge", "flaky-tests", "unstable-tests")
    assert "requests of both still go to flaky-tests" in said
    assert "Undo: metier drafts reject" in said
    assert [one["target"] for one in shell.json("drafts", "list")] == ["flaky-tests"]
    assert shell.run("skills", "merge", "flaky-tests").code == 2


def test_two_lessons_become_one(shell: Shell) -> None:
    assert "No near-duplicates" in shell.ok("lessons", "merge")
    with Workspace.open(shell.folder) as ws, ws.context.store.write() as transaction:
        made = [
            Lesson(id=name * 12, workspace=ws.name, kind="rule", text=text, subject=name, status="approved")
            for name, text in (("a", "Sign every commit you make"), ("b", "Sign every commit that you make"))
        ]
        lessons.put(transaction, made)
    assert len(shell.json("lessons", "merge")) == 1
    assert "Sign every commit" in shell.ok("lessons", "merge")
    assert "Undo: metier lessons approve bbbbbbbb" in shell.ok("lessons", "merge", "aaa", "bbb")
