"""What a training is given: a skill, cases, a target, settings, limits; and the id that all of it amounts to."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from decimal import Decimal
from hashlib import sha256
from math import inf
from typing import TYPE_CHECKING, cast

from metier.errors import UsageError
from metier.models.ledger import Limits
from metier.skills.package import Package
from metier.training.presets import default_spec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.models.model import Model
    from metier.training.gates.gate import Gate
    from metier.training.scoring.scorer import Function
    from metier.training.service.remote import RolloutService
    from metier.training.spec import Spec
    from metier.training.targets.callable import Agent
    from metier.training.targets.target import Target
    from metier.types.trials import Case

SECONDS = 120.0
DAY = 86_400.0
"""The longest that one attempt or answer may take."""
MOST = {"epochs": 10_000, "samples": 1_000}
"""What the settings of a search may be at most: more would take all memory before it took any time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainLimits:
    """The most a training may spend, in all its runs together; None: no limit."""

    rollouts: int | None = None
    calls: int | None = None
    tokens: int | None = None
    usd: str | None = None
    """Dollars, as the text of a decimal number."""
    seconds: float | None = None
    """Of one run of the command: after it nothing new is begun. What is found then depends on the clock."""

    def __post_init__(self) -> None:
        for name in ("rollouts", "calls", "tokens", "usd", "seconds"):
            value = getattr(self, name)
            if value is not None and not 0 <= float(value) < inf:
                raise UsageError(f"A training cannot spend {value} {name}; give a number of 0 or more.")

    @property
    def on_models(self) -> Limits:
        """Those that calls of models are held against."""
        usd = None if self.usd is None else Decimal(self.usd)
        return Limits(calls=self.calls, tokens=self.tokens, usd=usd)

    @property
    def any(self) -> bool:
        """Whether there is one that must be kept exactly."""
        return any(value is not None for value in (self.rollouts, self.calls, self.tokens, self.usd))

    def canonical(self) -> str:
        """As JSON text."""
        return json.dumps(asdict(self), sort_keys=True)

    def but(self, others: TrainLimits) -> TrainLimits:
        """These limits, but those that the others name."""
        return replace(self, **{name: value for name, value in asdict(others).items() if value is not None})

    @classmethod
    def read(cls, text: str) -> TrainLimits:
        """The limits that `canonical` wrote."""
        return cls(**json.loads(text)) if text else cls()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A training as somebody asks for it."""

    skill: str
    """The name of a skill of the library, or the path of a package."""
    start: Package
    cases: tuple[Case, ...]
    target: str | Target | Agent
    """`chat`, `chat=PROVIDER:NAME`, `completion=…`, `agent=…`, `command=…`, `python=MODULE:FUNCTION`, or a thing."""
    optimiser: str | Model = ""
    """The model that writes the edits, by its text or itself; empty: the configured one."""
    spec: Spec = field(default_factory=default_spec)
    limits: TrainLimits = field(default_factory=TrainLimits)
    workers: int = 8
    seconds: float = SECONDS
    """What one attempt of a model or a command may take."""
    commands: bool = False
    """Whether checks that are commands or functions, which cases bring along by name, may be run."""
    functions: Mapping[str, Function] = field(default_factory=dict[str, "Function"])
    """Scorers of one's own, by name; no part of the id, so give another name when one changes."""
    source: str = ""
    """Where the cases came from, for people."""
    gate: Gate | None = None
    """A gate of one's own, with the setting `gate=own`; make it a dataclass, as its fields are part of the id."""

    elsewhere: RolloutService | None = None
    """Makes the rollouts on other machines; no part of the id, as they are the same."""

    def __post_init__(self) -> None:
        for what, seconds in (("an attempt", self.seconds), ("an answer of the optimiser", self.spec.timeout)):
            if not 0 < seconds <= DAY:
                raise UsageError(f"The seconds for {what} must be above 0 and at most {DAY:,.0f}, not {seconds:g}.")
        if (self.gate is not None) != (self.spec.gating.gate == "own"):
            raise UsageError("A gate of your own needs both: the gate itself, and the setting gate=own.")
        for name, most in MOST.items():
            if getattr(self.spec, name) > most:
                raise UsageError(f"Training takes {name} up to {most:,}, not {getattr(self.spec, name):,}.")

    def id(self, target: str, optimiser: str) -> str:
        """The hash of what determines the training; `target` and `optimiser` are the identities of what answers."""
        cases = [asdict(case) for case in self.cases]
        settings = replace(self.spec, ahead=True).canonical()  # what is begun early changes nothing that is found
        target = target if self.seconds == SECONDS else f"{target} {self.seconds:g} s"
        parts = [self.start.hash(), cases, target, optimiser, settings]
        if self.gate:
            parts.append(repr(self.gate) if is_dataclass(self.gate) else type(self.gate).__qualname__)
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def pack_package(package: Package) -> bytes:
    """A package as bytes, the same for the same package."""
    files = {path: b64encode(package.files[path]).decode() for path in sorted(package.files)}
    return zlib.compress(json.dumps([files, sorted(package.executable)]).encode())


def unpack_package(kept: bytes) -> Package:
    """The package that `packed` made bytes of."""
    files, executable = cast("tuple[dict[str, str], list[str]]", json.loads(zlib.decompress(kept)))
    content = {path: b64decode(text) for path, text in files.items()}
    return Package(files=content, executable=frozenset(executable))
