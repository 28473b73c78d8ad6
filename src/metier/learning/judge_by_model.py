"""A model as the judge of runs: what it is asked about each one, several at a time."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, StrictBool, StrictStr

from metier.formats.strict_json import clean
from metier.prompts import load, render
from metier.runs.derive import excerpt_of
from metier.types import Verdict
from metier.types.questions import NoAnswer, Question, as_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from metier.types import Record
    from metier.types.questions import Asker

OUTAGE = 3
"""Runs in a row without any answer, after which the others are not asked about in this pass."""
THREADS = 8
"""Questions at the same time, at most."""
REASON = 300
"""Characters of a reason that are kept."""
CALLS = 40
"""Tool executions a judge is shown, the last ones."""


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
