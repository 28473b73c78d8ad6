"""How a run went: whether it is evidence at all, and whether a claimed success is one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from metier.learning.lessons.session.episodes import is_reply
from metier.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from metier.types import Record

ALIVE = "heartbeat_ok"
"""The whole answer of an agent that only says it is alive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A run that teaches nothing in this pass, and why."""

    run: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sifted:
    """Runs parted into evidence and the rest."""

    kept: tuple[Record, ...]
    rejected: tuple[Rejection, ...]


def sift(records: Iterable[Record], workspace: str) -> Sifted:
    """The records that are evidence, in their order, and every other one with its reason."""
    kept: list[Record] = []
    rejected: list[Rejection] = []
    for record in records:
        reason = rejection(record, workspace)
        if reason is None:
            kept.append(record)
        else:
            rejected.append(Rejection(run=record.id, reason=reason))
    return Sifted(kept=tuple(kept), rejected=tuple(rejected))


def rejection(record: Record, workspace: str) -> str | None:
    """Why a run is no evidence, the first reason that holds; None: it is."""
    if record.workspace != workspace:
        return "not a run of this workspace"
    if record.success is None:
        return "success unknown"
    if record.state == "clustered":
        return "already clustered"
    if is_reply(record.run.message):
        return "a reply: it belongs to the task before it"
    return emptiness(record) if is_claimed(record) else heartbeat(record) or _unnamed(record)


def emptiness(record: Record) -> str | None:
    """Why a run shows nothing of the work it claims to have done; None: it shows something."""
    if reason := heartbeat(record) or _unnamed(record):
        return reason
    return None if record.run.output.strip() else "claimed success without a final output"


def heartbeat(record: Record) -> str | None:
    """How a run shows that it only says the agent is alive; None: it does not."""
    if record.run.is_heartbeat:
        return "heartbeat session"
    return "heartbeat answer" if record.run.output.strip().casefold() == ALIVE else None


def _unnamed(record: Record) -> str | None:
    return None if record.summary.strip() else "no summary"


def is_claimed(record: Record) -> bool:
    """Whether the success is only the agent's own word: nobody outside has stated it."""
    return record.success is True and record.run.outcome is None


class Judge(Protocol):
    """Judges runs whose success only the agent claims."""

    def judge(self, records: Sequence[Record]) -> Iterable[Verdict]:
        """A verdict on each run; `success` None means unknown, and the run is judged again in the next pass."""
        ...


def all_failed(record: Record) -> str | None:
    """Why nothing of the work was done, whatever the answer says; None: some call worked, or there was none."""
    calls = record.run.tools
    if not calls or any(call.ok is not False for call in calls):
        return None
    return "its only call failed" if len(calls) == 1 else f"all of its {len(calls)} calls failed"


class HeuristicJudge:
    """Without a model: a run with a request and an answer succeeded, unless it is a heartbeat or every call failed."""

    def judge(self, records: Sequence[Record]) -> Iterator[Verdict]:
        """A verdict on each run, in their order."""
        for record in records:
            problem = emptiness(record) or all_failed(record)
            reason = problem or "it completed with an answer"
            yield Verdict(run=record.id, success=problem is None, reason=reason, judge="heuristic")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """How each run went, and what is new about it."""

    success: Mapping[str, bool | None]
    """By run; None: nobody could say, which is no success."""
    new: tuple[Verdict, ...]
    """Verdicts to store."""
    open: tuple[Verdict, ...]
    """Runs nobody could judge now, with the reason; never stored, so that they are asked about again."""


def needs_judging(record: Record, known: Mapping[str, Verdict]) -> bool:
    """Whether a run has only the agent's word for its success, and no verdict yet."""
    verdict = known.get(record.id)
    return is_claimed(record) and (verdict is None or verdict.success is None)


def combine_verdicts(records: Iterable[Record], known: Mapping[str, Verdict], fresh: Iterable[Verdict]) -> Judged:
    """The state of all runs from what was stated, what was known before, and what was judged just now."""
    now = {verdict.run: verdict for verdict in fresh}
    success: dict[str, bool | None] = {}
    for record in records:
        if not is_claimed(record):
            success[record.id] = record.success
        elif needs_judging(record, known):
            success[record.id] = now[record.id].success if record.id in now else None
        else:
            success[record.id] = known[record.id].success
    mine = [verdict for verdict in now.values() if verdict.run in success]
    return Judged(
        success=success,
        new=tuple(verdict for verdict in mine if verdict.success is not None),
        open=tuple(verdict for verdict in mine if verdict.success is None),
    )


def judge_runs(
    judge: Judge, records: Iterable[Record], known: Mapping[str, Verdict], now: str
) -> Generator[Verdict, None, None]:
    """A verdict on each run that needs one, as soon as it is there; unknown for a run the judge left out."""
    wanted = {record.id: record for record in records if needs_judging(record, known)}
    for verdict in judge.judge(tuple(wanted.values())) if wanted else ():
        if wanted.pop(verdict.run, None) is not None:
            yield replace(verdict, decided=verdict.decided or now)
    for run in wanted:
        yield Verdict(run=run, success=None, reason="the judge gave no verdict", judge="none", decided=now)
