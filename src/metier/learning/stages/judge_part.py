"""Judging ahead of a pass: some of the runs that wait for a verdict, so that others can judge the rest meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.learning.judge import judge_runs, needs_judging
from metier.learning.stages.gather import read_batch
from metier.store.tables.runs import runs, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.context.context import Context
    from metier.learning.judge import Judge
    from metier.types import Verdict

PART = 20
"""Runs that one question after the other is asked about."""


def waiting_parts(ctx: Context, size: int = PART) -> Iterator[tuple[int, int]]:
    """The runs that wait for a verdict, in parts: behind which sequence each begins, and with which it ends."""
    last = 0
    while True:
        records, batch = read_batch(ctx, last)
        if not records:
            return
        wanted = [one.sequence for one in batch.sifted.kept if needs_judging(one, batch.known)]
        for at in range(0, len(wanted), size):
            part = wanted[at : at + size]
            yield part[0] - 1, part[-1]
        last = records[-1].sequence


def judge_part(ctx: Context, saving: Context, judge: Judge, after: int, until: int) -> tuple[int, int]:
    """Judge the runs of a part that still need it; says how many have a verdict now, and how many got none.

    `saving` is the workspace through which verdicts are kept.
    """
    _, batch = read_batch(ctx, after, until)
    fresh: list[Verdict] = list(judge_runs(judge, batch.sifted.kept, batch.known, ctx.now()))
    known = [one for one in fresh if one.success is not None]
    with saving.store.write() as transaction:
        moved = runs.changed_since(transaction, batch.seen)
        verdicts.put_all(transaction, [one for one in known if one.run not in moved])
    return len(known), len(fresh) - len(known)
