"""Which of many patterns can match a text at all: one look for the letters they need saves most of the searches."""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Protocol, cast

from metier.review.matching.re2 import source_of_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

PROOF = "zqxsievexqz"
"""Letters put behind every text: a look that does not find them has failed, and rules nothing out."""


class _Filter(Protocol):
    """What is used of `re2.Filter`, which comes without types."""

    def Add(self, pattern: bytes, /) -> int: ...  # noqa: N802

    def Compile(self) -> None: ...  # noqa: N802

    def Match(self, text: bytes, potential: bool, /) -> list[int] | None: ...  # noqa: N802, FBT001


class Prefilter:
    """Tells which of its patterns a text may match; what it leaves out cannot match."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = (PROOF, *dict.fromkeys(patterns))

    def possible(self, data: bytes) -> frozenset[str]:
        """The patterns worth searching for."""
        found = self._filter.Match(data + PROOF.encode(), True) or []  # noqa: FBT003
        return frozenset(self._patterns[at] for at in found) if 0 in found else frozenset(self._patterns)

    @functools.cached_property
    def _filter(self) -> _Filter:
        made = cast("_Filter", importlib.import_module("re2").Filter())
        for pattern in self._patterns:
            made.Add(source_of_pattern(pattern))
        made.Compile()
        return made
