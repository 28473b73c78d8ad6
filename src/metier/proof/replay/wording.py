"""How an attempt at a case is scored, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.training.scoring.registry import settings_of

if TYPE_CHECKING:
    from metier.types.trials import Case

MEANING = {
    "command": "this command exits with 0:",
    "tool-called": "it calls",
    "contains": "the answer names",
    "section": "the answer has the headings",
    "exact": "the answer is exactly the one below",
    "regex": "the answer looks like",
    "rubric": "a model judges:",
}
"""Scorers in plain words."""


def scorer_words(case: Case) -> str:
    """How an attempt is scored, in plain words."""
    return "; ".join(_words(one) for one in settings_of(case) if one.get("kind") != "all")


def _words(settings: dict[str, object]) -> str:
    kind = str(settings.get("kind"))
    values = [value for key, value in settings.items() if key not in ("kind", "full")]
    between = " " if kind == "command" else ", "
    said = [between.join(map(str, cast("list[object]", one))) if isinstance(one, list) else str(one) for one in values]
    return f"{MEANING.get(kind, kind)} {' '.join(said)}".strip()
