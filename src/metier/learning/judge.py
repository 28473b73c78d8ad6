"""Whether a run truly reached its goal: stated, judged once, or unknown."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, StrictBool, StrictStr

from metier.formats.strict_json import clean
from metier.models.questions import Asker, NoAnswer, Question, as_data
from metier.prompts import load, render
from metier.runs.derive import excerpt_of, is_heartbeat
from metier.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
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


def judge(record: Record, now: str, asker: Asker | None = None) -> Verdict:
    """The verdict on one claimed success; `success` is None when the model gave no usable answer."""
    return _heuristic(record, now) if asker is None else _asked(record, now, asker)[0]


def judged(records: Iterable[Record], known: Mapping[str, Verdict], fresh: Iterable[Verdict]) -> Judged:
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


def judge_all(
    records: Iterable[Record], known: Mapping[str, Verdict], now: str, asker: Asker | None = None, threads: int = 1
) -> Judged:
    """Every run's state; each claimed success without a verdict is judged once, no other."""
    all_records = tuple(records)
    return judged(all_records, known, judging(all_records, known, now, asker, threads))


def judging(
    records: Iterable[Record], known: Mapping[str, Verdict], now: str, asker: Asker | None = None, threads: int = 1
) -> Iterator[Verdict]:
    """A verdict for each run that needs one, in their order, as soon as it is there.

    Which runs are asked about, and what comes of it, is the same however fast the threads are. After three runs in a
    row without any answer the rest is not asked about: their verdicts are unknown at once.
    """
    wanted = {record.id: record for record in records if needs_judging(record, known)}
    if asker is None:
        yield from (judge(record, now) for record in wanted.values())
    else:
        yield from _in_parallel(tuple(wanted.values()), now, asker, max(1, min(threads, THREADS)))


def _in_parallel(records: tuple[Record, ...], now: str, asker: Asker, threads: int) -> Iterator[Verdict]:
    waiting = iter(records)
    silent, last = 0, ""
    with ThreadPoolExecutor(threads, thread_name_prefix="judge") as pool:
        flights: deque[Future[tuple[Verdict, bool]]] = deque()
        try:
            while True:
                if silent < OUTAGE:  # as many under way as there are threads: which ones does not depend on their speed
                    more = islice(waiting, threads - len(flights))
                    flights.extend(pool.submit(_asked, record, now, asker) for record in more)
                if not flights:
                    break
                verdict, out = flights.popleft().result()
                if silent < OUTAGE:
                    silent, last = (silent + 1, verdict.reason) if out else (0, "")
                yield verdict
        finally:
            pool.shutdown(cancel_futures=True)
    yield from (_skipped(record, now, asker.name, last) for record in waiting)


def question(record: Record) -> Question:
    """What a model is asked about one run; the run's own words are data in it."""
    shown: dict[str, object] = {
        "request": record.summary,
        "final_answer": excerpt_of(record.run.output),
        "tools": [{"tool": call.name, "input": call.input[:200], "ok": call.ok} for call in record.run.tools[-CALLS:]],
    }
    prompt = render(_prompt(), run=as_data(shown, indent=1))
    return Question(prompt=prompt, stage="judge", temperature=0.0)


def _heuristic(record: Record, now: str) -> Verdict:
    """A summary and an output, and not a heartbeat: no more can be told without a model."""
    problem = emptiness(record)
    reason = problem or "it ended as completed, with an answer"
    return Verdict(run=record.id, success=problem is None, reason=reason, judge="heuristic", decided=now)


def _asked(record: Record, now: str, asker: Asker) -> tuple[Verdict, bool]:
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
        decided=now,
    )
    return verdict, failed and not answer.answered


def _line(text: str) -> str:
    """A model's words in one line that any store and terminal can hold."""
    plain = "".join(char if char.isprintable() else " " for char in clean(text))
    return " ".join(plain.split())[:REASON]


def _skipped(record: Record, now: str, model: str, last: str) -> Verdict:
    reason = f"not asked: {OUTAGE} runs in a row got no answer ({last})"
    return Verdict(run=record.id, success=None, reason=reason[:REASON], judge=f"model:{model}", decided=now)


@cache
def _prompt() -> str:
    return load("metier.learning", "judge")
