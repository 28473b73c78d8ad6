"""What a package lets an agent do, as typed values, and what a change newly allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from metier.formats.origins import is_shell
from metier.review.layers.evidence import commands
from metier.review.reach.document_commands import parse_known, programs_of
from metier.review.reach.reach import reach_of
from metier.types.runs import session_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.review.reach.effects import CommandEffect
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
class Install:
    """Something that is brought in and can then be run."""

    command: str


@dataclass(frozen=True, slots=True, order=True)
class NetworkUse:
    """A command that reaches the network, whether or not it says where."""

    command: str


@dataclass(frozen=True, slots=True, order=True)
class TrustChange:
    """A change of what is trusted: hooks, checks, registries, remotes, certificates, rights."""

    what: str


@dataclass(frozen=True, slots=True, order=True)
class UnreadCommand:
    """A command of which one cannot tell beforehand what it runs."""

    command: str


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


Capability = (
    Program
    | Host
    | Install
    | NetworkUse
    | TrustChange
    | UnreadCommand
    | OutsidePath
    | SecretName
    | Tool
    | Persistence
    | StandingOrder
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """One thing that a change newly allows."""

    capability: Capability
    words: str
    """What it means, for a person who decides."""
    covered: bool = False
    """Whether the evidence itself used it successfully in enough sessions."""


def capabilities(package: Package, *, learned: bool = False) -> frozenset[Capability]:
    """Everything a package lets an agent do; in a learned one, whatever may be a command counts as one."""
    return frozenset(_all(package, learned=learned))


def capability_diff(
    before: Package | None,
    after: Package,
    evidence: Sequence[Run] = (),
    sessions: int = INDEPENDENT,
    *,
    learned: bool = False,
) -> tuple[Addition, ...]:
    """What the new version allows and the old one did not, and which of it the evidence of enough sessions covers."""
    old = capabilities(before, learned=learned) if before else frozenset[Capability]()
    used = _used(evidence, sessions)
    new = sorted(capabilities(after, learned=learned) - old, key=lambda one: (_WEIGHT[type(one)], plain_words(one)))
    return tuple(Addition(capability=one, words=plain_words(one), covered=one in used) for one in new)


def plain_words(capability: Capability) -> str:
    """A capability in a sentence."""
    match capability:
        case Program(name):
            return f"run the program {name}"
        case Host(name):
            return f"talk to the host {name}"
        case Install() | NetworkUse() | TrustChange() | UnreadCommand():
            return _effect_words(capability)
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


def _effect_words(effect: Install | NetworkUse | TrustChange | UnreadCommand) -> str:
    match effect:
        case Install(command):
            return f"install something: {command}"
        case NetworkUse(command):
            return f"reach the network: {command}"
        case TrustChange(what):
            return f"change what is trusted: {what}"
        case UnreadCommand(command):
            return f"run something that cannot be read beforehand: {command}"
        case _:
            assert_never(effect)


_WEIGHT: dict[type[Capability], int] = {
    kind: weight
    for weight, kind in enumerate(
        (
            *(Persistence, StandingOrder, TrustChange, Install, SecretName, Host, NetworkUse, UnreadCommand),
            *(OutsidePath, Program, Tool),
        )
    )
}


def _all(package: Package, *, learned: bool) -> Iterator[Capability]:
    reach = reach_of(package, learned=learned)
    yield from map(Program, reach.programs)
    yield from map(Host, reach.hosts)
    yield from map(_of_effect, reach.effects)
    yield from map(OutsidePath, reach.paths)
    yield from map(SecretName, reach.secrets)
    yield from map(Tool, reach.tools)
    yield from map(Persistence, reach.persistence)
    yield from map(StandingOrder, reach.orders)


def _of_effect(effect: CommandEffect) -> Capability:
    match effect.kind:
        case "install":
            return Install(effect.what)
        case "network":
            return NetworkUse(effect.what)
        case "trust":
            return TrustChange(effect.what)
        case "unclear":
            return UnreadCommand(effect.what)
        case _:
            assert_never(effect.kind)


def _used(evidence: Sequence[Run], sessions: int) -> frozenset[Capability]:
    """Programs and tools that calls in enough sessions used without an error."""
    calls: dict[tuple[str, str], set[str]] = {}
    for session, run in zip(session_names(evidence), evidence, strict=True):
        for call in run.tools:
            if call.ok and call.error is None:
                calls.setdefault((call.name, call.input), set()).add(session)
    seen: dict[Capability, set[str]] = {}
    for (name, given), where in calls.items():
        line = commands(given) if is_shell(name) else ""
        for one in (Tool(name), *map(Program, programs_of(parse_known(line)))):
            seen.setdefault(one, set()).update(where)
    return frozenset(one for one, where in seen.items() if len(where) >= sessions)
