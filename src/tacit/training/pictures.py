"""Pictures of a training as SVG text: the curve of its scores, and the skill beside its baselines."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Place = Callable[[float, float], tuple[float, float]]

Row = dict[str, object]
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 260, 44, 34, 14, 12
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
    for at, one in enumerate(points):
        if one.get("candidate") is not None:
            x, y = place(at, _number(one["candidate"]))
            action = str(one["action"])
            said = f"step {one['step']}: {_number(one['candidate']):.3f}, {MARKS.get(action, action)}"
            kind = "no" if action == "reject" else "yes"
            parts.append(f'<circle class="{kind}" cx="{x}" cy="{y}" r="4"><title>{escape(said)}</title></circle>')
    parts.extend(_labels(place, steps))
    title = "Val score by step: best so far, current, and each candidate"
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">{"".join(parts)}</svg>'


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
        f'<text class="tick" x="{150 + 500 * tenth / 10}" y="{high - 6}" text-anchor="middle">{tenth * 10} %</text>'
        for tenth in (0, 5, 10)
    )
    title = f"Scores on {split} with 95 % intervals"
    body = "".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {high}" role="img" aria-label="{title}">{body}{axis}</svg>'


def _bar(one: Mapping[str, object], y: int) -> str:
    arm, score = str(one["arm"]), _number(one["score"])
    low, high = (_number(end) for end in cast("list[object]", one.get("interval") or [score, score]))
    x = 150.0
    return (
        f'<text class="name" x="{x - 8}" y="{y + 15}" text-anchor="end">{escape(NAMES.get(arm, arm))}</text>'
        f'<rect class="{escape(arm)}" x="{x}" y="{y}" width="{max(1.0, 500 * score):.1f}" height="20" rx="3"/>'
        f'<line class="interval" x1="{x + 500 * low:.1f}" x2="{x + 500 * high:.1f}" y1="{y + 10}" y2="{y + 10}"/>'
        f'<text class="value" x="{x + 510}" y="{y + 15}">{score:.3f}</text>'
    )


def _axes(place: Place) -> str:
    parts: list[str] = []
    for tenth in (0, 2, 4, 6, 8, 10):
        x, y = place(0, tenth / 10)
        parts.append(f'<line class="grid" x1="{x}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="tick" x="{x - 6}" y="{y + 4}" text-anchor="end">{tenth / 10:g}</text>')
    return "".join(parts)


def _labels(place: Place, steps: int) -> list[str]:
    """Step numbers below, as many as find room."""
    every = max(1, -(-steps // 12))
    shown = [step for step in range(steps + 1) if step % every == 0]
    return [
        f'<text class="tick" x="{place(step, 0)[0]}" y="{HEIGHT - 12}" text-anchor="middle">{step}</text>'
        for step in shown
    ]


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
