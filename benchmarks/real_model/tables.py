"""What `real_model.py` found, as tables, sentences and a picture."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from picture import Band, Curve, Panel, picture

from metier.statistics.intervals import paired_interval, wilson

if TYPE_CHECKING:
    from pathlib import Path

Kept = dict[str, Any]
GRID = 120
FIXED = ("no skill", "list of labels", "one-shot")
TRAINED = ("classic", "default")


def tables(found: list[Kept], budget: int, drawn: Path | None) -> str:
    """All of it as text; the picture is written where it is wanted."""
    families = list(dict.fromkeys(one["family"] for one in found))
    parts = [_family(family, [one for one in found if one["family"] == family], budget) for family in families]
    if drawn:
        drawn.parent.mkdir(parents=True, exist_ok=True)
        panels = [_panel(family, [one for one in found if one["family"] == family], budget) for family in families]
        drawn.write_text(picture(panels), encoding="utf-8")
    return "\n\n".join(parts)


def _family(family: str, found: list[Kept], budget: int) -> str:
    lines = [f"{family}", "| arm | test accuracy | each task | rollouts | seconds |", "|---|---|---|---|---|"]
    for arm in (*FIXED, *TRAINED):
        some = _of(found, arm)
        if some:
            each = ", ".join(f"{fmean(_last(one)):.2f}".removeprefix("0") for one in some)
            rollouts, seconds = (fmean(one[name] for one in some) for name in ("rollouts", "seconds"))
            lines.append(f"| {arm} | {share(some)} | {each} | {rollouts:.0f} | {seconds:.0f} |")
    classic, default = (_of(found, arm) for arm in TRAINED)
    if classic and len(classic) == len(default):
        lines += ["", *_compared(classic, default, budget)]
    return "\n".join(lines)


def share(some: list[Kept]) -> str:
    """The test requests of all tasks that the last skill got right, with the Wilson interval."""
    hits = [one for kept in some for one in _last(kept)]
    held = wilson(sum(hits), len(hits))
    return f"{sum(hits)}/{len(hits)} = {fmean(hits):.3f} [{held.low:.3f}, {held.high:.3f}]"


def _compared(classic: list[Kept], default: list[Kept], budget: int) -> list[str]:
    """The two presets on the same requests, and the rollouts that each took to where the classic ended."""
    pairs = zip(classic, default, strict=True)
    deltas = [
        float(ours - theirs) for one, other in pairs for theirs, ours in zip(_last(one), _last(other), strict=True)
    ]
    held = paired_interval(deltas, 0.95)
    end = curve_at(classic, budget)
    reached = [next((x for x in _grid(budget) if curve_at(arm, x) >= end - 1e-9), None) for arm in (classic, default)]
    said = f"reaches it with {reached[1]}" if reached[1] is not None else f"does not reach it in {budget}"
    gain = f"{100 * fmean(deltas):+.1f} points (95 %: {100 * held.low:+.1f} to {100 * held.high:+.1f})"
    return [
        f"default - classic on the same {len(deltas)} requests: {gain}",
        f"where the classic ends, {end:.3f} on average: it is there after {reached[0]} rollouts; default {said}",
    ]


def curve_at(some: list[Kept], rollouts: float) -> float:
    """The mean test accuracy of what was best after so many rollouts."""
    return fmean(fmean([p["test"] for p in one["points"] if p["rollouts"] <= rollouts][-1]) for one in some)


def _panel(family: str, found: list[Kept], budget: int) -> Panel:
    curves = [
        Curve(name=arm, points=tuple((x, curve_at(_of(found, arm), x)) for x in _grid(budget)))
        for arm in TRAINED
        if _of(found, arm)
    ]
    fixed = [
        Band(name=arm, level=fmean(fmean(_last(one)) for one in _of(found, arm))) for arm in FIXED if _of(found, arm)
    ]
    thin = [
        Curve(name=arm, points=tuple((x, curve_at([one], x)) for x in _grid(budget)))
        for arm in TRAINED
        for one in _of(found, arm)
    ]
    return Panel(title=family, most=budget, curves=tuple(curves), thin=tuple(thin), bands=tuple(fixed))


def _of(found: list[Kept], arm: str) -> list[Kept]:
    return sorted((one for one in found if one["arm"] == arm), key=lambda one: one["number"])


def _last(one: Kept) -> list[int]:
    return one["points"][-1]["test"]


def _grid(budget: int) -> list[int]:
    return [round(budget * number / GRID) for number in range(GRID + 1)]
