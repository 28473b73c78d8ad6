"""The result of each edit of a patch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PREVIEW = 200
"""Characters of target and content that a report shows."""

Status = Literal[
    "applied_append",
    "applied_append_before_protected_region",
    "applied_insert_after",
    "applied_insert_after_fallback_append",
    "applied_insert_after_fallback_before_protected_region",
    "applied_replace",
    "applied_delete",
    "skipped_protected_region",
    "skipped_replace_missing_target",
    "skipped_replace_target_not_found",
    "skipped_delete_missing_target",
    "skipped_delete_target_not_found",
    "skipped_unknown_op",
    "error",
    # strict edits only
    "skipped_insert_after_missing_target",
    "skipped_insert_after_target_not_found",
    "skipped_ambiguous_target",
    # edits of a package only
    "skipped_file_not_found",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditReport:
    """What one edit asked for, and what was done."""

    index: int
    """Counted from 1."""
    op: str
    target: str
    """Its first 200 characters, as is `content_preview`."""
    content_preview: str
    status: Status
    file: str = "SKILL.md"
    error: str = ""
    """What is wrong with the edit, when the status is `error`."""

    @property
    def applied(self) -> bool:
        """Whether the edit was applied."""
        return self.status.startswith("applied")


def dump_report(report: EditReport) -> dict[str, object]:
    """A report as a JSON object; `error` and a file other than SKILL.md only where there is one."""
    found: dict[str, object] = {
        "index": report.index,
        "op": report.op,
        "target": report.target,
        "content_preview": report.content_preview,
        "status": report.status,
    }
    if report.status == "error":
        found["error"] = report.error
    if report.file != "SKILL.md":
        found["file"] = report.file
    return found
