"""Linking: which run a selection served, by what the run says, else by session, words and time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

from metier.runs.derive import success_of
from metier.store.tables.runs import runs
from metier.store.tables.selection import outcomes, requests
from metier.store.tables.selection.requests import LinkRequest, Marks
from metier.types.selections import RunOutcome, SelectionOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from metier.context.context import Context
    from metier.store.engines.engine import Transaction
    from metier.store.tables.selection.requests import RequestRow
    from metier.types import Record, Selection

DAY = 86_400.0
"""Seconds that a selection may be older than the end of the run it served."""
SLACK = 60.0
"""Seconds after its beginning at which a run of unknown end is looked at: its selection may come just behind it."""
WORDS = 4_000
"""Characters of a request that are compared: of a long one a selection keeps its beginning and its end."""
PAGE = 200
"""Rows of each kind that one transaction takes."""


def link_runs(ctx: Context, *, again: bool = False, most: int = 2**62, waits: int = 0) -> bool:
    """Bring new selections and new runs together; whether anything changed. It costs what is new.

    `again`: runs that grew since they were linked are read again, as far as no pass of learning has looked at them.
    `most`: transactions to take; who has no time leaves the rest to the next one. `waits`: selections that may wait
    until there is a run they could belong to.
    """
    with ctx.store.read() as transaction:
        behind = _is_behind(transaction, waits)
        again = again and bool(outcomes.unsettled_runs(transaction) or requests.grown_runs(transaction))
    changed = behind or again
    while behind and most > 0:
        with ctx.store.write() as transaction:
            _step(transaction)
            behind = _is_behind(transaction)
        most -= 1
    if again:
        with ctx.store.write() as transaction:
            _look_again(transaction)
    return changed


def run_outcome(record: Record) -> RunOutcome:
    """What a run says of itself: the skills it used, and how it went unless somebody has to judge that."""
    used = frozenset(name.casefold() for name in record.used) or None
    success = success_of(record.run)
    claimed = success is True and record.run.outcome is None
    given = frozenset(name.casefold() for name in record.run.skills.given)
    return RunOutcome(run=record.id, used=used, given=given, stated=None if claimed else success)


def match_requests(members: Iterable[LinkRequest]) -> dict[str, str]:
    """Runs with their selections: in order of time each gets the nearest earlier one that is free and not too old."""
    free: list[LinkRequest] = []
    pairs: dict[str, str] = {}
    for one in sorted(members, key=lambda one: (one.moment, one.kind == "run", one.id)):
        if one.kind == "selection":
            free.append(one)
        elif free and one.moment - free[-1].moment <= DAY:
            pairs[one.id] = free.pop().id
    return pairs


def parts_of(selection: Selection) -> Iterator[SelectionOutcome]:
    """The skills of a selection; those that a trial decided about, with its lot: one for each session.

    Runs are compared where everything was handed over and where just this one was missing: so nothing else differs.
    """
    trials = {one.skill: one.trial for one in selection.trials}
    for skill, content in zip(selection.chosen, selection.chosen_hashes, strict=False):
        yield _part(selection, skill, content, trials.get(skill, "") if not selection.withheld else "", handed=True)
    for one in selection.withheld:
        trial = trials.get(one.skill, "") if len(selection.withheld) == 1 else ""
        yield _part(selection, one.skill, one.hash, trial, handed=False)


def _part(selection: Selection, skill: str, content: str, trial: str, *, handed: bool) -> SelectionOutcome:
    lot = _digest(selection.workspace, trial, selection.session) if trial else ""
    return SelectionOutcome(selection=selection.id, skill=skill, hash=content, handed=handed, lot=lot)


def _is_behind(transaction: Transaction, waits: int = 0) -> bool:
    """Whether there are rows nobody has looked at; where nothing was ever selected nothing is looked at."""
    ends = requests.ends(transaction)
    if not ends.selections:
        return False
    done = requests.marks(transaction) or Marks()
    return ends.runs > done.runs or ends.claims > done.claims or ends.selections - done.selections > waits


def _step(transaction: Transaction) -> None:
    """Take the next rows in, and settle everything that they touch."""
    done = requests.marks(transaction) or _start(transaction)
    chosen, selections_mark = requests.selections_behind(transaction, done.selections, PAGE)
    asked, runs_mark = requests.runs_behind(transaction, done.runs, PAGE)
    said, claims_mark = requests.claims_behind(transaction, done.claims, PAGE)
    fresh = [*map(_of_selection, chosen), *(_of_run(one, transaction.workspace) for one in asked)]
    requests.put(transaction, fresh)
    outcomes.put(transaction, [part for one in chosen for part in parts_of(one) if part.hash])
    named = [(one.id, one.run) for one in chosen if one.run]
    named += requests.claims_of(transaction, [one.id for one in chosen])
    touched = [one for pair in (*named, *said) for one in _name(transaction, *pair)]
    _rematch(transaction, [*fresh, *touched])
    marks = Marks(selections_mark or done.selections, runs_mark or done.runs, claims_mark or done.claims)
    requests.set_marks(transaction, marks)


def _look_again(transaction: Transaction) -> None:
    """Follow runs that grew: what they say of themselves, and when they ended."""
    fresh = runs.get_many(transaction, outcomes.unsettled_runs(transaction))
    outcomes.refresh(transaction, {one.id: run_outcome(one) for one in fresh})
    moved = [_of_run(one, transaction.workspace) for one in requests.grown_runs(transaction)]
    requests.move(transaction, moved)
    _rematch(transaction, moved)


def _start(transaction: Transaction) -> Marks:
    """Where to begin: runs recorded more than a day before the first selection have none."""
    first = requests.first_selection(transaction)
    moment = _moment(first.created) if first else None
    if moment is None:
        return Marks()
    since = (moment - timedelta(seconds=DAY)).astimezone(UTC).isoformat(timespec="microseconds")
    return requests.start(transaction, since.replace("+00:00", "Z"))


def _name(transaction: Transaction, selection: str, run: str) -> list[LinkRequest]:
    """Link what a run says belongs together; the first word counts. Returns what has to find another partner."""
    one, other = requests.get(transaction, "selection", selection), requests.get(transaction, "run", run)
    if one is None or one.named or (other is not None and other.named):
        return []
    if other is None:
        other = LinkRequest(kind="run", id=run, place=one.place, moment=one.moment)
        requests.put(transaction, [other])
    left = [
        requests.get(transaction, "run", one.partner) if one.partner not in ("", run) else None,
        requests.get(transaction, "selection", other.partner) if other.partner not in ("", selection) else None,
    ]
    _separate(transaction, {selection: one.partner, other.partner: run})
    _serve(transaction, {selection: run}, named=True)
    return [found for found in left if found is not None]


def _rematch(transaction: Transaction, touched: Sequence[LinkRequest]) -> None:
    """Match anew what lies around some requests; links that runs named stay."""
    places: dict[str, list[float]] = {}
    for one in touched:
        places.setdefault(one.place, []).append(one.moment)
    over: dict[str, str] = {}
    pairs: dict[str, str] = {}
    for place, moments in places.items():
        there = requests.at(transaction, place, min(moments) - DAY, max(moments) + DAY)
        ids = {one.id for one in there}
        members = [one for one in there if not one.named and (not one.partner or one.partner in ids)]
        served = {selection: run for run, selection in match_requests(members).items()}
        changed = [one for one in members if one.kind == "selection" and served.get(one.id, "") != one.partner]
        over |= {one.id: one.partner for one in changed if one.partner}
        pairs |= {one.id: served[one.id] for one in changed if one.id in served}
    _separate(transaction, over)
    _serve(transaction, pairs)


def _serve(transaction: Transaction, pairs: Mapping[str, str], *, named: bool = False) -> None:
    """Note which runs selections served, on both sides and for each of their skills."""
    records = {one.id: one for one in runs.get_many(transaction, list(pairs.values()))}
    said = {
        selection: run_outcome(records[run]) if run in records else RunOutcome(run=run)
        for selection, run in pairs.items()
    }
    outcomes.serve(transaction, said)
    requests.served_runs(transaction, pairs)
    requests.pair(transaction, "selection", pairs.items(), named=named)
    requests.pair(transaction, "run", [(run, selection) for selection, run in pairs.items()], named=named)


def _separate(transaction: Transaction, pairs: Mapping[str, str]) -> None:
    """Undo links, on both sides; a side that is empty is nobody's."""
    over = {selection: run for selection, run in pairs.items() if selection and run}
    outcomes.free(transaction, over)
    requests.served_runs(transaction, dict.fromkeys(over, ""))
    requests.pair(transaction, "selection", [(selection, "") for selection in over])
    requests.pair(transaction, "run", [(run, "") for run in over.values()])


def _of_selection(selection: Selection) -> LinkRequest:
    place = _digest(selection.workspace, selection.session, selection.query.strip()[:WORDS])
    return LinkRequest(kind="selection", id=selection.id, place=place, moment=_seconds(selection.created) or 0.0)


def _of_run(asked: RequestRow, workspace: str) -> LinkRequest:
    """A run's request, at its end; where that is unknown just behind its beginning, else when it was recorded."""
    started = _seconds(asked.started)
    moment = _seconds(asked.ended) or (started + SLACK if started else _seconds(asked.recorded)) or 0.0
    place = _digest(workspace, asked.session, asked.message.strip()[:WORDS])
    return LinkRequest(kind="run", id=asked.id, place=place, moment=moment)


def _digest(*words: str) -> str:
    return blake2b("\0".join(words).encode("utf-8", "surrogatepass"), digest_size=15).hexdigest()


def _seconds(text: str) -> float | None:
    found = _moment(text)
    return found.timestamp() if found else None


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
