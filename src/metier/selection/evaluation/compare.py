"""Two selections side by side: what the other one gains and loses, query by query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.selection.evaluation.evaluate import CUTS, is_right, place
from metier.statistics.figures import paired_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.selection.evaluation.evaluate import Answer
    from metier.selection.evaluation.labelled_queries import Query
    from metier.statistics.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the other one gained or lost on the same queries; above 0 the other one is better."""

    recall: Mapping[int, Figure | None]
    mrr: Figure | None
    chosen: Figure | None
    """Queries that a skill serves and that got it."""
    nothing: Figure | None
    """Queries that no skill serves and for which nothing was activated."""
    better: tuple[Query, ...] = ()
    """Queries that only the other one answers rightly."""
    worse: tuple[Query, ...] = ()
    """Those that only the first one does."""


def compared(
    queries: Sequence[Query], one: Sequence[Answer], other: Sequence[Answer], cuts: Sequence[int] = CUTS
) -> Comparison:
    """The differences, query by query, from the first set of answers to the other."""
    triples = list(zip(queries, one, other, strict=True))
    places = [(place(query, a), place(query, b)) for query, a, b in triples if query.gold]
    right = [(query, is_right(query, a), is_right(query, b)) for query, a, b in triples]
    return Comparison(
        recall={cut: paired_mean([_within(b, cut) - _within(a, cut) for a, b in places]) for cut in cuts},
        mrr=paired_mean([_reciprocal(b) - _reciprocal(a) for a, b in places]),
        chosen=paired_mean([float(b) - float(a) for query, a, b in right if query.gold]),
        nothing=paired_mean([float(b) - float(a) for query, a, b in right if not query.gold]),
        better=tuple(query for query, a, b in right if b and not a),
        worse=tuple(query for query, a, b in right if a and not b),
    )


def _within(at: int, cut: int) -> float:
    return float(0 < at <= cut)


def _reciprocal(at: int) -> float:
    return 1.0 / at if at else 0.0
