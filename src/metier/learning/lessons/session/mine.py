"""What the net keeps of one session, as values and as text for the store."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from metier.formats.value_json import dumps, loads
from metier.learning.lessons.facts import commands_in
from metier.learning.lessons.session.fixes import repairs_of, tool_failures
from metier.learning.lessons.session.net import said_in
from metier.learning.lessons.session.sightings import Repair, Said, Worked  # noqa: TC001 - the store reads by these types
from metier.learning.lessons.session.steps import steps_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.learning.lessons.session.sightings import Sighting
    from metier.types import Record


PROGRAMS = 200
"""Programs of a session that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """All that the net found in a session."""

    repairs: tuple[Repair, ...] = ()
    worked: tuple[Worked, ...] = ()
    said: tuple[Said, ...] = ()
    programs: tuple[str, ...] = ()
    """What was run, each program once."""

    def __iter__(self) -> Iterator[Sighting]:
        """Every sighting, whatever it is."""
        yield from (*self.repairs, *self.worked, *self.said)


def mine_session(runs: Sequence[Record]) -> Catch:
    """What one session shows; runs without a session stand for themselves."""
    repairs: list[Repair] = []
    worked: list[Worked] = []
    said: list[Said] = []
    programs: set[str] = set()
    for name, group in groupby(runs, key=lambda one: one.run.session or one.id):
        session = list(group)
        steps = steps_of(session)
        repairs += [*repairs_of(steps, name), *tool_failures(session, name)]
        worked += commands_in(steps, name)
        said += said_in(session, name)
        programs |= {part.words[0] for step in steps for part in step.programs}
    return Catch(
        repairs=tuple(repairs), worked=tuple(worked), said=tuple(said), programs=tuple(sorted(programs)[:PROGRAMS])
    )


def as_text(catch: Catch) -> str:
    """For the store; empty where nothing was found."""
    return dumps(catch) if catch != Catch() else ""


def from_text(text: str) -> Catch:
    """What `as_text` wrote."""
    return loads(Catch, text) if text else Catch()
