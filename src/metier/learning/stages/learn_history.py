"""A draft and the earlier ones of its pattern: what it takes over from them, and when it says nothing new."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.library.proposals.proposals import OPEN
from metier.review.result import blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.types import Draft

GATE = "gate: "
"""How the note begins with which a gate rejects a draft."""


def anew(draft: Draft, earlier: Sequence[Draft]) -> Draft | str:
    """A new draft beside the earlier ones of its pattern, or why it is not put before anybody again.

    The same text as that of an open draft is that draft. The same as one that was decided is another draft, unless a
    person said no to it.
    """
    same = [one for one in earlier if one.id == draft.id or one.id in _later_ids(draft.id, len(earlier))]
    refused = [one for one in same if one.status == "rejected" and not is_by_gate(one)]
    if refused:
        return f"draft {refused[-1].id} says the same, and was rejected"
    for one in same:
        if one.status in OPEN:
            return again(one, draft)
    return replace(draft, id=_later_ids(draft.id, len(same))[-1]) if same else draft


def again(old: Draft, new: Draft) -> Draft:
    """An open draft as it is by now: its own id and notes, and a person's yes as long as its bytes are the same."""
    kept = (one for one in old.findings if not blocks(one))
    now = replace(
        new,
        id=old.id,
        notes=tuple(dict.fromkeys((*old.notes, *new.notes))),
        findings=tuple(dict.fromkeys((*new.findings, *kept))),
        ratio=old.ratio,
        created=old.created,
    )
    return approved_as(old, now)


def approved_as(old: Draft, new: Draft) -> Draft:
    """A draft with the yes that another state of it had, as long as it was for these bytes."""
    same = bool(old.approved) and old.approved == new.hash
    return replace(new, approved=old.approved if same else "", approver=old.approver if same else "")


def is_by_gate(draft: Draft) -> bool:
    """Whether it was a gate that rejected a draft, not a person."""
    return any(one.startswith(GATE) for one in draft.notes)


def _later_ids(first: str, count: int) -> list[str]:
    """The ids of further drafts with the same text, in their order."""
    return [sha256(f"{first}\0{number}".encode()).hexdigest()[:12] for number in range(1, count + 1)]
