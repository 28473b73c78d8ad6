"""A skill's text that an agent hands in: checked, reviewed, and kept as a draft that waits for a person."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.context.audit import note_action
from metier.errors import InputError, RefusedError
from metier.library.proposals.drafts import draft_of_package, save_draft
from metier.library.proposals.review_gate import check_standard, review_change
from metier.skills.names import name_problem
from metier.skills.package import MAX_FILE_BYTES, Package

if TYPE_CHECKING:
    from metier.library.skills import Library
    from metier.types import Draft

BY = "handed in by an agent"
"""The note on such a draft."""


def hand_in_document(library: Library, name: str, document: str, summary: str) -> Draft:
    """Put a new skill, or a new document of one, before a person; the other files of the skill stay as they are."""
    ctx = library.ctx
    if problem := name_problem(name):
        raise InputError(f"{name[:100]!r} cannot be the name of a skill: {problem}.")
    content = document.encode("utf-8", "replace")
    if len(content) > MAX_FILE_BYTES:
        raise InputError(f"A skill's document may have {MAX_FILE_BYTES:,} bytes at most.")
    if ctx.redact(document) != document:
        raise RefusedError("The document contains what looks like a secret. Take it out, and hand it in again.")
    found = library.find(name, make=True)
    live = found.slot.package()
    files = dict(live.files) if live else {}
    files[(live.skill_file if live else None) or "SKILL.md"] = content
    package = Package(files=files, executable=live.executable if live else frozenset())
    if live and live.hash() == package.hash():
        raise RefusedError(f"{found.folder} is already the same. Nothing was changed.")
    check_standard(package, live, name)
    review = review_change(ctx, package, name, live)
    draft = draft_of_package(library, found, package, summary=summary, notes=[BY])
    kept = save_draft(ctx, replace(draft, status=review.status, findings=review.findings))
    with ctx.store.write() as transaction:
        note_action(transaction, ctx, "propose draft", f"{kept.id} {kept.hash}", BY)
    return kept
