"""Pictures of a training as values that a template draws: the curve of its scores, the skill beside its baselines."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from metier.training.report.fields import number, score_interval
from metier.training.report.tables import ARMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.training.report.fields import Json

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 260, 44, 34, 14, 22
BARS_LEFT, LONGEST, BARS_RIGHT = 118, 230, 12
"""Where bars begin, how long a bar of a full score is, and the room after it."""
LABELS = 12
"""Step numbers below the curve at most."""
MARKS = {"accept_new_best": "new best", "accept": "accepted", "force_accept": "accepted", "reject": "rejected"}


@dataclass(frozen=True, slots=True)
class Dot:
    """A candidate on the curve."""

    x: float
    y: float
    accepted: bool
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Best and current score after each step as lines, every candidate as a dot."""

    width: int
    height: int
    grid: tuple[tuple[float, float, str], ...]
    """Lines across: where each begins, its height, its score."""
    lines: tuple[tuple[str, str], ...]
    """Name and points of each."""
    dots: tuple[Dot, ...]
    labels: tuple[tuple[float, str], ...]
    falls: bool
    """Whether the best score falls somewhere."""
    values: Mapping[str, object]
    """The same as plain columns, for a picture that moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A skill's score on one split, with its interval."""

    arm: str
    name: str
    title: str
    y: int
    length: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """A bar for each skill on one split."""

    split: str
    width: int
    height: int
    left: int
    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]


def curve_picture(points: Sequence[Json]) -> Curve:
    """The curve of a training's scores on val."""
    names = ["start", *(_step(one).removeprefix("step ") for one in points[1:])]
    return Curve(
        width=WIDTH,
        height=HEIGHT,
        grid=tuple((*_place(0, 2, mark / 10), f"{mark / 10:g}") for mark in (0, 2, 4, 6, 8, 10)),
        lines=tuple((key, _line(points, key)) for key in ("current", "best")),
        dots=tuple(_dots(points)),
        labels=tuple(_labels(names)),
        falls=any(number(after["best"]) < number(before["best"]) for before, after in pairwise(points)),
        values={"steps": names, **_columns(points)},
    )


def bars_picture(baselines: Sequence[Json], split: str) -> Bars | None:
    """A bar with its interval for each skill on one split; None where nothing was measured."""
    rows = [one for one in baselines if one["split"] == split and one.get("score") is not None]
    if not rows:
        return None
    return Bars(
        split=split,
        width=BARS_LEFT + LONGEST + BARS_RIGHT,
        height=34 * len(rows) + 26,
        left=BARS_LEFT,
        bars=tuple(_bar(one, 34 * at + 8) for at, one in enumerate(rows)),
        ticks=tuple((BARS_LEFT + LONGEST * mark, f"{mark:g}") for mark in (0, 0.5, 1)),
    )


def _place(at: int, total: int, value: float) -> tuple[float, float]:
    x = LEFT + (WIDTH - LEFT - RIGHT) * at / max(1, total - 1)
    return round(x, 1), round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - value), 1)


def _line(points: Sequence[Json], key: str) -> str:
    places = (_place(at, len(points), number(one[key])) for at, one in enumerate(points))
    return " ".join(f"{x},{y}" for x, y in places)


def _scored(one: Json) -> object:
    """What a candidate scored; an estimate if it was dropped early."""
    return one["candidate"] if one.get("candidate") is not None else one.get("estimate")


def _is_accepted(one: Json) -> bool:
    return str(one["action"]) != "reject"


def _dots(points: Sequence[Json]) -> Iterator[Dot]:
    for at, one in enumerate(points):
        value = _scored(one)
        if value is not None:
            action, about = str(one["action"]), "" if one.get("candidate") is not None else "about "
            title = f"{_step(one)}: {about}{number(value):.3f}, {MARKS.get(action, action)}"
            yield Dot(*_place(at, len(points), number(value)), _is_accepted(one), title)


def _labels(names: Sequence[str]) -> Iterator[tuple[float, str]]:
    """Step numbers below the curve, as many as fit."""
    every = max(1, -(-(len(names) - 1) // LABELS))
    for at in range(0, len(names), every):
        if at == 0 or names[at] != names[at - 1]:
            yield _place(at, len(names), 0)[0], names[at]


def _columns(points: Sequence[Json]) -> dict[str, list[object]]:
    columns: dict[str, list[object]] = {"best": [], "current": [], "accepted": [], "rejected": []}
    for one in points:
        columns["best"].append(one["best"])
        columns["current"].append(one["current"])
        columns["accepted"].append(_scored(one) if _is_accepted(one) else None)
        columns["rejected"].append(None if _is_accepted(one) else _scored(one))
    return columns


def _bar(one: Json, y: int) -> Bar:
    """A bar with its name and interval; its figures are in the table of scores, and here when one points at it."""
    arm, score = str(one["arm"]), number(one["score"])
    low, high = (number(end) for end in cast("list[object]", one.get("interval") or [score, score]))
    name = ARMS.get(arm, arm)
    return Bar(
        arm=arm,
        name=name,
        title=f"{name}: {score:.3f} ({score_interval([low, high])})",
        y=y,
        length=round(max(1.0, LONGEST * score), 1),
        low=round(BARS_LEFT + LONGEST * low, 1),
        high=round(BARS_LEFT + LONGEST * high, 1),
    )


def _step(one: Json) -> str:
    return f"step {one['step']}" if one["step"] else "one-shot"
