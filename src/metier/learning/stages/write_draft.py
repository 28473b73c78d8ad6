"""One pattern's draft: what its runs teach, fitted to what is there, reviewed against its own evidence."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from metier import __version__
from metier.errors import MetierError
from metier.learning.drafting.heuristic import HeuristicDrafter, NothingNew
from metier.learning.drafting.phrases import fixed_words
from metier.learning.drafting.proposal import AFTER, LEARNED, ORIGIN, Proposal, Refusal, draft_of, normalise
from metier.learning.drafting.shortcut import as_shortcut, shortcut_name
from metier.learning.drafting.similar_skills import recall
from metier.learning.lessons.session.net import puts_right
from metier.learning.patterns import GROWTH, is_held_by_fault, is_stable
from metier.learning.procedures.requests import ask_for_one_thing
from metier.learning.stages.read_runs import SessionCache, in_short, read_pattern, runs_around
from metier.library.versions.objects import files_of
from metier.review.review import review_draft, with_sessions
from metier.skills.document.frontmatter import set_metadata
from metier.skills.document.whole import is_whole
from metier.skills.editing.compose import compose
from metier.types import Finding
from metier.types.reviews import OPEN, blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.drafting.proposal import Normalised, There
    from metier.learning.drafting.similar_skills import KnownSkill
    from metier.learning.procedures.procedure import Lessons
    from metier.learning.stages.existing_skills import ExistingSkills
    from metier.learning.stages.group import Grouped
    from metier.learning.stages.read_runs import PatternRuns, RunCache
    from metier.library.skills import Library
    from metier.review.second_opinions import SecondOpinion
    from metier.skills.package import Package
    from metier.types import Draft, Pattern, Run

UNREAD = "the sessions behind it are too long to see what the agent had heard before, so a person has to agree"
TALK = "its runs are turns of conversations that only sound alike"
PUT_RIGHT = "most of its requests only put right what was done before: that is for lessons"
TURNS = 3
"""Other runs for each run of a pattern, from which on its sessions are conversations."""
MIN_REQUESTS, MIN_SESSIONS = 5, 3
"""Requests for the same in conversations, and how many of these."""
GATE = "gate: "
"""How the note begins with which a gate rejects a draft."""


class Drafter(Protocol):
    """Drafts a change to a skill from the runs of a pattern."""

    @property
    def name(self) -> str:
        """Who would draft now: `heuristic`, a model's name, or your own."""
        ...

    def draft(self, pattern: Pattern, lessons: Lessons, recalled: Sequence[KnownSkill]) -> Proposal | NothingNew:
        """The proposed change; or why there is none. `recalled` are skills the pattern may belong to."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDraft:
    """Why there is no draft."""

    reason: str
    refused: bool = False
    """There was something to say, but no skill that can take it."""
    drafter: str = ""
    """Who tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftWriter:
    """Writes the drafts of one pass."""

    library: Library
    existing: ExistingSkills
    cache: RunCache
    """Runs that the pass has read already."""
    drafter: Drafter
    second: Sequence[SecondOpinion] = ()
    """Programs that are asked about every draft, too."""
    unsaved: Grouped | None = None
    """What a dry run has grouped and not saved."""
    sessions: SessionCache = field(default_factory=SessionCache)
    """Whole sessions that the pass has read, to see what an agent had heard."""

    def write(self, pattern: Pattern, earlier: Sequence[Draft]) -> Draft | NoDraft:
        """A new draft of a pattern, reviewed; `earlier` are the drafts it has already."""
        read = read_pattern(self.library.ctx, pattern.id, self.cache, self.unsaved)
        shipped = tuple(dict.fromkeys(name_of(one) for one in earlier if one.status == "accepted"))
        if not pattern.winning_path and not shipped and (reason := self._no_task(read)):
            return NoDraft(reason=reason, drafter=self.drafter.name)
        proposal = self._proposal(pattern, read, shipped)
        if isinstance(proposal, NothingNew):
            return NoDraft(reason=proposal.reason, drafter=proposal.drafter or self.drafter.name)
        proposal = replace(proposal, model=proposal.model or self.drafter.name)
        fitted = self._fit(pattern, proposal, read)
        new = fitted if isinstance(fitted, NoDraft) else fit_into_history(fitted, earlier)
        return replace(new, drafter=proposal.model.removeprefix(AFTER)) if isinstance(new, NoDraft) else new

    def _no_task(self, read: PatternRuns) -> str:
        """Why the requests are no task of their own: corrections, turns of talk that only sound alike; else empty."""
        found = (*read.lessons.successes, *read.lessons.failures)
        around = runs_around(self.library.ctx, read, self.sessions)
        put_right = [one for one in found if _puts_right(one, around)]
        if 2 * len(put_right) > len(found):
            return PUT_RIGHT
        if around is not None and len(around) < TURNS * len(found):
            return ""
        asked = {run.message: run.session for run in found}  # a resumed session holds copies of the one before
        few = len(asked) < MIN_REQUESTS or len(set(asked.values())) < MIN_SESSIONS
        return TALK if few or not ask_for_one_thing(list(asked)) else ""

    def refresh(self, pattern: Pattern, old: Draft) -> Draft:
        """An open draft, fitted and reviewed again; its text stays. A draft that no longer fits is quarantined."""
        proposal = Proposal(
            target=name_of(old),
            kind=old.kind,
            type=old.type,
            summary=old.summary,
            body=old.body,
            beside=old.beside,
            uses=old.guidance.use_cases,
            entry_path=old.guidance.entry_path,
            avoid=old.guidance.avoid,
            matched=old.matched,
            notes=old.notes,
            model=old.provenance.model,
            prompt_hash=old.provenance.prompt_hash,
        )
        read = read_pattern(self.library.ctx, pattern.id, self.cache, self.unsaved)
        new = self._fit(replace(pattern, runs=old.provenance.runs), proposal, read)
        if isinstance(new, NoDraft):
            problem = Finding(
                rule="fits-no-more", severity="high", reason=new.reason, fix=f"metier drafts reject {old.id}"
            )
            new = replace(old, status="quarantined", findings=(problem,), updated=self.library.ctx.now())
        done = carry_over(old, new)
        return replace(done, basis=self.basis(pattern, done))

    def basis(self, pattern: Pattern, draft: Draft) -> str:
        """Stands for all that reviewing a draft rests on: more evidence matters where a person is to be asked."""
        root = str(self.library.default.path) if "/" in draft.target else ""
        there = self.existing.hash(name_of(draft))
        evidence = _evidence(pattern) if draft.needs_approval and not draft.approved else ""
        sessions = self.library.ctx.config.learning.min_sessions
        evidence += "" if sessions == 2 else f" {sessions}"
        return _hash(draft.body, draft.hash, evidence, there, root, __version__)

    def is_up_to_date(self, pattern: Pattern, draft: Draft) -> bool:
        """Whether reviewing a draft again would say nothing new; a fault that kept it back may have passed."""
        return draft.basis == self.basis(pattern, draft) and not is_held_by_fault(draft)

    def attempt_key(self, pattern: Pattern, drafter: str) -> str:
        """A key for one attempt to draft a pattern: who tried, on what evidence, and how much of it."""
        return f"{_hash(drafter, __version__)}:{_evidence(pattern)}:{pattern.successes + pattern.failures}"

    def was_tried_recently(self, pattern: Pattern, tried: str) -> bool:
        """Whether the same drafter got no draft from nearly the same evidence; `tried` is the key of that attempt."""
        who, _, rest = self.attempt_key(pattern, self.drafter.name).partition(":")
        evidence, _, count = rest.partition(":")
        before = tried.split(":")
        if len(before) != 3 or before[0] != who:
            return False
        return before[1] == evidence or int(count) - int(before[2]) < max(1, round(GROWTH * int(before[2])))

    def _proposal(self, pattern: Pattern, read: PatternRuns, shipped: tuple[str, ...]) -> Proposal | NothingNew:
        """What its runs teach, for the skill they follow, the one that was learned of them before, or a new one."""
        lessons = in_short(read.lessons)
        recalled = recall(pattern, self.existing.index, shipped)
        if is_stable(pattern, read.paths, self.library.ctx.config.learning.min_runs):
            return self._shortcut(pattern, lessons, recalled)
        followed = pattern.winning_path or tuple(one.name for one in recalled if one.name in shipped)
        return self.drafter.draft(replace(pattern, winning_path=followed), lessons, recalled)

    def _shortcut(self, pattern: Pattern, lessons: Lessons, recalled: tuple[KnownSkill, ...]) -> Proposal | NothingNew:
        """One skill for a stable chain; one that is there already gets what it does not say yet."""
        existing = self.existing.index.named(shortcut_name(pattern.summary, pattern.winning_path))
        if existing is not None:
            known = replace(pattern, winning_path=(existing.name,))
            found = self.drafter.draft(known, lessons, (existing, *recalled))
        else:
            heuristic = isinstance(self.drafter, HeuristicDrafter)
            found = None if heuristic else self.drafter.draft(pattern, lessons, recalled)
            if found is None or isinstance(found, NothingNew):  # the path of skills is evidence by itself
                found = HeuristicDrafter().draft_chain(pattern, lessons)
        if isinstance(found, NothingNew):
            return found
        parts = [skill for name in pattern.winning_path if (skill := self.existing.index.named(name))]
        return as_shortcut(_untitled(found), pattern, parts, existing)

    def _fit(self, pattern: Pattern, proposal: Proposal, read: PatternRuns) -> Draft | NoDraft:
        there = self.existing.there(proposal.target)
        normal = normalise(proposal, there)
        if isinstance(normal, Refusal):
            return NoDraft(reason=normal.reason, refused=True)
        drafted = self._draft(pattern, normal, there)
        before = normal.copied or there.here
        try:
            package = compose(drafted.kind, normal.proposal.target, before, drafted.body, drafted.beside)
        except MetierError as error:
            if not any(map(blocks, drafted.findings)):
                return NoDraft(reason=str(error))
            return replace(drafted, status="quarantined", ratio=pattern.success_ratio)
        if normal.copied:
            drafted = self._copy(drafted, package)
        return self._review(pattern, replace(drafted, hash=package.hash()), package, before, read)

    def _draft(self, pattern: Pattern, normal: Normalised, there: There) -> Draft:
        proposal = normal.proposal
        if proposal.kind == "create" and is_whole(proposal.body):
            proposal = replace(proposal, body=_with_origin(proposal.body))
        base = there.here.hash() if there.here else ""
        return draft_of(proposal, pattern, self.library.ctx.now(), base)

    def _copy(self, drafted: Draft, package: Package) -> Draft:
        """A change to a skill from elsewhere: the whole of it, as a new skill of this workspace."""
        library = self.library
        if self.unsaved is None:
            with library.version_store.writing():
                library.version_store.objects.save(package)
        target = str(library.default.path / drafted.target)
        return replace(drafted, target=target, kind="create", files=files_of(package), base_hash="")

    def _review(
        self, pattern: Pattern, drafted: Draft, package: Package, before: Package | None, read: PatternRuns
    ) -> Draft:
        evidence = (*read.lessons.successes, *read.lessons.failures)
        review = review_draft(
            replace(drafted, target=name_of(drafted)),
            package,
            before=before,
            evidence=evidence,
            existing=[one for one in self.existing.index.names() if one != name_of(drafted)],
            second=self.second,
            min_sessions=self.library.ctx.config.learning.min_sessions,
            own=fixed_words(),
        )
        unread = False
        if review.status == "candidate" and not review.needs_approval:
            around = runs_around(self.library.ctx, read, self.sessions)
            unread = around is None
            review = with_sessions(review, package, before, evidence, around, fixed_words()) if around else review
        findings = tuple(dict.fromkeys((*drafted.findings, *review.findings)))
        out = self.existing.out(name_of(drafted))
        notes = (f"{name_of(drafted)} is {out}: shipping this brings it back, so a person has to agree",) if out else ()
        notes = (*notes, UNREAD) if unread else notes
        done = replace(
            drafted,
            status="quarantined" if any(map(blocks, findings)) else review.status,
            findings=findings,
            notes=tuple(dict.fromkeys((*drafted.notes, *notes))),
            needs_approval=review.needs_approval or bool(out) or unread,
            ratio=pattern.success_ratio,
        )
        return replace(done, basis=self.basis(pattern, done))


def name_of(draft: Draft) -> str:
    """The skill's own name, also where the target is a folder."""
    return draft.target.rpartition("/")[2]


def _untitled(proposal: Proposal) -> Proposal:
    """A section without its own heading, for it becomes a part of another; a whole document as it is."""
    first, _, rest = proposal.body.lstrip().partition("\n")
    return replace(proposal, body=rest.lstrip()) if first.startswith("#") and rest.strip() else proposal


def _with_origin(body: str) -> str:
    """The document with a note that it was learned; as it is where that cannot be written."""
    if LEARNED in body:
        return body
    try:
        return set_metadata(body.encode(), ORIGIN, "learned").decode()
    except MetierError:
        return body


def _evidence(pattern: Pattern) -> str:
    """Stands for a pattern's evidence, whatever the clock says."""
    return _hash(*pattern.runs, str(pattern.failures), *pattern.winning_path)


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def fit_into_history(draft: Draft, earlier: Sequence[Draft]) -> Draft | NoDraft:
    """A new draft beside the earlier ones of its pattern, or why it is not put before anybody again.

    The same text as that of an open draft is that draft. The same as one that was decided is another draft, unless a
    person said no to it.
    """
    same = [one for one in earlier if one.id == draft.id or one.id in _later_ids(draft.id, len(earlier))]
    refused = [one for one in same if one.status == "rejected" and not was_rejected_by_gate(one)]
    if refused:
        return NoDraft(reason=f"draft {refused[-1].id} says the same, and you rejected it")
    for one in same:
        if one.status in OPEN:
            return carry_over(one, draft)
    return replace(draft, id=_later_ids(draft.id, len(same))[-1]) if same else draft


def carry_over(old: Draft, new: Draft) -> Draft:
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
    return keep_approval(old, now)


def keep_approval(old: Draft, new: Draft) -> Draft:
    """A draft with the yes that another state of it had, as long as it was for these bytes."""
    same = bool(old.approved) and old.approved == new.hash
    return replace(new, approved=old.approved, approver=old.approver, seal=old.seal) if same else _unapproved(new)


def _unapproved(draft: Draft) -> Draft:
    return replace(draft, approved="", approver="", seal="")


def was_rejected_by_gate(draft: Draft) -> bool:
    """Whether it was a gate that rejected a draft, not a person."""
    return any(one.startswith(GATE) for one in draft.notes)


def _later_ids(first: str, count: int) -> list[str]:
    """The ids of further drafts with the same text, in their order."""
    return [sha256(f"{first}\0{number}".encode()).hexdigest()[:12] for number in range(1, count + 1)]


def _puts_right(run: Run, around: Sequence[Run] | None) -> bool:
    """Whether a request only says how other work of its session should have been done; `around` None: nobody knows."""
    if around is None:
        return puts_right(run.message)
    if any(run.message == other.correction for other in around):
        return True
    return bool(run.session) and any(run.session == other.session for other in around) and puts_right(run.message)
