"""Trials in simulated workspaces: helpful, useless and harmful skills, noise, drift, 5 to 200 runs a day.

The code that plans, compares and decides is Metier's own; only the sessions are simulated: a coin for the arm, a coin
for the outcome. This shows that the code does what the method promises. It says nothing about whether anybody's skills
help: that is what a trial is for.

python benchmarks/trials.py [--trials 200] [--seed 0]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from metier.proof.trials.due import DueRate
from metier.proof.trials.plan import MOST_DAYS, PlannedTrial, most_runs, plan_trial
from metier.proof.trials.verdict import is_kept, verdict_of
from metier.statistics.two_arms import ALPHA, POWER, compare_arms, first_found

NOW = "2026-01-05T12:00:00+00:00"
RATES = (5, 20, 50, 200)
"""Runs a day of a workspace."""
DUE = 0.4
"""Share of its runs in which the skill is due, one a session."""
EFFECTS = {"helpful": 0.2, "useless": 0.0, "harmful": -0.2}
SMALL = (-0.1, -0.05, 0.05, 0.1)
"""Effects that a trial planned for 20 points can hardly tell."""
MANY = 8_000
"""Trials of each small effect."""
REGRET = 0.01


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
class Played:
    """One trial to its end."""

    effect: float
    verdict: str
    kept: bool
    covered: bool
    runs: int
    lost: float
    """Successes that the trial cost against the better of giving the skill to all or to none."""


def past_of(rate: int, base: float) -> DueRate:
    """The last four weeks of a workspace."""
    sessions = max(1, round(28 * rate * DUE))
    return DueRate(sessions=sessions, days=28.0, judged=sessions, succeeded=round(base * sessions))


def planned(rate: int, base: float, gain: float) -> PlannedTrial | None:
    """A trial as `metier trial start` plans it; None: it refuses."""
    plan = next(one for one in plan_trial(past_of(rate, base), NOW) if one.gain == gain)
    return plan if plan.runs and plan.days is not None and plan.days <= MOST_DAYS else None


def play(world: World, effect: float, most: int, dice: np.random.Generator) -> Played:
    """A trial, looked at after every outcome."""
    arms = dice.random(most) < 0.5
    truth = np.clip(world.base + world.drift * np.linspace(0, 1, most) + effect * arms, 0, 1)
    good = (dice.random(most) < truth) ^ (dice.random(most) < world.noise)
    ends = [int(first_found(side[None], good[None])[0]) for side in (arms, ~arms)]
    stop = min(most, *ends)
    result = compare_arms(list(zip(arms[:stop].tolist(), good[:stop].tolist(), strict=True)))
    verdict = verdict_of(result, most)
    assert verdict is not None
    seen = effect * (1 - 2 * world.noise)
    best = max(effect, 0.0) * stop
    return Played(
        effect=effect,
        verdict=verdict,
        kept=is_kept(verdict, result),
        covered=result.interval.holds(seen),
        runs=stop,
        lost=best - effect * result.with_runs,
    )


def kept_share(effect: float, dice: np.random.Generator) -> float:
    """How many of many skills with a small effect stay in use, in the plain world with 50 runs a day."""
    plan = planned(50, WORLDS[0].base, 0.2)
    most = most_runs(plan, past_of(50, WORLDS[0].base)) if plan else 1
    arms = dice.random((MANY, most)) < 0.5
    good = dice.random((MANY, most)) < WORLDS[0].base + effect * arms
    helps, hurts = first_found(arms, good), first_found(~arms, good)
    gain = (arms & good).sum(axis=1) / arms.sum(axis=1) - (~arms & good).sum(axis=1) / (~arms).sum(axis=1)
    undecided = (helps > most) & (hurts > most)
    return float(np.where(undecided, gain >= 0, helps < hurts).mean())


def main() -> None:
    """Play all trials, print the figures, and exit with 1 if one is beyond its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    dice = np.random.default_rng(asked.seed)
    wrong: list[str] = []
    print(f"{asked.trials} trials a row, planned for 20 points, or 30 where that takes too long\n")
    print("runs a day  world    skill      runs  helps  hurts  undecided  kept  interval holds  successes lost in it")
    for rate in RATES:
        for world in WORLDS:
            plan = planned(rate, world.base, 0.2) or planned(rate, world.base, 0.3)
            if plan is None:
                print(f"{rate:>10}  {world.name:<8} refused: more than {MOST_DAYS} days")
                continue
            most = most_runs(plan, past_of(rate, world.base))
            every: list[Played] = []
            for name, effect in EFFECTS.items():
                every += row(f"{rate:>10}  {world.name:<8} {name:<9}", world, effect, most, asked.trials, dice)
            wrong += check(rate, world, every)
    print("\nsmall effects, plain world, 50 runs a day: what a trial planned for 20 points makes of them")
    for effect in SMALL:
        kept = kept_share(effect, dice)
        regret = max(effect, 0.0) - effect * kept
        wrong += [f"regret {regret:.4f} at {effect:+.2f}"] if regret > REGRET else []
        print(f"  {100 * effect:+.0f} points: kept {kept:.1%}, regret {regret:.4f}")
    wrong += power(asked, dice)
    print("\n" + ("\n".join(f"BEYOND ITS LIMIT: {one}" for one in wrong) or "All figures are within their limits."))
    sys.exit(1 if wrong else 0)


def row(place: str, world: World, effect: float, most: int, trials: int, dice: np.random.Generator) -> list[Played]:
    """The trials of one kind of skill, with their line."""
    found = [play(world, effect, most, dice) for _ in range(trials)]
    shares = [fmean(one.verdict == verdict for one in found) for verdict in ("helps", "hurts", "undecided")]
    print(
        f"{place} {fmean(one.runs for one in found):>5.0f}"
        f"  {shares[0]:>5.0%}  {shares[1]:>5.0%}  {shares[2]:>9.0%}  {fmean(one.kept for one in found):>4.0%}"
        f"  {fmean(one.covered for one in found):>14.0%}  {fmean(one.lost for one in found):>8.1f}"
    )
    return found


def check(rate: int, world: World, found: list[Played]) -> list[str]:
    """What is beyond its limit in one workspace: wrong promotions, coverage, regret once the trials have ended."""
    place = f"{rate} runs a day, {world.name}"
    harmful = [one for one in found if one.effect < 0]
    promoted = fmean(one.verdict == "helps" for one in harmful)
    covered = fmean(one.covered for one in found)
    ours = fmean(one.effect * one.kept for one in found)
    regret = max(fmean(one.effect for one in found), 0.0) - ours
    wrong = [f"{place}: {promoted:.1%} of harmful skills promoted"] if promoted > ALPHA else []
    wrong += [f"{place}: intervals hold the truth in {covered:.1%}"] if covered < 1 - 2 * ALPHA else []
    return wrong + ([f"{place}: regret {regret:.4f}"] if regret > REGRET else [])


def power(asked: argparse.Namespace, dice: np.random.Generator) -> list[str]:
    """Whether the planned number of runs finds the planned gain as often as stated."""
    print("\nplanned runs and power, 200 runs a day")
    wrong: list[str] = []
    for base in (0.3, 0.6, 0.8):
        for gain in (0.1, 0.2, 0.3):
            plan = planned(200, base, gain)
            if plan is None or plan.runs is None:
                print(f"  {base:.0%} success, +{100 * gain:.0f} points: refused")
                continue
            most = plan.runs
            found = [play(World(name="", base=base), gain, most, dice) for _ in range(asked.trials)]
            share = fmean(one.verdict == "helps" for one in found)
            print(f"  {base:.0%} success, +{100 * gain:.0f} points: {most:,} runs, found in {share:.0%}")
            slack = 3 * (POWER * (1 - POWER) / asked.trials) ** 0.5
            wrong += [f"power {share:.0%} at {base:.0%} and {gain:+.0%}"] if share < POWER - slack else []
    return wrong


if __name__ == "__main__":
    main()
