"""Drafts and findings as they are printed, the same everywhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.learning.trace import Origin
    from metier.types import Draft, Finding, SkillGuidance


FIGURE = re.compile(r"[+-][\d.]+ points")
"""What a gate measured, in its reason."""


def ship_words(draft: Draft) -> str:
    """How a draft is shipped; no ready line for one that review stopped."""
    from metier.library.proposals.drafts import stopped_by

    if draft.status == "quarantined":
        return f"review stopped it ({stopped_by(draft)}); after reading it, approve it by its hash"
    return f"metier drafts approve {draft.id} && metier drafts apply {draft.id}"


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
        **guidance_document(draft.guidance),
        "status": draft.status,
        "needs_approval": draft.needs_approval,
        "approved": bool(draft.approved) and draft.approved == draft.hash,
        "objection": draft.objection or None,
        "findings": [finding(one) for one in draft.findings],
        "notes": list(draft.notes),
        "pattern": draft.pattern or None,
        "base_hash": draft.base_hash,
        "hash": draft.hash,
    }


def guidance_document(guidance: SkillGuidance) -> dict[str, object]:
    """What a skill is for, where to begin and what to avoid, as JSON."""
    return {
        "use_cases": list(guidance.use_cases),
        "entry_path": list(guidance.entry_path),
        "avoid": list(guidance.avoid),
    }


def guidance_lines(guidance: SkillGuidance) -> list[str]:
    """The same for people, each with its label."""
    found = [("use case", one) for one in guidance.use_cases]
    found += [("begin with", " -> ".join(guidance.entry_path))] if guidance.entry_path else []
    found += [("avoid", one) for one in guidance.avoid]
    return [f"{label:<12} {text}" for label, text in found]


def figure_of(objection: str) -> str:
    """The figure that a gate rejected a draft for, without the rest of its words."""
    found = FIGURE.search(objection)
    return found[0] if found else objection


def state(draft: Draft) -> str:
    """A draft's status, and whether it was approved or needs approval."""
    if draft.approved and draft.approved == draft.hash and draft.status in ("candidate", "quarantined"):
        return f"{draft.status}, approved"
    if draft.objection and draft.status in ("candidate", "quarantined"):
        return f"rejected by its gate: {figure_of(draft.objection)}"
    return f"{draft.status}, needs approval" if draft.needs_approval and draft.status == "candidate" else draft.status


def facts(draft: Draft, taught: Origin) -> list[tuple[str, str]]:
    """What is known of a draft, line by line: what it would do, and where it comes from."""
    found = [
        ("draft", draft.id),
        ("skill", draft.target),
        ("kind", draft.kind),
        ("status", state(draft)),
        ("summary", draft.summary),
        ("made", draft.created[:16].replace("T", " ") + (f" by {by}" if (by := draft.provenance.model) else "")),
        ("hash", f"{draft.hash} (based on {draft.base_hash[:12] or 'nothing'})"),
    ]
    if taught.pattern is not None:
        label, total = taught.pattern.label, taught.pattern.successes + taught.pattern.failures
        went = f"{taught.pattern.successes} of {total} runs succeeded so far ({taught.pattern.success_ratio:.0%})"
        found.append(("pattern", f"{label}, {went}: metier patterns show {label}"))
    found += [("learned from", f"{record.id[:8]}  {record.summary}") for record in taught.records]
    missing = len(draft.provenance.runs) - len(taught.records)
    if missing:
        found.append(("learned from", f"{missing} more run{'' if missing == 1 else 's'}, deleted since"))
    if draft.objection:
        found.append(
            ("gate said no", f"{draft.objection}. Shipping it needs: metier drafts approve {draft.id} --despite-gate")
        )
    return [*found, *(("note", text) for text in draft.notes)]


def finding(one: Finding) -> dict[str, object]:
    """A finding as JSON."""
    parts = ("rule", "tag", "severity", "file", "line", "excerpt", "reason", "fix")
    return {part: getattr(one, part) for part in parts}
