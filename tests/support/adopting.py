"""A workspace that was copied or moved becomes the person's own at its new place, as `metier init --adopt` does it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from metier.context.adopt import adopt_state, find_foreign_state, look_at_state
from metier.context.identity import user_key

if TYPE_CHECKING:
    from collections.abc import Mapping

IDENTITY = {"METIER_IDENTITY": "the one person of all these tests"}
"""A person for processes and environments that tests put together."""
NOW = "2026-01-05T12:00:00.000000Z"


def adopt(folder: str | Path, environ: Mapping[str, str] | None = None) -> Path:
    """Look at the state folder of a workspace and use it."""
    root = Path(folder)
    key = user_key(os.environ if environ is None else environ)
    if not (root / ".metier").exists():
        return root
    adopt_state(look_at_state(find_foreign_state(root, root / ".metier", key)), root / ".metier", key, NOW)
    return root
