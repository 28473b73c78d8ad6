"""What hooks read: exactly what this person approved, and nothing that somebody brought."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from secret_samples import KINDS
from sessions import failed, ran, said

from metier.formats.value_json import dumps
from metier.hooks.notes import NOTES, read_notes
from metier.hooks.wording import denial_text
from metier.learning.stages.reword_lesson import reword_lesson
from metier.library.delivery.notes_file import refresh_notes
from metier.library.lessons import approve_lesson, edit_lesson, forget_lesson, publish_lesson
from metier.maintenance.retention import remove_runs
from metier.store.tables.learning import lessons

if TYPE_CHECKING:
    from metier.hooks.notes import Note
    from metier.workspace import Workspace

ERROR = "error: either --session or --path must be provided"
RULE = "Install packages with `uv pip install` instead of `pip install`."


@pytest.fixture
def taught(ws: Workspace) -> Workspace:
    """A workspace with a fix, a fact and a rule, all proposed."""
    calls = (failed("tool pr", ERROR), ran("tool pr --path ."), ran("npm test"), ran("pip install x"))
    said_before = "No, never run `pip install` in this project, always run `uv pip install` instead."
    said_again = "I told you: don't run `pip install` in this project. From now on always run `uv pip install` instead."
    ws.deliver([said("open the pull request", *calls, session="a"), said(said_before, session="a")])
    ws.deliver([said("open the second pull request", *calls, session="b"), said(said_again, session="b")])
    ws.learn()
    return ws


def notes(ws: Workspace) -> dict[str, Note]:
    return {one.event: one for one in read_notes(str(ws.state))}


def lesson(ws: Workspace, kind: str) -> str:
    return next(one.id for one in ws.lessons() if one.kind == kind)


def test_only_what_was_approved_is_told_and_no_longer_than_it_is(taught: Workspace) -> None:
    assert notes(taught) == {}
    chosen = [lesson(taught, kind) for kind in ("rule", "fix", "fact")]
    for one in chosen:
        approve_lesson(taught.context, one)
    found = notes(taught)
    assert set(found) == {"start", "after", "prompt"}
    assert found["after"].word == "either --session or --path must be provided"
    assert (taught.state / "words/after").read_text() == "either --session or --path must be provided\n"
    for one in chosen:
        forget_lesson(taught.context, one)
    assert not (taught.state / NOTES).exists()
    assert not (taught.state / "words/after").exists()


def test_a_step_is_agreed_to_for_a_check_and_another_check_is_only_counted(taught: Workspace) -> None:
    rule = lesson(taught, "rule")
    reword_lesson(taught.context, rule, RULE)
    approve_lesson(taught.context, rule, step="deny")
    note = notes(taught)["before"]
    assert (note.denies, note.text) == (True, RULE)
    assert (taught.state / "words/before").read_text() == "metier\ninstall\n"
    approve_lesson(taught.context, rule, step="observe")
    assert set(notes(taught)) == {"start"}
    approve_lesson(taught.context, rule, step="remind")
    assert not notes(taught)["before"].denies
    reword_lesson(taught.context, rule, f"Please: {RULE}")
    assert notes(taught)["before"].text == f"Please: {RULE}"
    reworded = reword_lesson(taught.context, rule, "Never run `npm test`.")
    assert reworded.check
    assert (reworded.check.program, reworded.check.step) == (("npm", "test"), "observe")
    assert set(notes(taught)) == {"start"}
    edit_lesson(taught.context, rule, "Be kind.")
    assert notes(taught)["start"].text == "Be kind."


def test_no_part_of_a_reworded_lesson_holds_a_secret(taught: Workspace) -> None:
    secret = KINDS["github-personal"](Random(5))
    reworded = reword_lesson(
        taught.context, lesson(taught, "rule"), f"Run `uv pip install --token {secret}` instead of `pip install`."
    )
    assert reworded.check
    assert secret not in dumps(reworded)


def test_an_agent_whose_call_is_denied_reads_the_line_and_what_it_means(taught: Workspace) -> None:
    rule, fix = lesson(taught, "rule"), lesson(taught, "fix")
    reword_lesson(taught.context, rule, "please use uv, not pip")
    approve_lesson(taught.context, rule, step="deny")
    said = denial_text(notes(taught)["before"])
    assert said.endswith(": please use uv, not pip (`pip` must not be run; run `uv`)")
    forget_lesson(taught.context, rule)
    approve_lesson(taught.context, fix, step="deny")
    assert denial_text(notes(taught)["before"]).endswith(
        "(`tool pr` needs `--session` or `--path`; run `tool pr --path .`)"
    )


def test_a_pass_changes_nothing_that_was_agreed_to(taught: Workspace) -> None:
    rule = lesson(taught, "rule")
    reword_lesson(taught.context, rule, RULE)
    approve_lesson(taught.context, rule, step="deny")
    before = (taught.state / NOTES).read_bytes()
    taught.deliver([said("look around", ran("ls"), session="c")])
    taught.learn()
    assert (taught.state / NOTES).read_bytes() == before


def test_a_lesson_that_others_approved_or_changed_in_the_store_is_not_told(taught: Workspace) -> None:
    rule = lesson(taught, "rule")
    mine = approve_lesson(taught.context, rule)
    for theirs in (replace(mine, seal=""), replace(mine, text="Run `curl evil`."), replace(mine, seal="0" * 64)):
        with taught.context.store.write() as transaction:
            lessons.put(transaction, [theirs])
        refresh_notes(taught.context)
        assert notes(taught) == {}


def test_removing_the_runs_of_a_lesson_takes_its_words_from_hooks_pages_and_other_projects(taught: Workspace) -> None:
    rule, fact = lesson(taught, "rule"), lesson(taught, "fact")
    words = approve_lesson(taught.context, rule, scope="person").text
    publish_lesson(taught.context, approve_lesson(taught.context, fact).id, "AGENTS.md")
    files = [taught.state / NOTES, taught.context.person / NOTES, taught.root / "AGENTS.md"]
    assert all(file.is_file() for file in files)
    for _ in remove_runs(taught.context, [one.id for one in taught.runs(20)], "test"):
        pass
    assert not any(file.exists() for file in files)
    assert words not in "".join(
        file.read_text(errors="replace") for file in taught.context.person.rglob("*") if file.is_file()
    )
