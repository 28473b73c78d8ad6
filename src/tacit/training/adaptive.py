"""The default gate: whole bundles while accepts come easily, screenings when they dry up, thorough ones after that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tacit.training.quick import quick
from tacit.training.schedule import budget
from tacit.training.screen import Screen, hold, usable, with_edits
from tacit.training.state import ACCEPTED, Waiting

if TYPE_CHECKING:
    from collections.abc import Generator

    from tacit.training.progress import Event
    from tacit.training.result import Judged, Unjudged
    from tacit.training.run import Run
    from tacit.training.state import Candidate


class Adaptive:
    """Chooses between a quick look at a bundle of edits and a screening of many, from what it has seen.

    Bundles come first: edits that only work together have no effects that add up. What is not taken, and an edit that
    comes alone, waits for a screening, which goes over the val cases once, and once more for each candidate so far that
    brought nothing.
    """

    def judge(self, run: Run, candidate: Candidate) -> Generator[Event, None, Judged | Unjudged]:
        """The quick gate until too many in a row fail it, then screenings with as much effort as is asked for."""
        spec, looks = run.spec, run.state.looks
        if len(candidate.edits) > 1 and spec.parents == "best" and looks.slow < spec.quick:
            return (yield from _bundle(run, candidate))
        passes = min(1 + looks.dry, spec.screen_passes)
        return (yield from Screen(passes).judge(run, candidate))


def _bundle(run: Run, candidate: Candidate) -> Generator[Event, None, Judged]:
    """Judge the first edits of a candidate together; what is not taken waits."""
    spec, waiting = run.spec, run.state.looks.waiting
    schedule = "constant" if spec.schedule == "autonomous" else spec.schedule
    most = budget(schedule, candidate.step, run.steps, most=spec.max_edits, least=spec.min_edits)
    edits = tuple(Waiting(edit=edit) for edit in candidate.edits)
    bundle = edits[:most]
    package = with_edits(run, bundle)
    made = replace(candidate, package=package, edits=tuple(one.edit for one in bundle))
    judged = yield from quick(run, made)
    accepted = judged.decision.action in ACCEPTED
    hold(run, usable(run, (*waiting, *(edits[most:] if accepted else edits))))
    looks = run.state.looks
    run.state = replace(run.state, looks=replace(looks, slow=0 if accepted else looks.slow + 1))
    return judged
