"""Requests and their clusters as plain values, small enough to be kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Protocol

import numpy as np

from metier.learning.clustering.request_words import essence, stems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

COMMONEST = 32
"""Words, and hints, kept of a cluster."""
EXEMPLARS = 12
"""Requests kept of a cluster."""


class Embedder(Protocol):
    """Texts as vectors of length one, the same every time."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row per text; zeros for a text without words."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRequest:
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


def grow_cluster(cluster: Cluster | None, members: Sequence[UserRequest]) -> Cluster:
    """A cluster with more requests, or a first one made of them."""
    size = cluster.size if cluster else 0
    total = np.zeros(1) if cluster is None else cluster.centroid.astype(np.float64) * size
    words: Counter[str] = Counter(cluster.words if cluster else ())
    hints: Counter[str] = Counter(cluster.hints if cluster else ())
    fresh = [exemplar(member) for member in members]
    for one in fresh:
        total = total + one.vector
    words.update(chain.from_iterable(one.words for one in fresh))
    hints.update(chain.from_iterable(one.hints for one in fresh))
    return Cluster(
        id=cluster.id if cluster else f"new:{min(member.id for member in members)}",
        centroid=(total / (size + len(members))).astype(np.float32),
        size=size + len(members),
        words=_commonest(words),
        hints=_commonest(hints),
        exemplars=_sample([*(cluster.exemplars if cluster else ()), *fresh]),
    )


def exemplar(request: UserRequest) -> Exemplar:
    """What is kept of a request."""
    return Exemplar(
        vector=vector_of(request),
        words=_stems(request.text),
        hints=tuple(dict.fromkeys(request.hints)),
        draw=drawn_by(request.id),
    )


def members_of(cluster: Cluster) -> tuple[Exemplar, ...]:
    """The exemplars of a cluster; one made of its middle, if it has none."""
    common = tuple(word for word, count in cluster.words.items() if 2 * count >= cluster.size)
    return cluster.exemplars or (Exemplar(vector=cluster.centroid, words=common),)


def vector_of(request: UserRequest) -> NDArray[np.float32]:
    """The vector that `embedded` has put in."""
    if request.vector is None:
        raise ValueError(f"request {request.id} has no vector: pass requests through `embedded` first")
    return request.vector


def drawn_by(text: str) -> str:
    """A number that has nothing to do with when a request arrived or how it begins."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@lru_cache(maxsize=4096)
def _stems(text: str) -> tuple[str, ...]:
    """The stems of a request, which is looked at when it is compared and again when it is kept."""
    return stems(essence(text))


def _commonest(counts: Counter[str]) -> Mapping[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:COMMONEST])


def _sample(found: Sequence[Exemplar]) -> tuple[Exemplar, ...]:
    """The members that come first by lot."""
    return tuple(sorted(found, key=lambda one: (one.draw, one.vector.tobytes(), one.hints))[:EXEMPLARS])
