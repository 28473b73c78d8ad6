"""Test accuracy against rollouts as one SVG: a panel a family, each task thin, their mean bold."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT, LEFT, TOP, GAP = 340, 240, 48, 40, 40
LOOKS = {"classic": ("#9a9a9a", "6 3"), "default": ("#009e73", "")}
"""Colour and dashes of the curves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """An accuracy that changes."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """An accuracy that stays."""

    name: str
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Curves with one axis."""

    title: str
    most: float
    curves: tuple[Curve, ...]
    thin: tuple[Curve, ...]
    bands: tuple[Band, ...]


def picture(panels: Sequence[Panel]) -> str:
    """The panels in a row, the names of the curves below."""
    wide, tall = LEFT + len(panels) * (WIDTH + GAP), TOP + HEIGHT + 70
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" font-family="sans-serif" font-size="12">',
        "<title>Test accuracy of a real model against rollouts of its training</title>",
        f'<rect width="{wide}" height="{tall}" fill="white"/>',
    ]
    for number, one in enumerate(panels):
        drawn += _panel(one, LEFT + number * (WIDTH + GAP))
    for number, name in enumerate(LOOKS):
        x, y = LEFT + number * 260, TOP + HEIGHT + 60
        drawn.append(f'<line x1="{x}" y1="{y - 4}" x2="{x + 34}" y2="{y - 4}" {_look(name, 2.5)}/>')
        drawn.append(f'<text x="{x + 40}" y="{y}">{escape(name)}, mean (thin: each task)</text>')
    return "\n".join([*drawn, "</svg>"]) + "\n"


def _panel(panel: Panel, left: float) -> list[str]:
    drawn = [f'<text x="{left}" y="{TOP - 14}" font-weight="bold">{escape(panel.title)}</text>']
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        drawn.append(f'<line x1="{left}" y1="{_y(share)}" x2="{left + WIDTH}" y2="{_y(share)}" stroke="#dddddd"/>')
        drawn.append(f'<text x="{left - 6}" y="{_y(share - 0.015)}" text-anchor="end">{share:.0%}</text>')
        x = left + WIDTH * share
        drawn.append(f'<text x="{x}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{panel.most * share:,.0f}</text>')
    drawn.append(f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 34}" text-anchor="middle">rollouts</text>')
    for band in panel.bands:
        drawn.append(
            f'<line x1="{left}" y1="{_y(band.level)}" x2="{left + WIDTH}" y2="{_y(band.level)}" stroke="#56b4e9"'
            ' stroke-dasharray="1 4"/>'
        )
        where = f'x="{left + WIDTH}" y="{_y(band.level + 0.01)}" text-anchor="end" font-size="10"'
        drawn.append(f'<text {where} fill="#2a6f97">{escape(band.name)}</text>')
    for width, curves in ((0.8, panel.thin), (2.5, panel.curves)):
        for curve in curves:
            points = " ".join(f"{left + WIDTH * x / panel.most:.1f},{_y(y)}" for x, y in curve.points)
            drawn.append(f'<polyline points="{points}" fill="none" {_look(curve.name, width)}/>')
    return drawn


def _y(share: float) -> str:
    return f"{TOP + HEIGHT * (1 - share):.1f}"


def _look(name: str, width: float) -> str:
    colour, dashes = LOOKS[name]
    return f'stroke="{colour}" stroke-width="{width:g}"' + (f' stroke-dasharray="{dashes}"' if dashes else "")
