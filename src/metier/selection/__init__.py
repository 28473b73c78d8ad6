"""Select the skills for a task, hand them to the agent, and measure what they are worth.

Begin with `select.py`: its six steps are catalogue and eligible (`candidates/`), retrieve (`candidates/`, `index/`),
choose (`choosing/`), assemble (`assembly/`) and record. `worth/` says how runs with a skill went, `evaluation/`
measures selection itself. This folder imports `library`, `runs`, `context` and the foundation. The names below are
loaded when they are first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from metier.selection.result import Selected
    from metier.selection.types import SelectionSettings, Task
    from metier.types import Selection

__all__ = ["Selected", "Selection", "SelectionSettings", "Task"]


def __getattr__(name: str) -> object:
    """Load a public name from the module that defines it."""
    if name not in __all__:
        raise AttributeError(f"module 'metier.selection' has no attribute '{name}'")
    from importlib import import_module

    homes = {"Selected": "metier.selection.result", "Selection": "metier.types"}
    return getattr(import_module(homes.get(name, "metier.selection.types")), name)


def __dir__() -> list[str]:
    """The public names."""
    return list(__all__)
