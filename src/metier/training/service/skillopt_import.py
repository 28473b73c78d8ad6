"""Take over a run of SkillOpt's trainer: its skill as a draft with its history, its steps as a finished training."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, cast

from metier.context.audit import note_action
from metier.errors import InputError, RefusedError
from metier.formats.strict_json import clean
from metier.library.proposals.parcels import import_parcel
from metier.library.versions.objects import files_of
from metier.skills.archives.parcel import pack, unpack
from metier.skills.document.frontmatter import read, set_value
from metier.skills.document.sections import sections
from metier.skills.names import name_problem, slug
from metier.skills.package import Package
from metier.store.tables.training import trainings
from metier.store.tables.training.trainings import Training
from metier.training.service.order import TrainLimits, pack_package
from metier.training.service.skillopt_run import ACCEPTED, IMPORTED, read_skillopt_run
from metier.training.spec import Spec
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from metier.context.context import Context
    from metier.library.skills import Library
    from metier.store.engines.engine import Transaction
    from metier.training.proposing.memory import RejectedEdit
    from metier.training.service.skillopt_run import Json, SkillOptRun, SkillOptStep
    from metier.types import Draft

WHY = "it was trained with SkillOpt and chosen by its selection split; no fresh cases confirmed it"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRun:
    """What became of a run folder."""

    skill: str
    training: str
    steps: Counter[str]
    """How many were accepted, rejected and skipped."""
    rejected: tuple[RejectedEdit, ...]
    """What the next training of the skill is told about."""
    draft: Draft | None
    """None: the skill here is the same already."""


def import_skillopt_run(library: Library, folder: Path, name: str = "") -> ImportedRun:
    """Put the best skill before review, with the skills before it as its history; keep the steps as a training."""
    run = read_skillopt_run(folder)
    skill = name or str(read(run.best.encode()).get("name") or slug(run.name))
    if problem := name_problem(skill):
        raise InputError(f"A skill cannot be called {skill!r}: {problem}. Give it a name: --as NAME.")
    versions, objects = _versions(library.ctx, run, skill)
    raw = pack(skill, versions, objects)
    parcel = unpack(raw)
    draft = import_parcel(
        library, skill, parcel, raw, summary=f"imported from the SkillOpt run {folder.resolve().name}"
    )
    kept = tuple(_redact_edit(library.ctx, one) for step in run.steps for one in step.rejected())
    training = _keep_training(library.ctx, run, skill, parcel.package, kept)
    return ImportedRun(
        skill=skill,
        training=training,
        steps=Counter(map(_outcome_word, run.steps)),
        rejected=kept,
        draft=draft,
    )


def check_forgettable(ctx: Context, training: str) -> Training:
    """The training that would be forgotten; refused where it looked at fresh cases."""
    with ctx.store.read() as transaction:
        return _forgettable(transaction, training)


def forget_training(ctx: Context, training: str) -> Training:
    """Take a training and the edits it saw rejected out of the store; refused where it looked at fresh cases."""
    with ctx.store.write() as transaction:
        found = _forgettable(transaction, training)
        trainings.remove(transaction, found.id)
        note_action(transaction, ctx, "forget training", found.id, found.skill)
    return found


def _forgettable(transaction: Transaction, training: str) -> Training:
    found = trainings.get(transaction, training)
    if found.look or found.status == "running":
        why = "is not finished" if found.status == "running" else "looked at fresh cases, and such looks are counted"
        raise RefusedError(f"Training {found.id} {why}; it is kept.")
    return found


def _versions(ctx: Context, run: SkillOptRun, skill: str) -> tuple[list[Version], dict[str, bytes]]:
    """Every skill of the run in order, the best one last; what looks like a secret in an earlier one is not kept."""
    skills = [(step, ctx.redact(text)) for step, text in run.skills]
    if not skills or skills[-1][1] != run.best:
        skills.append((run.best_step, run.best))
    steps = {one.step: one for one in run.steps}
    versions: list[Version] = []
    objects: dict[str, bytes] = {}
    for number, (step, text) in enumerate(skills, 1):
        package = Package(files={"SKILL.md": _with_head(text, run, skill)})
        files = files_of(package)
        objects |= {files[0].object: package.document}
        newest = number == len(skills)
        summary = f"SkillOpt's best skill, of step {step}" if newest else _version_summary(step, steps.get(step))
        version = Version(
            skill=skill, root="", number=number, hash=package.hash(), action="import", origin="imported",
            actor="SkillOpt", summary=summary, step=f"SkillOpt step {step}" if step else "", files=files,
            parent=versions[-1].hash if versions else "",
        )  # fmt: skip
        versions.append(version)
    return versions, objects


def _with_head(text: str, run: SkillOptRun, skill: str) -> bytes:
    """A document that agents can find: SkillOpt's have no frontmatter."""
    document = set_value(text.encode(), "name", skill)
    if read(document).get("description"):
        return document
    title = next((one.title for one in sections(run.best.encode()) if one.level == 1 and one.title), "")
    about = f"{title.rstrip('.')}. " if title else ""
    return set_value(document, "description", f"{about}Trained with SkillOpt for {run.name}; use it for such tasks.")


def _version_summary(number: int, step: SkillOptStep | None) -> str:
    if not number or step is None:
        return "SkillOpt began with this" if not number else f"SkillOpt step {number}"
    scores = f", {step.before:.4f} -> {step.score:.4f}" if step.before is not None and step.score is not None else ""
    return f"SkillOpt step {number}: {step.action}{scores}"


def _outcome_word(step: SkillOptStep) -> str:
    if step.action in ACCEPTED:
        return "accepted"
    return "rejected" if step.action == "reject" else "skipped"


def _redact_edit(ctx: Context, one: RejectedEdit) -> RejectedEdit:
    return replace(one, target=clean(ctx.redact(one.target)), content=clean(ctx.redact(one.content)))


def _safe(ctx: Context, value: object) -> object:
    """The same JSON value without secrets in its texts."""
    match value:
        case str():
            return clean(ctx.redact(value))
        case dict():
            return {key: _safe(ctx, one) for key, one in cast("Json", value).items()}
        case list():
            return [_safe(ctx, one) for one in cast("list[object]", value)]
        case _:
            return value


def _keep_training(ctx: Context, run: SkillOptRun, skill: str, best: Package, rejected: Sequence[RejectedEdit]) -> str:
    """The run as a finished training of the skill: `metier train show` tells it, the next training learns from it."""
    start = Package(files={"SKILL.md": _with_head(ctx.redact(run.skills[0][1] if run.skills else ""), run, skill)})
    body: Json = {
        "target": run.target or "SkillOpt",
        "optimiser": run.optimiser or "SkillOpt",
        "skill_hash": best.hash(),
        "best_step": run.best_step,
        "stopped": "",
        "decision": {"action": "uninformative", "reason": WHY, "receipt": None},
        "scores": {"initial": run.initial_score, "best": run.best_score, "confirm": None, "test": run.test_score},
        "steps": [_step_report(one, run, skill) for one in run.steps],
        "rejected": [asdict(one) for one in rejected],
        "calls": sum(one.calls for one in run.steps),
        "tokens": sum(one.tokens for one in run.steps),
        "events": [],
    }
    text = json.dumps(_safe(ctx, body))
    name = sha256(json.dumps([skill, start.hash(), body], sort_keys=True).encode("utf-8", "replace")).hexdigest()[:16]
    training = Training(
        id=name, workspace=ctx.name, skill=skill, base_hash=start.hash(), target=IMPORTED, optimiser=IMPORTED,
        spec=Spec.of(preset="SkillOpt", seed=run.seed).canonical(), limits=TrainLimits().canonical(),
        status="finished", created=ctx.now(), updated=ctx.now(),
    )  # fmt: skip
    with ctx.store.write() as transaction:
        if trainings.find(transaction, name) is None:
            trainings.put(transaction, training, pack_package(start))
            trainings.save(transaction, training, text)
    return name


def _step_report(one: SkillOptStep, run: SkillOptRun, skill: str) -> Json:
    action = one.action if one.action in (*ACCEPTED, "reject") else "skipped"
    candidate = Package(files={"SKILL.md": _with_head(one.candidate, run, skill)}).hash() if one.candidate else ""
    effect = one.score - one.before if one.score is not None and one.before is not None else None
    reason = f"SkillOpt: {one.action}"
    return {
        "step": one.step,
        "epoch": one.epoch,
        "cases": one.cases,
        "passed": max(0, one.cases - one.failed),
        "failed": one.failed,
        "unscored": 0,
        "budget": one.budget,
        "edits": [{**edit, "status": ""} for edit in one.edits],
        "outcome": {
            "change": "step", "action": action, "reason": reason, "skill_hash": candidate, "score": one.score,
            "effect": effect, "deltas": {}, "effects": [], "waits": False,
        },
        "notes": [],
        "noted": None,
        "proposer": "SkillOpt",
    }  # fmt: skip
