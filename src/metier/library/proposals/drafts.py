"""Drafts and a person's word on them: approved for the bytes they saw, rejected with a reason, shipped."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.context.audit import current_user, note_action
from metier.errors import ConflictError, MetierError, NotFoundError, RefusedError, StoreError
from metier.library.changes import ship, turn
from metier.library.hand_edits import notice_one
from metier.library.proposals import door
from metier.library.proposals import proposals as drafting
from metier.library.proposals.gate import PASSING, UNJUDGED, receipt
from metier.library.proposals.training_receipt import NOTHING, brought, proven
from metier.library.versions.apply import Change
from metier.review.capabilities import capability_diff
from metier.review.result import blocks
from metier.skills.names import fold
from metier.store.tables.shipping import drafts
from metier.types import Finding
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.context.context import Context
    from metier.library.proposals.gate import Gate
    from metier.library.skills import Found, Library
    from metier.types import Draft
    from metier.types.skills import SkillOrigin, SkillStatus, VersionAction
    from metier.types.trials import Decision


FAILED = "apply-failed"
"""The rule of a finding that says why a draft could not be shipped."""


def listed(library: Library, *, every: bool = False) -> list[Draft]:
    """The drafts that wait for something, oldest first; with `every` also those that were decided."""
    catch_up(library)
    with library.ctx.store.read() as transaction:
        found = drafts.listed(transaction)
    return [draft for draft in found if every or draft.status in drafting.OPEN]


def one(library: Library, draft: str) -> Draft:
    """A draft by its id, or the unique beginning of it."""
    matching = [found for found in listed(library, every=True) if found.id.startswith(draft)]
    if not matching or not draft:
        raise NotFoundError(f"There is no draft '{draft}' here. `metier drafts list --all` shows them.")
    if len(matching) > 1:
        raise NotFoundError(f"'{draft}' begins {len(matching)} drafts. Give more of the id.")
    return matching[0]


def additions(library: Library, draft: Draft) -> tuple[str, ...]:
    """What a draft newly allows, in plain words; nothing once it cannot be composed any more."""
    with suppress(MetierError):
        before = drafting.target_of(library, draft).place.live()
        return tuple(one.words for one in capability_diff(before, drafting.package_of(library, draft)))
    return ()


def approve(library: Library, draft: str, *, seen: str = "", reason: str = "") -> Draft:
    """Say yes to a draft exactly as it is; `seen` is the hash that was looked at, if not the stored one."""
    found = _open(library, draft)
    _check_seen(library, found, seen)
    now = replace(found, approved=found.hash, approver=current_user(), updated=library.ctx.now())
    with library.ctx.store.write() as transaction:
        drafts.move(transaction, now, expected=found.status, hash_=found.hash)
        note_action(transaction, library.ctx, "approve draft", f"{found.id} {found.hash}", library.ctx.redact(reason))
    return now


def reject(library: Library, draft: str, reason: str) -> Draft:
    """Say no to a draft, and why."""
    found = _open(library, draft)
    said = library.ctx.redact(reason)
    now = replace(
        found, status="rejected", approved="", notes=(*found.notes, f"rejected: {said}"), updated=library.ctx.now()
    )
    with library.ctx.store.write() as transaction:
        drafts.move(transaction, now, expected=found.status, hash_=found.hash)
        note_action(transaction, library.ctx, "reject draft", f"{found.id} {found.hash}", said)
    return now


def apply_drafts(library: Library, ids: Sequence[str]) -> list[Version]:
    """Ship drafts that passed review, or that a person approved: all of them or none."""
    chosen = [_open(library, draft) for draft in dict.fromkeys(ids)]
    for draft in chosen:
        _check_allowed(draft)
    return _shipped(library, chosen, _proven(library.ctx, chosen))


def _proven(ctx: Context, chosen: Sequence[Draft]) -> dict[str, Decision]:
    """What cases have shown about drafts that come from a training."""
    return {draft.id: decision for draft in chosen if (decision := proven(ctx, draft))}


def may_ship(draft: Draft) -> bool:
    """Whether nobody has to be asked about a draft any more."""
    if draft.approved and draft.approved == draft.hash:
        return draft.status in drafting.OPEN
    return (draft.status == "candidate" or _only_failed(draft)) and not draft.needs_approval


def gated(library: Library, draft: Draft, gate: Gate) -> Version | Draft:
    """Ship one draft if its gate has nothing against it; else it is rejected with the gate's reason.

    One that cannot be shipped is quarantined with the cause, and may be tried again.
    """
    _check_allowed(draft)
    found = drafting.target_of(library, draft)
    try:
        decision = gate.decide(draft, found.place.live(), drafting.package_of(library, draft))
        if decision.action in PASSING:
            return _shipped(library, [draft], {draft.id: decision})[0]
    except ConflictError:  # somebody was faster: the next look makes it fit again
        raise
    except (RefusedError, StoreError) as error:
        if _is_unmoved(library.ctx, draft):
            _failed(library.ctx, draft, found, str(error))
        raise
    now = replace(
        draft, status="rejected", notes=(*draft.notes, f"gate: {receipt(decision)}"), updated=library.ctx.now()
    )
    with library.ctx.store.write() as transaction:
        drafts.move(transaction, now, expected=draft.status, hash_=draft.hash)
        note_action(transaction, library.ctx, "gate rejects draft", f"{draft.id} {draft.hash}", decision.reason)
    return now


def _shipped(library: Library, chosen: Sequence[Draft], decisions: Mapping[str, Decision]) -> list[Version]:
    """Ship drafts that are allowed to: all of them or none."""
    pairs: list[tuple[Found, Change]] = []
    for draft in chosen:
        if not _is_unmoved(library.ctx, draft):
            raise ConflictError(f"Draft {draft.id} was changed by somebody meanwhile. Look at it again.")
        found = drafting.target_of(library, draft)
        notice_one(library.ctx, found)
        package = drafting.package_of(library, draft)
        if package.hash() != draft.hash:
            raise ConflictError(
                f"Draft {draft.id} would make something else by now than what was looked at: {found.skill} changed "
                "meanwhile. Reject it and make it anew."
            )
        door.check_standard(package, found.place.live(), found.skill)
        pairs.append((found, _change(library, draft, found, decisions.get(draft.id, UNJUDGED))))
    try:
        versions = ship(library.ctx, pairs)
    except StoreError as error:
        for draft, (found, _) in zip(chosen, pairs, strict=True):
            _failed(library.ctx, draft, found, str(error))
        raise
    with library.ctx.store.write() as transaction:
        for draft in chosen:
            drafts.put(
                transaction, replace(draft, status="accepted", findings=_earlier(draft), updated=library.ctx.now())
            )
            note_action(transaction, library.ctx, "apply draft", f"{draft.id} {draft.hash}", draft.summary)
    return versions


def _change(library: Library, draft: Draft, found: Found, decision: Decision) -> Change:
    from metier.library.proposals.parcels import past_of

    last = found.last()
    made = brought(library.ctx, draft.provenance.training)
    made = made if made.skill_hash == draft.hash else NOTHING
    imported = bool(draft.files) and not draft.pattern and not draft.provenance.training
    origin: SkillOrigin = "imported" if imported else "learned"
    action: VersionAction = "import" if imported else "apply"
    version = Version(
        skill=found.skill,
        root=found.key,
        number=0,
        hash="",
        action=action,
        status=_status(draft, last, decision),
        origin=last.origin if last else origin,
        actor=draft.provenance.model or draft.approver or current_user(),
        summary=draft.summary,
        draft=draft.id,
        step=f"{made.training} step {made.step}" if made.training else "",
        provenance=draft.provenance,
        findings=_earlier(draft),
        receipt="force_accept: approved by a person" if draft.approved else receipt(decision),
        gain=made.gain,
        created=library.ctx.now(),
    )
    package = drafting.package_of(library, draft)
    past = past_of(library, draft, found)
    return Change(root=found.root.real, package=package, base=draft.base_hash, version=version, past=past)


def _status(draft: Draft, last: Version | None, decision: Decision) -> SkillStatus:
    """What the skill is then: as it was, if it was in use; else active only where somebody or a gate is sure of it."""
    if last and not last.out:
        return last.status
    sure = bool(draft.approved) or decision.action in ("accept", "accept_new_best")
    return "active" if sure else "provisional"


def _open(library: Library, draft: str) -> Draft:
    found = one(library, draft)
    if found.status not in drafting.OPEN:
        raise ConflictError(f"Draft {found.id} is {found.status} already.")
    return found


def _check_seen(library: Library, draft: Draft, seen: str) -> None:
    """Whether a person's yes is to what the draft would make now."""
    if seen and seen != draft.hash:
        raise ConflictError(f"Draft {draft.id} is {draft.hash[:12]} by now, you looked at {seen[:12]}. Look again.")
    if drafting.package_of(library, draft).hash() != draft.hash:
        raise ConflictError(f"What draft {draft.id} would make of {draft.target} changed meanwhile. Look again.")


def _is_unmoved(ctx: Context, draft: Draft) -> bool:
    """Whether a draft is still what it was when somebody said that it may ship: a gate may take its time."""
    with ctx.store.read() as transaction:
        now = drafts.get(transaction, draft.id)
    return (now.status, now.hash) == (draft.status, draft.hash)


def _check_allowed(draft: Draft) -> None:
    if draft.approved and draft.approved == draft.hash:
        return
    if draft.status == "quarantined" and not _only_failed(draft):
        worst = next((one.reason for one in draft.findings if blocks(one)), "review did not let it through.")
        raise RefusedError(
            f"Draft {draft.id} is quarantined: {worst} Look: metier drafts show {draft.id}. "
            f"If you are sure: metier drafts approve {draft.id}"
        )
    if draft.needs_approval:
        raise RefusedError(f"Draft {draft.id} needs a person's yes first: metier drafts approve {draft.id}")


def _only_failed(draft: Draft) -> bool:
    """Whether nothing is in a draft's way but that it could not be shipped the last time."""
    blocking = {one.rule for one in draft.findings if blocks(one)}
    return draft.status == "quarantined" and blocking == {FAILED}


def _failed(ctx: Context, draft: Draft, found: Found, cause: str) -> None:
    """Note that a draft could not be shipped; the files are what they were."""
    failure = Finding(rule=FAILED, severity="high", reason=cause, fix=f"metier drafts apply {draft.id}")
    now = replace(draft, status="quarantined", findings=(*_earlier(draft), failure), updated=ctx.now())
    with suppress(StoreError), ctx.store.write() as transaction:
        drafts.put(transaction, now)
        note_action(transaction, ctx, "apply failed", f"{draft.id} {draft.hash}", cause)
    last = found.last()
    if last is not None and last.action != "rollback":
        with suppress(StoreError):
            turn(
                ctx, found, last, "rollback", status=last.status, why=f"draft {draft.id} could not be applied: {cause}"
            )


def _earlier(draft: Draft) -> tuple[Finding, ...]:
    """What review found, without what came of trying to ship."""
    return tuple(one for one in draft.findings if one.rule != FAILED)


def catch_up(library: Library) -> None:
    """Mark drafts as accepted that were shipped by a process which did not live to say so."""
    with library.ctx.store.read() as transaction:
        waiting = [draft for draft in drafts.listed(transaction) if draft.status in drafting.OPEN]
    if not waiting:
        return
    known = {_name(skill) for shelf in library.shelves() for _, skill in shelf.histories.skills()}
    shipped = [draft for draft in waiting if _name(draft.target) in known and _was_shipped(library, draft)]
    if shipped:
        with library.ctx.store.write() as transaction:
            for draft in shipped:
                drafts.put(transaction, replace(draft, status="accepted", updated=library.ctx.now()))


def _name(skill: str) -> str:
    """A skill's own name, whatever its folder and spelling."""
    return fold(skill.rpartition("/")[2])


def _was_shipped(library: Library, draft: Draft) -> bool:
    try:
        found = drafting.target_of(library, draft)
    except NotFoundError:  # its folder is in no root any more: the whole workspace was moved
        return False
    return any(version.draft == draft.id for version in found.past().versions)
