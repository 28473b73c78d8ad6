"""Two scenes: a draft that does harm is stopped by replay, and a change is taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.demo.next_run import SKILL
from metier.cli.demo.parts import GOOD, QUIET, Scene, in_plain_words, line, result_of, stopped
from metier.cli.demo.samples.agents import answer_sales
from metier.library.proposals.hand_in import hand_in_document
from metier.proof.replay.cases import build_cases, decide_case, list_cases
from metier.proof.replay.gate import ReplayOptions, replay_draft
from metier.training.targets.callable import CallableTarget

if TYPE_CHECKING:
    from metier.cli.demo.parts import Stage
    from metier.types.skills import Version

ADVICE = "Keep the answer short: figures in thousands, no cents."
HARMFUL = f"""---
name: sales-figures
description: Tells what the shop sold in a month. Use when asked what the shop did sell in a month.
---

# Sales figures

1. Run `python tools/sales.py --month` for the month.
2. {ADVICE}
"""
BY_HAND = ("2. Run `pytest -q`.", "2. Skip the tests, they take too long.")


def replay_scene(stage: Stage) -> Scene:
    """An agent proposes a skill that reads well; the person's own requests are replayed with and without it."""
    ws = stage.ws
    draft = hand_in_document(ws.library, "sales-figures", HARMFUL, "figures that are easy to read")
    build_cases(ws.context)
    for case in list_cases(ws.context, "proposed"):
        decide_case(ws.context, case.id, "accepted" if "sell in" in case.input else "rejected")
    cases = list_cases(ws.context, "accepted")
    replayed = result_of(
        replay_draft(
            ws.library, draft.id, ReplayOptions(target=CallableTarget(function=answer_sales, name="demo")), ship=True
        )
    )
    return Scene(
        title="A draft that does harm is stopped",
        lines=(
            line("An agent proposes a skill for sales figures: ", (f"“{ADVICE}”", QUIET)),
            line(
                f"Review finds {len(draft.findings) or 'nothing'} against it. A scripted agent answers {len(cases)} "
                "requests of the two weeks again, with and without it:"
            ),
            stopped("it is not shipped", in_plain_words(replayed.decision.reason.partition(": ")[2])),
        ),
        facts={
            "findings": len(draft.findings),
            "cases": len(cases),
            "decision": replayed.decision.action,
            "reason": replayed.decision.reason,
            "shipped": replayed.shipped is not None,
        },
    )


def rollback_scene(stage: Stage) -> Scene:
    """Somebody makes the learned skill worse by hand; that is noticed, kept, and taken back."""
    ws = stage.ws
    file = ws.root / ".agents" / "skills" / SKILL / "SKILL.md"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(*BY_HAND), encoding="utf-8")
    ws.record_hand_edits()
    ws.rollback(SKILL)
    versions = ws.history(SKILL)
    same = versions[-1].hash == versions[0].hash and file.read_text(encoding="utf-8") == text
    return Scene(
        title="A change is taken back",
        lines=(
            line(f"Somebody writes into {SKILL}: ", (f"“{BY_HAND[1][3:]}”", QUIET)),
            line(
                ("$ ", QUIET),
                f"metier skills rollback {SKILL}   ",
                ("as it was, to the byte" if same else "not as it was", GOOD),
            ),
            line(*(part for one in versions for part in _version_parts(one))),
        ),
        facts={"versions": [one.action for one in versions], "as_it_was": same},
    )


def _version_parts(version: Version) -> tuple[str, tuple[str, str]]:
    return f"v{version.number} {version.action} ", (f"{version.hash[:12]}   ", QUIET)
