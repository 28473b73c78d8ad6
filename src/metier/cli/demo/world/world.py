"""A simulated world in which it is known what every line of a skill is worth.

Some rules are good, some do harm, the rest does nothing. A job needs one to three good rules and succeeds by chance,
the more likely the more of them its skill holds. Everything follows from the world's seed by hashing: the same job
under the same skill in the same sample always ends the same way, whoever asks, in which order, from how many threads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from math import exp, sqrt
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

NORMAL = NormalDist()
RULE = re.compile(r"\bRule ([GHN])(\d+)\b")
"""How a line names its rule: good, harmful, or of no effect."""
UNSEEN = 1_500
"""Jobs over which the truth is taken."""
FREE_LINES, PER_LINE = 20, 0.02
"""Lines a skill may have, and what each beyond them costs."""
HEAD = "---\nname: simulated-work\ndescription: How to do the jobs of a simulated world.\n---\n\n# Simulated work\n"
WAYS = (
    "check the units before you convert",
    "read the whole request before you begin",
    "name the source of each figure",
    "keep the order of the columns",
    "round only at the very end",
    "say what was left out",
    "compare with the last report",
    "ask the ledger, not the cache",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSpec:
    """What a world is made of."""

    seed: int = 0
    good: int = 12
    harmful: int = 12
    rho: float = 0.0
    """How likely a job's luck is the same under every skill: near 1 the agent is nearly deterministic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What decides how one job goes."""

    base: float
    """The log odds of success without any rule."""
    gains: dict[int, float]
    """What each good rule it needs adds."""
    losses: dict[int, float]
    """What each harmful rule that hurts it takes away, as a negative number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesHeld:
    """The rules that a text contains."""

    good: frozenset[int] = frozenset()
    harmful: frozenset[int] = frozenset()
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class World:
    """Jobs, rules, and the truth about them."""

    spec: WorldSpec = field(default_factory=WorldSpec)
    _traits: dict[str, Traits] = field(default_factory=dict[str, Traits], repr=False, compare=False)

    def chance(self, job: str, text: str) -> float:
        """How likely a job succeeds under a skill's text."""
        return self._chance(self.traits(job), rules_in(text))

    def passes(self, job: str, text: str, sample: int = 0) -> bool:
        """Whether it succeeds this time."""
        return self.luck(job, text, sample) < self.chance(job, text)

    def luck(self, job: str, text: str, sample: int = 0) -> float:
        """A number from 0 to 1; with probability rho the same for every skill."""
        shared = self.uniform("shared?", job, sample) < self.spec.rho
        return self.uniform("luck", job, sample, () if shared else rules_in(text).lines)

    def truth(self, text: str) -> float:
        """The success rate on jobs that are never trained on."""
        holds = rules_in(text)
        return fmean(self._chance(traits, holds) for traits in self._unseen)

    def gain(self, text: str) -> float:
        """The share of the way from the empty skill (0) to all good rules (1)."""
        return (self.truth(text) - self._ends[0]) / (self._ends[1] - self._ends[0])

    def traits(self, job: str) -> Traits:
        """What decides how a job goes; any name is a job."""
        if job not in self._traits:
            self._traits[job] = self._made(job)
        return self._traits[job]

    def uniform(self, *parts: object) -> float:
        """A number from 0 to 1 that these parts and the seed decide."""
        text = "\x1f".join(map(str, (self.spec.seed, *parts)))
        return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big") / 2**64

    def _normal(self, mean: float, deviation: float, *parts: object) -> float:
        return mean + deviation * NORMAL.inv_cdf(min(max(self.uniform(*parts), 1e-15), 1 - 1e-15))

    def _chance(self, traits: Traits, holds: RulesHeld) -> float:
        odds = traits.base - PER_LINE * max(0, len(holds.lines) - FREE_LINES)
        odds += sum(weight for rule, weight in traits.gains.items() if rule in holds.good)
        odds += sum(weight for rule, weight in traits.losses.items() if rule in holds.harmful)
        return 1 / (1 + exp(-odds))

    def _made(self, job: str) -> Traits:
        drawn = self.uniform("needs", job)
        needed = self._needed(job, 1 if drawn < 0.4 else 2 if drawn < 0.8 else 3)
        scale = 1.1 * 1.4 / sqrt(len(needed)) if needed else 0.0
        return Traits(
            base=self._normal(-0.6, 1.3, "base", job),
            gains={rule: scale * exp(self._normal(0, 0.35, "weight", rule)) for rule in needed},
            losses={
                rule: -(0.5 + 0.7 * self.uniform("harm", rule))
                for rule in range(self.spec.harmful)
                if self.uniform("hurts", rule, job) < 0.35
            },
        )

    def _needed(self, job: str, count: int) -> list[int]:
        """Different good rules, each as likely as one over the root of its rank."""
        left = list(range(self.spec.good))
        found: list[int] = []
        while left and len(found) < count:
            weights = [1 / sqrt(rule + 1) for rule in left]
            point = self.uniform("rule", job, len(found)) * sum(weights)
            for rule, weight in zip(left, weights, strict=True):
                point -= weight
                if point < 0 or rule == left[-1]:
                    found.append(rule)
                    left.remove(rule)
                    break
        return found

    @cached_property
    def _unseen(self) -> list[Traits]:
        return [self.traits(f"u{number:04d}") for number in range(UNSEEN)]

    @cached_property
    def _ends(self) -> tuple[float, float]:
        best = document(line("G", rule) for rule in range(self.spec.good))
        return self.truth(""), self.truth(best)


def line(kind: str, number: int) -> str:
    """A rule as a line of a skill."""
    return f"- Rule {kind}{number}: {WAYS[number % len(WAYS)]}."


def document(lines: Iterable[str] = ()) -> str:
    """A whole SKILL.md with these lines."""
    return HEAD + "".join(f"\n{one}" for one in lines) + "\n"


def lines_of(text: str) -> list[str]:
    """The lines of a text that name a rule; other lines have no effect."""
    return [one.strip() for one in text.splitlines() if RULE.search(one)]


@lru_cache(maxsize=4096)
def rules_in(text: str) -> RulesHeld:
    """The rules in a text, each once."""
    lines = lines_of(text)
    found = {(kind, int(number)) for one in lines for kind, number in RULE.findall(one)}
    return RulesHeld(
        good=frozenset(number for kind, number in found if kind == "G"),
        harmful=frozenset(number for kind, number in found if kind == "H"),
        lines=tuple(lines),
    )
