"""Whether a run truly reached its goal: stated, judged once, or unknown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, StrictBool, StrictStr

from tacit.learning.asking import Asker, NoAnswer, Question
from tacit.learning.evidence import emptiness, is_claimed
from tacit.prompts import load, render
from tacit.runs.recorder import excerpt_of
from tacit.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tacit.types import Record

TIMEOUT = 15.0
REASON = 300
"""Characters of a reason that are kept."""
CALLS = 40
"""Tool executions a judge is shown, the last ones."""


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
    return _heuristic(record, now) if asker is None else _asked(record, now, asker)


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


def judge_all(records: Iterable[Record], known: Mapping[str, Verdict], now: str, asker: Asker | None = None) -> Judged:
    """Every run's state; each claimed success without a verdict is judged once, no other."""
    all_records = tuple(records)
    fresh = [judge(record, now, asker) for record in all_records if needs_judging(record, known)]
    return judged(all_records, known, fresh)


def question(record: Record) -> Question:
    """What a model is asked about one run; the run's own words are data in it."""
    shown: dict[str, object] = {
        "request": record.summary,
        "final_answer": excerpt_of(record.run.output),
        "tools": [{"tool": call.name, "input": call.input[:200], "ok": call.ok} for call in record.run.tools[-CALLS:]],
    }
    prompt = render(_prompt(), run=json.dumps(shown, ensure_ascii=False, indent=1))
    return Question(prompt=prompt, stage="judge", temperature=0.0, timeout=TIMEOUT)


def _heuristic(record: Record, now: str) -> Verdict:
    """A summary and an output, and not a heartbeat: no more can be told without a model."""
    problem = emptiness(record)
    reason = problem or "it ended as completed, with an answer"
    return Verdict(run=record.id, success=problem is None, reason=reason, judge="heuristic", decided=now)


def _asked(record: Record, now: str, asker: Asker) -> Verdict:
    asked = question(record)
    answer = asker.ask(asked, JudgeAnswer)
    success: bool | None = None if isinstance(answer, NoAnswer) else answer.success
    reason = " ".join(answer.reason.split())
    return Verdict(
        run=record.id,
        success=success,
        reason=reason[:REASON] or "no reason given",
        judge=f"model:{asker.name}",
        prompt_hash=asked.hash,
        decided=now,
    )


@cache
def _prompt() -> str:
    return load("tacit.learning", "judge")
