"""What each of many edits is worth, from rollouts that held different halves of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING

from metier.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

Half = tuple[bool, ...]
"""For each edit whether it is in."""
LEVEL = 0.95
WIDE = NormalDist().inv_cdf(0.5 + LEVEL / 2)
TINY = 1e-9
ALIKE = 0.8
"""The share of attempts that come out as the first one did, from which on an agent is taken to repeat itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectEstimate:
    """An effect, and its standard error."""

    effect: float = 0.0
    error: float = math.inf
    """Infinite: nothing is known of it."""

    @property
    def z(self) -> float:
        """The effect in standard errors."""
        return self.effect / self.error

    @property
    def interval(self) -> Interval:
        """Where the effect is, in the stated share of such intervals."""
        half = WIDE * self.error
        return Interval(low=max(-1.0, self.effect - half), high=min(1.0, self.effect + half), level=LEVEL)

    def with_(self, other: EffectEstimate) -> EffectEstimate:
        """Both together, each by its weight."""
        mine, theirs = self.error**-2, other.error**-2
        effect = (self.effect * mine + other.effect * theirs) / (mine + theirs)
        return EffectEstimate(effect=effect, error=(mine + theirs) ** -0.5)


NOTHING_KNOWN = EffectEstimate()


def halves(edits: int, conflicts: Collection[tuple[int, int]] = (), seed: int = 0) -> tuple[tuple[Half, Half], ...]:
    """Pairs of complementary halves in which every edit is in as often as out, and any two are as often together.

    A Hadamard matrix folded over: each row and its opposite. Of two edits in conflict one is left out, in turn.
    """
    random = Random(seed)  # noqa: S311 - no secret
    size = 1 << edits.bit_length()
    columns = random.sample(range(1, size), edits)
    rows = [
        tuple((row & column).bit_count() % 2 == 0 for column in columns) for row in random.sample(range(size), size)
    ]
    made: list[tuple[Half, Half]] = []
    for number, row in enumerate(rows):
        other = tuple(not one for one in row)
        one, two = _apart(row, conflicts, number), _apart(other, conflicts, number)
        made.append((one, two) if number % 2 else (two, one))
    return tuple(made)


def least_passes(edits: int, cases: int) -> int:
    """How often to go over the cases at least, for twice as many differences as there are effects to be told apart."""
    return -(-2 * edits // max(1, cases))


def evidence_groups(keys: Sequence[Hashable], outcomes: Sequence[Hashable]) -> list[list[int]]:
    """Which attempts are one piece of evidence, by their places: each by itself, or those with one key together.

    Together where attempts with one key hardly ever come out otherwise: such an agent repeats itself, and trying it
    again tells nothing new.
    """
    groups: dict[Hashable, list[int]] = {}
    for at, key in enumerate(keys):
        groups.setdefault(key, []).append(at)
    alike = [outcomes[at] == outcomes[first] for first, *again in groups.values() for at in again]
    repeats = bool(alike) and fmean(alike) >= ALIKE
    return list(groups.values()) if repeats else [[at] for at in range(len(outcomes))]


def estimates(contrasts: Sequence[tuple[Half, Half]], differences: Sequence[float]) -> tuple[EffectEstimate, ...]:
    """Least squares on the differences between the first half's score and the second's, all edits at once."""
    import numpy as np

    signs = np.array([[float(x) - float(y) for x, y in zip(*pair, strict=True)] for pair in contrasts])
    values = np.array(differences)
    inverse = np.linalg.pinv(signs.T @ signs)
    effects = inverse @ signs.T @ values
    freedom = max(1, len(values) - signs.shape[1])
    spread = (float(np.sum((values - signs @ effects) ** 2)) + 1) / freedom  # one more: no spread proves nothing
    weights = np.diag(inverse)
    errors = np.where(weights > TINY, np.sqrt(np.maximum(weights, TINY) * spread), 1.0)  # never in, or never out
    return tuple(
        EffectEstimate(effect=effect, error=error)
        for effect, error in zip(effects.tolist(), errors.tolist(), strict=True)
    )


def shrunken_effects(found: Sequence[EffectEstimate]) -> tuple[float, ...]:
    """The effects drawn towards zero: by as much as they are no further apart than their errors let expect."""
    signal = max(0.0, fmean(one.effect**2 - one.error**2 for one in found))
    return tuple(one.effect * signal / (signal + one.error**2) for one in found)


def _apart(half: Half, conflicts: Collection[tuple[int, int]], turn: int) -> Half:
    kept = list(half)
    for number, pair in enumerate(sorted(conflicts)):
        if all(kept[one] for one in pair):
            kept[pair[(turn // 2 + number) % 2]] = False
    return tuple(kept)
