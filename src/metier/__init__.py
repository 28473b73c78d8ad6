"""Metier: agents that learn their trade. Importing has no effect; names are loaded when they are first used."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from metier.errors import (
        ConfigError,
        ConflictError,
        InputError,
        MetierError,
        NotFoundError,
        RefusedError,
        StoreError,
        UsageError,
    )
    from metier.runs.live_run import Recording
    from metier.types import (
        Delivery,
        Outcome,
        Passage,
        Pattern,
        Record,
        Run,
        SkillTrace,
        Snapshot,
        Tokens,
        ToolCall,
        Verdict,
    )
    from metier.types.passes import Learned
    from metier.workspace import Workspace

    open = Workspace.open  # noqa: A001

__all__ = [
    "ConfigError",
    "ConflictError",
    "Delivery",
    "InputError",
    "Learned",
    "MetierError",
    "NotFoundError",
    "Outcome",
    "Passage",
    "Pattern",
    "Record",
    "Recording",
    "RefusedError",
    "Run",
    "SkillTrace",
    "Snapshot",
    "StoreError",
    "Tokens",
    "ToolCall",
    "UsageError",
    "Verdict",
    "Workspace",
    "open",
]
__version__ = "0.2.0"


def __getattr__(name: str) -> object:
    """Load a public name where it lives."""
    if name not in __all__:
        raise AttributeError(f"module 'metier' has no attribute '{name}'")
    from importlib import import_module

    if name in ("Workspace", "open"):
        workspace = import_module("metier.workspace").Workspace
        return workspace.open if name == "open" else workspace
    home = "metier.errors" if name.endswith("Error") else "metier.types"
    home = {"Learned": "metier.types.passes", "Recording": "metier.runs.live_run"}.get(name, home)
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, "__version__"]
