"""Lessons in plain words, the same in the terminal and in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

if TYPE_CHECKING:
    from metier.types.lessons import CheckStep, Lesson

QUOTED = {"person": "you said", "operator": "the operator said", "action": "the agent ran", "tool": "the output said"}
"""Whose words a quote is, by its origin."""
STEPS: dict[CheckStep, str] = {
    "observe": "calls are counted",
    "remind": "agents are reminded",
    "deny": "calls are denied",
}
"""What becomes of calls that violate a lesson."""


def lost_step_words(before: Lesson, now: Lesson) -> str:
    """What new words take away: calls are no longer reminded of a lesson or denied by it; empty: nothing."""
    agreed = before.check
    if agreed is None or agreed.step == "observe" or (now.check is not None and now.check.step == agreed.step):
        return ""
    gone = "Calls are no longer denied" if agreed.step == "deny" else "Agents are no longer reminded"
    if now.check is None:
        return f"{gone}: the new words make no check. {how_to_check(now)}"
    again = f"Agree again: metier lessons approve {now.id[:8]} --{agreed.step}"
    return f"{gone}: the new words make another check, and calls are only counted. {again}"


def how_to_check(lesson: Lesson) -> str:
    """Why calls cannot be held to a lesson, and what to do about it."""
    match lesson.kind:
        case "fact":
            return "It is a fact: it tells agents what works, and forbids no call."
        case "fix":
            return "Only a fix in the form in which it was found, for a call that can never work, can be checked."
        case "rule":
            example = f"metier lessons edit {lesson.id[:8]} 'Never run `git add .`'"
            return f"Write a command that was run here, or a path, in backticks: {example}"
        case _:
            assert_never(lesson.kind)
