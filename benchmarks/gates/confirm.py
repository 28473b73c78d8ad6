"""How often the confirm gate ships a change that does nothing, how good its intervals are, what it can find.

Zero-effect changes in several kinds of world, at least 1,000 simulations each. Limits: at a stated 5 % the share that
ships wrongly stays at or below 7 % with its whole 95 % interval; intervals stated at 90 % hold the truth in 90 % of
cases or more (as far as so many simulations can tell). The peer is the strict gate, which ships whatever scores higher.

python benchmarks/gates/confirm.py [simulations]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from random import Random
from typing import TYPE_CHECKING

from metier.cli.demo.world.world import World, WorldSpec, document, line
from metier.statistics.intervals import paired_interval, wilson
from metier.statistics.pairs import Pair, deltas_of
from metier.statistics.power import Plan, power
from metier.training.gates.confirm import confirm

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = (17, 40, 200)
STATED, LIMIT, LEVEL = 0.05, 0.07, 0.9
Draw = Callable[[Random], tuple[float, float]]
"""One fresh case: what it scored before the change and after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A way in which a change can do nothing, or something."""

    name: str
    draw: Draw
    truth: float = 0.0


def chance(random: Random) -> float:
    """How likely a case passes, spread as in the simulated world."""
    return 1 / (1 + exp(-random.gauss(-0.6, 1.3)))


def hard(random: Random, before: float, after: float, rho: float) -> tuple[float, float]:
    luck = random.random()
    other = luck if random.random() < rho else random.random()
    return float(luck < before), float(other < after)


def noisy(rho: float, rate: float | None = None) -> Draw:
    """A change without effect: the same chance, luck shared with probability rho."""

    def draw(random: Random) -> tuple[float, float]:
        p = chance(random) if rate is None else rate
        return hard(random, p, p, rho)

    return draw


def mixed(random: Random) -> tuple[float, float]:
    """Helps half of the cases as much as it hurts the others."""
    shift = random.choice((0.25, -0.25))
    return hard(random, 0.5, 0.5 + shift, 0.5)


def soft(random: Random) -> tuple[float, float]:
    p = chance(random)
    return random.betavariate(8 * p, 8 * (1 - p)), random.betavariate(8 * p, 8 * (1 - p))


def skewed(random: Random) -> tuple[float, float]:
    """Small gains nearly everywhere, paid for by a rare great loss: the mean is zero."""
    return (0.9, 0.95) if random.random() < 18 / 19 else (0.95, 0.05)


def samples(random: Random) -> tuple[float, float]:
    """The mean of three samples a case."""
    p = chance(random)
    one, two = zip(*(hard(random, p, p, 0.5) for _ in range(3)), strict=True)
    return sum(one) / 3, sum(two) / 3


def helped(gain: float, rho: float) -> Draw:
    """A change that lifts every case's chance towards 1 by the same share of what is missing."""

    def draw(random: Random) -> tuple[float, float]:
        p = chance(random)
        return hard(random, p, p + gain * (1 - p) / MISSING, rho)

    return draw


MISSING = 1 - sum(map(chance, [Random(1)] * 20_000)) / 20_000
"""The share of cases that fail without a change."""

NOTHING = (
    Kind(name="independent noise, one rate", draw=noisy(0.0, 0.5)),
    Kind(name="independent noise, spread difficulty", draw=noisy(0.0)),
    Kind(name="correlated noise, spread difficulty", draw=noisy(0.8)),
    Kind(name="identical candidate, deterministic", draw=noisy(1.0)),
    Kind(name="helps as often as it hurts", draw=mixed),
    Kind(name="three samples a case", draw=samples),
    Kind(name="soft scores", draw=soft),
    Kind(name="soft, many small gains, rare great loss", draw=skewed),
)
SOMETHING = tuple(
    Kind(name=f"true gain {gain:.0%}, rho {rho}", draw=helped(gain, rho), truth=gain)
    for gain in (0.05, 0.1, 0.2, 0.3)
    for rho in (0.0, 0.8)
)


def drawn(kind: Kind, cases: int, simulations: int) -> Iterator[tuple[Pair, ...]]:
    random = Random(f"{kind.name} {cases}")
    for _ in range(simulations):
        values = [kind.draw(random) for _ in range(cases)]
        yield tuple(Pair(case=str(n), before=one, after=two) for n, (one, two) in enumerate(values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What came of many simulations of one kind."""

    shipped: int
    strict: int
    covered: int
    simulations: int


def simulated(kind: Kind, cases: int, simulations: int) -> Cell:
    shipped = strict = covered = 0
    for pairs in drawn(kind, cases, simulations):
        deltas = [delta for _, delta in deltas_of(pairs)]
        shipped += confirm(pairs).decision.action == "accept"
        strict += sum(deltas) > 0
        covered += paired_interval(deltas, LEVEL).holds(kind.truth)
    return Cell(shipped=shipped, strict=strict, covered=covered, simulations=simulations)


def holds(cell: Cell, *, nothing: bool) -> bool:
    """Whether a cell keeps the limits."""
    wrong = wilson(cell.shipped, cell.simulations).high
    return wilson(cell.covered, cell.simulations).high >= LEVEL and not (nothing and wrong > LIMIT)


def told(kinds: tuple[Kind, ...], simulations: int, *, nothing: bool) -> bool:
    fine = True
    for kind in kinds:
        for cases in CASES:
            cell = simulated(kind, cases, simulations)
            rate, high = cell.shipped / simulations, wilson(cell.shipped, simulations).high
            good = holds(cell, nothing=nothing)
            fine &= good
            print(
                f"{kind.name:42} {cases:4} cases  ships {rate:6.1%} (up to {high:6.1%})  strict gate"
                f" {cell.strict / simulations:4.0%}  {LEVEL:.0%} interval holds {cell.covered / simulations:.1%}"
                f"{'' if good else '   <-- over the limit'}"
            )
    return fine


def in_the_world(simulations: int) -> bool:
    """A neutral line in the simulated world itself, another world each time: the same limits."""
    fine = True
    before, after = document([line("G", 0)]), document([line("G", 0), line("N", 1)])
    for rho in (0.0, 0.8):
        for cases in CASES:
            wrong = 0
            for number in range(simulations):
                world = World(spec=WorldSpec(seed=number, rho=rho))
                jobs = [f"c{n:04d}" for n in range(cases)]
                pairs = [
                    Pair(case=job, before=float(world.passes(job, before)), after=float(world.passes(job, after)))
                    for job in jobs
                ]
                wrong += confirm(pairs).decision.action == "accept"
            high = wilson(wrong, simulations).high
            fine &= high <= LIMIT
            name = f"simulated world, a neutral line, rho {rho}"
            print(f"{name:42} {cases:4} cases  ships {wrong / simulations:6.1%} (up to {high:6.1%})")
    return fine


def curve() -> None:
    """What can be found, by the number of cases: the figure that is stated up front."""
    print("\nshare of true gains that are found, 20 % of cases differing (stated before anything is spent)")
    print("cases " + "".join(f"{gain:>8.0%}" for gain in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3)))
    for cases in (10, 17, 24, 40, 80, 160, 200, 400, 1000):
        print(
            f"{cases:5} " + "".join(f"{power(cases, gain, Plan()):8.0%}" for gain in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3))
        )


def main() -> int:
    simulations = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    print(f"{simulations:,} simulations a line; stated error rate {STATED:.0%}, limit {LIMIT:.0%}\n")
    fine = told(NOTHING, simulations, nothing=True)
    fine &= in_the_world(simulations)
    print()
    fine &= told(SOMETHING, simulations, nothing=False)
    curve()
    print("\nall limits hold" if fine else "\na limit is broken")
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
