"""What a person can do to a skill's place in the world: take it back, out of sight, back again; pin it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.context.audit import YesWords, current_user, note_action, note_yes
from metier.errors import MetierError, NotFoundError, RefusedError, StoreError
from metier.folders import TOP, refuse_links
from metier.library.claude_links import update_link
from metier.library.disk.slot import ABSENT
from metier.library.hand_edits import record_hand_edit, unsaved_version
from metier.library.package_decisions import REVIEWED_ACTIONS, note_versions
from metier.library.profiles import profile_of, update_profiles
from metier.library.versions.apply import SkillChange, apply_changes
from metier.store.tables.library import drafts, glances
from metier.types.skills import AUTOMATIC, Glance, Version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.library.skills import FoundSkill, Library
    from metier.library.versions.history import SkillHistory
    from metier.skills.package import Package
    from metier.store.engines.engine import Transaction
    from metier.types import Draft
    from metier.types.skills import SkillStatus, VersionAction

ChangeCheck = Callable[[str, "tuple[Package | None, Package]"], object]
"""Asked before a change ships, with the skill and its package before and after; it raises what it refuses."""


def allow_any(skill: str, change: tuple[Package | None, Package]) -> object:
    """Nobody has anything against a change."""


def list_versions(library: Library, skill: str) -> tuple[Version, ...]:
    """All versions of a skill, the oldest first; a hand edit that is not saved yet is the last one. Reads only."""
    found = library.find(skill)
    past = found.history().versions
    with suppress(MetierError):  # a folder that cannot be read has a history all the same
        unsaved = unsaved_version(library.ctx, found)
        return (*past, unsaved) if unsaved else past
    return past


def rollback_skill(
    library: Library, skill: str, to: int | None = None, reason: str = "", check: ChangeCheck = allow_any
) -> Version:
    """Put an earlier version back, as a new version: the one before, or any by its number."""
    found, past = _find_writable(library, skill)
    last = _newest_version(past, skill)
    if last.out:
        raise RefusedError(f"{skill} is {last.status}. Restore it first: metier skills restore {skill}")
    target = past.number(to) if to is not None else _version_before(past, last, skill)
    if target.hash == last.hash:
        raise RefusedError(f"{skill} already equals version {target.number}. Nothing was changed.")
    package = found.load(target)
    check(found.skill, (found.load(last), package))
    said = reason or f"back to version {target.number}"
    version = new_version(library.ctx, found, "rollback", status=last.status, like=target, summary=said)
    version = replace(version, receipt="force_accept: a person took it back")
    return ship_changes(
        library.ctx, [(found, SkillChange(root=found.root.real, package=package, base=last.hash, version=version))]
    )[0]


def archive_skill(library: Library, skill: str, reason: str = "", *, status: SkillStatus = "archived") -> Version:
    """Take a skill out of every agent's sight; it is kept."""
    found, past = _find_writable(library, skill)
    last = _newest_version(past, skill)
    if last.out:
        raise RefusedError(f"{skill} is already {last.status}. Restore it: metier skills restore {skill}")
    action: VersionAction = "archive" if status == "archived" else "delete"
    version = new_version(library.ctx, found, action, status=status, like=last, summary=reason or action)
    package = found.load(last)
    return ship_changes(
        library.ctx, [(found, SkillChange(root=found.root.real, package=package, base=last.hash, version=version))]
    )[0]


def restore_skill(library: Library, skill: str, reason: str = "", check: ChangeCheck = allow_any) -> Version:
    """Bring a skill back that was archived or deleted, by Metier or by hand, or wake a cold one."""
    found, past = _find_writable(library, skill)
    last = _newest_version(past, skill)
    if last.status == "cold":
        return change_status(library.ctx, found, last, "wake", status="active", why=reason or "was cold")
    if not last.out:
        raise RefusedError(f"{skill} already exists. To go back to an earlier version: metier skills rollback {skill}")
    package = found.load(last)
    check(found.skill, (None, package))
    version = new_version(
        library.ctx, found, "restore", status="active", like=last, summary=reason or f"was {last.status}"
    )
    return ship_changes(
        library.ctx, [(found, SkillChange(root=found.root.real, package=package, base=ABSENT, version=version))]
    )[0]


def pin_skill(library: Library, skill: str, *, pinned: bool) -> Version:
    """Exempt a skill from ageing, or let it age again."""
    found, past = _find_writable(library, skill)
    last = _newest_version(past, skill)
    if profile_of(library.ctx, found).pinned == pinned:
        raise RefusedError(f"{skill} is {'pinned already' if pinned else 'not pinned'}. Nothing was changed.")
    return change_status(library.ctx, found, last, "pin" if pinned else "unpin", status=last.status)


def change_status(
    ctx: Context, found: FoundSkill, last: Version, action: VersionAction, *, status: SkillStatus, why: str = ""
) -> Version:
    """Note something about a skill in its history that leaves its bytes as they are."""
    version = new_version(ctx, found, action, status=status, like=last, summary=why or action)
    base = ABSENT if last.out else last.hash
    package = found.load(last)
    return ship_changes(ctx, [(found, SkillChange(root=found.root.real, package=package, base=base, version=version))])[
        0
    ]


def new_version(
    ctx: Context, found: FoundSkill, action: VersionAction, *, status: SkillStatus, like: Version, summary: str
) -> Version:
    """A version to be, made by a person."""
    return Version(
        skill=found.skill,
        root=found.key,
        number=0,
        hash="",
        action=action,
        status=status,
        origin=like.origin,
        actor=current_user(),
        summary=ctx.redact(summary),
        guidance=like.guidance,
        created=ctx.now(),
    )


def ship_changes(
    ctx: Context, changes: Sequence[tuple[FoundSkill, SkillChange]], accepted: Sequence[Draft] = ()
) -> list[Version]:
    """Carry out changes that were allowed, store by store, with links, profiles and the audit log in step.

    `accepted` are the drafts they were made of, to be saved together with them: if that fails, all of it goes back.
    """
    done: list[Version] = []
    for store in {id(found.version_store): found.version_store for found, _ in changes}.values():
        mine = [(found, change) for found, change in changes if found.version_store is store]
        versions = apply_changes(store, [_sealed(ctx, change) for _, change in mine])
        try:
            with ctx.store.write() as transaction:
                update_profiles(ctx, transaction, versions)
                note_versions(transaction, ctx, versions)
                _remember_shipped(transaction, mine, versions)
                _save_accepted(transaction, ctx, accepted, versions)
                for version in versions:
                    subject = f"{version.skill} v{version.number}"
                    note_action(transaction, ctx, f"skill {version.action}", subject, version.summary)
        except StoreError as error:
            _take_back(ctx, mine, versions, error)
            raise
        for (found, _), version in zip(mine, versions, strict=True):
            update_link(ctx, found, version)
        done += versions
    return done


def _sealed(ctx: Context, change: SkillChange) -> SkillChange:
    """A change with this person's seal under its bytes, if it is one that was reviewed or approved."""
    if change.version.action not in REVIEWED_ACTIONS:
        return change
    seal = ctx.seal("version", change.version.skill, change.package.hash())
    return replace(change, version=replace(change.version, seal=seal))


def _remember_shipped(
    transaction: Transaction, changes: Sequence[tuple[FoundSkill, SkillChange]], versions: Sequence[Version]
) -> None:
    """Remember that a skill is there: if a person removes it before the next look, that look misses it.

    Where nothing is remembered of a root the next look goes through all histories, and is left to.
    """
    for root in {found.root.real for found, _ in changes}:
        here = [
            version
            for (found, _), version in zip(changes, versions, strict=True)
            if found.root.real == root and not version.out
        ]
        if here and glances.list_all(transaction, str(root)):
            seen = {one.skill: Glance(fingerprint="", hash=one.hash, version=one.number) for one in here}
            glances.put(transaction, str(root), seen)


def _save_accepted(
    transaction: Transaction, ctx: Context, accepted: Sequence[Draft], versions: Sequence[Version]
) -> None:
    """Save the drafts that some versions were made of."""
    made = {version.draft: version for version in versions}
    for draft in accepted:
        if draft.id in made:
            drafts.put(transaction, draft)
            version, subject = made[draft.id], f"{draft.id} {draft.hash}"
            if version.actor == AUTOMATIC or draft.approved == draft.hash:
                note_action(transaction, ctx, "apply draft", subject, draft.summary)
            else:  # to ship what needs no approval is a yes, too
                undo = f"metier skills {'rollback' if version.parent else 'archive'} {version.skill}"
                yes = YesWords(about=f"the draft for {version.skill}", undo=undo)
                note_yes(transaction, ctx, "apply draft", subject, draft.summary, yes)


def _take_back(
    ctx: Context, changes: Sequence[tuple[FoundSkill, SkillChange]], versions: Sequence[Version], error: StoreError
) -> None:
    """Put back what was there before changes that went through only half; where that fails, say that they are made."""
    why = f"it could not be noted in the store: {error}"
    back: list[SkillChange] = []
    for (found, change), version in zip(changes, versions, strict=True):
        before = next((one for one in reversed(found.history().versions) if one.hash == version.parent), None)
        entry = new_version(ctx, found, "rollback", status=version.status, like=version, summary=why)
        package = found.load(before) if before else change.package
        status: SkillStatus = entry.status if before else "deleted"
        base = ABSENT if version.out else version.hash
        entry = replace(entry, status=status, draft=version.draft)
        back.append(SkillChange(root=change.root, package=package, base=base, version=entry))
    try:
        for (found, _), version in zip(changes, apply_changes(changes[0][0].version_store, back), strict=True):
            update_link(ctx, found, version)
    except MetierError:
        names = ", ".join(f"{version.skill} v{version.number}" for version in versions)
        raise StoreError(f"{error} The skill itself was changed, and stays changed: {names}.") from None


def _find_writable(library: Library, skill: str) -> tuple[FoundSkill, SkillHistory]:
    """A skill with its history, after what was done to it by hand has been kept."""
    found = library.find(skill)
    if not found.root.writable:
        raise RefusedError(f"{found.folder} belongs to the administrator; Metier changes nothing there.")
    refuse_links(TOP, found.slot.folder)
    record_hand_edit(library.ctx, found)
    return found, found.history()


def _newest_version(past: SkillHistory, skill: str) -> Version:
    if past.last is None:
        raise NotFoundError(f"There is no saved version of {skill}.")
    return past.last


def _version_before(past: SkillHistory, last: Version, skill: str) -> Version:
    """The state before the newest change of bytes."""
    for version in reversed(past.versions):
        if version.hash != last.hash:
            return version
    raise RefusedError(f"{skill} has no earlier version. To hide it: metier skills archive {skill}")
