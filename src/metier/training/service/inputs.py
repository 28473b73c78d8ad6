"""What a training is made from: a skill of the library or a folder, a file of cases, a kept training."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from metier.capture.reading.fields import json_without_secrets
from metier.errors import InputError, NotFoundError, RefusedError
from metier.library.disk.packages import has_document, read_package
from metier.store.tables.training import cases as suites
from metier.store.tables.training import trainings
from metier.training.cases.evals_json import EVALS, read_evals
from metier.training.cases.read import canonical, conflicts, read_cases
from metier.training.service.order import Order, TrainLimits, unpack_package
from metier.training.spec import Spec
from metier.training.targets.recipients import missing_consent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from metier.context.context import Context
    from metier.library.skills import Library
    from metier.models.model import Model
    from metier.skills.package import Package
    from metier.store.tables.training.trainings import Training
    from metier.training.gates.gate import Gate
    from metier.training.scoring.scorer import Function
    from metier.training.service.remote import RolloutService
    from metier.training.targets.callable import Agent
    from metier.training.targets.target import Target
    from metier.types.trials import Case


def skill_from(library: Library, skill: str) -> tuple[str, Package]:
    """A skill's name in the library and its package; a folder that is none of the library's goes by its path."""
    folder = Path(skill).expanduser()
    if ("/" in skill or skill.startswith(".")) and has_document(folder):
        inside = library.skill_at(folder.absolute() / "SKILL.md")
        name = inside[0].skill if inside else str(folder.absolute())
        return name if "/" not in name else str(folder.absolute()), read_package(folder)
    if folder.is_dir() and "/" in skill:
        raise InputError(f"{skill} is not a skill: there is no SKILL.md in that folder.")
    found = library.find(skill)
    package = found.slot.package()
    if package is None:
        raise NotFoundError(f"There is no skill '{skill}' in use here. `metier skills list` shows them all.")
    return found.skill, package


class TrainOptions(TypedDict, total=False):
    """What can be said about a training beside its skill; `Order` explains each."""

    cases: str | Path | Sequence[Case]
    """A file, or cases; left out: those the skill brings along."""
    target: str | Target | Agent
    optimiser: str | Model
    spec: Spec
    limits: TrainLimits
    workers: int
    seconds: float
    commands: bool
    functions: Mapping[str, Function]
    gate: Gate
    elsewhere: RolloutService


def build_order(library: Library, skill: str, **asked: Unpack[TrainOptions]) -> Order:
    """The order for a skill by name or folder, with its cases read."""
    name, package = skill_from(library, skill)
    cases = asked.get("cases", "")
    read, source = cases_from(str(cases), package) if isinstance(cases, str | Path) else (_suite(cases), "")
    target = asked.get("target", "chat")
    _refuse_unasked(library.ctx, read, target, asked.get("optimiser", ""))
    read = tuple(_without_secrets(library.ctx, case) for case in read)
    order = Order(skill=name, start=package, cases=read, source=source, target=target)
    rest = {key: value for key, value in asked.items() if key not in ("cases", "target")}
    if "gate" in rest:
        rest["spec"] = asked.get("spec", order.spec).replace(gate="own")
    return replace(order, **cast("dict[str, Any]", rest))


def _refuse_unasked(ctx: Context, cases: Sequence[Case], target: object, optimiser: object) -> None:
    """Cases that were made from runs hold text of sessions: that is sent only after a yes to who gets it."""
    count = sum(case.is_from_run for case in cases)
    if count and (command := missing_consent(ctx, target, optimiser)):
        raise RefusedError(
            f"{count} of {len(cases)} cases come from recorded runs, and text of your sessions is not sent "
            f"before you say yes. In a terminal: {command}"
        )


def _without_secrets(ctx: Context, case: Case) -> Case:
    """A case as it is tried and kept: what is stored and what is sent is the same text."""
    redact = ctx.redact
    return replace(
        case,
        id=redact(case.id),
        input=redact(case.input),
        expected=redact(case.expected),
        scorer=_scorer_without_secrets(case.scorer, redact),
        tags=tuple(redact(tag) for tag in case.tags),
        origin=redact(case.origin),
        files=tuple((redact(path), redact(text)) for path, text in case.files),
    )


def _scorer_without_secrets(text: str, redact: Callable[[str], str]) -> str:
    try:
        settings: object = json.loads(text)
    except ValueError:  # it is refused later, with the reason
        return redact(text)
    return canonical(json_without_secrets(settings, redact))


def _suite(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Cases that were handed in, held to what a file of them is held to."""
    if not cases:
        raise InputError("There are no cases. Give at least a few dozen, or a file.")
    if problem := next(conflicts(cases), None):
        raise InputError(f"The cases cannot be used: {problem}.")
    return tuple(cases)


def cases_from(file: str, package: Package) -> tuple[tuple[Case, ...], str]:
    """The cases of a file, JSON lines or the standard's evals.json, and the file's name; else the skill's own."""
    if not file:
        kept = package.files.get(EVALS)
        if kept is None:
            raise InputError(f"Training needs cases: name a file with --cases, or put {EVALS} into the skill.")
        return read_evals(kept.decode("utf-8", "replace"), package.files), EVALS
    path = Path(file).expanduser()
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(f"{file} is not UTF-8, first in line {line}; save it as UTF-8.") from None
    return (read_evals(text, _around(path, text, package)) if path.suffix == ".json" else read_cases(text, file)), file


def _around(path: Path, text: str, package: Package) -> Mapping[str, bytes]:
    """What evals can name: the package's files, and those beside the evals that occur in its text."""
    try:
        named = [one for one in path.parent.iterdir() if one.name in text and one.is_file() and one.name != path.name]
        return {**package.files, **{f"evals/{one.name}": one.read_bytes() for one in named}}
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from None


def order_again(ctx: Context, training: str, limits: TrainLimits | None = None) -> Order:
    """The order of a kept training; a limit that is named takes the place of its own."""
    with ctx.store.read() as transaction:
        kept = trainings.get(transaction, training)
        start = unpack_package(trainings.start_of(transaction, kept.id))
        cases = tuple(suites.list_all(transaction, f"train:{kept.id}"))
    _refuse_unasked(ctx, cases, kept.target, kept.optimiser)
    order = _ordered(kept, json.loads(kept.order), cases)
    return Order(
        skill=kept.skill,
        start=start,
        cases=order,
        target=kept.target,
        optimiser=kept.optimiser,
        spec=_spec(kept),
        limits=TrainLimits.read(kept.limits).but(limits or TrainLimits()),
        workers=kept.workers,
        seconds=kept.seconds,
        commands=kept.commands,
        source=kept.source,
    )


def _spec(kept: Training) -> Spec:
    try:
        return Spec.read(kept.spec)
    except TypeError:
        raise InputError(
            f"Training {kept.id} was started by another version, with other settings. Start a new one."
        ) from None


def _ordered(kept: Training, ids: list[str], cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """The cases in the order they were given in, which decides in what order they are tried."""
    known = {case.id: case for case in cases}
    if missing := [one for one in ids if one not in known]:
        raise InputError(f"Training {kept.id} has lost its case {missing[0]}. Start a new one.")
    return tuple(known[one] for one in ids)
