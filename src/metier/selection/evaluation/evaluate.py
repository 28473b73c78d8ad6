"""How good selection is: answers held against labelled queries, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metier.statistics.figures import auc, mean, paired_mean, percentile, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.selection.evaluation.labelled_queries import Query
    from metier.statistics.figures import Figure

CUTS = (1, 5, 12)
"""Places at which recall is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionAnswer:
    """What selection said to one query."""

    retrieved: tuple[str, ...] = ()
    """The candidates' names, best first."""
    chosen: tuple[str, ...] = ()
    probability: float = 0.0
    """Of the likeliest candidate."""
    retrieve_ms: float = 0.0
    choose_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds that half of all queries, and 95 of 100, did not exceed."""

    p50: float | None
    p95: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The first stage: is a right skill among the candidates, and how far up?"""

    recall: Mapping[int, Figure | None]
    """By place: queries with a right skill among the first so many."""
    mrr: Figure | None
    """Mean of one divided by the place of the first right skill; 0 where there is none."""
    latency: Latency


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """The second stage: what is activated, of queries that a skill serves and of those that none does."""

    recall: Figure | None
    """Queries that a skill serves and that got it."""
    first: Figure | None
    """Those where it is the first of what was chosen."""
    precision: Figure | None
    """Right ones among all skills that were activated, for any query."""
    nothing: Figure | None
    """Queries that no skill serves and for which nothing was activated."""
    auc: float | None
    """How well the likeliest candidate's probability tells the two kinds of queries apart; 0.5 is chance."""
    activated: float | None
    """Skills activated for a query, on average."""
    latency: Latency


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All figures of one set of queries."""

    queries: int
    unserved: int
    """Queries that no skill serves."""
    retrieve: Retrieval
    choose: Choosing
    latency: Latency
    kinds: Mapping[str, Evaluation] = field(default_factory=dict[str, "Evaluation"])
    """The same for the queries of each kind, where there are several."""


def evaluate(queries: Sequence[Query], answers: Sequence[SelectionAnswer], cuts: Sequence[int] = CUTS) -> Evaluation:
    """The figures of these answers, over all queries and by kind."""
    kinds = sorted({query.kind for query in queries})
    parts: dict[str, Evaluation] = {}
    if len(kinds) > 1:
        for kind in kinds:
            pairs = [(one, said) for one, said in zip(queries, answers, strict=True) if one.kind == kind]
            parts[kind or "other"] = _whole([one for one, _ in pairs], [said for _, said in pairs], cuts, {})
    return _whole(queries, answers, cuts, parts)


def _whole(
    queries: Sequence[Query], answers: Sequence[SelectionAnswer], cuts: Sequence[int], kinds: Mapping[str, Evaluation]
) -> Evaluation:
    pairs = list(zip(queries, answers, strict=True))
    return Evaluation(
        queries=len(pairs),
        unserved=sum(not query.gold for query, _ in pairs),
        retrieve=_retrieval(pairs, cuts),
        choose=_choosing(pairs),
        latency=_latency([said.retrieve_ms + said.choose_ms for _, said in pairs]),
        kinds=kinds,
    )


def _retrieval(pairs: Sequence[tuple[Query, SelectionAnswer]], cuts: Sequence[int]) -> Retrieval:
    places = [place(query, said) for query, said in pairs if query.gold]
    return Retrieval(
        recall={cut: share(0 < one <= cut for one in places) for cut in cuts},
        mrr=mean([1.0 / one if one else 0.0 for one in places]),
        latency=_latency([said.retrieve_ms for _, said in pairs]),
    )


def _choosing(pairs: Sequence[tuple[Query, SelectionAnswer]]) -> Choosing:
    served = [(query, said) for query, said in pairs if query.gold]
    unserved = [said for query, said in pairs if not query.gold]
    return Choosing(
        recall=share(is_served(query, said) for query, said in served),
        first=share(_is_first(query, said) for query, said in served),
        precision=share(name in query.gold for query, said in pairs for name in said.chosen),
        nothing=share(not said.chosen for said in unserved),
        auc=auc([said.probability for _, said in served], [said.probability for said in unserved]),
        activated=_activated(pairs),
        latency=_latency([said.choose_ms for _, said in pairs]),
    )


def _is_first(query: Query, said: SelectionAnswer) -> bool:
    return any(name in query.gold for name in said.chosen[:1])


def _activated(pairs: Sequence[tuple[Query, SelectionAnswer]]) -> float | None:
    """How many skills a query gets in the mean."""
    return sum(len(said.chosen) for _, said in pairs) / len(pairs) if pairs else None


def place(query: Query, said: SelectionAnswer) -> int:
    """The place of the first right skill among the candidates, from 1; 0: it is not there."""
    return next((at for at, name in enumerate(said.retrieved, 1) if name in query.gold), 0)


def is_served(query: Query, said: SelectionAnswer) -> bool:
    """Whether a right skill was activated."""
    return any(name in query.gold for name in said.chosen)


def _latency(values: Sequence[float]) -> Latency:
    return Latency(p50=percentile(values, 0.5), p95=percentile(values, 0.95))


def is_right(query: Query, said: SelectionAnswer) -> bool:
    """Whether a query got what it should: a right skill, or nothing where none serves it."""
    return is_served(query, said) if query.gold else not said.chosen


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


def compare(
    queries: Sequence[Query],
    one: Sequence[SelectionAnswer],
    other: Sequence[SelectionAnswer],
    cuts: Sequence[int] = CUTS,
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
