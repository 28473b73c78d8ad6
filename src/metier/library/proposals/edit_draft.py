"""A draft in a person's own words: a new draft of the same skill, reviewed; the old one gives way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.context.audit import note_action
from metier.errors import InputError
from metier.library.proposals.drafts import draft_of_package, get_open_draft, proposed_change, save_draft
from metier.library.proposals.review_gate import check_standard, review_change
from metier.skills.package import MAX_FILE_BYTES, Package
from metier.store.tables.library import drafts

if TYPE_CHECKING:
    from metier.library.skills import Library
    from metier.types import Draft

SKILL = "SKILL.md"
EDITED = "edited by a person"
"""The summary of an edited draft: what was said of the text before holds no longer."""


def draft_document(library: Library, draft: Draft) -> str:
    """The skill's document as a draft would make it."""
    after = proposed_change(library, draft).after
    return after.files[after.skill_file or SKILL].decode("utf-8", "replace")


def edit_draft(library: Library, draft: str, document: str) -> Draft:
    """Put a person's text in the place of the document that a draft proposes; it is reviewed and waits for a yes."""
    ctx, found = library.ctx, get_open_draft(library, draft)
    change = proposed_change(library, found)
    text = ctx.redact(document.replace("\r\n", "\n"))
    content = text.encode("utf-8", "replace")
    if len(content) > MAX_FILE_BYTES:
        raise InputError(f"A skill's document may have {MAX_FILE_BYTES:,} bytes at most.")
    files = dict(change.after.files) | {change.after.skill_file or SKILL: content}
    package = Package(files=files, executable=change.after.executable)
    if package.hash() == change.after.hash():
        return found
    check_standard(package, change.before, change.found.skill)
    review = review_change(ctx, package, change.found.skill, change.before)
    notes = (*found.notes, f"{EDITED}, was draft {found.id}")
    made = draft_of_package(library, change.found, package, summary=EDITED, notes=notes)
    kept = save_draft(
        ctx,
        replace(
            made,
            kind=found.kind if change.before is None else made.kind,
            type=found.type,
            status=review.status,
            findings=review.findings,
            pattern=found.pattern,
            provenance=found.provenance,
            guidance=found.guidance,
        ),
    )
    superseded = replace(found, status="superseded", approved="", updated=ctx.now())
    with ctx.store.write() as transaction:
        drafts.move(transaction, superseded, expected=found.status, hash_=found.hash)
        note_action(transaction, ctx, "edit draft", f"{found.id} {found.hash}", f"now draft {kept.id}")
    return kept


def take_back_edit(library: Library, before: Draft, edited: str) -> Draft:
    """Reject the edited draft, and let the one before it wait for a decision again."""
    ctx, now = library.ctx, get_open_draft(library, edited)
    rejected = replace(now, status="rejected", approved="", updated=ctx.now())
    with ctx.store.write() as transaction:
        drafts.move(transaction, rejected, expected=now.status, hash_=now.hash)
        drafts.move(transaction, replace(before, updated=ctx.now()), expected="superseded", hash_=before.hash)
        note_action(transaction, ctx, "take back edit of draft", f"{before.id} {before.hash}", f"was draft {now.id}")
    return before
