"""Pictures of a training as SVG text: the curve of its scores, and the skill beside its baselines."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Place = Callable[[float, float], tuple[float, float]]

Row = dict[str, object]
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 260, 44, 34, 14, 22
NAMED, LONGEST, ROOM = 118, 230, 170
"""Where bars begin, how long one of a full score is, and the room for what is said of it."""
MARKS = {"accept_new_best": "new best", "accept": "accepted", "force_accept": "accepted", "reject": "rejected"}
NAMES = {"no_skill": "no skill", "initial": "initial", "one_shot": "one-shot rewrite", "best": "trained"}


def curve_picture(points: Sequence[Row]) -> str:
    """Best and current score after each step as lines, every candidate as a dot."""
    steps = max(1, len(points) - 1)

    def place(step: float, value: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * step / steps
        return round(x, 1), round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - value), 1)

    parts = [_axes(place)]
    for key in ("current", "best"):
        line = " ".join(f"{x},{y}" for x, y in (place(at, _number(one[key])) for at, one in enumerate(points)))
        parts.append(f'<polyline class="{key}" points="{line}"/>')
    parts.extend(
        _dot(one, *place(at, _number(_scored(one)))) for at, one in enumerate(points) if _scored(one) is not None
    )
    parts.extend(_labels(place, points))
    title = "Val score by step: best so far, current, and each candidate"
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">{"".join(parts)}</svg>'


def _scored(one: Row) -> object:
    """What a candidate scored, or would have by the cases it met."""
    return one["candidate"] if one.get("candidate") is not None else one.get("estimate")


def _dot(one: Row, x: float, y: float) -> str:
    action, about = str(one["action"]), "" if one.get("candidate") is not None else "about "
    said = f"{_step(one)}: {about}{_number(_scored(one)):.3f}, {MARKS.get(action, action)}"
    kind = "no" if action == "reject" else "yes"
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="4"><title>{escape(said)}</title></circle>'


def bars_picture(baselines: Sequence[Row], split: str) -> str:
    """A bar with its interval for each skill on one split; empty where nothing was measured."""
    rows = [one for one in baselines if one["split"] == split and one.get("score") is not None]
    if not rows:
        return ""
    high = 34 * len(rows) + 26
    parts: list[str] = []
    for at, one in enumerate(rows):
        parts.append(_bar(one, 34 * at + 8))
    axis = "".join(
        f'<text class="tick" x="{NAMED + LONGEST * mark}" y="{high - 6}" text-anchor="middle">{mark:g}</text>'
        for mark in (0, 0.5, 1)
    )
    title = f"Scores on {split} with 95 % intervals"
    size = f"0 0 {NAMED + LONGEST + ROOM} {high}"
    return f'<svg class="bars" viewBox="{size}" role="img" aria-label="{title}">{"".join(parts)}{axis}</svg>'


def _bar(one: Mapping[str, object], y: int) -> str:
    arm, score = str(one["arm"]), _number(one["score"])
    low, high = (_number(end) for end in cast("list[object]", one.get("interval") or [score, score]))
    lost = f", {one['unscored']} unscored" if one.get("unscored") else ""
    value = f"{score:.3f} ({low:.2f} to {high:.2f}){lost}"
    return (
        f'<text class="name" x="{NAMED - 8}" y="{y + 15}" text-anchor="end">{escape(NAMES.get(arm, arm))}</text>'
        f'<rect class="{escape(arm)}" x="{NAMED}" y="{y}" width="{max(1.0, LONGEST * score):.1f}" height="20" rx="3"/>'
        f'<line class="interval" x1="{NAMED + LONGEST * low:.1f}" x2="{NAMED + LONGEST * high:.1f}" y1="{y + 10}" '
        f'y2="{y + 10}"/>'
        f'<text class="value" x="{NAMED + LONGEST + 10}" y="{y + 15}">{value}</text>'
    )


def _axes(place: Place) -> str:
    parts: list[str] = []
    for tenth in (0, 2, 4, 6, 8, 10):
        x, y = place(0, tenth / 10)
        parts.append(f'<line class="grid" x1="{x}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="tick" x="{x - 6}" y="{y + 4}" text-anchor="end">{tenth / 10:g}</text>')
    return "".join(parts)


def _labels(place: Place, points: Sequence[Row]) -> list[str]:
    """Step numbers below, as many as find room."""
    every = max(1, -(-(len(points) - 1) // 12))
    names = ["start", *(_step(one).removeprefix("step ") for one in points[1:])]
    return [
        f'<text class="tick" x="{place(at, 0)[0]}" y="{HEIGHT - 12}" text-anchor="middle">{escape(name)}</text>'
        for at, name in enumerate(names)
        if at % every == 0 and (at == 0 or name != names[at - 1])
    ]


def _step(one: Row) -> str:
    return f"step {one['step']}" if one["step"] else "one-shot"


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
