"""An evaluation of a skill as a person reads it, completion first, and as JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from statistics import fmean
from typing import TYPE_CHECKING

from metier.cli.output import table
from metier.cli.views.train import prose
from metier.statistics.intervals import wilson
from metier.training.evaluate import scored_count
from metier.types.trials import Scored

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from metier.statistics.pairs import Pair
    from metier.training.evaluate import Evaluated, EvaluatedSide
    from metier.types.trials import Rollout

WORDS = {"accept": "better", "reject": "not clearly better", "uninformative": "these cases cannot tell"}

SHOWN = 40
"""Cases that are listed unasked."""
REASONS = 3
"""Reasons for rollouts without a score that are listed."""


def document(found: Evaluated) -> dict[str, object]:
    """What `metier eval SKILL --json` prints."""
    decision, receipt = found.confirmation.decision, found.confirmation.receipt
    sides = ((found.skill, found.mine), (found.against, found.theirs))
    return {
        "skill": _side(*sides[0]),
        "against": _side(*sides[1]),
        "target": found.target,
        "cases": len(found.cases),
        "samples": found.samples,
        "decision": decision.action,
        "reason": _reason(found),
        "gain": receipt.gain,
        "interval": [receipt.interval.low, receipt.interval.high],
        "p": receipt.p,
        "power": receipt.power,
        "receipt": asdict(receipt),
        "rollouts": found.rollouts,
        "calls": found.spent.calls,
        "tokens": found.spent.tokens,
        "cost_usd": None if found.spent.cost_usd is None else float(found.spent.cost_usd),
        "per_case": [_case(found, pair) for pair in found.pairs],
    }


def page(found: Evaluated, *, width: int, every: bool) -> Iterator[RenderableType]:
    """Whether it is better, what both sides scored, and the cases that came out differently."""
    decision, receipt = found.confirmation.decision, found.confirmation.receipt
    word = "nothing to compare" if _is_same(found) else WORDS.get(decision.action, decision.action)
    yield prose(
        f"{found.skill.name} against {found.against.name}: {word}: {_reason(found)}.",
        width,
    )
    yield prose(receipt.power, width)
    yield prose("", width)
    columns = ("side", "completed", "hard", "95 % interval", "soft")
    yield table(columns, [_row(found.skill, found.mine), _row(found.against, found.theirs)], grow="side", width=width)
    for text in _unscored_lines(found):
        yield prose(text, width)
    differing = sorted((pair for pair in found.pairs if _differs(pair)), key=_gain)
    shown = found.pairs if every else differing[:SHOWN]
    if shown:
        yield prose("", width)
        inputs = {case.id: case.input for case in found.cases}
        rows = [_pair_row(pair, inputs[pair.case]) for pair in shown]
        yield table(("case", found.against.name, found.skill.name, "task"), rows, grow="task", width=width)
    if len(differing) > SHOWN and not every:
        yield prose(f"… and {len(differing) - SHOWN} more cases with different results.", width)
    spent = found.spent
    total = len(found.mine) + len(found.theirs)
    known = f" of {total:,} rollouts, the others were known" if found.rollouts < total else " rollouts"
    yield prose(
        f"Ran {found.rollouts:,}{known}: {spent.calls:,} model calls, {spent.tokens:,} tokens.",
        width,
    )


def _reason(found: Evaluated) -> str:
    """The gate's words, without calling cases fresh that may have been looked at before."""
    if _is_same(found):
        return "both are identical"
    return found.confirmation.decision.reason.replace("fresh case", "case")


def _is_same(found: Evaluated) -> bool:
    return found.skill.hash == found.against.hash


def _unscored_lines(found: Evaluated) -> Iterator[str]:
    """Why rollouts have no score, the most frequent reasons of each side."""
    for side, rollouts in ((found.skill, found.mine), (found.against, found.theirs)):
        reasons = Counter(one.score.reason for one in rollouts if not isinstance(one.score, Scored))
        said = "; ".join(
            reason + (f" ({count:,} times)" if count > 1 else "") for reason, count in reasons.most_common(REASONS)
        )
        if said:
            yield f"No score with {side.name}: {said}{'; …' * (len(reasons) > REASONS)}"


def _side(side: EvaluatedSide, rollouts: Sequence[Rollout]) -> dict[str, object]:
    hard, soft = _means(rollouts)
    return {
        "name": side.name,
        "hash": side.hash,
        "rollouts": len(rollouts),
        "completed": scored_count(rollouts),
        "hard": hard,
        "soft": soft,
    }


def _row(side: EvaluatedSide, rollouts: Sequence[Rollout]) -> tuple[str, ...]:
    hard, soft = _means(rollouts)
    done = scored_count(rollouts)
    interval = wilson(round((hard or 0) * done), done) if done else None
    return (
        side.name,
        f"{done} of {len(rollouts)}",
        "-" if hard is None else f"{hard:.3f}",
        f"{interval.low:.2f} to {interval.high:.2f}" if interval else "",
        "-" if soft is None else f"{soft:.3f}",
    )


def _means(rollouts: Sequence[Rollout]) -> tuple[float | None, float | None]:
    scores = [one.score for one in rollouts if isinstance(one.score, Scored)]
    if not scores:
        return None, None
    return fmean(one.hard for one in scores), fmean(one.soft for one in scores)


def _case(found: Evaluated, pair: Pair) -> dict[str, object]:
    reasons = {
        name: one.score.reason
        for name, side in (("skill", found.mine), ("against", found.theirs))
        for one in side
        if one.case == pair.case and not isinstance(one.score, Scored)
    }
    delta = None if pair.after is None or pair.before is None else pair.after - pair.before
    return {"case": pair.case, "skill": pair.after, "against": pair.before, "delta": delta, "unscored": reasons}


def _differs(pair: Pair) -> bool:
    return pair.before != pair.after


def _gain(pair: Pair) -> float:
    """What a case gained, the losses first; those without a score before all."""
    return -2.0 if pair.before is None or pair.after is None else pair.after - pair.before


def _pair_row(pair: Pair, task: str) -> tuple[str, ...]:
    return pair.case, _score(pair.before), _score(pair.after), task[:200]


def _score(value: float | None) -> str:
    return "unscored" if value is None else f"{value:g}"
