"""How each approved lesson reaches agents, or why it does not: nothing is approved and told nowhere in silence."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sessions import ran, said

from metier.hooks.tell import notes_for_prompt
from metier.learning.stages.digest import digest_of
from metier.library.delivery.notes_file import refresh_notes
from metier.library.delivery.ways import ways_of
from metier.library.lessons import approve_lesson, get_lesson
from metier.store.tables.learning import lessons
from metier.types.lessons import Lesson

if TYPE_CHECKING:
    from pathlib import Path

    from metier.types.lessons import LessonKind
    from metier.workspace import Workspace


def put(ws: Workspace, *found: Lesson) -> None:
    with ws.context.store.write() as transaction:
        lessons.put(transaction, found)


def proposed(ws: Workspace, number: int, text: str, kind: LessonKind = "rule", **more: str) -> Lesson:
    strength = 1 - number / 100
    found = Lesson(id=f"{number:012x}", workspace=ws.name, kind=kind, text=text, subject="s", strength=strength)
    return replace(found, **more)


def approved(ws: Workspace, *found: Lesson) -> None:
    put(ws, *found)
    for one in found:
        approve_lesson(ws.context, one.id)


def test_a_rule_beyond_the_room_at_the_start_is_called_for_by_words_of_its_own_line(ws: Workspace) -> None:
    many = [proposed(ws, number, f"Rule {number}.", trigger="a b") for number in range(12)]
    late = proposed(ws, 20, "Write migrations for every schema change")
    mute = proposed(ws, 21, "!!")
    approved(ws, *many, late, mute)
    ways = ways_of(ws.context, ws.lessons())
    assert {ways[one.id].channel for one in many} == {"start"}
    assert ways[late.id].channel == "prompt"
    assert "migrations" in ways[late.id].text
    assert (ways[mute.id].channel, ways[mute.id].reaches) == (None, False)
    assert "no room" in ways[mute.id].text
    payload = {"prompt": "add a migration: the schema changes", "session_id": "s"}
    assert [one.id for one in notes_for_prompt(str(ws.state), str(ws.root), {**payload})] == [late.id]
    assert notes_for_prompt(str(ws.state), str(ws.root), {"prompt": "write a poem", "session_id": "t"}) == []


def test_a_rule_in_a_script_without_spaces_is_called_for_as_well(ws: Workspace) -> None:
    many = [proposed(ws, number, f"Rule {number}.", trigger="a b") for number in range(12)]
    late = proposed(ws, 20, "提交之前必须运行测试")
    approved(ws, *many, late)
    payload = {"prompt": "请提交代码并运行测试", "session_id": "s"}
    assert [one.id for one in notes_for_prompt(str(ws.state), str(ws.root), {**payload})] == [late.id]


def test_what_is_approved_but_not_told_says_why(ws: Workspace) -> None:
    approved(ws, proposed(ws, 1, "When `x` fails: `y`", "fix"))
    foreign = replace(get_lesson(ws.context, "0" * 11 + "1"), id="0" * 11 + "2", seal="")
    old = proposed(ws, 3, "Run the tests with `npm test`.", "fact", expires="2020-01-01T00:00:00Z", subject="test: npm")
    put(ws, foreign)
    approved(ws, old)
    ways = ways_of(ws.context, ws.lessons())
    assert [ways[f"{number:012x}"].reaches for number in (1, 2, 3)] == [False, False, False]
    assert "nothing calls for it" in ways["0" * 11 + "1"].text
    assert "not approved by you" in ways["0" * 11 + "2"].text
    assert "expired on 2020-01-01" in ways["0" * 11 + "3"].text


@pytest.fixture
def linted(ws: Workspace) -> Workspace:
    """A workspace with an approved fact that rests on a script of the project."""
    scripts(ws.root, lint="eslint .")
    worked(ws, "npm run lint", "ab")
    (fact,) = ws.lessons()
    approve_lesson(ws.context, fact.id)
    return ws


def worked(ws: Workspace, command: str, sessions: str) -> None:
    runs = [said("go", ran(command), session=name) for name in sessions]
    ws.deliver([replace(one, started=ws.context.now()) for one in runs])
    ws.learn()


def scripts(root: Path, **found: str) -> None:
    (root / "package.json").write_text(json.dumps({"scripts": found}))


def told(ws: Workspace, session: str) -> list[str]:
    payload: dict[str, object] = {"prompt": "please lint the code", "session_id": session}
    return [one.text for one in notes_for_prompt(str(ws.state), str(ws.root), payload)]


def test_a_fact_is_looked_at_again_whenever_it_is_told(linted: Workspace) -> None:
    assert told(linted, "s1") == ["Lint with `npm run lint`."]
    scripts(linted.root, check="biome")
    assert told(linted, "s2") == []
    (way,) = ways_of(linted.context, linted.lessons()).values()
    assert (way.reaches, way.text.startswith('Not told: package.json no longer has "lint".')) == (False, True)
    scripts(linted.root, lint="biome")
    assert told(linted, "s3") == ["Lint with `npm run lint`."]
    scripts(linted.root, check="biome")
    approve_lesson(linted.context, linted.lessons()[0].id)
    assert told(linted, "s4") == ["Lint with `npm run lint`."], "the person says that it is right all the same"


def test_a_fact_that_no_longer_holds_is_paused_by_the_next_pass_and_the_person_is_asked(linted: Workspace) -> None:
    (linted.root / "package.json").unlink()
    linted.learn()
    (fact,) = linted.lessons()
    assert (fact.status, fact.note) == ("paused", 'package.json no longer has "lint"')
    assert digest_of(linted.context).gone == (fact,)
    linted.learn()
    assert linted.lessons()[0].status == "paused"
    approve_lesson(linted.context, fact.id)
    assert told(linted, "s4") == ["Lint with `npm run lint`."]


def test_a_paused_fact_is_proposed_anew_where_the_project_does_it_another_way(linted: Workspace) -> None:
    scripts(linted.root, **{"lint:all": "biome"})
    linted.learn()
    worked(linted, "npm run lint:all", "cdef")
    (fact,) = linted.lessons()
    assert (fact.status, fact.text) == ("proposed", "Lint with `npm run lint:all`.")


def test_a_citation_that_leads_out_of_the_project_is_none(linted: Workspace) -> None:
    (linted.root / "package.json").unlink()
    outside = linted.root.parent / "package.json"
    outside.write_text('"lint"')
    (linted.root / "package.json").symlink_to(outside)
    refresh_notes(linted.context)
    assert told(linted, "s5") == []
