"""Moving in from PicoClaw: its skills' earlier texts become their history here, its open drafts are reviewed anew."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.errors import ConflictError, MetierError, NotFoundError
from metier.learning.drafting.proposal import Proposal, Refusal, There, draft_of, normalise
from metier.library.hand_edits import save_hand_edit
from metier.library.proposals import review_gate
from metier.library.proposals.drafts import save_draft
from metier.runs.derive import valid_name
from metier.skills.editing.compose import compose
from metier.skills.package import Package
from metier.store.tables.library import drafts, profiles
from metier.types import Pattern, SkillGuidance
from metier.types.skills import NO_GUIDANCE, Profile, Version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.capture.others.evolution_state import EvolutionState, ForeignDraft, ForeignProfile, SkillBackup
    from metier.context.context import Context
    from metier.library.skills import FoundSkill, Library
    from metier.types import Draft

PICOCLAW = "picoclaw"
OPEN = ("candidate", "quarantined")
UNKNOWN = "the skill is in no folder that Metier knows; add its folder to the setting skill_roots, then import again"


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedIn:
    """What was taken over, and what was not, with the reason."""

    versions: tuple[Version, ...] = ()
    profiles: tuple[str, ...] = ()
    drafts: tuple[Draft, ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    """What it is, and why it stayed behind."""


def move_in(library: Library, state: EvolutionState) -> MovedIn:
    """Take over the history, the profiles and the open drafts of a state folder; nothing live changes."""
    left = list(state.unread)
    versions = _take_histories(library, state, left)
    done = _take_profiles(library.ctx, state.profiles, left)
    open_ = [made for one in state.drafts if one.status in OPEN and (made := _take_draft(library, one, left))]
    return MovedIn(versions=tuple(versions), profiles=tuple(done), drafts=tuple(open_), left=tuple(left))


def _take_histories(library: Library, state: EvolutionState, left: list[tuple[str, str]]) -> list[Version]:
    """The backups of each skill as its earlier versions, where the skill is here and has no history yet."""
    known = {one.skill: one for one in state.profiles}
    by_skill: dict[str, list[SkillBackup]] = {}
    for one in state.backups:
        by_skill.setdefault(one.skill, []).append(one)
    done: list[Version] = []
    for skill, backups in sorted(by_skill.items()):
        try:
            found = library.find(skill)
            if reason := _why_not(found):
                left.append((f"the history of {skill}", reason))
            else:
                done += _take_history(found, backups, known.get(skill))
        except NotFoundError:
            left.append((f"the history of {skill}", UNKNOWN))
        except MetierError as error:
            left.append((f"the history of {skill}", str(error)))
    return done


def _why_not(found: FoundSkill) -> str:
    """Why a skill cannot get a history from elsewhere; empty: it can."""
    past = found.history().versions
    if any(one.actor == PICOCLAW for one in past):
        return "it was taken over before"
    if any(one.action not in ("found", "hand-edit") for one in past):
        return "the skill has a history here already"
    if found.slot.package() is None:
        return "the skill is not there any more"
    return "" if found.root.writable else "the skill belongs to the administrator"


def _take_history(found: FoundSkill, backups: Sequence[SkillBackup], profile: ForeignProfile | None) -> list[Version]:
    """Note the documents in their order, and at last what is there now, each as an imported version."""
    live = found.slot.package()
    if live is None:
        return []
    changes = profile.changes if profile else ()
    states = [(Package(files={"SKILL.md": one.document}), one.moment, _summary(changes, one.moment)) for one in backups]
    last = changes[-1][0] if changes else backups[-1].moment
    states.append((live, max(last, backups[-1].moment), _summary(changes, "9")))
    guidance = profile.guidance if profile else NO_GUIDANCE
    done: list[Version] = []
    with found.version_store.writing():
        for package, moment, summary in states:
            version = Version(
                skill=found.skill,
                root=found.key,
                number=0,
                hash="",
                action="import",
                origin="imported" if profile is None else profile.origin,
                actor=PICOCLAW,
                summary=summary,
                guidance=guidance if package is live else NO_GUIDANCE,
                created=moment,
            )
            done.append(save_hand_edit(found.version_store, found.root.real, package, version))
    return done


def _summary(changes: Sequence[tuple[str, str]], moment: str) -> str:
    """What the last change before a moment was about."""
    return next((said for when, said in reversed(changes) if when < moment), "kept by PicoClaw")


def _take_profiles(ctx: Context, found: Sequence[ForeignProfile], left: list[tuple[str, str]]) -> list[str]:
    """Bring profiles up to what PicoClaw knew: never fewer uses, never an older last use."""
    done: list[str] = []
    with ctx.store.write() as transaction:
        for one in found:
            if not valid_name(one.skill):
                left.append((f"the profile of {one.skill[:80]}", "it cannot be the name of a skill"))
                continue
            known = profiles.get(transaction, one.skill) or Profile(
                skill=one.skill, workspace=ctx.name, origin=one.origin
            )
            now = replace(
                known,
                uses=max(known.uses, one.uses),
                last_used=max(known.last_used, one.last_used),
                retention=max(known.retention, one.retention),
                guidance=known.guidance if known.guidance != NO_GUIDANCE else _redacted(ctx, one.guidance),
            )
            profiles.put(transaction, [now])
            done.append(one.skill)
    return done


def _take_draft(library: Library, one: ForeignDraft, left: list[tuple[str, str]]) -> Draft | None:
    """An open draft, fitted to what is there and reviewed as anything from elsewhere: a person has to agree."""
    ctx = library.ctx
    if not one.body.strip():
        left.append((f"the draft for {one.target[:80]}", "it has no text"))
        return None
    guidance = _redacted(ctx, one.guidance)
    proposal = Proposal(
        target=one.target,
        kind=one.kind,
        type="workflow",
        summary=ctx.redact(one.summary),
        body=ctx.redact(one.body),
        uses=guidance.use_cases,
        entry_path=guidance.entry_path,
        avoid=guidance.avoid,
        notes=(f"draft {one.id} of PicoClaw",),
        model=PICOCLAW,
    )
    try:
        before = library.find(one.target, make=True).slot.package()
        fitted = normalise(proposal, There(here=before))
        if isinstance(fitted, Refusal):
            left.append((f"the draft for {one.target[:80]}", fitted.reason))
            return None
        return _reviewed(library, fitted.proposal, before)
    except MetierError as error:
        left.append((f"the draft for {one.target[:80]}", str(error)))
        return None


def _reviewed(library: Library, proposal: Proposal, before: Package | None) -> Draft:
    ctx = library.ctx
    package = compose(proposal.kind, proposal.target, before, proposal.body)
    review = review_gate.review_change(ctx, package, proposal.target, before)
    nobody = Pattern(id="", workspace=ctx.name, label=proposal.target, summary=proposal.summary)
    draft = draft_of(proposal, nobody, ctx.now(), before.hash() if before else "")
    with ctx.store.read() as transaction:
        if drafts.starting_with(transaction, draft.id):
            raise ConflictError("it was taken over before")
    blocked = review.status == "quarantined" or any(one.severity == "high" for one in draft.findings)
    findings = tuple(dict.fromkeys((*draft.findings, *review.findings)))
    status = "quarantined" if blocked else "candidate"
    return save_draft(ctx, replace(draft, hash=package.hash(), status=status, findings=findings, needs_approval=True))


def _redacted(ctx: Context, guidance: SkillGuidance) -> SkillGuidance:
    """SkillGuidance without secrets: it is printed and kept."""
    return SkillGuidance(
        use_cases=tuple(map(ctx.redact, guidance.use_cases)),
        entry_path=tuple(map(ctx.redact, guidance.entry_path)),
        avoid=tuple(map(ctx.redact, guidance.avoid)),
    )
