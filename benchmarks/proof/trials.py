"""Trials in simulated workspaces: helpful, useless and harmful skills, noise, drift, 5 to 200 runs a day.

The code that plans, compares and decides is Metier's own; only the sessions are simulated: a coin for the arm, a coin
for the outcome. This shows that the code does what the method promises. It says nothing about whether anybody's skills
help: that is what a trial is for. Limits: wrong promotions, coverage of the intervals, regret; see `beyond`.

python benchmarks/proof/trials.py [--trials 2000] [--seed 0]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

import numpy as np

from metier.proof.trials.due import DueRate
from metier.proof.trials.plan import MOST_DAYS, PlannedTrial, most_runs, plan_trial
from metier.proof.trials.verdict import is_kept, verdict_of
from metier.statistics.intervals import Interval
from metier.statistics.two_arms import ALPHA, POWER, ArmsResult, compare_arms, first_found

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = "2026-01-05T12:00:00+00:00"
RATES = (5, 20, 50, 200)
"""Runs a day of a workspace."""
DUE = 0.4
"""Share of its runs in which the skill is due, one a session."""
EFFECTS = (-0.2, -0.1, -0.07, -0.05, -0.03, 0.0, 0.03, 0.05, 0.07, 0.1, 0.2)
"""What skills are worth; a trial planned for 20 points can hardly tell the small ones."""
SHOWN = {"helpful": 0.2, "useless": 0.0, "harmful": -0.2}
PASTS = 5
"""Workspaces of each kind: their last four weeks, from which a trial is planned, differ by luck."""
INTERVALS = 100
"""Trials of each row whose interval is looked at: it takes the longest."""
ANYTHING = Interval(low=-1.0, high=1.0, level=1 - 2 * ALPHA)
REGRET = 0.01
SURE = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """How sessions go without the skill."""

    name: str
    base: float = 0.6
    drift: float = 0.0
    """How much easier the work gets from a trial's beginning to its end."""
    noise: float = 0.0
    """How often a verdict is wrong."""


WORLDS = (
    World(name="plain"),
    World(name="easier", base=0.5, drift=0.3),
    World(name="harder", base=0.75, drift=-0.3),
    World(name="noisy", noise=0.1),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Many trials of one kind of skill in one kind of workspace, to their end."""

    effect: float
    helps: float
    hurts: float
    kept: float
    covered: float | None
    """How often the interval holds the gain that verdicts show; None: not looked at."""
    runs: float
    days: float
    lost: float
    """Successes that a trial cost against the better of giving the skill to all or to none."""
    trials: int

    @property
    def regret(self) -> float:
        """How much success is lost once the trials have ended, against the better of keeping all and keeping none."""
        return max(self.effect, 0.0) - self.effect * self.kept

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval of the regret."""
        return SURE * abs(self.effect) * (self.kept * (1 - self.kept) / self.trials) ** 0.5


def past_of(rate: int, base: float, dice: np.random.Generator) -> DueRate:
    """The last four weeks of a workspace."""
    sessions = max(1, round(28 * rate * DUE))
    return DueRate(sessions=sessions, days=28.0, judged=sessions, succeeded=int(dice.binomial(sessions, base)))


def planned(past: DueRate, *gains: float) -> PlannedTrial | None:
    """The first of some trials that `metier trial start` does not refuse."""
    plans = {one.gain: one for one in plan_trial(past, NOW)}
    fitting = (plans[gain] for gain in gains)
    return next((one for one in fitting if one.runs and one.days is not None and one.days <= MOST_DAYS), None)


def outcomes(
    world: World, effect: float, shape: tuple[int, int], dice: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The arms of many trials, a row each, and whether their runs are said to have succeeded."""
    arms = dice.random(shape) < 0.5
    truth = np.clip(world.base + world.drift * np.linspace(0, 1, shape[1]) + effect * arms, 0, 1)
    return arms, (dice.random(shape) < truth) ^ (dice.random(shape) < world.noise)


def play(world: World, effect: float, most: int, trials: int, dice: np.random.Generator) -> Iterator[tuple[float, ...]]:
    """Trials that are looked at after every outcome: helps, hurts, kept, runs, successes lost."""
    arms, good = outcomes(world, effect, (trials, most), dice)
    helps, hurts = first_found(arms, good), first_found(~arms, good)
    ends = np.minimum(np.minimum(helps, hurts), most)
    for row, end in enumerate(ends.tolist()):
        tried, went = arms[row, :end], good[row, :end]
        counts = [int(one.sum()) for one in (tried, tried & went, ~tried, ~tried & went)]
        result = ArmsResult(
            with_runs=counts[0],
            with_successes=counts[1],
            without_runs=counts[2],
            without_successes=counts[3],
            gain=counts[1] / counts[0] - counts[3] / counts[2] if counts[0] and counts[2] else 0.0,
            interval=ANYTHING,
            helps=1 / ALPHA if helps[row] <= end else 1.0,
            hurts=1 / ALPHA if hurts[row] <= end else 1.0,
        )
        verdict = verdict_of(result, most)
        assert verdict is not None
        lost = max(effect, 0.0) * end - effect * result.with_runs
        yield verdict == "helps", verdict == "hurts", is_kept(verdict, result), end, lost


def coverage(world: World, effect: float, most: int, dice: np.random.Generator) -> float:
    """How often the interval holds the gain in verdicts, looked at where a trial ends."""
    arms, good = outcomes(world, effect, (INTERVALS // PASTS, most), dice)
    ends = np.minimum(np.minimum(first_found(arms, good), first_found(~arms, good)), most)
    seen = effect * (1 - 2 * world.noise)
    found = [
        compare_arms(list(zip(tried[:end].tolist(), went[:end].tolist(), strict=True))).interval.holds(seen)
        for tried, went, end in zip(arms, good, ends.tolist(), strict=True)
    ]
    return fmean(found)


def rows_of(rate: int, world: World, trials: int, dice: np.random.Generator) -> list[Row]:
    """All kinds of skills in workspaces of one kind; none: every trial is refused there."""
    pasts = [past_of(rate, world.base, dice) for _ in range(PASTS)]
    plans = [(past, plan) for past in pasts if (plan := planned(past, 0.2, 0.3))]
    lengths = [most_runs(plan, past) for past, plan in plans]
    return [_row(rate, world, effect, lengths, trials, dice) for effect in EFFECTS if lengths]


def _row(rate: int, world: World, effect: float, lengths: list[int], trials: int, dice: np.random.Generator) -> Row:
    played = [one for most in lengths for one in play(world, effect, most, trials // len(lengths), dice)]
    helps, hurts, kept, runs, lost = zip(*played, strict=True)
    looked = effect in SHOWN.values()
    return Row(
        effect=effect,
        helps=fmean(helps),
        hurts=fmean(hurts),
        kept=fmean(kept),
        covered=fmean(coverage(world, effect, most, dice) for most in lengths) if looked else None,
        runs=fmean(runs),
        days=median(runs) / (rate * DUE),
        lost=fmean(lost),
        trials=len(played),
    )


def main() -> None:
    """Play all trials, print the figures, and exit with 1 if one is beyond its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    dice = np.random.default_rng(asked.seed)
    wrong: list[str] = []
    print(f"{asked.trials} trials a row, planned for 20 points, or 30 where that takes too long\n")
    print("runs a day  world    skill      runs  days  helps  hurts  undecided  kept  interval holds  successes lost")
    worst: list[tuple[int, World, Row]] = []
    for rate in RATES:
        for world in WORLDS:
            rows = rows_of(rate, world, asked.trials, dice)
            show(rate, world, rows)
            wrong += check(rate, world, rows)
            worst += [(rate, world, max(rows, key=lambda one: one.regret))] if rows else []
    print("\nonce the trials have ended: success lost against the better of keeping all and keeping none, at the worst")
    for rate, world, row in worst:
        figure = f"{row.regret:.4f} ± {row.error:.4f} at {100 * row.effect:+.0f} points"
        print(f"  {rate:>3} runs a day, {world.name:<7} {figure}")
    wrong += power(asked.trials, dice)
    print("\n" + ("\n".join(f"BEYOND ITS LIMIT: {one}" for one in wrong) or "All figures are within their limits."))
    sys.exit(1 if wrong else 0)


def show(rate: int, world: World, rows: list[Row]) -> None:
    """The lines of the skills that are worth 20, 0 and −20 points."""
    place = f"{rate:>10}  {world.name:<8}"
    if not rows:
        print(f"{place} refused: more than {MOST_DAYS} days")
    for name, effect in SHOWN.items() if rows else ():
        row = next(one for one in rows if one.effect == effect)
        print(
            f"{place} {name:<9} {row.runs:>5.0f}  {row.days:>4.0f}  {row.helps:>5.1%}  {row.hurts:>5.1%}"
            f"  {1 - row.helps - row.hurts:>9.1%}  {row.kept:>4.0%}  {row.covered or 0:>14.0%}  {row.lost:>14.1f}",
            flush=True,
        )


def check(rate: int, world: World, rows: list[Row]) -> list[str]:
    """What is beyond its limit in one kind of workspace: wrong promotions, coverage, regret after the trials."""
    place = f"{rate} runs a day, {world.name}"
    wrong: list[str] = []
    for row in rows:
        skill = f"{place}, {100 * row.effect:+.0f} points"
        if row.effect <= 0 and row.helps > ALPHA:
            wrong.append(f"{skill}: {row.helps:.1%} promoted")
        if row.covered is not None and row.covered < 1 - 2 * ALPHA:
            wrong.append(f"{skill}: intervals hold the truth in {row.covered:.1%}")
        if row.regret > REGRET:
            wrong.append(f"{skill}: regret {row.regret:.4f} ± {row.error:.4f}")
    return wrong


def power(trials: int, dice: np.random.Generator) -> list[str]:
    """Whether the planned number of runs finds the planned gain as often as stated."""
    print(f"\nplanned runs and power (stated: {POWER:.0%}), 200 runs a day, {trials} trials each")
    wrong: list[str] = []
    for base in (0.3, 0.6, 0.8):
        for gain in (0.1, 0.2, 0.3):
            sessions = 28 * 200
            past = DueRate(sessions=sessions, days=28.0, judged=sessions, succeeded=round(base * sessions))
            plan = planned(past, gain)
            if plan is None or plan.runs is None:
                print(f"  {base:.0%} success, +{100 * gain:.0f} points: refused")
                continue
            arms, good = outcomes(World(name="", base=base), gain, (trials, plan.runs), dice)
            share = float((first_found(arms, good) <= plan.runs).mean())
            error = SURE * (share * (1 - share) / trials) ** 0.5
            figure = f"{plan.runs:,} runs, found in {share:.1%} ± {error:.1%}"
            print(f"  {base:.0%} success, +{100 * gain:.0f} points: {figure}")
            wrong += [f"power {share:.1%} ± {error:.1%} at {base:.0%} and {gain:+.0%}"] if share < POWER else []
    return wrong


if __name__ == "__main__":
    main()
