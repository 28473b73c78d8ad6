"""What the demo counts: figures drawn from runs, deliveries and records."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from metier.formats.run_json import dump_run
from metier.redaction import MARK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from metier.types import Delivery, Record, Run

DOTS = "•" * 12
"""What a secret is shown as."""
HOWS = ("new", "updated", "duplicate", "skipped", "refused")


def task_of(run: Run) -> str:
    """The recurring task a sample belongs to, as its author labelled it: its id without the number."""
    return (run.external_id or "").rpartition("-")[0].replace("-", " ")


def by_task(records: Iterable[Record]) -> dict[str, list[Record]]:
    """The records of each task, in the order the tasks first came up."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(task_of(record.run), []).append(record)
    return groups


def by_tool(runs: Iterable[Run]) -> dict[str, tuple[int, int]]:
    """Calls and failed calls of each tool, the most used one first."""
    calls = [tool for run in runs for tool in run.tools]
    failed = Counter(tool.name for tool in calls if not tool.ok)
    return {name: (count, failed[name]) for name, count in Counter(tool.name for tool in calls).most_common()}


def delivery_counts(deliveries: Iterable[Delivery]) -> dict[str, int]:
    """How many deliveries became what."""
    counts = Counter(delivery.how for delivery in deliveries)
    return {how: counts[how] for how in HOWS}


def success(records: Iterable[Record]) -> dict[str, int]:
    """How many runs reached their goal, did not, or left it open."""
    counts = Counter(record.success for record in records)
    return {"yes": counts[True], "no": counts[False], "unknown": counts[None]}


def tokens(runs: Iterable[Run]) -> int:
    """All tokens of all runs."""
    kinds = [(run.tokens.input, run.tokens.output, run.tokens.cache_read, run.tokens.cache_write) for run in runs]
    return sum(map(sum, kinds))


def marks(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Rule and digits of every redaction mark in the stored texts."""
    found = [mark for record in records for mark in MARK.findall(str(dump_run(record.run)))]
    return [(mark.split(":")[1], mark.split(":")[2]) for mark in found]


def example(records: Iterable[Record], longest: int) -> tuple[str, str]:
    """A line that held a secret: as it was, with dots in the secret's place, and as it is stored, with its mark."""
    stored = next(line for line in _outputs(records) if MARK.search(line) and len(line) <= longest)
    return MARK.sub(DOTS, stored), stored


def _outputs(records: Iterable[Record]) -> Iterator[str]:
    return (line for record in records for tool in record.run.tools for line in tool.output.splitlines())
