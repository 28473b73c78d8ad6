"""Judging as the tests call it: with a model's asker, or without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.learning.judge import HeuristicJudge, Judged, combine_verdicts, judge_runs
from metier.learning.judge_by_model import ModelJudge

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

    from metier.types import Record, Verdict
    from metier.types.questions import Asker


def judging(
    records: Iterable[Record], known: Mapping[str, Verdict], now: str, asker: Asker | None = None, threads: int = 1
) -> Generator[Verdict, None, None]:
    """A verdict on each run that needs one."""
    judge = HeuristicJudge() if asker is None else ModelJudge(asker, threads=threads)
    return judge_runs(judge, records, known, now)


def judge_all(
    records: Iterable[Record], known: Mapping[str, Verdict], now: str, asker: Asker | None = None, threads: int = 1
) -> Judged:
    """How every run went."""
    every = tuple(records)
    return combine_verdicts(every, known, judging(every, known, now, asker, threads))


def judge(record: Record, now: str, asker: Asker | None = None) -> Verdict:
    """The verdict on one run."""
    return next(judging([record], {}, now, asker))
