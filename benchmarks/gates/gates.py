"""What each gate makes of the same rollouts in the simulated world: true gain, wrong accepts, over-reporting.

The training loop itself runs, with its real gates, on `cli.demo.world`; only its agent answers without a wait. Every
proposal looks at 8 train cases, and all rollouts count. The peer is the classic strict gate with the scores of its
incumbent kept, at the number of val cases that suits it best. A minute or two for a seed of everything.

python benchmarks/gates/gates.py [--seeds 20] [--first 0] [--worlds small,bundles,large] [--ablation]
                           [--picture docs/pictures/gates.svg]
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING

import numpy as np
from picture import Line, Panel, picture
from world import Arm, Field, Played, play

if TYPE_CHECKING:
    from concurrent.futures import Executor

FIELDS = (
    Field(name="small", rules=12, edits=1, rho=0.0, budget=6_000),
    Field(name="bundles", rules=12, edits=4, rho=0.8, budget=6_000),
    Field(name="large", rules=5, edits=1, rho=0.8, budget=4_000),
)
CLASSIC = tuple(Arm(name=f"strict, {val} cases", val=val) for val in (100, 40, 20))
OURS = Arm(name="default", preset="default")
ARMS = (
    *CLASSIC,
    Arm(name="staged", changes={"gate": "staged"}),
    Arm(name="screen", changes={"gate": "screen", "screen_passes": 2}),
    OURS,
)
WITHOUT = tuple(
    Arm(name=name, preset="default", changes=changes)
    for name, changes in (
        ("- bundles first", {"quick": 0}),
        ("- screening", {"gate": "staged"}),
        ("- carrying evidence", {"carry": False}),
        ("- fresh check", {"check": False}),
        ("- growing effort (2 passes)", {"gate": "screen", "screen_passes": 2}),
        ("- many edits (4)", {"screen_edits": 4}),
        ("- one-shot first", {"one_shot_first": False}),
    )
)
ABLATION = (
    *WITHOUT,
    Arm(name="staged, not measured again", changes={"gate": "staged", "remeasure": False, "check": False}),
)
SHARE = 0.8
GRID = 60
WIDE = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """All trainings of one arm in one world."""

    place: Field
    arm: Arm
    played: tuple[Played, ...]

    @property
    def gains(self) -> list[float]:
        """The true ones."""
        return [one.gain for one in self.played]

    @property
    def until(self) -> list[float]:
        """Rollouts to 80 % of the gain; all there were where it was never reached."""
        return [float(one.until(SHARE, self.place.budget)) for one in self.played]

    @property
    def biases(self) -> list[float]:
        """What was reported beyond the truth, in points."""
        return [100 * one.bias for one in self.played]

    def line(self, peer: Row) -> str:
        """For the table."""
        effects = [held for one in self.played for held in one.effects]
        wrong, accepts = fmean(one.wrong for one in self.played), fmean(one.accepts for one in self.played)
        return (
            f"{self.arm.name:28} {mean(self.gains)}  {ratio(self.gains, peer.gains)}  "
            f"{fmean(self.until):6,.0f} {wrong:5.1f} of {accepts:4.1f} "
            f"{fmean(self.biases):+5.1f} ±{spread(self.biases):3.1f} "
            f"{fmean(one.covered for one in self.played):6.0%} {f'{fmean(effects):.0%}' if effects else '':>7} "
            f"{fmean(one.gated for one in self.played):5.0%}"
        )


def spread(values: list[float]) -> float:
    """Half the width of a mean's 95 % interval over the seeds."""
    return WIDE * float(np.std(values, ddof=1)) / len(values) ** 0.5


def mean(values: list[float]) -> str:
    """With its 95 % interval over the seeds."""
    half = spread(values)
    return f"{fmean(values):.2f} ({fmean(values) - half:.2f} to {fmean(values) + half:.2f})"


def between(ours: list[float], theirs: list[float]) -> tuple[float, float, float]:
    """The ratio of two means over the same seeds, and its 95 % interval by resampling these."""
    one, other = np.array(ours), np.array(theirs)
    drawn = np.random.default_rng(1).integers(0, len(one), (4_000, len(one)))
    low, high = np.quantile(one[drawn].mean(1) / other[drawn].mean(1), (0.025, 0.975))
    return float(one.mean() / other.mean()), float(low), float(high)


def ratio(ours: list[float], theirs: list[float]) -> str:
    """For the table."""
    value, low, high = between(ours, theirs)
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


def study(place: Field, arms: tuple[Arm, ...], seeds: range, pool: Executor) -> dict[str, Row]:
    """Every arm in one world, with its lines as they come."""
    rows: dict[str, Row] = {}
    print(
        f"\n{place.name}: {place.rules} good and harmful rules, {place.edits} edits a proposal, rho {place.rho:g}, ",
        end="",
    )
    print(f"{place.budget:,} rollouts, seeds {seeds[0]} to {seeds[-1]}")
    print(f"{'':28} {'true gain':19}  {'against strict, 100':19}   to 80% wrong accepts      bias covers effects  gate")
    for arm in arms:
        played = tuple(pool.map(play, repeat(place), repeat(arm), seeds))
        rows[arm.name] = Row(place=place, arm=arm, played=played)
        print(rows[arm.name].line(rows[CLASSIC[0].name]), flush=True)
    return rows


def goals(found: dict[str, dict[str, Row]]) -> list[str]:
    """What was asked of the default, and whether it is reached."""
    said: list[str] = []
    for name, least in (("small", 1.5), ("bundles", 1.1)):
        if name in found:
            best = max((found[name][arm.name] for arm in CLASSIC), key=lambda row: fmean(row.gains))
            value, low, high = between(found[name][OURS.name].gains, best.gains)
            ok = value >= least and low > 1
            said.append(_goal(ok, f"{name}: {value:.2f} ({low:.2f} to {high:.2f}) times {best.arm.name}; {least:g}"))
    if "large" in found:
        best = min((found["large"][arm.name] for arm in CLASSIC), key=lambda row: fmean(row.until))
        value, low, high = between(found["large"][OURS.name].until, best.until)
        said.append(
            _goal(value <= 1.1, f"large: {value:.2f} ({low:.2f} to {high:.2f}) of {best.arm.name}'s rollouts; 1.1")
        )
    ours = [rows[OURS.name] for rows in found.values()]
    worst = max(ours, key=lambda row: abs(fmean(row.biases)))
    seen, half = fmean(worst.biases), spread(worst.biases)
    text = f"reported less true gain: {seen:+.1f} ±{half:.1f} points at worst ({worst.place.name}); 2"
    said.append(_goal(abs(seen) <= 2, text))
    covered = [one.covered for row in ours for one in row.played]
    effects = [held for row in ours for one in row.played for held in one.effects]
    said.append(_goal(fmean(covered) >= 0.9, f"intervals of the gain, stated at 95 %, hold it in {fmean(covered):.0%}"))
    said.append(_goal(fmean(effects) >= 0.9, f"intervals of edits, stated at 95 %, hold it in {fmean(effects):.0%}"))
    return said


def _goal(reached: bool, text: str) -> str:  # noqa: FBT001
    return f"{'reached' if reached else 'MISSED '}  {text}"


def panel(place: Field, rows: dict[str, Row]) -> Panel:
    """The curves of one world."""
    grid = [round(place.budget * number / GRID) for number in range(GRID + 1)]
    lines = tuple(
        Line(name=row.arm.name, points=tuple((x, fmean(one.at(x) for one in row.played)) for x in grid))
        for row in rows.values()
        if row.arm in ARMS
    )
    return Panel(title=place.name, lines=lines, most=place.budget)


def main() -> None:
    """Compare, and say what is reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--worlds", default=",".join(place.name for place in FIELDS))
    parser.add_argument("--ablation", action="store_true", help="the default without each of its ideas, too")
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    began, arms = time.monotonic(), ARMS + ABLATION * asked.ablation
    places = [place for place in FIELDS if place.name in asked.worlds.split(",")]
    seeds = range(asked.first, asked.first + asked.seeds)
    with ProcessPoolExecutor() as pool:
        found = {place.name: study(place, arms, seeds, pool) for place in places}
    said = goals(found)
    print("\n" + "\n".join(said) + f"\n{time.monotonic() - began:.0f} s")
    if asked.picture:
        asked.picture.parent.mkdir(parents=True, exist_ok=True)
        asked.picture.write_text(picture([panel(place, found[place.name]) for place in places]), encoding="utf-8")
    sys.exit(any(line.startswith("MISSED") for line in said))


if __name__ == "__main__":
    main()
