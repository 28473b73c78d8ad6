"""Requests and their clusters as plain values, small enough to be kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Texts as vectors of length one, the same every time."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row per text; zeros for a text without words."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a person asked, under the id of its run."""

    id: str
    text: str
    vector: NDArray[np.float32] | None = None
    """As `embedded` fills it in; a stored one is not computed again."""
    hints: tuple[str, ...] = ()
    """What was done to answer it (`git log`, `edit CHANGELOG.md`), as `hints_of` gives it: further evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exemplar:
    """A member of a cluster, without its id and text."""

    vector: NDArray[np.float32]
    words: tuple[str, ...]
    """Its stems."""
    hints: tuple[str, ...] = ()
    draw: str = ""
    """A hash of its id: the members with the lowest are kept, a fair sample whatever the order of arrival."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A group of requests as plain values: enough to tell whether another belongs to it."""

    id: str
    centroid: NDArray[np.float32]
    """Mean of its requests' vectors."""
    size: int
    words: Mapping[str, int]
    """Its commonest stems and how many requests have each."""
    hints: Mapping[str, int] = field(default_factory=dict[str, int])
    """Its commonest hints and how many requests have each."""
    exemplars: tuple[Exemplar, ...] = ()
    """Some of its requests, to compare others with; without any, its centroid stands for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where requests went."""

    joined: Mapping[str, tuple[str, ...]]
    """Requests that came to a known cluster, by its id."""
    formed: tuple[tuple[str, ...], ...]
    """Requests that make a new cluster together, each group in order of id."""
    left: tuple[str, ...]
    """Requests that are like no other yet, and wait."""
    clusters: tuple[Cluster, ...]
    """The clusters of `joined` as they are now, then those of `formed` in the same order."""
