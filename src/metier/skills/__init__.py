"""Skill packages as values: read, checked and edited without changing a byte that was not meant to change.

Begin with `package.py`, then `document/frontmatter.py` and `editing/edits.py`. This folder imports `formats` and
what is below. The names below are public; they are loaded when they are first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from metier.skills.archives.parcel import Parcel
    from metier.skills.editing.edits import EditedDocument, EditedPackage, apply_patch, apply_to_package
    from metier.skills.editing.patch_json import parse_patch
    from metier.skills.package import Package
    from metier.skills.validation import Validation, validate

__all__ = [
    "EditedDocument",
    "EditedPackage",
    "Package",
    "Parcel",
    "Validation",
    "apply_patch",
    "apply_to_package",
    "parse_patch",
    "validate",
]

_MODULES = {
    "EditedDocument": "editing.edits",
    "EditedPackage": "editing.edits",
    "Package": "package",
    "Parcel": "archives.parcel",
    "Validation": "validation",
    "apply_patch": "editing.edits",
    "apply_to_package": "editing.edits",
    "parse_patch": "editing.patch_json",
    "validate": "validation",
}
"""The module of each public name."""


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module 'metier.skills' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"metier.skills.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """The public names."""
    return list(__all__)
