"""What the doctor found about one thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: Literal["ok", "warning", "problem"]
    text: str
    fix: str = ""
