"""Ship drafts: those that review let through or a person approved, all of them or none."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.context.audit import current_user, note_action
from metier.errors import ConflictError, RefusedError, StoreError
from metier.library.changes import change_status, ship_changes
from metier.library.hand_edits import record_hand_edit
from metier.library.package_decisions import decision_on, is_refused, note_decision, refusal_text
from metier.library.proposals import review_gate
from metier.library.proposals.drafts import (
    finish_interrupted_drafts,
    get_open_draft,
    is_approved,
    note_objection,
    proposed_change,
    shipped_version,
    target_of,
)
from metier.library.proposals.gate import BY_PERSON, DOUBT, PASSING, UNJUDGED, receipt_of
from metier.library.proposals.parcels import versions_in_parcel
from metier.library.proposals.training_receipt import NO_RECEIPT, proven_decision, training_receipt
from metier.library.versions.apply import SkillChange
from metier.store.tables.library import drafts
from metier.types import Finding
from metier.types.reviews import FAILED, blocks, only_failed
from metier.types.skills import AUTOMATIC, Version
from metier.types.trials import Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.library.proposals.drafts import ComposedDraft
    from metier.library.proposals.gate import ShipGate
    from metier.library.skills import FoundSkill, Library
    from metier.types import Draft
    from metier.types.skills import SkillOrigin, SkillStatus, VersionAction


GATE_NO = "gate rejects draft"
"""What the audit log says where a gate decided against a draft: a later gate may decide otherwise."""


def apply_drafts(library: Library, ids: Sequence[str]) -> list[Version]:
    """Ship drafts that passed review, or that a person approved: all of them or none."""
    finish_interrupted_drafts(library)
    chosen = [get_open_draft(library, draft) for draft in dict.fromkeys(ids)]
    for draft in chosen:
        check_allowed(library.ctx, draft)
    return _ship_all(
        library, [(_prepare(library, one), proven_decision(library.ctx, one) or BY_PERSON) for one in chosen]
    )


def ship_if_gate_agrees(library: Library, draft: Draft, gate: ShipGate) -> Version | Draft:
    """Ship one draft if its gate or a person agrees; reject it with the gate's reason if that says no.

    Where the gate cannot tell, the draft waits for a person. A draft that cannot be shipped is quarantined with the
    cause, and can be tried again.
    """
    ctx = library.ctx
    check_allowed(ctx, draft)
    said = decision_on(ctx, draft.hash)
    if said and is_refused(said) and said.action != GATE_NO and not is_approved(ctx, draft):
        return _note_doubt(ctx, draft, Decision(action="uninformative", reason=refusal_text(said)))
    try:
        change = _prepare(library, draft)
        decision = gate.decide(draft, change.before, change.after)
        if decision.action in PASSING or (_is_wanted(ctx, draft, decision) and not decision.asks):
            return _ship_all(library, [(change, decision)])[0]
    except ConflictError:  # somebody was faster: the next pass writes the draft anew
        raise
    except (RefusedError, StoreError) as error:
        if _is_unchanged(ctx, draft):
            _quarantine(ctx, draft, target_of(library, draft), str(error))
        raise
    if decision.action == "uninformative":
        return _note_doubt(ctx, draft, decision)
    notes = (*draft.notes, f"gate: {receipt_of(decision)}")
    now = replace(note_objection(draft, decision.reason), status="rejected", notes=notes, updated=ctx.now())
    with ctx.store.write() as transaction:
        drafts.move(transaction, now, expected=draft.status, hash_=draft.hash)
        note_action(transaction, ctx, GATE_NO, f"{draft.id} {draft.hash}", decision.reason)
        note_decision(transaction, ctx, draft.hash, GATE_NO, allowed=False)
    return now


def _is_wanted(ctx: Context, draft: Draft, decision: Decision) -> bool:
    """Whether a person said yes to it; where the gate rejects it, after they had seen that."""
    return is_approved(ctx, draft) and (decision.action != "reject" or bool(draft.objection))


def _note_doubt(ctx: Context, draft: Draft, decision: Decision) -> Draft:
    """Keep with a draft why its gate could not tell; what it said before goes."""
    note = f"{DOUBT}{decision.reason}"
    if decision == UNJUDGED or note in draft.notes:
        return draft
    notes = (*(one for one in draft.notes if not one.startswith(DOUBT)), note)
    now = replace(draft, notes=notes, updated=ctx.now())
    with ctx.store.write() as transaction:
        drafts.move(transaction, now, expected=draft.status, hash_=draft.hash)
    return now


def _prepare(library: Library, draft: Draft) -> ComposedDraft:
    """Find a draft's skill, save what was done to it by hand, and compose what the draft makes of it."""
    change = proposed_change(library, draft)
    record_hand_edit(library.ctx, change.found)
    return change


def _ship_all(library: Library, chosen: Sequence[tuple[ComposedDraft, Decision]]) -> list[Version]:
    """Ship drafts that are allowed to ship: all of them or none."""
    ctx = library.ctx
    for change, _ in chosen:
        _check_current(ctx, change)
    accepted = [
        replace(change.draft, status="accepted", findings=_review_findings(change.draft), updated=ctx.now())
        for change, _ in chosen
    ]
    changes = [(change.found, _change(library, change, decision)) for change, decision in chosen]
    try:
        return ship_changes(ctx, changes, accepted)
    except StoreError as error:
        there = [shipped_version(change.found, change.draft) for change, _ in chosen]
        shipped = [version for version in there if version]
        if len(shipped) == len(chosen):  # it could not be taken back: the next command completes it
            return shipped
        for (change, _), version in zip(chosen, there, strict=True):
            if version is None:
                _quarantine(ctx, change.draft, change.found, str(error))
        raise


def _check_current(ctx: Context, change: ComposedDraft) -> None:
    """Refuse a draft that was changed since it was allowed to ship, or whose skill changed since it was made."""
    draft, found = change.draft, change.found
    if not _is_unchanged(ctx, draft):
        raise ConflictError(f"Somebody changed draft {draft.id} in the meantime. Look at it again.")
    if change.after.hash() != draft.hash:
        raise ConflictError(f"{found.skill} changed after draft {draft.id} was made. Reject it and make it again.")
    review_gate.check_standard(change.after, change.before, found.skill)


def _change(library: Library, proposed: ComposedDraft, decision: Decision) -> SkillChange:
    draft, found = proposed.draft, proposed.found
    last, approved = found.last(), is_approved(library.ctx, draft)
    made = training_receipt(library.ctx, draft.provenance.training)
    made = made if made.skill_hash == draft.hash else NO_RECEIPT
    imported = bool(draft.files) and not draft.pattern and not draft.provenance.training
    origin: SkillOrigin = "imported" if imported else "learned"
    action: VersionAction = "import" if imported else "apply"
    version = Version(
        skill=found.skill,
        root=found.key,
        number=0,
        hash="",
        action=action,
        status=_status(last, decision, approved=approved),
        origin=last.origin if last else origin,
        actor=_decider(draft, decision, approved=approved),
        summary=draft.summary,
        draft=draft.id,
        step=f"{made.training} step {made.step}" if made.training else "",
        provenance=draft.provenance,
        guidance=draft.guidance,
        findings=_review_findings(draft),
        receipt=_receipt(decision, draft, approved=approved),
        gain=made.gain,
        created=library.ctx.now(),
    )
    past = versions_in_parcel(library, draft, found)
    return SkillChange(root=found.root.real, package=proposed.after, base=draft.base_hash, version=version, past=past)


def _decider(draft: Draft, decision: Decision, *, approved: bool) -> str:
    """Who decided that a draft ships: the person who approved or applied it, else the gate."""
    if approved and draft.approver:
        return draft.approver
    return current_user() if approved or decision == BY_PERSON else AUTOMATIC


def _receipt(decision: Decision, draft: Draft, *, approved: bool) -> str:
    """What a version's history says of the gate: a person's yes, and what was measured beside it."""
    if not approved:
        return receipt_of(decision)
    measured = f"; {receipt_of(decision)}" if decision.action in ("accept", "accept_new_best") else ""
    measured = f"; reject: {draft.objection}" if draft.objection else measured
    return f"force_accept: approved by a person{measured}"


def _status(last: Version | None, decision: Decision, *, approved: bool) -> SkillStatus:
    """The skill's status afterwards: unchanged if it is in use; else active only if a person or a gate is sure."""
    if last and not last.out:
        return last.status
    sure = approved or decision == BY_PERSON or decision.action in ("accept", "accept_new_best")
    return "active" if sure else "provisional"


def _is_unchanged(ctx: Context, draft: Draft) -> bool:
    """Whether a draft is still what it was when it was allowed to ship: a gate may take its time."""
    with ctx.store.read() as transaction:
        now = drafts.get(transaction, draft.id)
    return (now.status, now.hash) == (draft.status, draft.hash)


def check_allowed(ctx: Context, draft: Draft) -> None:
    """Refuse a draft that review or a gate stopped, or that needs an approval which it does not have."""
    if is_approved(ctx, draft):
        return
    if draft.status == "quarantined" and not only_failed(draft):
        worst = next((one.reason for one in draft.findings if blocks(one)), "review blocked it.")
        raise RefusedError(
            f"Draft {draft.id} is quarantined: {worst} Look at it: metier drafts show {draft.id}. "
            f"If you are sure: metier drafts approve {draft.id}"
        )
    if draft.objection:
        raise RefusedError(
            f"A gate rejected draft {draft.id}: {draft.objection}. Nothing was changed. "
            f"If you want it all the same: metier drafts approve {draft.id} --despite-gate"
        )
    if draft.needs_approval:
        raise RefusedError(f"Draft {draft.id} needs your approval first: metier drafts approve {draft.id}")


def _quarantine(ctx: Context, draft: Draft, found: FoundSkill, cause: str) -> None:
    """Note that a draft could not be shipped; the skill's files are what they were."""
    failure = Finding(rule=FAILED, severity="high", reason=cause, fix=f"metier drafts apply {draft.id}")
    findings = (*_review_findings(draft), failure)
    now = replace(draft, status="quarantined", findings=findings, updated=ctx.now())
    with suppress(StoreError), ctx.store.write() as transaction:
        drafts.put(transaction, now)
        note_action(transaction, ctx, "apply failed", f"{draft.id} {draft.hash}", cause)
    last = found.last()
    if last is not None and last.action != "rollback":
        why = f"draft {draft.id} could not be applied: {cause}"
        with suppress(StoreError):
            change_status(ctx, found, last, "rollback", status=last.status, why=why)


def _review_findings(draft: Draft) -> tuple[Finding, ...]:
    """What review found, without what came of an attempt to ship."""
    return tuple(one for one in draft.findings if one.rule != FAILED)
