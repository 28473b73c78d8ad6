"""Plain words for what trainings count."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

PAIRS = {
    "improved": "better",
    "regressed": "worse",
    "persistent_fail": "still failing",
    "stable_success": "still passing",
}
"""How a case went compared with the epoch before."""


def pairs_text(compared: Iterable[tuple[str, object]]) -> str:
    """How many cases went how; what no case did is left out."""
    return ", ".join(f"{number} {PAIRS.get(name, name)}" for name, number in compared if number)
