"""What becomes of a trained skill: a draft that review looks at, and the door if it was confirmed."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from metier.errors import InputError, NotFoundError, StoreError
from metier.folders import refuse_links
from metier.library.proposals import review_gate
from metier.library.proposals.drafts import draft_id, draft_of_package, save_draft
from metier.library.proposals.ship import ship_if_gate_agrees
from metier.library.proposals.training_receipt import proven_decision
from metier.skills.validation import validate
from metier.store.tables.library import drafts
from metier.training.service.reports import FOLDER
from metier.training.train import train
from metier.types import Provenance
from metier.types.reviews import may_ship

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from metier.context.context import Context
    from metier.library.proposals.gate import ShipGate
    from metier.library.skills import FoundSkill, Library
    from metier.skills.package import Package
    from metier.training.events import Event
    from metier.training.service.order import Order
    from metier.training.train import Finished
    from metier.types import Draft
    from metier.types.skills import Version
    from metier.types.trials import Decision

    AroundGate = Callable[[ShipGate], ShipGate]
    """Puts a further check around a gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """A gate that has decided already, on cases and for a target that its receipt names."""

    decision: Decision

    def decide(self, draft: Draft, before: Package | None, after: Package) -> Decision:  # noqa: ARG002
        """What the last gate found."""
        return self.decision


def as_it_is(gate: ShipGate) -> ShipGate:
    """A gate without a further check."""
    return gate


def train_and_ship(
    library: Library, order: Order, *, apply: bool = False, out: str = "", around: AroundGate = as_it_is
) -> Generator[Event, None, Finished]:
    """Train, and make a draft of what is better; with `apply` it ships, if fresh cases and review agree.

    `around` puts a further check around the gate of what ships.
    """
    _check_skill(order)
    if out:
        _check_free(Path(out).expanduser())
        refuse_links(library.ctx.root, Path(out).expanduser())
    try:
        finished = yield from train(library.ctx, order)
    except OSError as error:
        raise StoreError(
            f"The results cannot be saved in {library.ctx.state}: {error.strerror or error}. Nothing is lost:"
            " fix this, and run the same command again."
        ) from None
    draft = draft_best(library, finished)
    result = ship_draft(library, draft, around) if draft and apply else draft
    return replace(finished, result=result, package=write_package(library, finished, out))


def draft_best(library: Library, finished: Finished) -> Draft | None:
    """A draft of the best skill; None when the training found nothing better, or the skill is not in the library."""
    training, best = finished.training, finished.trained.best
    found = _place(library, training.skill)
    if best.hash() == training.base_hash or found is None:
        return None
    review = review_gate.review_change(library.ctx, best, found.skill, found.slot.package())
    draft = draft_of_package(
        library,
        found,
        best,
        summary=f"trained: {_gain(finished)}",
        notes=[f"training {training.id}: {_decided(finished)}"],
    )
    draft = replace(
        draft,
        base_hash=training.base_hash,
        provenance=Provenance(model=training.optimiser, training=training.id),
        status=review.status,
        findings=review.findings,
        needs_approval=review.needs_approval or not _confirmed(finished),
        objection=_objection(finished),
    )
    return _saved(library.ctx, replace(draft, id=_identity(draft, found)))


def ship_draft(library: Library, draft: Draft, around: AroundGate = as_it_is) -> Version | Draft:
    """The draft through the one door; it ships if the last gate accepted it and nobody has to be asked."""
    decision = proven_decision(library.ctx, draft)
    if decision is None or not may_ship(draft):
        return draft
    return ship_if_gate_agrees(library, draft, around(Proven(decision=decision)))


def write_package(library: Library, finished: Finished, out: str = "") -> Path | None:
    """The best package as files, where it was asked for; one of no library beside its page. Nothing is overwritten."""
    training, best = finished.training, finished.trained.best
    if best.hash() == training.base_hash or not (out or _place(library, training.skill) is None):
        return None
    folder = Path(out).expanduser() if out else library.ctx.state / FOLDER / training.id / Path(training.skill).name
    if out:
        _check_free(folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)  # of this very training, and ours
    part = folder.with_name(f".{folder.name}.part")
    try:
        for path, content in best.files.items():
            file = part / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(0o755 if path in best.executable else 0o644)
        part.rename(folder)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise InputError(
            f"The trained skill cannot be written to {folder}: {error.strerror}. The training is saved: run the"
            " same command with another --out. Nothing is paid for twice."
        ) from None
    return folder


def _check_free(folder: Path) -> None:
    """InputError if a new folder cannot be made there, before anything is spent on what it would hold."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} already exists, and nothing is overwritten. Name a new folder with --out.")
    there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"{folder} cannot be created: {there} is not writable. Name another with --out.")


def _check_skill(order: Order) -> None:
    """InputError if its text cannot be read; a document without frontmatter is a text like any other."""
    wrong = [one for one in validate(order.start, level="lenient").findings if one.rule == "not-utf8"]
    if wrong:
        raise InputError(f"{order.skill} cannot be trained. {wrong[0].file}: {wrong[0].reason} {wrong[0].fix}")


def _place(library: Library, skill: str) -> FoundSkill | None:
    """Where a trained skill lives in the library; None for a folder elsewhere, and for one that was removed since."""
    if skill.startswith("/") and library.skill_at(Path(skill) / "SKILL.md") is None:
        return None
    try:
        return library.find(skill)
    except NotFoundError:
        return None


def _identity(draft: Draft, found: FoundSkill) -> str:
    """The draft's id: what shipped once and was taken back is another draft when it is proposed again."""
    last = found.last()
    return draft_id(replace(draft, base_hash=f"{draft.base_hash} v{last.number if last else 0}"))


def _saved(ctx: Context, draft: Draft) -> Draft:
    """The draft in the store; one of the same bytes that nobody decided on yet learns what is known by now."""
    kept = save_draft(ctx, draft)
    if kept.approved or (kept.summary, kept.notes) == (draft.summary, draft.notes):
        return kept
    now = replace(draft, created=kept.created)
    with ctx.store.write() as transaction:
        drafts.put(transaction, now)
    return now


def _confirmed(finished: Finished) -> bool:
    return finished.confirmation is not None and finished.confirmation.decision.action == "accept"


def _objection(finished: Finished) -> str:
    """What fresh cases said against it; empty where they were for it, or could not tell."""
    confirmation = finished.confirmation
    rejected = confirmation is not None and confirmation.decision.action == "reject"
    return confirmation.decision.reason if confirmation is not None and rejected else ""


def _decided(finished: Finished) -> str:
    decision = cast("dict[str, object]", finished.report["decision"])
    return f"{decision['action']}: {decision['reason']}"


def _gain(finished: Finished) -> str:
    if finished.confirmation is None:
        return "not confirmed"
    receipt, action = finished.confirmation.receipt, finished.confirmation.decision.action
    cases = f"{receipt.cases} fresh case{'' if receipt.cases == 1 else 's'}"
    if action not in ("accept", "reject"):
        return f"not proven ({cases})"
    return f"{'rejected, ' if action == 'reject' else ''}{receipt.gain * 100:+.1f} points on {cases}"
