"""The story of a skill: where its text comes from, which gate let it through, what trials showed, uses and cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.library.changes import list_versions
from metier.library.profiles import profile_of
from metier.library.proposals.training_receipt import training_receipts
from metier.library.versions.blame import blame
from metier.proof.receipts import receipts_of
from metier.proof.trials.trials import list_trials
from metier.selection.assembly.token_budget import tokens
from metier.selection.worth.outcomes import NOTHING, worths
from metier.store.tables import audit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.library.proposals.training_receipt import TrainingReceipt
    from metier.library.skills import FoundSkill, Library
    from metier.library.versions.blame import BlamedLine
    from metier.proof.receipts import ModelReceipt
    from metier.selection.worth.outcomes import Worth
    from metier.types.audit import AuditEntry
    from metier.types.proof import Trial
    from metier.types.skills import Profile, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRecord:
    """All that is known of a skill."""

    skill: str
    versions: tuple[Version, ...]
    """The oldest first."""
    profile: Profile
    worth: Worth
    trials: tuple[Trial, ...]
    """The newest first."""
    lines: tuple[BlamedLine, ...]
    trainings: Mapping[str, TrainingReceipt]
    """What each training brought, by its id: the lines that were measured are in it."""
    decisions: tuple[AuditEntry, ...]
    body_tokens: int
    receipts: tuple[ModelReceipt, ...] = ()
    """What is proven on which model."""

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that taught it."""
        return tuple(dict.fromkeys(run for one in self.versions for run in one.provenance.runs))

    @property
    def tokens_given(self) -> int:
        """What giving the current text has cost so far, roughly."""
        return self.worth.counts.selected * self.body_tokens


def skill_story(library: Library, skill: str) -> SkillRecord:
    """The story of a skill, by its name."""
    ctx = library.ctx
    versions = list_versions(library, skill)
    found = library.find(skill)
    name = found.skill.rpartition("/")[2]
    lines = _lines(found, versions)
    drafts = {one.draft for one in versions if one.draft}
    with ctx.store.read() as transaction:
        decisions = audit.list_about(transaction, *dict.fromkeys((name, found.skill, *sorted(drafts))))
    current = versions[-1].hash if versions else ""
    return SkillRecord(
        skill=name,
        versions=versions,
        profile=profile_of(ctx, found),
        worth=worths(library, {name: current}).get(name, NOTHING),
        trials=tuple(one for one in list_trials(ctx) if one.skill == name),
        lines=lines,
        trainings=training_receipts(ctx, (one.version.provenance.training for one in lines)),
        decisions=tuple(decisions),
        receipts=receipts_of(library, name, versions),
        body_tokens=tokens("\n".join(one.text for one in lines)),
    )


def _lines(found: FoundSkill, versions: tuple[Version, ...]) -> tuple[BlamedLine, ...]:
    """The lines of the newest text, each with the version that brought it."""
    last = versions[-1] if versions else None
    name = next((file.path for file in last.files if file.path.casefold() == "skill.md"), "") if last else ""
    return blame([(one, found.read_file(one, name)) for one in versions]) if name else ()
