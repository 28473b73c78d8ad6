"""What a stage of a run has cost: calls, tokens, money."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.types import Tokens
from metier.types.trials import NO_TOKENS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.types.trials import Rollout


@dataclass(frozen=True, slots=True, kw_only=True)
class StageUsage:
    """A number of calls, and what is known about their cost."""

    calls: int = 0
    tokens: Tokens = NO_TOKENS
    cost_usd: float = 0.0
    """Of the rollouts that said what they cost."""

    def __add__(self, other: StageUsage) -> StageUsage:
        return StageUsage(
            calls=self.calls + other.calls,
            tokens=sum_tokens(self.tokens, other.tokens),
            cost_usd=self.cost_usd + other.cost_usd,
        )


class Bill:
    """The usage of each stage so far; only the thread that drives a run writes it."""

    def __init__(self) -> None:
        self._stages: dict[str, list[StageUsage]] = {}
        self.calls = 0
        self.tokens = 0
        """Of all kinds, so far."""

    def add(self, stage: str, usage: StageUsage) -> None:
        """Put usage on a stage."""
        self._stages.setdefault(stage, []).append(usage)
        tokens = usage.tokens
        self.calls += usage.calls
        self.tokens += tokens.input + tokens.output + tokens.cache_read + tokens.cache_write

    def stages(self) -> tuple[tuple[str, StageUsage], ...]:
        """Every stage and its usage, by name."""
        return tuple((stage, sum_usage(all_of_it)) for stage, all_of_it in sorted(self._stages.items()))


def sum_usage(usages: Sequence[StageUsage]) -> StageUsage:
    """The sum, added up in order."""
    tokens = [one.tokens for one in usages]
    return StageUsage(
        calls=sum(one.calls for one in usages),
        tokens=Tokens(
            input=sum(one.input for one in tokens),
            output=sum(one.output for one in tokens),
            cache_read=sum(one.cache_read for one in tokens),
            cache_write=sum(one.cache_write for one in tokens),
        ),
        cost_usd=sum((one.cost_usd for one in usages), 0.0),
    )


def rollout_usage(rollout: Rollout) -> StageUsage:
    """What one rollout has cost."""
    return StageUsage(calls=1, tokens=rollout.tokens, cost_usd=rollout.cost_usd or 0.0)


def sum_tokens(one: Tokens, other: Tokens) -> Tokens:
    """Both together."""
    return Tokens(
        input=one.input + other.input,
        output=one.output + other.output,
        cache_read=one.cache_read + other.cache_read,
        cache_write=one.cache_write + other.cache_write,
    )
