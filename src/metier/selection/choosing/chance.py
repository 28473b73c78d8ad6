"""Chance that can be repeated: the same task, skill and day always draw the same lot."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from metier.selection.types import Selectable, Task

Purpose = Literal["explore", "withhold"]


def drawn(purpose: Purpose, task: Task, skill: Selectable, rate: float) -> bool:
    """Whether this skill's lot is drawn for this task today; true of `rate` of all lots."""
    return _lot(purpose, task, skill) < rate


def _lot(purpose: Purpose, task: Task, skill: Selectable) -> float:
    """A number from 0 up to 1, evenly spread; of the skill's text, so that a new version draws a new lot."""
    said = "\0".join((purpose, task.text, skill.name, skill.content_hash, task.day))
    digest = sha256(said.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / 2**56
