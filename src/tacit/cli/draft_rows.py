"""Drafts and findings as JSON, the same wherever they are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.types import Draft, Finding


def row(draft: Draft) -> dict[str, object]:
    """A draft as JSON."""
    return {
        "id": draft.id,
        "target": draft.target,
        "kind": draft.kind,
        "type": draft.type,
        "summary": draft.summary,
        "created": draft.created,
        "matched": list(draft.matched),
        "status": draft.status,
        "needs_approval": draft.needs_approval,
        "approved": bool(draft.approved) and draft.approved == draft.hash,
        "findings": [finding(one) for one in draft.findings],
        "notes": list(draft.notes),
        "pattern": draft.pattern or None,
        "base_hash": draft.base_hash,
        "hash": draft.hash,
    }


def finding(one: Finding) -> dict[str, object]:
    """A finding as JSON."""
    parts = ("rule", "tag", "severity", "file", "line", "excerpt", "reason", "fix")
    return {part: getattr(one, part) for part in parts}
