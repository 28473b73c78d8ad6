"""The digest in words."""

from __future__ import annotations

from metier.cli.commands.lessons.digest import lines
from metier.learning.lessons.tally import Rate
from metier.learning.stages.digest import Digest
from metier.types.lessons import Lesson

LESSON = Lesson(id="a1", workspace="w", kind="rule", text="Use uv.", subject="uv")


def first(rate: Rate, before: Rate) -> str:
    return next(lines(Digest(checked=((LESSON, rate),), before=before)))


def test_the_first_line_tells_what_was_obeyed_and_denied_before_and_after() -> None:
    assert next(lines(Digest())) == "Lessons: no call to check."
    assert first(Rate(denied=1), Rate()) == "Lessons: 1 wrong call was denied before it ran."
    assert first(Rate(applies=5, violated=2, denied=3), Rate(applies=9, violated=8)) == (
        "Lessons: violated in 2 of 5 calls. 3 wrong calls were denied."
        " Before you approved them (last 60 days): violated in 8 of 9"
        " (before and after, not causal). Most often violated: Use uv."
    )


def test_lessons_without_a_call_this_week_are_named_as_left_out() -> None:
    line = next(lines(Digest(checked=((LESSON, Rate(applies=5)),), before=Rate(applies=9), without_calls=(LESSON,))))
    assert line.endswith("Left out: 1 lesson without a call this week (metier lessons checks).")
    assert next(lines(Digest(without_calls=(LESSON,)))) == "Lessons: no call to check."
