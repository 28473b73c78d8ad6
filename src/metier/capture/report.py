"""The report of an import: what happened to each session file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from metier.capture.reading.run_builder import sum_tokens
from metier.capture.source import Skipped
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.capture.source import Source
    from metier.errors import UnreadableError
    from metier.types import Delivery, Run


@dataclass(kw_only=True)
class FileReport:
    """What happened to one session file."""

    file: str
    source: str
    state: str = "read"
    """`read`, `continued` (from where the last import ended), `unchanged`, `ignored` or `unreadable`."""
    runs: int = 0
    new: int = 0
    updated: int = 0
    duplicates: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    skipped: list[Skipped] = field(default_factory=list[Skipped])

    needs_retry: bool = False
    """Whether a run was refused that may be accepted later; then the next import reads the file again."""

    def add_run(self, run: Run, delivery: Delivery) -> None:
        """Count one run."""
        self.needs_retry |= delivery.how == "refused"
        if not delivery.kept:
            self.skipped.append(Skipped(file=self.file, line=0, reason=f"{delivery.reason} (run {run.external_id})"))
            return
        self.runs += 1
        self.new += delivery.how == "new"
        self.updated += delivery.how == "updated"
        self.duplicates += delivery.how == "duplicate"
        self.tokens = sum_tokens((self.tokens, run.tokens))


def report_unreadable(error: UnreadableError, source: Source) -> FileReport:
    """The report of a file that cannot be read."""
    report = FileReport(file=error.path, source=source.name, state="unreadable")
    report.skipped.append(Skipped(file=error.path, line=0, reason=f"cannot be read: {error.reason}"))
    return report


def totals_of(reports: Sequence[FileReport]) -> dict[str, object]:
    """The JSON document of an import."""
    return {
        "files": len(reports),
        **{
            name: sum(cast("int", getattr(report, name)) for report in reports)
            for name in ("runs", "new", "updated", "duplicates")
        },
        "skipped": [_skip_json(skipped) for report in reports for skipped in report.skipped],
        "tokens": _tokens_json(sum_tokens(report.tokens for report in reports)),
        "sessions": [
            {
                "file": report.file,
                "source": report.source,
                "state": report.state,
                "runs": report.runs,
                "new": report.new,
                "updated": report.updated,
                "skipped": len(report.skipped),
                "tokens": _tokens_json(report.tokens),
            }
            for report in reports
        ],
    }


def _skip_json(skipped: Skipped) -> dict[str, object]:
    return {"file": skipped.file, "line": skipped.line, "reason": skipped.reason}


def _tokens_json(tokens: Tokens) -> dict[str, int]:
    return {
        "input": tokens.input,
        "output": tokens.output,
        "cache_read": tokens.cache_read,
        "cache_write": tokens.cache_write,
    }
