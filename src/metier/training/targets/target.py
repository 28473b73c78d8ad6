"""The seam to the user's world: something that tries a case under a skill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from metier.types.trials import NO_TOKENS, Case

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping

    from metier.models.model import Model
    from metier.skills.package import Package
    from metier.types import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What came of one try, before anybody scores it."""

    output: str
    trace: str = ""
    tools: tuple[str, ...] = ()
    """Names of the tools that were called, in order."""
    exit_code: int | None = None
    files: tuple[tuple[str, str], ...] = ()
    """Files the try left behind, path and text, where the target collects them for the scorer."""
    tokens: Tokens = NO_TOKENS
    cost_usd: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """An infrastructure failure: it says nothing about the skill, and is never a score of 0."""

    reason: str
    again: bool = True
    """Whether another try may work."""
    spent: bool = False
    """Whether the budget is used up: then nothing more is tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSetup:
    """What a target can be made with."""

    open_model: Callable[[str], Model]
    """The model that a text names; empty: the configured one."""
    environ: Mapping[str, str]
    seconds: float = 120.0
    """How long one attempt may take."""
    stop: threading.Event | None = None
    """Once set, processes are ended and none is begun."""


class Target(Protocol):
    """Something that tries cases; it never raises for what goes wrong in the world, and is safe for many threads."""

    @property
    def identity(self) -> str:
        """Everything but case, skill and sample that determines an attempt. Holds no secret."""
        ...

    def run(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:
        """One try, without a skill where there is none; another sample asks for another try at the same."""
        ...
