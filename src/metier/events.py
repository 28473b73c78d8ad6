"""Events that long work yields while it runs, so that a command can show progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Began:
    """A stage of work has begun; `total` is 0 when nobody can know it yet."""

    stage: str
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Advanced:
    """A stage got this far."""

    stage: str
    done: int
    total: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """Something a person may want to know happened on the way."""

    stage: str
    text: str
    level: Level = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A stage is over; `text` says with what result."""

    stage: str
    text: str


Event = Began | Advanced | Noted | Ended
