"""Read a report: its lists and objects, and its figures as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.text.counts import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Json = dict[str, object]


def rows(report: Mapping[str, object], key: str) -> list[Json]:
    """A list of a report; empty if it has none."""
    return list(cast("Iterable[Json]", report.get(key) or ()))


def part(report: Mapping[str, object], key: str) -> Json:
    """An object of a report; empty if it has none."""
    return cast("Json", report.get(key) or {})


def number(value: object) -> float:
    """A figure; 0 if it is not known."""
    return float(value) if isinstance(value, int | float) else 0.0


def score_text(value: object) -> str:
    """A score; a dash if it is not known."""
    return f"{value:.3f}" if isinstance(value, int | float) else "-"


def percent(value: float) -> str:
    """A score in per cent, with a decimal where it has one."""
    return f"{100 * value:.3g}%"


def points(value: object) -> str:
    """A difference of scores in points, with its sign; empty if it is not known."""
    return "" if value is None else f"{round(100 * number(value), 1) + 0.0:+.1f}"  # no -0.0


def count(number: object, noun: str) -> str:
    """A number with its noun."""
    return plural(cast("int", number), noun)


def score_interval(value: object) -> str:
    """The two ends of a score's interval; empty if it is not known."""
    return " to ".join(f"{end:.2f}" for end in cast("list[float]", value or ()))


def points_interval(value: object) -> str:
    """The two ends of a difference's interval in points; empty if it is not known."""
    return " to ".join(points(end) for end in cast("list[float]", value or ()))


def step_name(step: Mapping[str, object]) -> str:
    """A step's number, with how its change was proposed if that is not the usual way."""
    if step["step"] == 0:
        return "one-shot"
    way = str(step.get("proposer", "patch")).replace("_", " ")
    return str(step["step"]) + ("" if way == "patch" else f" {way}")
