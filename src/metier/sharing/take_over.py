"""Take over what a server offers: all of it is fetched and verified first, then it goes through the door together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from metier.context.audit import acting_as, note_action
from metier.errors import InputError, MetierError, RefusedError
from metier.library.changes import new_version, ship_changes
from metier.library.disk.slot import ABSENT
from metier.library.hand_edits import record_hand_edit
from metier.library.proposals.drafts import draft_of_package, save_draft
from metier.library.proposals.review_gate import check_standard, review_change
from metier.library.skills import FoundSkill
from metier.library.versions.apply import SkillChange
from metier.sharing.manifest import verified_manifest
from metier.sharing.membership import TAKES, write_membership
from metier.sharing.take_lessons import LessonPlan, by_server, plan_lessons, take_lessons
from metier.skills.names import name_problem
from metier.skills.package import Package
from metier.types.skills import Version

if TYPE_CHECKING:
    from metier.library.skills import Library
    from metier.sharing.manifest import OfferedSkill, OfferManifest, SignedManifest
    from metier.sharing.membership import Membership
    from metier.types.reviews import Review

MOST = 256 * 1024 * 1024
"""Bytes that one sync may bring."""
How = Literal["new", "updated", "removed", "held", "kept"]


class OfferSource(Protocol):
    """Where manifests and objects come from."""

    def manifest(self) -> SignedManifest:
        """What is offered now."""
        ...

    def object(self, name: str) -> bytes:
        """The bytes with a hash."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenItem:
    """What became of one skill or lesson."""

    kind: Literal["skill", "lesson"]
    name: str
    how: How
    """Held: review stops it here, or this person said no. Kept: it was changed here, and stays so."""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What one sync did."""

    number: int
    items: tuple[TakenItem, ...]
    skills: int
    """Skills from the server that are in use here now."""
    lessons: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _SkillStep:
    found: FoundSkill
    live: Package | None
    package: Package
    version: Version
    how: How


def sync_now(library: Library, membership: Membership, source: OfferSource) -> SyncReport:
    """Bring this workspace to what the server offers; nothing is changed unless all of it is verified."""
    manifest = verified_manifest(source.manifest(), membership.key)
    if manifest.number < membership.number:
        raise RefusedError(
            f"{membership.host} offers an older state (number {manifest.number}) than was taken here "
            f"({membership.number}). Nothing was taken. If it was restored from a backup, join again: metier sync join"
        )
    taker = _Taker(library, membership, source)
    steps, items = taker.plan_skills(manifest)
    wanted = [one for one in manifest.lessons if one.scope in TAKES[membership.scope]]
    lessons = plan_lessons(library.ctx, membership, wanted, source.object)
    with acting_as(by_server(membership)):
        _ship(library, steps)
        taken = take_lessons(library.ctx, membership, lessons)
    now = _membership_after(library, membership, manifest, steps, lessons)
    write_membership(library.ctx, now)
    told = [TakenItem(kind="lesson", name=one.text, how=one.how, reason=one.reason) for one in taken]
    done = [TakenItem(kind="skill", name=one.found.skill, how=one.how) for one in steps]
    return SyncReport(
        number=manifest.number, items=(*done, *items, *told), skills=len(now.skills), lessons=len(now.lessons)
    )


class _Taker:
    """Plans what becomes of each skill; the bytes it fetches are counted."""

    def __init__(self, library: Library, membership: Membership, source: OfferSource) -> None:
        self._library, self._membership, self._source = library, membership, source
        self._known = dict(membership.skills)
        self._fetched = 0

    def plan_skills(self, manifest: OfferManifest) -> tuple[list[_SkillStep], list[TakenItem]]:
        """What is to be done, and what is not and why."""
        wanted = {one.name: one for one in manifest.skills if one.scope in TAKES[self._membership.scope]}
        steps: list[_SkillStep] = []
        left: list[TakenItem] = []
        for name in sorted({*wanted, *self._known}):
            planned = self._take(wanted[name]) if name in wanted else self._remove(name)
            if isinstance(planned, TakenItem):
                left.append(planned)
            elif planned is not None:
                steps.append(planned)
        return steps, left

    def _take(self, offered: OfferedSkill) -> _SkillStep | TakenItem | None:
        if problem := name_problem(offered.name):
            raise RefusedError(f"The server calls a skill {offered.name[:80]!r}: {problem}. Nothing was taken.")
        found, live = _here(self._library, offered.name)
        known = self._known.get(offered.name)
        if live is not None and live.hash() == offered.hash:
            return None
        if live is not None and live.hash() != known:
            return _kept(offered.name, "it was changed here, or is your own")
        if live is None and known is not None:
            return _kept(offered.name, "you took it out here; bring it back: metier skills restore " + offered.name)
        package = self._fetch(offered)
        try:
            check_standard(package, live, offered.name)
        except InputError as error:
            return TakenItem(kind="skill", name=offered.name, how="held", reason=str(error))
        review = review_change(self._library.ctx, package, offered.name, live)
        if review.status != "candidate":
            return self._hold(found, package, review)
        return _SkillStep(
            found=found,
            live=live,
            package=package,
            version=self._version(found, offered, review),
            how="updated" if live else "new",
        )

    def _hold(self, found: FoundSkill, package: Package, review: Review) -> TakenItem:
        """What review stops here waits as a draft, whoever approved it elsewhere."""
        draft = draft_of_package(self._library, found, package, summary=f"from {self._membership.host}")
        draft = save_draft(self._library.ctx, replace(draft, status=review.status, findings=review.findings))
        reason = f"review stops it here: metier drafts show {draft.id}"
        return TakenItem(kind="skill", name=found.skill, how="held", reason=reason)

    def _remove(self, name: str) -> _SkillStep | TakenItem | None:
        found, live = _here(self._library, name)
        last = found.last()
        if live is None or last is None:
            return None
        if live.hash() != self._known[name]:
            return _kept(name, "the server took it back, but it was changed here")
        why = f"taken back at {self._membership.host}"
        version = new_version(self._library.ctx, found, "archive", status="archived", like=last, summary=why)
        return _SkillStep(found=found, live=live, package=live, version=version, how="removed")

    def _fetch(self, offered: OfferedSkill) -> Package:
        """The package, every byte checked against what was signed."""
        files: dict[str, bytes] = {}
        for file in offered.files:
            self._fetched += file.size
            if self._fetched > MOST:
                raise RefusedError(f"The server offers more than {MOST // 2**20} MiB at once. Nothing was taken.")
            files[file.path] = self._source.object(file.object)
        try:
            package = Package(files=files, executable=frozenset(one.path for one in offered.files if one.executable))
        except MetierError as error:
            raise RefusedError(f"The server's {offered.name} is no skill package: {error} Nothing was taken.") from None
        if package.hash() != offered.hash:
            raise RefusedError(f"The server's {offered.name} is not what its hash says. Nothing was taken.")
        return package

    def _version(self, found: FoundSkill, offered: OfferedSkill, review: Review) -> Version:
        host, ctx = self._membership.host, self._library.ctx
        return Version(
            skill=found.skill,
            root=found.key,
            number=0,
            hash="",
            action="import",
            status="active",
            origin="imported",
            actor=ctx.redact(f"{offered.approver} at {host}"),
            summary=f"version {offered.version} of {host}",
            findings=review.findings,
            receipt=f"force_accept: approved at {host}",
            created=ctx.now(),
        )


def _ship(library: Library, steps: list[_SkillStep]) -> None:
    """All of them or none, as the library ships everything."""
    for step in steps:
        record_hand_edit(library.ctx, step.found)
    if steps:
        ship_changes(library.ctx, [(step.found, _change(step)) for step in steps])


def _change(step: _SkillStep) -> SkillChange:
    base = step.live.hash() if step.live else ABSENT
    return SkillChange(root=step.found.root.real, package=step.package, base=base, version=step.version)


def _membership_after(
    library: Library, before: Membership, manifest: OfferManifest, steps: list[_SkillStep], lessons: LessonPlan
) -> Membership:
    wanted = {one.name: one.hash for one in manifest.skills if one.scope in TAKES[before.scope]}
    changed = {step.found.skill: step.package.hash() for step in steps if step.how != "removed"}
    known = {name: digest for name, digest in before.skills if name in wanted} | changed
    same = {name: digest for name, digest in wanted.items() if name not in known and _is_live(library, name, digest)}
    return replace(
        before,
        number=manifest.number,
        synced=library.ctx.now(),
        skills=tuple(sorted((known | same).items())),
        lessons=tuple(lessons.after.items()),
    )


def _here(library: Library, name: str) -> tuple[FoundSkill, Package | None]:
    found = FoundSkill(version_store=library.version_store, root=library.default, skill=name)
    return found, found.slot.package()


def _is_live(library: Library, name: str, digest: str) -> bool:
    _, live = _here(library, name)
    return live is not None and live.hash() == digest


def _kept(name: str, reason: str) -> TakenItem:
    return TakenItem(kind="skill", name=name, how="kept", reason=reason)


def note_joined(library: Library, membership: Membership) -> None:
    """Keep that a server was joined, and note it in the audit log."""
    ctx = library.ctx
    write_membership(ctx, membership)
    with ctx.store.write() as transaction:
        note_action(transaction, ctx, "sync join", membership.host, f"{membership.scope}, key {membership.key[:16]}")
