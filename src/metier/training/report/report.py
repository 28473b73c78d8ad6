"""A training as one JSON document: what was asked, every step with its reasons, scores, cases, cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from metier.models.price import unknown_price
from metier.statistics.intervals import paired_interval, wilson
from metier.training.loop import ROLLOUT_STAGES
from metier.training.proposing.proposals import dump as dump_proposal
from metier.training.result import NO_USAGE, JudgedChange, UnjudgedChange
from metier.training.state import ACCEPTED
from metier.types.trials import Scored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.models.price import Price
    from metier.training.cases.splits import Splits
    from metier.training.gates.confirm import Confirmation
    from metier.training.result import Baseline, Effect, EpochRecord, LineWorth, StepRecord, Trained
    from metier.training.rollouts.usage import StageUsage
    from metier.training.scores import Metric

Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContext:
    """What a report says beside the result: about the cases, and how the last gate decided."""

    splits: Splits
    measure: Metric
    confirmation: Confirmation | None
    """None: there was nothing to confirm, or nothing left to do it with."""
    reason: str = ""
    """Why there is none."""
    power: str = ""
    fresh: StageUsage = NO_USAGE
    """What the last gate took."""
    target_price: Price = unknown_price
    """Of the model that is tried, where it is one."""
    optimiser_price: Price = unknown_price


def report(trained: Trained, told: ReportContext) -> Json:
    """Everything, in the order somebody reads it."""
    return {
        "skill_hash": trained.best.hash(),
        "best_step": trained.best_step,
        "stopped": trained.stopped,
        "decision": _decision(told),
        "scores": scores_of(trained, told),
        "gain": _gain(trained, told.measure),
        "power": told.power,
        "beats_one_shot": _beats_one_shot(trained, told.measure),
        "baselines": [_baseline(one, told.measure) for one in trained.baselines],
        "curve": curve(trained, told.measure),
        "steps": [_step(one, told.measure) for one in trained.steps],
        "epochs": [_epoch(one, told.measure) for one in trained.epochs],
        "attribution": [_attributed(one) for one in trained.attribution],
        "cases": _cases(trained, told),
        "usage": {stage: _usage(used, _price(stage, told)) for stage, used in _stages(trained, told)},
        "spare": _usage(trained.spare, told.target_price),
        "rejected": [asdict(one) for one in trained.rejected],
        "document": trained.best.document.decode("utf-8", "replace"),
    }


def scores_of(trained: Trained, told: ReportContext) -> dict[str, float | None]:
    """The four numbers people ask for: on val before and after, and on cases the search never saw."""
    return {
        "initial": _number(trained.baseline("initial", "val"), told.measure),
        "best": _number(trained.baseline("best", "val"), told.measure),
        "confirm": told.confirmation.receipt.gain if told.confirmation else None,
        "test": _number(trained.baseline("best", "test"), told.measure),
    }


def _gain(trained: Trained, measure: Metric) -> Json | None:
    """What the best skill gained on val, case by case, and the interval of that."""
    initial, best = trained.baseline("initial", "val"), trained.baseline("best", "val")
    if not initial or not best or not initial.scores or not best.scores:
        return None
    before, after = initial.scores.scored(), best.scores.scored()
    deltas = [measure.of(after[case]) - measure.of(before[case]) for case in before if case in after]
    interval = paired_interval(deltas, 0.95)
    seen = sum(deltas) / len(deltas) if deltas else 0.0
    return {"seen": seen, "interval": [interval.low, interval.high], "level": interval.level, "cases": len(deltas)}


def curve(trained: Trained, measure: Metric) -> list[Json]:
    """The best and the current val score after each step, and what the step's candidate scored."""
    current = best = _number(trained.baseline("initial", "val"), measure) or 0.0
    points: list[Json] = [{"step": 0, "candidate": None, "current": current, "best": best, "action": "start"}]
    for step, ends in _with_ends(trained):
        scored, estimate = _candidate(step.outcome, measure, current)
        for outcome in (step.outcome, step.noted, ends):
            if isinstance(outcome, JudgedChange) and outcome.scores and outcome.decision.action in ACCEPTED:
                current = measure.of(outcome.scores.mean())
                best = current if outcome.decision.action == "accept_new_best" else max(best, current)
        action = step.outcome.decision.action if isinstance(step.outcome, JudgedChange) else "skipped"
        point: Json = {"step": step.step, "candidate": scored, "estimate": estimate, "action": action}
        points.append({**point, "current": current, "best": best})
    return points


def _with_ends(trained: Trained) -> Iterator[tuple[StepRecord, JudgedChange | UnjudgedChange | None]]:
    """Every step, the last one of an epoch with what became of that epoch's guidance."""
    ends = {one.epoch: one.outcome for one in trained.epochs}
    for step, following in zip_longest(trained.steps, trained.steps[1:]):
        yield step, None if following and following.epoch == step.epoch else ends.get(step.epoch)


def _candidate(
    outcome: JudgedChange | UnjudgedChange, measure: Metric, current: float
) -> tuple[float | None, float | None]:
    """What a candidate scored on all val cases; and what it would have by those it met, if it was dropped before."""
    if isinstance(outcome, UnjudgedChange):
        return None, None
    if outcome.scores:
        return measure.of(outcome.scores.mean()), None
    deltas = [delta for _, delta in outcome.decision.deltas]
    return None, min(1.0, max(0.0, current + sum(deltas) / len(deltas))) if deltas else None


def _decision(told: ReportContext) -> Json:
    if told.confirmation is None:
        return {"action": "uninformative", "reason": told.reason, "receipt": None}
    decision = told.confirmation.decision
    return {"action": decision.action, "reason": decision.reason, "receipt": asdict(told.confirmation.receipt)}


def _number(one: Baseline | None, measure: Metric) -> float | None:
    return measure.of(one.scores.mean()) if one and one.scores else None


def _beats_one_shot(trained: Trained, measure: Metric) -> bool | None:
    """Whether the loop was worth it; on cases the search never saw where there are any. None: nobody knows."""
    for split in ("test", "val"):
        best, rival = trained.baseline("best", split), trained.baseline("one_shot", split)
        if best and rival and best.scores and rival.scores:
            return measure.beats(best.scores, rival.scores)
    return None


def _baseline(one: Baseline, measure: Metric) -> Json:
    if one.scores is None:
        return {"arm": one.arm, "split": one.split, "score": None, "reason": one.reason}
    scored, mean = one.scores.scored(), one.scores.mean()
    interval = wilson(round(sum(measure.of(score) for score in scored.values())), len(scored))
    return {
        "arm": one.arm,
        "split": one.split,
        "score": measure.of(mean),
        "hard": mean.hard,
        "soft": mean.soft,
        "interval": [interval.low, interval.high],
        "scored": len(scored),
        "unscored": len(one.scores.cases) - len(scored),
    }


def _step(one: StepRecord, measure: Metric) -> Json:
    statuses = [report.status for report in one.reports]
    edits = [
        {**dump_proposal(edit), "status": statuses[at] if at < len(statuses) else ""}
        for at, edit in enumerate(one.edits)
    ]
    return {
        "step": one.step,
        "epoch": one.epoch,
        "cases": len(one.cases),
        "passed": one.passed,
        "failed": one.failed,
        "unscored": one.unscored,
        "budget": one.budget,
        "edits": edits,
        "outcome": _outcome(one.outcome, measure),
        "notes": list(one.notes),
        "noted": _outcome(one.noted, measure) if one.noted else None,
        "proposer": one.proposer,
    }


def _epoch(one: EpochRecord, measure: Metric) -> Json:
    return {
        "epoch": one.epoch,
        "compared": dict(one.compared),
        "guidance": one.guidance,
        "outcome": _outcome(one.outcome, measure) if one.outcome else None,
        "strategy": one.strategy,
    }


def _outcome(one: JudgedChange | UnjudgedChange, measure: Metric) -> Json:
    if isinstance(one, UnjudgedChange):
        return {"change": one.change, "action": "skipped", "reason": one.reason, "waits": one.waits}
    deltas = [delta for _, delta in one.decision.deltas]
    return {
        "change": one.change,
        "action": one.decision.action,
        "reason": one.decision.reason,
        "skill_hash": one.skill_hash,
        "score": measure.of(one.scores.mean()) if one.scores else None,
        "effect": sum(deltas) / len(deltas) if deltas else None,
        "deltas": dict(one.decision.deltas),
        "effects": [_effect(effect) for effect in one.effects],
    }


def _effect(one: Effect) -> Json:
    """What one edit was worth among those it was screened with."""
    return {
        **dump_proposal(one.edit),
        "effect": one.shrunk,
        "seen": one.seen,
        "interval": [one.interval.low, one.interval.high],
        "z": one.z,
        "kept": one.kept,
    }


def _attributed(one: LineWorth) -> Json:
    """What one added line brought."""
    interval = [one.interval.low, one.interval.high] if one.interval else None
    return {**asdict(one), "interval": interval}


def _cases(trained: Trained, told: ReportContext) -> list[Json]:
    """Each held-out case under each skill; what could not be scored says why."""
    rows: dict[tuple[str, str], Json] = {}
    for split in ("val", "test"):
        for case in getattr(told.splits, split):
            rows[split, case.id] = {"case": case.id, "split": split, "input": case.input[:200]}
    for one in trained.baselines:
        for case, score in one.scores.cases if one.scores else ():
            value = told.measure.of(score) if isinstance(score, Scored) else score.reason
            rows.get((one.split, case), {})[one.arm] = value
    return list(rows.values())


def _stages(trained: Trained, told: ReportContext) -> tuple[tuple[str, StageUsage], ...]:
    return (*trained.usage, ("confirm", told.fresh)) if told.fresh.calls else trained.usage


def _price(stage: str, told: ReportContext) -> Price:
    return told.target_price if stage in (*ROLLOUT_STAGES, "confirm") else told.optimiser_price


def _usage(used: StageUsage, price: Price) -> Json:
    """Calls, tokens and dollars; rollouts that do not say themselves what they cost do so by their tokens."""
    tokens = used.tokens
    return {
        "calls": used.calls,
        "input": tokens.input + tokens.cache_read + tokens.cache_write,
        "output": tokens.output,
        "cost_usd": used.cost_usd or float(price(tokens) or 0.0),
    }
