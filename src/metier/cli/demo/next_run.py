"""The third scene: the next run gets what was learned, and a rule that was broken is kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from metier.cli.demo.capture import import_all
from metier.cli.demo.parts import GOOD, QUIET, Scene, bar, line
from metier.cli.demo.samples.agents import ask_hook, follow_hooks
from metier.cli.demo.samples.transcripts import read_sessions
from metier.learning.stages.count_checks import count_check
from metier.library.lessons import approve_lesson
from metier.library.proposals.drafts import approve_draft
from metier.proof.routing import apply_checked
from metier.selection.worth.outcomes import update_worths

if TYPE_CHECKING:
    from rich.text import Text

    from metier.cli.demo.parts import Stage
    from metier.learning.lessons.tally import Rate
    from metier.types.lessons import Lesson
    from metier.workspace import Workspace

SKILL = "bump-dependency"
SERVED, UNSERVED = "please bump the dependency celery to 5.6", "write a poem about the sea"
NEXT_WEEK = "next_week.txt"


def next_run_scene(stage: Stage) -> Scene:
    """Say yes to the skill and the rule, ask the hooks, and let an agent work with them for a week."""
    ws = stage.ws
    stage.clock.now += timedelta(days=2)
    rule = _say_yes(ws)
    given = ask_hook(stage, "prompt", hook_event_name="UserPromptSubmit", session_id="monday", prompt=SERVED)
    nothing = ask_hook(stage, "prompt", hook_event_name="UserPromptSubmit", session_id="sea", prompt=UNSERVED)
    sessions = [replace(one, turns=list(follow_hooks(stage, one))) for one in read_sessions(NEXT_WEEK)]
    denied = [turn for one in sessions for turn in one.turns if turn.who == "Bash" and not turn.ok]
    stage.clock.now += timedelta(days=7)
    import_all(stage, sessions)
    ws.ingest()
    update_worths(ws.context)
    rule = next(one for one in ws.lessons() if one.id == rule.id)
    tally = count_check(ws.context, rule)
    assert tally is not None  # noqa: S101 - the rule has a check
    text = given.get("additionalContext", "")
    return Scene(
        title="The next run gets it",
        lines=(
            line(
                ("> ", QUIET),
                f"{SERVED}   ",
                (f"the agent is given the skill {SKILL}" if SKILL in text else "nothing", GOOD),
            ),
            line(("> ", QUIET), f"{UNSERVED}   ", (nothing.get("additionalContext", "nothing"), QUIET)),
            line(
                ("$ ", QUIET), f"{denied[0].text}   ", (f"the hook denies it: {_after_name(denied[0].output[0])}", GOOD)
            ),
            _rate_line("npm in the two weeks before", tally.before),
            _rate_line("npm in the week since", tally.after),
        ),
        facts={
            "given": SKILL in text,
            "given_to_a_poem": bool(nothing),
            "before": [tally.before.violated, tally.before.applies],
            "since": [tally.after.violated, tally.after.applies],
            "denied": tally.after.denied,
        },
    )


def _say_yes(ws: Workspace) -> Lesson:
    """A person's part: yes to the skill, and to the rule, which is to be enforced."""
    draft = next(one for one in ws.drafts() if one.target == SKILL)
    approve_draft(ws.library, draft.id, seen=draft.hash, reason="the demo says yes for you")
    apply_checked(ws.library, [draft.id])
    for _ in ws.index_skills():
        pass
    rule = next(one for one in ws.lessons() if one.check is not None)
    return approve_lesson(ws.context, rule.id, step="deny")


def _after_name(denial: str) -> str:
    """What a hook says, without the name of who confirmed it."""
    return denial.partition(": ")[2]


def _rate_line(what: str, rate: Rate) -> Text:
    said = f"{rate.violated} of {rate.applies} calls broke the rule"
    if rate.denied:
        said = f"{rate.denied} attempts denied, {rate.violated} got through"
    return line(f"{what:<30}", bar(rate.share, good=not rate.violated), f"  {said}")
