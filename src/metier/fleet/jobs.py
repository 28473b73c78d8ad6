"""Jobs of a workspace: handed in once, seen, tried again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.store.tables.fleet.status import FleetStatus

Json = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work for any worker that serves the workspace; doing it twice changes nothing."""

    kind: str
    key: str
    """What it is about: of two with one key that nobody has begun, one is enough."""
    given: Mapping[str, Json] = field(default_factory=dict[str, Json])
    priority: int = 0
    """Higher ones are begun first."""
    alone: bool = False
    """Whether no two jobs of this kind may be under way in one workspace."""


class Jobs(Protocol):
    """The jobs of one workspace, whatever engine hands them out."""

    def put(self, jobs: Sequence[Job]) -> int:
        """Hand jobs in; says how many are new."""
        ...

    def status(self) -> FleetStatus:
        """How they stand."""
        ...

    def retry(self, jobs: Sequence[int]) -> list[int]:
        """Hand failed jobs out again; says which they were."""
        ...

    def drop(self, jobs: Sequence[int]) -> list[int]:
        """Remove failed jobs; says which they were."""
        ...
