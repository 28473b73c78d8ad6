"""Curves side by side as one SVG, for people who see colours and for those who do not."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT, LEFT, TOP, GAP = 280, 220, 48, 40, 40
LOOKS = (
    ("#9a9a9a", "6 3"),
    ("#9a9a9a", "2 3"),
    ("#9a9a9a", "1 5"),
    ("#0072b2", "8 3"),
    ("#e69f00", "4 2"),
    ("#009e73", ""),
)
"""Colour and dashes of the lines, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A curve from 0 to 1."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Curves with one axis."""

    title: str
    lines: tuple[Line, ...]
    most: float


def picture(panels: Sequence[Panel]) -> str:
    """The panels in a row, their names below."""
    names = [line.name for line in panels[0].lines]
    wide = LEFT + len(panels) * (WIDTH + GAP)
    tall = TOP + HEIGHT + 60 + 18 * ((len(names) + 2) // 3)
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" font-family="sans-serif" font-size="12">',
        "<title>True gain against rollouts, by gate, in three simulated worlds</title>",
        f'<rect width="{wide}" height="{tall}" fill="white"/>',
    ]
    for number, one in enumerate(panels):
        drawn += _panel(one, LEFT + number * (WIDTH + GAP), first=not number)
    for number, name in enumerate(names):
        x, y = LEFT + (number % 3) * 240, TOP + HEIGHT + 58 + 18 * (number // 3)
        drawn.append(f'<line x1="{x}" y1="{y - 4}" x2="{x + 34}" y2="{y - 4}" {_look(number)}/>')
        drawn.append(f'<text x="{x + 40}" y="{y}">{escape(name)}</text>')
    return "\n".join([*drawn, "</svg>"]) + "\n"


def _panel(panel: Panel, left: float, *, first: bool) -> list[str]:
    drawn = [f'<text x="{left}" y="{TOP - 14}" font-weight="bold">{escape(panel.title)}</text>']
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = TOP + HEIGHT * (1 - share)
        drawn.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + WIDTH}" y2="{y:.1f}" stroke="#dddddd"/>')
        if first:
            drawn.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    for share in (0.0, 0.5, 1.0):
        x = left + WIDTH * share
        drawn.append(f'<text x="{x}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{panel.most * share:,.0f}</text>')
    drawn.append(f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 34}" text-anchor="middle">rollouts</text>')
    for number, line in enumerate(panel.lines):
        points = " ".join(
            f"{left + WIDTH * x / panel.most:.1f},{TOP + HEIGHT * (1 - max(0.0, y)):.1f}" for x, y in line.points
        )
        drawn.append(f'<polyline points="{points}" fill="none" {_look(number)}/>')
    return drawn


def _look(number: int) -> str:
    colour, dashes = LOOKS[number % len(LOOKS)]
    return f'stroke="{colour}" stroke-width="2"' + (f' stroke-dasharray="{dashes}"' if dashes else "")
