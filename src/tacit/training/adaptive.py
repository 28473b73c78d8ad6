"""The default gate: cheap screenings while they bring something, thorough ones when accepts dry up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.training.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Generator

    from tacit.training.progress import Event
    from tacit.training.result import Judged, Unjudged
    from tacit.training.run import Run
    from tacit.training.state import Candidate


class Adaptive:
    """A screening goes over the val cases once, and once more for each candidate so far that brought nothing.

    A race of single candidates on few cases before the first screening was tried too: it was no better in any world.
    """

    def judge(self, run: Run, candidate: Candidate) -> Generator[Event, None, Judged | Unjudged]:
        """Screen with as much effort as the candidates so far ask for."""
        passes = min(1 + run.state.looks.dry, run.spec.screen_passes)
        return (yield from Screen(passes).judge(run, candidate))
