"""Clusters as they grow: a few typical numbers, and a fair sample of their requests."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from metier.learning.clustering.request_words import essence, stems
from metier.learning.clustering.types import Cluster, Exemplar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from metier.learning.clustering.types import Request

COMMONEST = 32
"""Words, and hints, kept of a cluster."""
EXEMPLARS = 12
"""Requests kept of a cluster."""


def grown(cluster: Cluster | None, members: Sequence[Request]) -> Cluster:
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


def exemplar(request: Request) -> Exemplar:
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


def vector_of(request: Request) -> NDArray[np.float32]:
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
