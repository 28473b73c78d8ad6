"""Pictures of a training as SVG text: the curve of its scores, and the skill beside its baselines."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, cast

from metier.training.report.fields import number, score_interval
from metier.training.report.tables import ARMS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from metier.training.report.fields import Json

    Place = Callable[[float, float], tuple[float, float]]

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 260, 44, 34, 14, 22
BARS_LEFT, LONGEST, BARS_RIGHT = 118, 230, 12
"""Where bars begin, how long a bar of a full score is, and the room after it."""
MARKS = {"accept_new_best": "new best", "accept": "accepted", "force_accept": "accepted", "reject": "rejected"}


def curve_picture(points: Sequence[Json]) -> str:
    """Best and current score after each step as lines, every candidate as a dot."""
    steps = max(1, len(points) - 1)

    def place(step: float, value: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * step / steps
        return round(x, 1), round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - value), 1)

    parts = [_axes(place)]
    for key in ("current", "best"):
        line = " ".join(f"{x},{y}" for x, y in (place(at, number(one[key])) for at, one in enumerate(points)))
        parts.append(f'<polyline class="{key}" points="{line}"/>')
    parts.extend(
        _dot(one, *place(at, number(_scored(one)))) for at, one in enumerate(points) if _scored(one) is not None
    )
    parts.extend(_labels(place, points))
    title = "Val score by step: best so far, current, and each candidate"
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">{"".join(parts)}</svg>'


def _scored(one: Json) -> object:
    """What a candidate scored; an estimate if it was dropped early."""
    return one["candidate"] if one.get("candidate") is not None else one.get("estimate")


def _dot(one: Json, x: float, y: float) -> str:
    action, about = str(one["action"]), "" if one.get("candidate") is not None else "about "
    title = f"{_step(one)}: {about}{number(_scored(one)):.3f}, {MARKS.get(action, action)}"
    kind = "no" if action == "reject" else "yes"
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="4"><title>{escape(title)}</title></circle>'


def bars_picture(baselines: Sequence[Json], split: str) -> str:
    """A bar with its interval for each skill on one split; empty where nothing was measured."""
    rows = [one for one in baselines if one["split"] == split and one.get("score") is not None]
    if not rows:
        return ""
    high = 34 * len(rows) + 26
    parts = [_bar(one, 34 * at + 8) for at, one in enumerate(rows)]
    axis = "".join(
        f'<text class="tick" x="{BARS_LEFT + LONGEST * mark}" y="{high - 6}" text-anchor="middle">{mark:g}</text>'
        for mark in (0, 0.5, 1)
    )
    title = f"Scores on {split} with 95 % intervals"
    size = f"0 0 {BARS_LEFT + LONGEST + BARS_RIGHT} {high}"
    return f'<svg class="bars" viewBox="{size}" role="img" aria-label="{title}">{"".join(parts)}{axis}</svg>'


def _bar(one: Json, y: int) -> str:
    """A bar with its name and interval; its figures are in the table of scores, and here when one points at it."""
    arm, score = str(one["arm"]), number(one["score"])
    low, high = (number(end) for end in cast("list[object]", one.get("interval") or [score, score]))
    title = f"{ARMS.get(arm, arm)}: {score:.3f} ({score_interval([low, high])})"
    return (
        f"<g><title>{escape(title)}</title>"
        f'<text x="{BARS_LEFT - 8}" y="{y + 15}" text-anchor="end">{escape(ARMS.get(arm, arm))}</text>'
        f'<rect class="{escape(arm)}" x="{BARS_LEFT}" y="{y}" width="{max(1.0, LONGEST * score):.1f}" height="20" '
        f'rx="3"/><line class="interval" x1="{BARS_LEFT + LONGEST * low:.1f}" x2="{BARS_LEFT + LONGEST * high:.1f}" '
        f'y1="{y + 10}" y2="{y + 10}"/></g>'
    )


def _axes(place: Place) -> str:
    parts: list[str] = []
    for tenth in (0, 2, 4, 6, 8, 10):
        x, y = place(0, tenth / 10)
        parts.append(f'<line class="grid" x1="{x}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="tick" x="{x - 6}" y="{y + 4}" text-anchor="end">{tenth / 10:g}</text>')
    return "".join(parts)


def _labels(place: Place, points: Sequence[Json]) -> list[str]:
    """Step numbers below the curve, as many as fit."""
    every = max(1, -(-(len(points) - 1) // 12))
    names = ["start", *(_step(one).removeprefix("step ") for one in points[1:])]
    return [
        f'<text class="tick" x="{place(at, 0)[0]}" y="{HEIGHT - 12}" text-anchor="middle">{escape(name)}</text>'
        for at, name in enumerate(names)
        if at % every == 0 and (at == 0 or name != names[at - 1])
    ]


def _step(one: Json) -> str:
    return f"step {one['step']}" if one["step"] else "one-shot"
