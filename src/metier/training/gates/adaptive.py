"""The default gate: whole bundles while accepts come easily, screenings when they dry up, thorough ones after that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.training.gates.quick import quick
from metier.training.gates.screen import Screen, hold, usable
from metier.training.state import ACCEPTED, Waiting

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.training.events import Event
    from metier.training.result import Judged, Unjudged
    from metier.training.run import Run
    from metier.training.spec import Spec
    from metier.training.state import Candidate, Looks

CASES_AN_EDIT = 4
"""With fewer val cases for each edit of a screening, no edit could stand out."""


class Adaptive:
    """Chooses between a quick look at a bundle of edits and a screening of many, from what it has seen.

    Bundles come first: edits that only work together have no effects that add up. What is not taken, and an edit that
    comes alone, waits for a screening, which goes over the val cases once, and once more for each candidate so far that
    brought nothing. Where val cases are too few for screenings, bundles are all there is.
    """

    def judge(self, run: Run, candidate: Candidate) -> Generator[Event, None, Judged | Unjudged]:
        """The quick gate until too many in a row fail it, then screenings with as much effort as is asked for."""
        spec, looks, cases = run.spec, run.state.looks, len(run.splits.val)
        alone = len(candidate.edits) == 1 and can_screen(spec, cases)
        if candidate.edits and not alone and bundled(spec, looks, cases):
            return (yield from _bundle(run, candidate))
        passes = 1 if looks.repeats else min(1 + looks.dry, spec.gating.screen_passes)
        return (yield from Screen(passes).judge(run, candidate))


def bundled(spec: Spec, looks: Looks, cases: int) -> bool:
    """Whether the edits of a step are judged together; if not, each has its own effect in a screening."""
    match spec.gating.gate:
        case "screen":
            return False
        case "adaptive" if spec.gating.quick:
            return looks.slow < spec.gating.quick or not can_screen(spec, cases)
        case "adaptive":
            return False
        case _:
            return True


def can_screen(spec: Spec, cases: int) -> bool:
    """Whether there are cases enough to tell edits apart."""
    return cases >= CASES_AN_EDIT * spec.gating.screen_edits


def _bundle(run: Run, candidate: Candidate) -> Generator[Event, None, Judged]:
    """Judge the edits of a candidate together; what is not taken waits."""
    waiting = run.state.looks.waiting
    judged = yield from quick(run, candidate)
    accepted = judged.decision.action in ACCEPTED
    if can_screen(run.spec, len(run.splits.val)):
        edits = () if accepted else tuple(Waiting(edit=edit) for edit in candidate.edits)
        hold(run, usable(run, (*waiting, *edits)))
    looks = run.state.looks
    run.state = replace(run.state, looks=replace(looks, slow=0 if accepted else looks.slow + 1))
    return judged
