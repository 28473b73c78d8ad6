"""Tacit: agents that learn their trade. Importing has no effect; names are loaded when they are first used."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.context.context import Workspace
    from tacit.errors import (
        ConfigError,
        ConflictError,
        InputError,
        NotFoundError,
        RefusedError,
        StoreError,
        TacitError,
        UsageError,
    )
    from tacit.learning.report import Learned
    from tacit.runs.live_run import Recording
    from tacit.types import (
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

    open = Workspace.open  # noqa: A001

__all__ = [
    "ConfigError",
    "ConflictError",
    "Delivery",
    "InputError",
    "Learned",
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
    "TacitError",
    "Tokens",
    "ToolCall",
    "UsageError",
    "Verdict",
    "Workspace",
    "open",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load a public name where it lives."""
    if name not in __all__:
        raise AttributeError(f"module 'tacit' has no attribute '{name}'")
    from importlib import import_module

    if name in ("Workspace", "open"):
        workspace = import_module("tacit.context.context").Workspace
        return workspace.open if name == "open" else workspace
    home = "tacit.errors" if name.endswith("Error") else "tacit.types"
    home = {"Learned": "tacit.learning.report", "Recording": "tacit.runs.live_run"}.get(name, home)
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, "__version__"]
