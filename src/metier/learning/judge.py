"""How a run went: whether it is evidence at all, and whether a claimed success is one."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel, ConfigDict, StrictBool, StrictStr

from metier.formats.strict_json import clean
from metier.learning.lessons.session.sightings import is_reply
from metier.models.questions import Asker, NoAnswer, Question, as_data
from metier.prompts import load, render
from metier.runs.derive import excerpt_of, is_heartbeat
from metier.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from metier.types import Record

ALIVE = "heartbeat_ok"
"""The whole answer of an agent that only says it is alive."""
OUTAGE = 3
"""Runs in a row without any answer, after which the others are not asked about in this pass."""
THREADS = 8
"""Questions at the same time, at most."""
REASON = 300
"""Characters of a reason that are kept."""
CALLS = 40
"""Tool executions a judge is shown, the last ones."""


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
    if is_heartbeat(record.run):
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


class HeuristicJudge:
    """Without a model: a run with a request and an answer succeeded, unless it is a heartbeat."""

    def judge(self, records: Sequence[Record]) -> Iterator[Verdict]:
        """A verdict on each run, in their order."""
        for record in records:
            problem = emptiness(record)
            reason = problem or "it completed with an answer"
            yield Verdict(run=record.id, success=problem is None, reason=reason, judge="heuristic")


class ModelJudge:
    """Asks a model about each run, several at a time; stops after three runs in a row without an answer.

    Which runs are asked about, and what comes of it, is the same however fast the threads are.
    """

    def __init__(self, asker: Asker, *, threads: int = THREADS, on_outage: Callable[[], None] | None = None) -> None:
        self._asker = asker
        self._threads = max(1, min(threads, THREADS))
        self._on_outage = on_outage

    def judge(self, records: Sequence[Record]) -> Iterator[Verdict]:
        """A verdict on each run, in their order; unknown for the runs that were not asked about."""
        waiting = iter(records)
        silent, last = 0, ""
        with ThreadPoolExecutor(self._threads, thread_name_prefix="judge") as pool:
            flights: deque[Future[tuple[Verdict, bool]]] = deque()
            try:
                while True:
                    if silent < OUTAGE:  # always as many as there are threads: their speed does not decide which ones
                        more = islice(waiting, self._threads - len(flights))
                        flights.extend(pool.submit(_ask, record, self._asker) for record in more)
                    if not flights:
                        break
                    verdict, out = flights.popleft().result()
                    if silent < OUTAGE:
                        silent, last = (silent + 1, verdict.reason) if out else (0, "")
                    yield verdict
            finally:
                pool.shutdown(cancel_futures=True)
        skipped = [_skipped(record, self._asker.name, last) for record in waiting]
        if skipped and self._on_outage:
            self._on_outage()
        yield from skipped


class JudgeAnswer(BaseModel):
    """What a model says of one run."""

    model_config = ConfigDict(extra="ignore")

    success: StrictBool
    reason: StrictStr


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


def question(record: Record) -> Question:
    """What a model is asked about one run; the run's own words are data in it."""
    shown: dict[str, object] = {
        "request": record.summary,
        "final_answer": excerpt_of(record.run.output),
        "tools": [{"tool": call.name, "input": call.input[:200], "ok": call.ok} for call in record.run.tools[-CALLS:]],
    }
    prompt = render(_prompt(), run=as_data(shown, indent=1))
    return Question(prompt=prompt, stage="judge", temperature=0.0)


def _ask(record: Record, asker: Asker) -> tuple[Verdict, bool]:
    """What the model says of a run, and whether nobody answered at all."""
    asked = question(record)
    answer = asker.ask(asked, JudgeAnswer)
    failed = isinstance(answer, NoAnswer)
    verdict = Verdict(
        run=record.id,
        success=None if failed else answer.success,
        reason=_line(answer.reason) or "no reason given",
        judge=f"model:{asker.name}",
        prompt_hash=asked.hash,
    )
    return verdict, failed and not answer.answered


def _line(text: str) -> str:
    """A model's words in one line that any store and terminal can hold."""
    plain = "".join(char if char.isprintable() else " " for char in clean(text))
    return " ".join(plain.split())[:REASON]


def _skipped(record: Record, model: str, last: str) -> Verdict:
    reason = f"not asked: {OUTAGE} runs in a row got no answer ({last})"
    return Verdict(run=record.id, success=None, reason=reason[:REASON], judge=f"model:{model}")


@cache
def _prompt() -> str:
    return load("metier.learning", "judge")
