"""Drafts: proposed changes of skills, and a person's decision on them. `ship.py` ships them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.context.audit import YesWords, current_user, note_action, note_yes
from metier.errors import ConflictError, MetierError, NotFoundError, RefusedError
from metier.library.package_decisions import note_decision
from metier.library.versions.objects import files_of
from metier.skills.names import lookalike_key
from metier.store.tables.library import drafts
from metier.types import Draft
from metier.types.reviews import OPEN, blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.context.context import Context
    from metier.library.skills import FoundSkill, Library
    from metier.skills.package import Package
    from metier.types import DraftKind
    from metier.types.skills import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedDraft:
    """A draft with its skill, found once and composed once."""

    draft: Draft
    found: FoundSkill
    """The skill, which may not be there yet."""
    before: Package | None
    """What is there now."""
    after: Package
    """What the draft makes of it."""


def list_drafts(library: Library, *, every: bool = False) -> list[Draft]:
    """The open drafts, oldest first; with `every` also those that were decided. Reads only."""
    with library.ctx.store.read() as transaction:
        found = drafts.list_all(transaction)
    shipped = {draft.id for draft in _shipped_drafts(library, found)}
    found = [replace(draft, status="accepted") if draft.id in shipped else draft for draft in found]
    return [draft for draft in found if every or draft.status in OPEN]


def get_draft(library: Library, draft: str) -> Draft:
    """A draft by its id, or the unique start of it. Reads only."""
    with library.ctx.store.read() as transaction:
        matching = drafts.starting_with(transaction, draft) if draft else []
    if not matching:
        raise NotFoundError(f"There is no draft '{draft}' here. See all drafts: metier drafts list --all")
    if len(matching) > 1:
        raise NotFoundError(f"{len(matching)} drafts start with '{draft}'. Give more of the id.")
    (found,) = matching
    return replace(found, status="accepted") if _shipped_drafts(library, [found]) else found


def drafts_as_stored(ctx: Context, found: Iterable[Draft]) -> list[Draft]:
    """Drafts as they are in the store by now; one that was never saved, as it is."""
    with ctx.store.read() as transaction:
        there = {one.id: one for one in drafts.list_all(transaction)}
    return [there.get(one.id, one) for one in found]


def get_open_draft(library: Library, draft: str) -> Draft:
    """A draft that waits for a decision; a ConflictError if it was decided."""
    found = get_draft(library, draft)
    if found.status not in OPEN:
        raise ConflictError(f"Draft {found.id} is already {found.status}.")
    return found


def approve_draft(
    library: Library, draft: str, *, seen: str = "", reason: str = "", despite_gate: bool = False
) -> Draft:
    """Approve a draft exactly as it is; `seen` is the hash that the person looked at, if not the stored one.

    One that a gate rejected is refused, unless the person says `despite_gate` with its figure before them.
    """
    ctx, found = library.ctx, get_open_draft(library, draft)
    if seen and seen != found.hash:
        raise ConflictError(
            f"Draft {found.id} changed: its hash is {found.hash[:12]}, you looked at {seen[:12]}. Look at it again."
        )
    if proposed_change(library, found).after.hash() != found.hash:
        raise ConflictError(f"{found.target} changed after draft {found.id} was made. Look at the draft again.")
    if found.objection and not despite_gate:
        raise RefusedError(
            f"A gate rejected draft {found.id}: {found.objection}. Nothing was changed. "
            f"If you want it all the same: metier drafts approve {found.id} --despite-gate"
        )
    seal = ctx.seal("approval", found.target, found.hash)
    now = replace(found, approved=found.hash, approver=current_user(), seal=seal, updated=ctx.now())
    action = "approve draft despite its gate" if found.objection else "approve draft"
    with ctx.store.write() as transaction:
        drafts.move(transaction, now, expected=found.status, hash_=found.hash)
        note_yes(transaction, ctx, action, f"{found.id} {found.hash}", ctx.redact(reason), yes_words(found))
        note_decision(transaction, ctx, now.hash, action, allowed=True)
    return now


def yes_words(draft: Draft) -> YesWords:
    """A yes to a draft, as a person is told it."""
    name = draft.target.rpartition("/")[2]
    shipped = f"metier skills {'archive' if draft.kind == 'create' else 'rollback'} {name}"
    return YesWords(about=f"the draft for {name}", undo=f"metier drafts reject {draft.id}, once it shipped: {shipped}")


def stopped_by(draft: Draft) -> str:
    """What review found that stops a draft, by the names of its rules."""
    return ", ".join(dict.fromkeys(one.rule for one in draft.findings if blocks(one))) or "a change that needs a look"


def note_objection(draft: Draft, against: str) -> Draft:
    """A draft with what a gate measured against it; a yes that was given without knowing that is worth nothing."""
    if not against or against == draft.objection:
        return replace(draft, objection=against)
    return replace(draft, objection=against, approved="", seal="")


def is_approved(ctx: Context, draft: Draft) -> bool:
    """Whether a person said yes to a draft as it is: this one, or one at the server that this workspace joined."""
    if not draft.approved or draft.approved != draft.hash:
        return False
    return bool(ctx.config.store) or ctx.is_sealed(draft.seal, "approval", draft.target, draft.hash)


def reject_draft(library: Library, draft: str, reason: str) -> Draft:
    """Reject a draft, and say why."""
    found = get_open_draft(library, draft)
    said = library.ctx.redact(reason)
    now = _rejection_of(library.ctx, found, said)
    _move_all(library.ctx, [(found, now)], "reject draft", said, allowed=False)
    return now


def reject_drafts(library: Library, wanted: Sequence[str], reason: str = "") -> list[Draft]:
    """Reject many drafts in one step; returns those that were. What was decided already stays."""
    known = {one.id: one for one in list_drafts(library)}
    found = [known[one] for one in dict.fromkeys(wanted) if one in known]
    said = library.ctx.redact(reason)
    changed = [(one, _rejection_of(library.ctx, one, said)) for one in found]
    _move_all(library.ctx, changed, "reject draft", said, allowed=False)
    return found


def _rejection_of(ctx: Context, draft: Draft, said: str) -> Draft:
    notes = (*draft.notes, f"rejected: {said}" if said else "rejected")
    return replace(draft, status="rejected", approved="", notes=notes, updated=ctx.now())


def reopen_draft(library: Library, draft: str) -> Draft:
    """Take a rejection back: the draft waits for a decision again, without any approval it had."""
    found = get_draft(library, draft)
    if found.status != "rejected":
        raise ConflictError(f"Draft {found.id} is {found.status}, not rejected. Nothing was changed.")
    (now,) = reopen_drafts(library, [found])
    return now


def reopen_drafts(library: Library, rejected: Sequence[Draft]) -> list[Draft]:
    """Take the rejection of many drafts back in one step; they need not be handed in as they are now."""
    every = {one.id: one for one in list_drafts(library, every=True)}
    found = [every[one.id] for one in rejected if one.id in every and every[one.id].status == "rejected"]
    changed = [(one, _reopening_of(library.ctx, one)) for one in found]
    _move_all(library.ctx, changed, "reopen draft", "")
    return [now for _, now in changed]


def _reopening_of(ctx: Context, draft: Draft) -> Draft:
    status = "quarantined" if any(map(blocks, draft.findings)) else "candidate"
    return replace(draft, status=status, notes=(*draft.notes, "reopened"), updated=ctx.now())


def finish_interrupted_drafts(library: Library) -> None:
    """Mark drafts as accepted that were shipped by a process that was killed before it could."""
    with library.ctx.store.read() as transaction:
        found = drafts.list_all(transaction)
    shipped = _shipped_drafts(library, found)
    if shipped:
        with library.ctx.store.write() as transaction:
            for draft in shipped:
                drafts.put(transaction, replace(draft, status="accepted", updated=library.ctx.now()))


def proposed_change(library: Library, draft: Draft) -> ComposedDraft:
    """What a draft makes of its skill, against what is there now."""
    found = target_of(library, draft)
    before = found.slot.package()
    if draft.files:
        after = library.version_store.objects.load(draft.files)
    else:
        from metier.skills.editing.compose import compose

        after = compose(draft.kind, found.skill, before, draft.body, draft.beside)
    return ComposedDraft(draft=draft, found=found, before=before, after=after)


def target_of(library: Library, draft: Draft) -> FoundSkill:
    """The skill of a draft, which may not be there yet."""
    return library.find(draft.target, make=True)


def newly_allowed(library: Library, draft: Draft) -> tuple[str, ...]:
    """What a draft newly allows, in plain words; nothing if it can no longer be composed."""
    from metier.review.capabilities import capability_diff

    with suppress(MetierError):
        change = proposed_change(library, draft)
        return tuple(one.words for one in capability_diff(change.before, change.after, learned=bool(draft.pattern)))
    return ()


def draft_of_package(
    library: Library, found: FoundSkill, package: Package, *, summary: str, notes: Sequence[str] = ()
) -> Draft:
    """A draft of a whole package, its bytes kept: an import, or a person's edit that review blocked."""
    ctx, live = library.ctx, found.slot.package()
    kind: DraftKind = "replace" if live else "create"
    with library.version_store.writing():
        library.version_store.objects.save(package)
    draft = Draft(
        id="",
        workspace=ctx.name,
        target=str(found.folder) if found.root != library.default else found.skill,
        kind=kind,
        type="workflow",
        summary=ctx.redact(summary),
        files=files_of(package),
        base_hash=live.hash() if live else "",
        hash=package.hash(),
        notes=tuple(notes),
        needs_approval=True,
        created=ctx.now(),
        updated=ctx.now(),
    )
    return replace(draft, id=draft_id(draft))


def draft_id(draft: Draft) -> str:
    """Twelve digits that are the same for the same proposal against the same base."""
    parts = (draft.workspace, draft.target, draft.kind, draft.base_hash, draft.hash)
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:12]


def save_draft(ctx: Context, draft: Draft) -> Draft:
    """Store a draft; one with the same id that is still open stays as it is."""
    with ctx.store.write() as transaction:
        try:
            there = drafts.get(transaction, draft.id)
        except NotFoundError:
            there = None
        if there is not None and there.status in OPEN:
            return there
        drafts.put(transaction, draft)
    return draft


def _move_all(
    ctx: Context, changed: Sequence[tuple[Draft, Draft]], action: str, reason: str, *, allowed: bool | None = None
) -> None:
    """Save drafts as they are now; `allowed`: with a yes or a no to their bytes."""
    with ctx.store.write() as transaction:
        for before, now in changed:
            drafts.move(transaction, now, expected=before.status, hash_=before.hash)
            note_action(transaction, ctx, action, f"{before.id} {before.hash}", reason)
            if allowed is not None:
                note_decision(transaction, ctx, now.hash, action, allowed=allowed)


def _shipped_drafts(library: Library, found: Iterable[Draft]) -> list[Draft]:
    """The drafts that are open by their status, though the history of their skill has a version made of them."""
    waiting = [draft for draft in found if draft.status in OPEN]
    if not waiting:
        return []
    known = {_plain_name(skill) for store in library.version_stores() for _, skill in store.histories.skills()}
    return [draft for draft in waiting if _plain_name(draft.target) in known and _was_shipped(library, draft)]


def _plain_name(skill: str) -> str:
    """A skill's own name, without its folder and however it is spelt."""
    return lookalike_key(skill.rpartition("/")[2])


def _was_shipped(library: Library, draft: Draft) -> bool:
    try:
        found = target_of(library, draft)
    except NotFoundError:  # its folder is in no root any more: the whole workspace was moved
        return False
    return shipped_version(found, draft) is not None


def shipped_version(found: FoundSkill, draft: Draft) -> Version | None:
    """The version a draft became; none where it never was one, or was taken back because it could not be saved."""
    made = [version for version in found.history().versions if version.draft == draft.id]
    return made[-1] if made and made[-1].action != "rollback" else None
