"""What an import did, file by file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from metier.capture.source import Skipped
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.capture.source import Source
    from metier.types import Delivery, Run


@dataclass(kw_only=True)
class FileReport:
    """What became of one session file."""

    file: str
    source: str
    state: str = "read"
    """read, continued (from where it ended last time), unchanged, ignored, unreadable."""
    runs: int = 0
    new: int = 0
    updated: int = 0
    duplicates: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    skipped: list[Skipped] = field(default_factory=list[Skipped])

    again: bool = False
    """Whether a run was refused that may be taken another time: then the file is not remembered as read."""

    def take(self, run: Run, delivery: Delivery) -> None:
        """Count one run."""
        self.again |= delivery.how == "refused"
        if not delivery.kept:
            self.skipped.append(Skipped(file=self.file, line=0, reason=f"{delivery.reason} (run {run.external_id})"))
            return
        self.runs += 1
        self.new += delivery.how == "new"
        self.updated += delivery.how == "updated"
        self.duplicates += delivery.how == "duplicate"
        self.tokens = added(self.tokens, run.tokens)


def unreadable(file: str, source: Source) -> FileReport:
    """The report on a file that nobody may read."""
    report = FileReport(file=file, source=source.name, state="unreadable")
    report.skipped.append(Skipped(file=file, line=0, reason="cannot be read: permission denied"))
    return report


def added(one: Tokens, other: Tokens) -> Tokens:
    """The sum of two counts."""
    return Tokens(
        input=one.input + other.input,
        output=one.output + other.output,
        cache_read=one.cache_read + other.cache_read,
        cache_write=one.cache_write + other.cache_write,
    )


def totals(reports: Sequence[FileReport]) -> dict[str, object]:
    """The machine-readable form of an import."""
    tokens = Tokens()
    for report in reports:
        tokens = added(tokens, report.tokens)
    return {
        "files": len(reports),
        **{
            name: sum(cast("int", getattr(report, name)) for report in reports)
            for name in ("runs", "new", "updated", "duplicates")
        },
        "skipped": [_skip(skipped) for report in reports for skipped in report.skipped],
        "tokens": _tokens(tokens),
        "sessions": [
            {
                "file": report.file,
                "source": report.source,
                "state": report.state,
                "runs": report.runs,
                "new": report.new,
                "updated": report.updated,
                "skipped": len(report.skipped),
                "tokens": _tokens(report.tokens),
            }
            for report in reports
        ],
    }


def _skip(skipped: Skipped) -> dict[str, object]:
    return {"file": skipped.file, "line": skipped.line, "reason": skipped.reason}


def _tokens(tokens: Tokens) -> dict[str, int]:
    return {
        "input": tokens.input,
        "output": tokens.output,
        "cache_read": tokens.cache_read,
        "cache_write": tokens.cache_write,
    }
