"""Requests and their clusters as plain values, small enough to be kept."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Protocol

import numpy as np

from metier.learning.procedures.actions import deeds_in
from metier.learning.procedures.shell import head
from metier.text.stop_words import BY_LANGUAGE, DENSE_PHRASES, ENGLISH, OPENERS, POLITE
from metier.text.words import is_dense, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from metier.learning.procedures.actions import ActionKind
    from metier.types import Run

LONGEST = 4_000
"""Characters of a request that are looked at: what is asked stands at the beginning."""
MANY = 200
"""Words of a request that are looked at."""
VALUES = re.compile(
    r"""
      \[redacted[^\]\n]{0,80}\]                                        # what redaction left
    | `{3}.*?`{3} | `[^`\n]{1,200}`                                     # code
    | "[^"\n]{1,200}" | “[^”\n]{1,200}” | «[^»\n]{1,200}» | „[^“”\n]{1,200}[“”]
    | 「[^」\n]{1,200}」 | 『[^』\n]{1,200}』 | 《[^》\n]{1,200}》
    | (?<![\w'])'[^'\n]{1,200}'(?!\w)                                  # quoted
    | \b[a-z][a-z0-9+.-]{1,20}://\S+ | \bwww\.\S+                      # addresses
    | [\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,63} | (?<!\w)@\w[\w-]*       # people
    | (?<![\w/])(?:~|\.{1,2})?(?:/[\w.@%+-]+)+/? | \b[a-z]:\\\S+       # paths
    | \b[\w-]+(?:/[\w.-]+)+\.\w{1,8}\b                                 # paths that begin with a folder
    | \b[\w-]+\.(?:py|js|tsx?|jsx|md|txt|json|ya?ml|toml|csv|sql|sh|go|rs|java|rb|php|html?|css|pdf|docx?|xlsx?)\b
    | \b[\w-]+\.(?:png|jpe?g|log|lock|cfg|ini|env|xml|zip)\b           # files
    | \b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b                  # ids
    | \b(?=[a-f]*\d)[0-9a-f]{7,64}\b
    | \b[a-z]{2,10}-\d+\b | \#\d+
    | [$€£¥]\s?\d[\d.,]*
    | \d[\d.,:/%°-]*                                                   # numbers, dates, amounts
      (?:\s?(?:st|nd|rd|th|am|pm|kg|km|mb|gb|tb|ms|px|usd|eur|uhr|円|元|年|月|日|号|時|分)(?![a-z]))*
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""Concrete values: what differs from one request of a kind to the next."""
_MARKED = re.compile(r"""[\[`"“«„「『《'@/\\.\d]""")
"""One of these stands in every value; a request without any is seen at once to have none."""
MOST = 24
"""Hints of one run: what comes later is rarely what it was about."""
_HOST = re.compile(r"\A\w+://([^/\s]+)")


def without_values(text: str) -> str:
    """The text with every concrete value left out; as it was, if nothing else is in it."""
    short = text[:LONGEST]
    bare = " ".join((VALUES.sub(" ", short) if _MARKED.search(short) else short).split())
    return bare if words(bare) else " ".join(short.split())


def wording(text: str) -> str:
    """A request's words without values and polite opening; without any stock word in languages other than English.

    Little words carry meaning for an embedder that knows the language ("how long", "how much"), else only noise.
    """
    said = _said(text)
    stock = stock_of(said)
    if stock is not ENGLISH:
        return essence(text)
    first = next((at for at, word in enumerate(said) if word not in OPENERS), 0)
    kept = [part for word in said[first:] for part in _telling(word, POLITE)]
    return " ".join(kept or said)


def essence(text: str) -> str:
    """The words that say what a request is about, in order; all of its words, if every one is a stock word."""
    said = _said(text)
    stock = stock_of(said)
    kept = [part for word in said if not word.isdigit() for part in _telling(word, stock)]
    return " ".join(kept or said)


@lru_cache(maxsize=16_384)
def _said(text: str) -> tuple[str, ...]:
    """The words of a request without its values, which are asked for when it is embedded and when it is compared."""
    return tuple(words(without_values(text))[:MANY])


def stock_of(said: Sequence[str]) -> frozenset[str]:
    """The stock words of the language that these words most look like."""
    spoken = frozenset(said)
    return max(BY_LANGUAGE, key=lambda stock: len(stock & spoken))


def stems(essential: str) -> tuple[str, ...]:
    """The different stems of an essence in order; pairs of characters in a script without spaces."""
    found: dict[str, None] = {}
    for word in words(essential):
        parts = _pairs(word) if is_dense(word) else (stem(word),)
        found.update(dict.fromkeys(parts))
    return tuple(found)


def _telling(word: str, stock: frozenset[str]) -> list[str]:
    """A word, or nothing if it is a stock word; a dense run without its stock phrases."""
    if is_dense(word):
        return DENSE_PHRASES.sub(" ", word).split()
    return [] if word in stock else [word]


def _pairs(word: str) -> tuple[str, ...]:
    """Neighbouring characters of a dense run, or the one there is."""
    return tuple(word[at : at + 2] for at in range(len(word) - 1)) or (word,)


def hints_of(run: Run) -> tuple[str, ...]:
    """The different commands, files and tools of a run, in order, without their values."""
    found = dict.fromkeys(_hint(kind, text) for call in run.tools for kind, text in deeds_in(call))
    return tuple(hint for hint in found if hint)[:MOST]


@lru_cache(maxsize=4096)
def _hint(kind: ActionKind, text: str) -> str:
    match kind:
        case "command":
            return head(text)
        case "edit" | "read":
            return f"{kind} {_place(text)}"
        case "web":
            host = _HOST.match(text)
            return f"web {host[1]}" if host else ""
        case "tool":
            return f"tool {text}"
        case "search":
            return ""


def _place(path: str) -> str:
    """Where a file lies and what kind it is; its name too, if it stands alone."""
    *folders, name = path.split("/")
    dot = name.rfind(".")
    return f"{folders[-1]}/*{name[dot:] if 0 < dot < len(name) - 1 else ''}" if folders else name


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
