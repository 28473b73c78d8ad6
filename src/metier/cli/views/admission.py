"""What `metier eval admission` says: as JSON, and for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import table, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from metier.selection.evaluation.admission import Admission

ASKED = {"query": "labelled query", "description": "its description", "request": "a request it served"}


def document(found: Admission) -> dict[str, object]:
    """An admission check as JSON."""
    return {
        "skill": found.skill,
        "accepted": found.accepted,
        "neighbours": list(found.neighbours),
        "asked": found.probes,
        "taken": [
            {
                "query": one.probe.query.text,
                "from": one.skill,
                "source": one.probe.source,
                "line": one.probe.query.line or None,
                "still_activated": one.still,
            }
            for one in found.taken
        ],
    }


def page(found: Admission) -> Iterator[RenderableType]:
    """An admission check as a person reads it."""
    from rich.text import Text

    asked = f"{found.probes:,} tasks of {len(found.neighbours):,} skills asked"
    if not found.probes:
        yield Text(f"{visible(found.skill)}: nothing to ask; there is no skill near it that says what it is for.")
    elif found.accepted:
        yield Text(
            f"{visible(found.skill)} takes nothing over: {asked}, each leads where it led before.", style="green"
        )
    else:
        yield Text(f"{visible(found.skill)} would take over {len(found.taken)}: {asked}.", style="red")
        rows = [
            (one.skill, "yes" if one.still else "no", ASKED[one.probe.source], one.probe.query.text)
            for one in found.taken
        ]
        yield table(("from", "still activated", "known from", "task"), rows, grow="task")
        yield Text("Say in its description what it is for and what not, or merge it with the skill it takes from.")
