"""Each lesson has one way to reach agents."""

from __future__ import annotations

from dataclasses import replace

from metier.library.delivery.channels import channels_of, trigger_word
from metier.types.lessons import Lesson, LessonCheck

RULE = Lesson(id="r", workspace="w", kind="rule", text="Use uv.", subject="pip uv", trigger="pip uv")
CHECK = LessonCheck(program=("pip", "install"), instead="uv pip install")


def test_a_lesson_has_one_channel_by_its_kind_and_by_the_step_that_was_agreed_to() -> None:
    fix = replace(RULE, id="f", kind="fix", trigger="no such table")
    fact = replace(RULE, id="a", kind="fact", subject="test: npm", trigger="npm")
    denied = replace(RULE, id="d", check=replace(CHECK, step="deny"))
    counted = replace(RULE, id="c", check=CHECK)
    found = channels_of([RULE, fix, fact, denied, counted, replace(fix, id="mute", trigger="")])
    assert found == {"r": "start", "f": "after", "a": "prompt", "d": "before", "c": "start"}
    assert trigger_word(fact, "prompt") == "test"
    assert trigger_word(fix, "after") == "no such table"
    assert trigger_word(RULE, "start") == ""


def test_twelve_rules_or_300_tokens_stand_at_the_start_and_the_others_wait_for_their_words() -> None:
    many = [replace(RULE, id=f"{n:02}", strength=1 - n / 100) for n in range(20)]
    found = channels_of(many)
    assert [one for one, channel in found.items() if channel == "start"] == [f"{n:02}" for n in range(12)]
    assert {channel for one, channel in found.items() if one >= "12"} == {"prompt"}
    long = [replace(one, text="x" * 400) for one in many]
    assert list(channels_of(long).values()).count("start") == 3
