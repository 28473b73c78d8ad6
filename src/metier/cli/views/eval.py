"""The results of `metier eval selection` and `metier eval admission`, as JSON and as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import table, visible
from metier.selection.evaluation.evaluate import is_right

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

    from metier.selection.evaluation.admission import Admission
    from metier.selection.evaluation.evaluate import Comparison, Evaluation, Latency
    from metier.selection.evaluation.labelled_queries import Query
    from metier.selection.evaluation.run import EvalSide, Report
    from metier.statistics.figures import Figure

UNKNOWN = "–"
ASKED = {"query": "labelled query", "description": "its description", "request": "past request"}
NAMED = 120
"""Characters of a query that are shown."""


def document(report: Report, *, wrong: bool = False) -> dict[str, object]:
    """A report as JSON."""
    made = _side(report.side) | {"notes": list(report.notes)}
    if report.other and report.comparison:
        made |= {"compare": _side(report.other), "difference": _difference(report.comparison)}
    if wrong:
        made["wrong"] = _wrong_documents(report)
    return made


def _side(side: EvalSide) -> dict[str, object]:
    found = side.evaluation
    return (
        {"name": side.name, "skills": side.skills}
        | figures(found)
        | {"kinds": {kind: figures(one) for kind, one in found.kinds.items()}}
    )


def figures(found: Evaluation) -> dict[str, object]:
    """The figures of one set of queries as JSON."""
    first, second = found.retrieve, found.choose
    recall = {str(cut): _value(one) for cut, one in first.recall.items()}
    return {
        "queries": found.queries,
        "recall": recall,
        "mrr": _value(first.mrr),
        "precision": _value(second.precision),
        "abstain": {
            "queries": found.unserved,
            "nothing": _value(second.nothing),
            "kept": _value(second.recall),
            "auc": second.auc,
        },
        "latency_ms": _latency(found.latency),
        "stages": {
            "retrieve": {"recall": recall, "mrr": _value(first.mrr), "latency_ms": _latency(first.latency)},
            "choose": {
                "recall": _value(second.recall),
                "first": _value(second.first),
                "precision": _value(second.precision),
                "activated": second.activated,
                "latency_ms": _latency(second.latency),
            },
        },
        "intervals": _intervals(found),
    }


def _intervals(found: Evaluation) -> dict[str, object]:
    second = found.choose
    return {
        "recall": {str(cut): _interval(one) for cut, one in found.retrieve.recall.items()},
        "mrr": _interval(found.retrieve.mrr),
        "precision": _interval(second.precision),
        "first": _interval(second.first),
        "nothing": _interval(second.nothing),
        "kept": _interval(second.recall),
    }


def _difference(found: Comparison) -> dict[str, object]:
    said: Mapping[str, Figure | None] = {"mrr": found.mrr, "kept": found.chosen, "nothing": found.nothing}
    return {
        "recall": {str(cut): _spread(one) for cut, one in found.recall.items()},
        **{name: _spread(one) for name, one in said.items()},
        "better": [one.line for one in found.better],
        "worse": [one.line for one in found.worse],
    }


def _wrong_documents(report: Report) -> list[dict[str, object]]:
    return [
        {
            "line": query.line,
            "query": query.text,
            "gold": list(query.gold),
            "chosen": list(said.chosen),
            "retrieved": list(said.retrieved[:3]),
        }
        for query, said in zip(report.queries, report.side.answers, strict=True)
        if not is_right(query, said)
    ]


def _value(figure: Figure | None) -> float | None:
    return figure.value if figure else None


def _interval(figure: Figure | None) -> list[float] | None:
    return [figure.low, figure.high] if figure else None


def _spread(figure: Figure | None) -> dict[str, object] | None:
    return {"value": figure.value, "interval": [figure.low, figure.high]} if figure else None


def _latency(found: Latency) -> dict[str, float | None]:
    return {"p50": found.p50, "p95": found.p95}


# ---- for a person ------------------------------------------------------------------------------------------------


def page(report: Report, width: int = 0) -> Iterator[RenderableType]:
    """The figures as tables: one library, or two side by side."""
    from rich.text import Text

    found = report.side.evaluation
    yield Text(f"{found.queries:,} queries ({found.unserved:,} fit no skill), {report.side.skills:,} skills")
    yield Text()
    if report.other and report.comparison:
        yield from _side_by_side(report.side, report.other, report.comparison, width)
        return
    yield table(("stage", "what", "share", "95 % interval", "n"), rows(found), grow="what", width=width)
    yield Text()
    yield table(("milliseconds", "p50", "p95"), _times(found), grow="milliseconds", width=width)
    if found.kinds:
        yield Text()
        yield table(("kind", "queries", "recall@1", "kept", "nothing"), _kinds(found), grow="kind", width=width)


def rows(found: Evaluation) -> list[tuple[str, ...]]:
    """Every figure: its stage, what it is, its value, its interval, how many queries it rests on."""
    auc = UNKNOWN if found.choose.auc is None else f"{found.choose.auc:.3f}"
    shown = [(stage, what, *_figure(one)) for stage, what, one in _rows(found)]
    return [*shown, ("", "AUC of the best match", auc, "", "")]


def _rows(found: Evaluation) -> Iterator[tuple[str, str, Figure | None]]:
    first, second = found.retrieve, found.choose
    stage = "retrieve"
    for cut, one in first.recall.items():
        yield stage, f"recall@{cut}: right skill in first {cut}" if cut > 1 else "recall@1: right skill first", one
        stage = ""
    yield "", "MRR: mean reciprocal rank", first.mrr
    yield "choose", "kept: right skill chosen", second.recall
    yield "", "right skill chosen first", second.first
    yield "", "precision: chosen skills are right", second.precision
    yield "", "nothing chosen, where none fits", second.nothing


def _figure(one: Figure | None) -> tuple[str, str, str]:
    return (f"{one.value:.3f}", f"{one.low:.3f} to {one.high:.3f}", f"{one.count:,}") if one else (UNKNOWN, "", "0")


def _times(found: Evaluation) -> list[tuple[str, str, str]]:
    parts = (("retrieve", found.retrieve.latency), ("choose", found.choose.latency), ("both", found.latency))
    return [(name, _milliseconds(one.p50), _milliseconds(one.p95)) for name, one in parts]


def _milliseconds(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.1f}"


def _kinds(found: Evaluation) -> list[tuple[str, ...]]:
    return [
        (kind, f"{one.queries:,}", *(_short(figure) for figure in _in_short(one))) for kind, one in found.kinds.items()
    ]


def _in_short(found: Evaluation) -> tuple[Figure | None, ...]:
    return next(iter(found.retrieve.recall.values())), found.choose.recall, found.choose.nothing


def _short(figure: Figure | None) -> str:
    return f"{figure.value:.3f}" if figure else UNKNOWN


def _side_by_side(one: EvalSide, other: EvalSide, found: Comparison, width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    differences = (*found.recall.values(), found.mrr, found.chosen, None, None, found.nothing)
    pairs = zip(_rows(one.evaluation), _rows(other.evaluation), differences, strict=True)
    shown = [
        (what, _short(a), _short(b), f"{d.value:+.3f}" if d else "", f"{d.low:+.3f} to {d.high:+.3f}" if d else "")
        for (_, what, a), (_, _, b), d in pairs
    ]
    yield Text(f"this: {one.name}   other: {other.name} ({other.skills:,} skills)")
    yield table(("what", "this", "other", "difference", "95 % interval"), shown, grow="what", width=width)
    yield Text()
    yield Text(f"Only the other is right on {_lines(found.better)}; only this one on {_lines(found.worse)}.")


def _lines(queries: tuple[Query, ...]) -> str:
    """How many queries, and where the first few stand."""
    shown = ", ".join(str(one.line) for one in queries[:5])
    more = ", …" if len(queries) > 5 else ""
    return f"{len(queries):,}" + (f" (line {shown}{more})" if queries else "")


def wrong_rows(report: Report, width: int = 0) -> RenderableType:
    """The queries that got the wrong answer."""
    shown = [
        (
            str(query.line),
            ", ".join(query.gold) or "none",
            ", ".join(said.chosen) or "none",
            next(iter(said.retrieved), ""),
            query.text[:NAMED],
        )
        for query, said in zip(report.queries, report.side.answers, strict=True)
        if not is_right(query, said)
    ]
    return table(("line", "wanted", "got", "first", "query"), shown, grow="query", width=width)


# ---- admission -----------------------------------------------------------------------------------------------------


def admission_document(found: Admission) -> dict[str, object]:
    """An admission check as JSON."""
    return {
        "skill": found.skill,
        "accepted": found.accepted,
        "neighbours": list(found.neighbours),
        "asked": found.probes,
        "taken": [
            {
                "query": one.probe.query.text,
                "from": one.skill,
                "source": one.probe.source,
                "line": one.probe.query.line or None,
                "still_activated": one.still,
            }
            for one in found.taken
        ],
    }


def admission_page(found: Admission) -> Iterator[RenderableType]:
    """An admission check as a person reads it."""
    from rich.text import Text

    tasks = f"{found.probes:,} tasks of {len(found.neighbours):,} other skills"
    if not found.probes:
        yield Text(f"{visible(found.skill)}: nothing to check. No similar skill has a description.")
    elif found.accepted:
        yield Text(f"{visible(found.skill)} takes over no task (checked {tasks}).", style="green")
    else:
        yield Text(f"{visible(found.skill)} would take over {len(found.taken)} of {tasks}.", style="red")
        rows = [
            (one.skill, "yes" if one.still else "no", ASKED[one.probe.source], one.probe.query.text)
            for one in found.taken
        ]
        yield table(("from skill", "still chosen", "source", "task"), rows, grow="task")
        yield Text("Describe more clearly what it is for and what it is not for, or merge it with that skill.")
