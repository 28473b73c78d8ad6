"""Who gets the text of cases that were made from runs, and to whom of them the person has not agreed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.context.models.consent import PROGRAMS, Recipient, has_consent, note_program, recipient_of
from metier.training.service.models import spec_of

if TYPE_CHECKING:
    from metier.context.context import Context


def missing_consent(ctx: Context, target: object, optimiser: object) -> str:
    """The command that gives the first consent that is missing; empty: none is. What a program passes needs none."""
    found = [one for one in (_of_target(ctx, target), _of_model(ctx, optimiser)) if one is not None]
    missing = next((one for one in found if not has_consent(ctx, one)), None)
    if missing is not None:
        return f"metier models allow {missing.provider}"
    for one in (target, optimiser):
        if not isinstance(one, str):
            note_program(ctx, f"cases to {getattr(one, 'identity', getattr(one, '__name__', type(one).__name__))}")
    return ""


def _of_target(ctx: Context, target: object) -> Recipient | None:
    if not isinstance(target, str):
        return None
    kind, _, rest = (part.strip() for part in target.partition("="))
    if kind in ("chat", "completion"):
        return _of_model(ctx, rest)
    if kind in PROGRAMS:
        return Recipient(provider=kind, kind="agent")
    return Recipient(provider=rest.split(maxsplit=1)[0], kind="agent") if kind == "agent" and rest else None


def _of_model(ctx: Context, text: object) -> Recipient | None:
    """The recipient behind a model's text; where none is named and none is set, nothing is sent."""
    if not isinstance(text, str) or not (text.strip() or ctx.config.models.model):
        return None
    return recipient_of(spec_of(ctx, text))
