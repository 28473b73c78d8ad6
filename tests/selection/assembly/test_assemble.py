from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection_world import decide, scored, skill

from metier.models.scripted import Scripted, on, says
from metier.selection.assembly.assemble import assemble, body_of
from metier.selection.assembly.token_budget import MARK, tokens
from metier.selection.result import as_json
from metier.selection.types import ChosenSkill, Selectable


def chosen(*skills: Selectable) -> tuple[ChosenSkill, ...]:
    return tuple(ChosenSkill(skill=one, activation_reason="llm_selected", score=0.5) for one in skills)


@pytest.mark.parametrize(
    ("document", "body"),
    [
        (b"---\nname: x\n---\n\n# X\n\nDo it.\n", "# X\n\nDo it."),
        (b"# X\n", "# X"),
        (b"\xef\xbb\xbf---\r\nname: x\r\n---\r\nDo it.\r\n", "Do it."),
        (b"---\nname: x\n---\n---\nrule\n---\n", "---\nrule\n---"),
        (b"---\nname: x\n", ""),
        (b"---\nname: x\n---\n", ""),
        (b"", ""),
        (b"---\nname: x\n---\nbad \xff bytes", "bad \ufffd bytes"),
    ],
)
def test_the_body_is_the_document_without_its_frontmatter(document: bytes, body: str) -> None:
    assert body_of(document) == body


def test_skills_keep_their_order_and_all_that_is_known_about_them() -> None:
    one = skill("b", tool_hints=("Bash",), files=("scripts/run.sh",), folder="/skills/b")
    found = assemble(chosen(one, skill("a")), 8_000)
    assert [each.name for each in found.skills] == ["b", "a"]
    first = found.skills[0]
    assert (first.content, first.version, first.content_hash) == (one.body, "3", "ab" * 32)
    assert (first.activation_reason, first.tool_hints, first.files) == ("llm_selected", ("Bash",), ("scripts/run.sh",))
    assert first.whole


def test_a_skill_the_store_does_not_know_is_legacy_without_a_hash() -> None:
    found = assemble(chosen(Selectable(name="old", body="Do it.")), 1_000).skills[0]
    assert (found.version, found.content_hash) == ("legacy", "")


def test_empty_bodies_are_skipped() -> None:
    found = assemble(chosen(skill("a", body=" \n\t"), skill("b")), 8_000)
    assert [one.name for one in found.skills] == ["b"]
    assert [(one.name, one.reason) for one in found.left_out] == [("a", "its body is empty")]


def test_a_body_that_is_too_long_is_cut_and_leaves_room_for_the_next() -> None:
    found = assemble(chosen(skill("long", body="word " * 10_000), skill("next", body="Do it.")), 1_000)
    assert [(one.name, one.whole) for one in found.skills] == [("long", False), ("next", True)]
    assert found.skills[0].content.endswith(MARK)
    assert sum(tokens(one.content) for one in found.skills) <= 1_000


def test_what_finds_no_room_is_left_out_with_the_reason() -> None:
    found = assemble(chosen(skill("a", body="word " * 150), skill("b", body="word " * 5_000)), 300)
    assert [one.name for one in found.skills] == ["a"]
    assert "no room" in found.left_out[0].reason
    assert assemble(chosen(skill("a")), 0).skills == ()
    assert assemble((), 100).skills == ()


BODIES = st.lists(st.text(max_size=300) | st.integers(0, 3_000).map(lambda n: "word and\n" * n), max_size=6)


@given(BODIES, st.integers(0, 4_000))
@settings(deadline=None)
def test_any_skills_fit_any_budget_in_their_order(bodies: list[str], budget: int) -> None:
    found = assemble(chosen(*(skill(f"s{at}", body=body) for at, body in enumerate(bodies))), budget)
    assert sum(tokens(one.content) for one in found.skills) <= budget
    kept = [int(one.name[1:]) for one in found.skills]
    assert kept == sorted(kept)
    assert len(found.skills) + len(found.left_out) == len(bodies)
    for one in found.skills:
        body = bodies[int(one.name[1:])]
        assert one.content == body if one.whole else body.startswith(one.content.removesuffix(MARK))


def test_a_body_of_sixteen_megabytes_is_cut_in_no_time() -> None:
    huge = skill("huge", body="x" * 16_000_000)
    began = time.perf_counter()
    assert len(assemble(chosen(huge, skill("b")), 2_000).skills) == 2
    assert time.perf_counter() - began < 2


def test_the_json_has_the_shape_that_is_promised() -> None:
    model = Scripted(on("final", says(["s1"])))
    choice = decide(model, scored(0.9, 0.5))
    shown = as_json(choice, assemble(choice.chosen, 8_000))
    found = json.loads(json.dumps(shown))
    assert found["skills"] == [
        {
            "name": "s1",
            "content": "# s1\n\nRun the s1 script and look at its log.",
            "version": "3",
            "content_hash": "ab" * 32,
            "activation_reason": "llm_selected",
            "tool_hints": [],
            "score": 0.5,
            "files": [],
            "truncated": False,
        }
    ]
    assert [one["name"] for one in found["candidates"]] == ["s0", "s1"]
    assert [one["stage"] for one in found["stages"]] == ["retrieve", "final"]
    interaction = found["interactions"][0]
    assert interaction["messages"][0]["role"] == "user"
    assert interaction["usage"]["output"] == 1
    assert {"stage", "model", "messages", "reply", "finish", "provider", "usage"} <= interaction.keys()


def test_no_skills_are_a_good_answer() -> None:
    choice = decide(None, ())
    assert as_json(choice, assemble(choice.chosen, 8_000))["skills"] == []
