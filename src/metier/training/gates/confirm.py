"""The last gate before anything ships: fresh cases, paired, with a stated error rate."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from metier.errors import UsageError
from metier.statistics.error_spending import Spending
from metier.statistics.intervals import Interval, paired_interval
from metier.statistics.pairs import deltas_of
from metier.statistics.power import Plan, cases_needed, sentence
from metier.statistics.signflip import sign_flip, smallest_p
from metier.training.scores import ROUNDING
from metier.types.trials import Action, Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.statistics.pairs import Pair

UNEVEN = 0.05
"""Two arms whose completion differs by less than luck would have it, this often, count as equally complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmRule:
    """What a candidate must show on cases the search never saw."""

    alpha: float = 0.05
    """How often a change that does nothing may pass."""
    worth: float = 0.05
    """A gain worth having: only when it is ruled out is a candidate rejected, until then the cases cannot tell."""
    power: float = 0.8
    """How often a gain shall be found, in what is said about the number of cases."""
    most_lost: float = 0.2
    """The share of cases that may be without a score in one of the arms."""
    worst_loss: float | None = None
    """No case may lose more than this; None: single cases may."""
    looks: int | None = 1
    """Candidates that are judged on these cases and share `alpha`. None: nobody knows how many, each look gets less."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 0.5 or not 0 < self.power < 1 or self.looks == 0:
            raise UsageError(
                "A confirmation needs an error rate between 0 and 0.5, a power below 1, at least one look."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was shown, in figures that can be checked again."""

    cases: int
    """Cases scored in both arms."""
    unscored_before: int
    unscored_after: int
    gain: float
    interval: Interval
    p: float
    alpha: float
    """The error rate of this look: a share of the stated one, where several candidates are judged."""
    power: str
    """What so many cases can tell, in words; settled by their number, not by how they came out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """The gate's answer with its receipt."""

    decision: Decision
    receipt: Receipt


DEFAULT = ConfirmRule()


def confirm(pairs: Sequence[Pair], rule: ConfirmRule = DEFAULT, *, look: int = 1, seed: int = 0) -> Confirmation:
    """Whether fresh cases show a gain; `look` counts the candidates judged on these cases, this one included.

    The sign-flip test alone would believe in many small gains that hide a rare great loss not yet seen; the interval
    reckons with one. A candidate must pass both.
    """
    receipt = receipt_of(pairs, Spending(alpha=rule.alpha, planned=rule.looks).share(look), rule, seed)
    deltas = deltas_of(pairs)
    action, reason = _judged(pairs, deltas, receipt, rule)
    return Confirmation(decision=Decision(action=action, reason=reason, deltas=deltas), receipt=receipt)


def receipt_of(pairs: Sequence[Pair], alpha: float, rule: ConfirmRule = DEFAULT, seed: int = 0) -> Receipt:
    """The figures, without a judgement."""
    differences = [delta for _, delta in deltas_of(pairs)]
    return Receipt(
        cases=len(differences),
        unscored_before=sum(pair.before is None for pair in pairs),
        unscored_after=sum(pair.after is None for pair in pairs),
        gain=fmean(differences) if differences else 0.0,
        interval=paired_interval(differences, level=1 - 2 * (alpha or rule.alpha)),
        p=sign_flip(differences, seed),
        alpha=alpha,
        power=sentence(len(differences), Plan(alpha=alpha, power=rule.power)),
    )


Deltas = tuple[tuple[str, float], ...]


def _judged(pairs: Sequence[Pair], deltas: Deltas, receipt: Receipt, rule: ConfirmRule) -> tuple[Action, str]:
    if receipt.alpha <= 0:
        return "uninformative", f"these cases were planned for {_count(rule.looks or 0, 'look')}; take fresh ones"
    if unequal := _unequal(pairs, receipt, rule):
        return "uninformative", unequal
    if smallest_p(receipt.cases) > receipt.alpha:
        return "uninformative", f"{_count(receipt.cases, 'case')} can prove nothing; {_enough(deltas, receipt, rule)}"
    if lost := _lost(deltas, rule.worst_loss):
        return "reject", lost
    action, reason = _weighed(deltas, receipt, rule)
    if action == "accept" and (unfinished := _unfinished(pairs, receipt)):
        differences = [*(delta for _, delta in deltas), *unfinished]
        if sign_flip(differences) > receipt.alpha or paired_interval(differences, receipt.interval.level).low <= 0:
            lost = _count(len(unfinished), "case")
            return (
                "uninformative",
                f"{reason}; {lost} that only the new skill did not finish would change this if they failed",
            )
    return action, reason


def _weighed(deltas: Deltas, receipt: Receipt, rule: ConfirmRule) -> tuple[Action, str]:
    interval = receipt.interval
    between = f"{100 * interval.level:.3g}% interval {_points(interval.low)} to {_points(interval.high)}"
    seen = f"{_points(receipt.gain)} on {_count(receipt.cases, 'fresh case')} ({between}, p = {receipt.p:.3g})"
    if receipt.p <= receipt.alpha and interval.low > 0:
        return "accept", seen
    if interval.high < rule.worth:
        worse = "it makes the work worse" if interval.high < 0 else f"a gain of {_points(rule.worth)} is ruled out"
        return "reject", f"{seen}: {worse}"
    doubt = "this may be luck" if receipt.gain > 0 else "no gain was seen, but none is ruled out either"
    return "uninformative", f"{seen}: {doubt}; {_enough(deltas, receipt, rule)}"


def _unequal(pairs: Sequence[Pair], receipt: Receipt, rule: ConfirmRule) -> str:
    """Why the arms cannot be compared, empty when they can: what is missing may be missing for a reason."""
    before, after = receipt.unscored_before, receipt.unscored_after
    missing = f"{before} of {len(pairs)} cases have no score before the change, {after} after it"
    if pairs and 1 - receipt.cases / len(pairs) > rule.most_lost:
        return f"{missing}: too many to decide by the rest"
    completed = [float(pair.after is not None) - (pair.before is not None) for pair in pairs]
    sign = 1 if after < before else -1
    if 2 * sign_flip([sign * one for one in completed]) <= UNEVEN:
        return f"{missing}: one side fails to finish more often than chance explains; find out why first"
    return ""


def _unfinished(pairs: Sequence[Pair], receipt: Receipt) -> list[float]:
    """What the cases that the candidate left unfinished beyond the other arm's would cost it, at the worst."""
    excess = max(0, receipt.unscored_after - receipt.unscored_before)
    return sorted(-pair.before for pair in pairs if pair.before is not None and pair.after is None)[:excess]


def _lost(deltas: Deltas, worst: float | None) -> str:
    case, delta = min(deltas, key=lambda one: one[1])
    if worst is None or -delta <= worst + ROUNDING:
        return ""
    return f"case {case} lost {_points(-delta)}; none may lose more than {_points(worst)}"


def _enough(deltas: Deltas, receipt: Receipt, rule: ConfirmRule) -> str:
    """How many cases would do, for the gain that was seen or the least one worth having."""
    gain = max(receipt.gain, rule.worth)
    differing = (sum(delta * delta for _, delta in deltas) + 1) / (receipt.cases + 2)  # of 0/1 scores: their share
    needed = cases_needed(round(gain, 3), Plan(alpha=receipt.alpha, power=rule.power, differing=round(differing, 2)))
    return f"about {needed:,} would show a gain of {_points(gain)}" if needed else "no number of cases would be enough"


def _points(share: float) -> str:
    return f"{share * 100:+.1f} points"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
