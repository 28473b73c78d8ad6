"""A person who agreed that text of sessions may be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.context.models.access import models_of
from metier.context.models.consent import give_consent, named_recipient

if TYPE_CHECKING:
    from metier.workspace import Workspace


def allow(ws: Workspace, to: str = "true") -> Workspace:
    """The workspace, with a yes to a recipient; to the model that is set if none is named."""
    give_consent(ws.context, named_recipient(to, models_of(ws.context.settings).model), "program")
    return ws
