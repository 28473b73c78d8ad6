"""What a package lets an agent do, as typed values, and what a change newly allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from metier.review.capability_scan import programs_in, reach_of
from metier.review.layers.evidence import commands

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.skills.package import Package
    from metier.types import Run

INDEPENDENT = 2
"""Different sessions in which something was used successfully, before it is no addition any more."""


@dataclass(frozen=True, slots=True, order=True)
class Program:
    """A program that is run."""

    name: str


@dataclass(frozen=True, slots=True, order=True)
class Host:
    """A host on the network."""

    name: str


@dataclass(frozen=True, slots=True, order=True)
class OutsidePath:
    """A path outside the workspace."""

    path: str


@dataclass(frozen=True, slots=True, order=True)
class SecretName:
    """A secret that is used by its name."""

    name: str


@dataclass(frozen=True, slots=True, order=True)
class Tool:
    """A tool of the agent."""

    name: str


@dataclass(frozen=True, slots=True, order=True)
class Persistence:
    """Something that outlives the task."""

    what: str


@dataclass(frozen=True, slots=True, order=True)
class StandingOrder:
    """An order that holds from now on."""

    text: str


Capability = Program | Host | OutsidePath | SecretName | Tool | Persistence | StandingOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """One thing that a change newly allows."""

    capability: Capability
    words: str
    """What it means, for a person who decides."""
    covered: bool = False
    """Whether the evidence itself used it successfully in enough sessions."""


def capabilities(package: Package) -> frozenset[Capability]:
    """Everything a package lets an agent do."""
    return frozenset(_all(package))


def capability_diff(
    before: Package | None, after: Package, evidence: Sequence[Run] = (), sessions: int = INDEPENDENT
) -> tuple[Addition, ...]:
    """What the new version allows and the old one did not, and which of it the evidence of enough sessions covers."""
    old = capabilities(before) if before else frozenset[Capability]()
    used = _used(evidence, sessions)
    new = sorted(capabilities(after) - old, key=lambda one: (_WEIGHT[type(one)], plain_words(one)))
    return tuple(Addition(capability=one, words=plain_words(one), covered=one in used) for one in new)


def plain_words(capability: Capability) -> str:
    """A capability in a sentence."""
    match capability:
        case Program(name):
            return f"run the program {name}"
        case Host(name):
            return f"talk to the host {name}"
        case OutsidePath(path):
            return f"use {path}, outside the workspace"
        case SecretName(name):
            return f"use the secret {name}"
        case Tool(name):
            return f"use the tool {name}"
        case Persistence(what):
            return f"change what outlives the task: {what}"
        case StandingOrder(text):
            return f"follow a standing order: {text}"
        case _:
            assert_never(capability)


_WEIGHT: dict[type[Capability], int] = {
    kind: weight
    for weight, kind in enumerate((Persistence, StandingOrder, SecretName, Host, OutsidePath, Program, Tool))
}


def _all(package: Package) -> Iterator[Capability]:
    reach = reach_of(package)
    yield from map(Program, reach.programs)
    yield from map(Host, reach.hosts)
    yield from map(OutsidePath, reach.paths)
    yield from map(SecretName, reach.secrets)
    yield from map(Tool, reach.tools)
    yield from map(Persistence, reach.persistence)
    yield from map(StandingOrder, reach.orders)


def _used(evidence: Sequence[Run], sessions: int) -> frozenset[Capability]:
    """Programs and tools that calls in enough sessions used without an error."""
    calls: dict[tuple[str, str], set[str]] = {}
    for run in evidence:
        for call in run.tools:
            if call.ok and call.error is None:
                calls.setdefault((call.name, call.input), set()).add(run.session)
    seen: dict[Capability, set[str]] = {}
    for (name, given), where in calls.items():
        for one in (Tool(name), *map(Program, programs_in(commands(given)))):
            seen.setdefault(one, set()).update(where)
    return frozenset(one for one, where in seen.items() if len(where) >= sessions)
