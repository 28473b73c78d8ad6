"""A draft in a person's own words: a new draft with the text they wrote, in the place of the one they looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.errors import InputError, RefusedError
from metier.library.proposals.drafts import draft_of_package, get_open_draft, proposed_change, reject_draft, save_draft
from metier.library.proposals.review_gate import check_standard, review_change
from metier.skills.package import MAX_FILE_BYTES, Package

if TYPE_CHECKING:
    from metier.library.skills import Library
    from metier.types import Draft

BY = "edited by hand"
"""The note on such a draft."""


def document_of(library: Library, draft: Draft) -> str:
    """The text of a draft's skill as it would ship."""
    after = proposed_change(library, draft).after
    return after.files[after.skill_file or "SKILL.md"].decode("utf-8", "replace")


def reword_draft(library: Library, draft: str, document: str) -> Draft:
    """The draft with another text, reviewed anew; the one before it is rejected. Without a change it stays."""
    ctx, old = library.ctx, get_open_draft(library, draft)
    change = proposed_change(library, old)
    content = document.encode("utf-8", "replace")
    if not document.strip():
        raise InputError(f"The text is empty. Say no to the draft instead: metier drafts reject {old.id}")
    if len(content) > MAX_FILE_BYTES:
        raise InputError(f"A skill's document may have {MAX_FILE_BYTES:,} bytes at most.")
    if ctx.redact(document) != document:
        raise RefusedError("The text contains what looks like a secret. Take it out, then again.")
    files = dict(change.after.files) | {change.after.skill_file or "SKILL.md": content}
    package = Package(files=files, executable=change.after.executable)
    if package.hash() == old.hash:
        return old
    check_standard(package, change.before, old.target)
    review = review_change(ctx, package, old.target, change.before)
    made = draft_of_package(library, change.found, package, summary=old.summary, notes=(*old.notes, BY))
    provenance = replace(old.provenance, training="")
    kept = save_draft(ctx, replace(made, provenance=provenance, status=review.status, findings=review.findings))
    reject_draft(library, old.id, f"you wrote draft {kept.id} instead")
    return kept
