"""A pattern as JSON and as a page: the runs behind it, the drafts and the skill that came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import table, visible
from metier.cli.views.drafts import state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from metier.learning.trace import Traced
    from metier.types import Draft, Pattern
    from metier.types.grouping import Member
    from metier.types.skills import Version

SIGNS = {True: "yes", False: "no"}
SAID = ("rejected:", "gate:")
"""How a note begins that says why a draft was turned down."""


def row(pattern: Pattern, there: Sequence[tuple[Member, str | None]]) -> dict[str, object]:
    """A pattern as JSON; `runs` are those that succeeded, and the two lists of each kind go side by side."""
    won = [(one.run, external) for one, external in there if one.success]
    lost = [(one.run, external) for one, external in there if not one.success]
    return {
        "id": pattern.id,
        "label": pattern.label,
        "summary": pattern.summary,
        "runs": [run for run, _ in won],
        "external_ids": [external for _, external in won],
        "failed_runs": [run for run, _ in lost],
        "failed_external_ids": [external for _, external in lost],
        "successes": pattern.successes,
        "failures": pattern.failures,
        "success_ratio": pattern.success_ratio,
        "winning_path": list(pattern.winning_path),
        "status": pattern.status,
        "created": pattern.created,
        "updated": pattern.updated,
    }


def document(found: Traced) -> dict[str, object]:
    """A pattern with everything around it, as JSON."""
    pattern = found.pattern
    return row(pattern, [(one, record.run.external_id) for one, record in found.members]) | {
        "why": found.why,
        "reason": pattern.reason,
        "late_added": list(pattern.late_added),
        "trigger": pattern.trigger or None,
        "members": [
            {
                "run": one.run,
                "external_id": record.run.external_id,
                "message": record.run.message,
                "success": one.success,
                "path": list(one.path),
                "reason": one.reason,
            }
            for one, record in found.members
        ],
        "drafts": [
            {"id": one.id, "target": one.target, "kind": one.kind, "status": one.status, "reason": _why(one)}
            for one in found.drafts
        ],
        "tried": found.tried or None,
        "skills": [
            {"skill": one.skill, "version": one.number, "hash": one.hash, "draft": one.draft, "status": one.status}
            for one in found.versions
        ],
    }


def page(found: Traced) -> Iterator[RenderableType]:
    """The same for a person: facts, then runs, drafts and what was shipped."""
    from rich.text import Text

    for label, value in _facts(found):
        yield Text.assemble((f"{label:<12} ", "dim"), visible(value))
    if found.members:
        rows = [(one.run[:8], SIGNS[one.success], record.summary, one.reason) for one, record in found.members]
        yield Text()
        yield table(("run", "ok", "request", "why"), rows, grow="request")
    if found.drafts:
        rows = [(one.id, one.target.rpartition("/")[2], one.kind, state(one), _why(one)) for one in found.drafts]
        yield Text()
        yield table(("draft", "skill", "kind", "status", "why"), rows, grow="why")
    if found.versions:
        rows = [(f"{one.skill} v{one.number}", one.status, one.draft, _undo(one)) for one in found.versions]
        yield Text()
        yield table(("shipped", "status", "draft", "undo"), rows, grow="undo")


def _facts(found: Traced) -> list[tuple[str, str]]:
    pattern = found.pattern
    facts = [
        ("pattern", f"{pattern.label} ({pattern.id})"),
        ("about", pattern.summary),
        ("status", f"{pattern.status}: {found.why}"),
        ("why together", pattern.reason),
        ("path", " → ".join(pattern.winning_path)),
        ("late-added", f"{', '.join(pattern.late_added)} ({pattern.trigger})" if pattern.late_added else ""),
        ("first seen", pattern.created[:16].replace("T", " ")),
        ("last change", pattern.updated[:16].replace("T", " ")),
        ("no draft", found.tried if not found.drafts else ""),
    ]
    return [(label, value) for label, value in facts if value]


def _why(draft: Draft) -> str:
    """Why a draft has its status, as far as anybody said."""
    if draft.status == "rejected":
        return next((text for text in reversed(draft.notes) if text.startswith(SAID)), draft.summary)
    if draft.status == "quarantined":
        return next((one.reason for one in draft.findings if one.severity in ("critical", "high")), draft.summary)
    return draft.summary


def _undo(version: Version) -> str:
    return f"metier skills {'rollback' if version.parent else 'archive'} {version.skill}"
