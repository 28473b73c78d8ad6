"""A rewrite as single edits: a gate that screens edits can keep what helps of it, and leave the rest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_toys import TEXT, Rules, Teacher, contents, package, run, splits

from metier.models.model import Reply
from metier.training.proposing.proposals import Bundle
from metier.training.proposing.split_rewrite import edits_to_screen, split_rewrite
from metier.training.proposing.update import apply_edits
from metier.training.result import JudgedChange, UnjudgedChange
from metier.training.rollouts.pool import Threads
from metier.training.spec import Spec
from metier.types import Append, Delete, InsertAfter, Replace

if TYPE_CHECKING:
    from metier.models.model import Request

OLD = "---\nname: a\n---\n# Title\n\nFirst, do this\nand that.\n\n- one\n- two\n  more of two\n- three\n\nLast words.\n"


def split(new: str) -> list[object]:
    return [one.what for one in split_rewrite(package(OLD), package(new))]


def test_items_paragraphs_and_headings_are_edits_of_their_own() -> None:
    assert split(OLD) == []
    assert split(OLD + "\n- four\n- five\n") == [Append(content="- four"), Append(content="- five")]
    assert split(OLD.replace("- two\n  more of two\n", "")) == [Delete(target="- two\n  more of two")]
    assert split(OLD.replace("First, do this\nand that.", "Do all of it.")) == [
        Replace(target="First, do this\nand that.", content="Do all of it.")
    ]
    assert split(OLD.replace("- three", "- three\n- 3a\n- 3b")) == [
        InsertAfter(target="- three", content="- 3b"),
        InsertAfter(target="- three", content="- 3a"),
    ]


def test_what_cannot_be_told_apart_is_one_piece() -> None:
    twice = "# Title\n\nSame.\n\nOther.\n\nSame.\n"
    assert split_rewrite(package(twice), package("# Title\n\nSame.\n\nOther.\n")) == ()


@given(st.lists(st.sampled_from("abcdefg"), max_size=6), st.lists(st.sampled_from("abcdefgh"), max_size=6))
def test_all_edits_together_make_the_new_document_or_there_are_none(old: list[str], new: list[str]) -> None:
    before, after = (package("# T\n\n" + "".join(f"- line {one}\n" for one in lines)) for lines in (old, new))
    made = apply_edits(before, Bundle(items=split_rewrite(before, after)), strict=True).package.document.decode()
    lines = sorted(line for line in made.splitlines() if line.startswith("-"))
    assert lines in (sorted(f"- line {one}" for one in new), sorted(f"- line {one}" for one in old))


def test_only_where_edits_are_screened_and_it_is_asked_for() -> None:
    new = package(OLD + "\n- four\n")
    asked = Spec.of(gate="screen", split_rewrites=True)
    assert len(edits_to_screen(package(OLD), new, asked, 3)) == 1
    for spec in (asked.replace(gate="strict"), asked.replace(gate="staged"), asked.replace(split_rewrites=False)):
        assert edits_to_screen(package(OLD), new, spec, 3) == ()


class Writer(Teacher):
    """Its rewrite holds two rules that help and lines that break others."""

    def complete(self, request: Request) -> Reply:
        if request.stage != "one_shot":
            return super().complete(request)
        return Reply(text=json.dumps({"new_skill": f"{TEXT}- rule-0\n- Be kind.\n- rule-1\n- Be brief.\n"}))


SPEC = Spec.of(
    epochs=2,
    batch=12,
    minibatch=12,
    slow=False,
    meta=False,
    gate="screen",
    screen_edits=6,
    screen_passes=4,
    max_edits=1,
)


def test_the_first_rewrite_waits_with_other_edits_and_only_what_helps_stays() -> None:
    spec = SPEC.replace(one_shot_first=True, split_rewrites=True)
    ran = run(spec, model=Writer())
    assert ran.trained.steps[0].outcome == UnjudgedChange(
        change="one_shot", reason="4 of 6 edits wait to be screened together", waits=True
    )
    assert "- rule-0" in ran.text
    assert "- rule-1" in ran.text
    assert "Be kind." not in ran.text
    whole = run(spec.replace(split_rewrites=False), model=Writer())
    assert "Be kind." in whole.text
    with Threads(6) as pool:
        again = run(spec, pool=pool, world=Rules(slow=0.001), model=Writer())
    assert (again.trained, again.events) == (ran.trained, ran.events)


RULES = ["- rule-2", "- rule-3"]


@pytest.mark.parametrize("update", ["rewrite", "full_rewrite"])
def test_steps_that_rewrite_are_screened_too(update: str) -> None:
    class Author(Writer):
        def complete(self, request: Request) -> Reply:
            del request
            made = f"{TEXT}- rule-0\n- Be kind.\n- rule-1\n- Be brief.\n- rule-2\n- rule-3\n"
            return Reply(text=json.dumps({"new_skill": made, "suggestions": [{"instruction": "Name the rules."}]}))

    spec = SPEC.replace(epochs=1, update=update, split_rewrites=True)
    ran = run(spec, model=Author(), cases=splits(val=36))
    judged = ran.trained.steps[0].outcome
    assert isinstance(judged, JudgedChange)
    screened = Bundle(items=tuple(one.edit for one in judged.effects))
    assert contents(screened) == [*(f"- {one}" for one in ("rule-0", "Be kind.", "rule-1", "Be brief.")), *RULES]
    kept = contents(Bundle(items=tuple(one.edit for one in judged.effects if one.kept)))
    assert set(RULES) <= set(kept) < set(contents(screened))
    assert all(line in ran.text for line in kept)
