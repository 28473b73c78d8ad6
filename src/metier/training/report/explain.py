"""What the search is doing and why, in plain words: an event is a sentence or two, or nothing worth one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from metier.training import events as progress
from metier.training.events import Event, Judging, Screened
from metier.training.report.fields import count
from metier.training.report.words import pairs_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from metier.training.events import Worth

KINDS: dict[str, Any] = {one.__dataclass_fields__["kind"].default: one for one in get_args(Event)}


def explanation_of(event: Event) -> str | None:
    """Why this happens now, for somebody who does not know the search; None: it is no decision."""
    match event:
        case progress.Decided():
            return _decided(event)
        case Judging() | Screened():
            return _searching(event)
        case progress.Confirming():
            return (
                f"The best skill and the initial skill now run on {count(event.cases, 'fresh case')}. The search has "
                f"used the val cases many times, so a gain there can be luck. {event.power}"
            )
        case progress.Confirmed():
            return _confirmed(event)
        case progress.Stopped() | progress.FellBack():
            text = event.line()
            return f"{text[0].upper()}{text[1:]}."
        case _:
            return _about_a_step(event)


def explanations_of(events: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """The same of events as they were kept, nothing twice; what an earlier version wrote otherwise is left out."""
    said: set[str] = set()
    for kept in events:
        kind = KINDS.get(str(kept.get("kind")))
        try:
            text = explanation_of(kind(**kept)) if kind else None
        except (TypeError, ValueError, IndexError):
            text = None
        if text and text not in said:
            said.add(text)
            yield text


def _about_a_step(event: Event) -> str | None:
    match event:
        case progress.Measured(arm="initial", split="val"):
            return f"The initial skill scores {event.hard:.3f} on {event.scored} val cases."
        case progress.ProposalsChosen(budget=int()) if event.kept < event.merged:
            return (
                f"Step {event.step}: {event.kept} of {event.merged} proposals are used. A step has a small edit "
                "budget, so that it stays clear what helped."
            )
        case progress.StepSkipped() if "wait" in event.reason:
            return f"Step {event.step}: {event.reason}. Together they need no more rollouts than one alone."
        case progress.StepSkipped():
            return f"Step {event.step}: there is nothing to judge{_of(event.change)}: {event.reason}."
        case progress.EpochEnded() if event.compared:
            return (
                f"Epoch {event.epoch} is over. Its skill and the one before, on the same cases: "
                f"{pairs_text(event.compared)}."
            )
        case _:
            return None


def _searching(event: Judging | Screened) -> str:
    match event:
        case Judging():
            return _judging(event)
        case Screened():
            head = (
                f"Step {event.step}: the effect of each edit alone, in points with a 95 % interval. Edits that are "
                f"more than {event.bar:.2f} standard errors above zero are kept:"
            )
            return _listed(head, event.effects, ("kept", "dropped"))


def _judging(event: Judging) -> str:
    if event.how == "race":
        return _race(event)
    often = "once" if event.passes == 1 else f"{event.passes} times"
    more = f" {_count(event.dry)} brought nothing so far, so it looks closer." if event.passes > 1 and event.dry else ""
    why = f" The last {_count(event.bundles)} had no clear lead as a whole." if event.bundles else ""
    return (
        f"Step {event.step}: {event.edits} edits are screened together. Each of {event.cases} val cases runs {often} "
        f"with one half of the edits and with the other half, so every rollout counts for every edit.{more}{why}"
    )


def _race(event: Judging) -> str:
    why = "" if event.edits else ", because its change is one piece"
    again = ""
    if event.known:
        again = " The scores of the current skill are already known."
    elif event.attempt:
        again = f" Both run again: the {event.rival} skill was chosen by its first attempts, so they flatter it."
    return (
        f"Step {event.step}{_of(event.change)}: the candidate is compared with the {event.rival} skill on up to "
        f"{event.cases} val cases{why}, a few at a time. It is dropped as soon as it is clearly behind.{again}"
    )


def _decided(event: progress.Decided) -> str:
    start = f"Step {event.step}{_of(event.change)}"
    match event.action:
        case "accept_new_best":
            return f"{start}: accepted ({event.reason}). It is the best so far, with {_taken_with(event)} on val."
        case "accept":
            return f"{start}: better than the current skill ({event.reason}), but not better than the best one."
        case "force_accept":
            return f"{start}: accepted without a gate, as set ({event.reason})."
        case "uninformative":
            return f"{start}: not clear ({event.reason}), so the skill stays as it is."
        case _:
            return f"{start}: {_rejected(event)}"


def _taken_with(event: progress.Decided) -> str:
    """A taken skill's score; one that a screening chose may have less than the score its parent was chosen by."""
    score = _score(event.score)
    return f"{score} in fresh attempts" if "stand out" in event.reason else score


def _rejected(event: progress.Decided) -> str:
    if "nothing was changed" in event.reason:
        return "none of the edits changed anything, so there was nothing to try."
    if "fresh attempts" in event.reason:
        return f"accepted first, but clearly worse in fresh attempts ({event.reason}): taken back."
    if "stand out" in event.reason:
        return f"no edit is accepted: {event.reason}. Edits that may still help are screened again with the next ones."
    if "not ahead" in event.reason and 0 < event.compared < event.cases:
        saved = event.cases - event.compared
        return (
            f"dropped early: {event.reason}. It is unlikely to catch up. "
            f"This saves the rollouts of {saved} of {event.cases} val cases."
        )
    return f"rejected: {event.reason}. The current skill stays ({event.current:.3f} on val)."


def _confirmed(event: progress.Confirmed) -> str:
    match event.action:
        case "accept":
            return f"Confirmed: {event.reason}. A gain this large is hardly luck."
        case "reject":
            return f"Not confirmed: {event.reason}. The gain on the val cases did not show on fresh ones."
        case _:
            return f"Not proven: {event.reason}. You can still approve the draft."


def _listed(head: str, worths: Iterable[Worth], words: tuple[str, str]) -> str:
    rows = [
        f"  {100 * effect:+6.1f} ({100 * low:+.1f} to {100 * high:+.1f})  {words[0] if kept else words[1]}: {text}"
        for text, effect, low, high, kept in worths
    ]
    return "\n".join((head, *rows))


def _of(change: str) -> str:
    return "" if change == "step" else f" ({progress.CHANGES.get(change, change)})"


def _score(value: float | None) -> str:
    return "no score" if value is None else f"{value:.3f}"


def _count(candidates: int) -> str:
    return f"{candidates} candidate{'' if candidates == 1 else 's'}"
