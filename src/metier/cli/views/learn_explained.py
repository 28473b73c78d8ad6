"""What a pass did with every run and every ready pattern, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from metier.context.context import Workspace
    from metier.learning.report import Learned

ORDER = ("formed", "joined", "waits", "unknown", "rejected")
WORDS = {
    "formed": "new pattern",
    "joined": "joined",
    "waits": "waits",
    "unknown": "not judged",
    "rejected": "no evidence",
}


def runs_rows(ws: Workspace, learned: Learned) -> list[dict[str, object]]:
    """Every run a pass looked at, and every one from earlier passes that stays new, with where it went and why."""
    from metier.learning.report import Fate
    from metier.learning.trace import waits

    seen = {one.run for one in learned.fates}
    earlier = [
        Fate(run=one.run, where="rejected" if one.success is None else "waits", reason=one.reason)
        for one in waits(ws)
        if one.run not in seen
    ]
    return [
        {
            "run": one.run,
            "where": one.where,
            "pattern": one.pattern or None,
            "reason": one.reason,
            "earlier": one.run not in seen,
        }
        for one in (*learned.fates, *earlier)
    ]


def step_rows(ws: Workspace, learned: Learned) -> list[dict[str, object]]:
    """Every ready pattern, what was done and why."""
    from metier.learning.trace import steps

    return [
        {
            "pattern": one.pattern,
            "label": one.label,
            "what": one.what,
            "reason": one.reason,
            "draft": one.draft.id if one.draft else None,
            "skill": one.version.skill if one.version else None,
        }
        for one in steps(ws, learned)
    ]


def explained(ws: Workspace, learned: Learned) -> Iterator[Text]:
    """Both as tables."""
    from rich.text import Text

    from metier.learning.trace import records

    found = sorted(runs_rows(ws, learned), key=lambda row: (bool(row["earlier"]), ORDER.index(str(row["where"]))))
    there = records(ws, [str(row["run"]) for row in found])
    labels = {one.id: one.label for one in (*ws.patterns(), *learned.new)}
    if found:
        rows = [
            (
                str(row["run"])[:8],
                WORDS[str(row["where"])] + (", earlier" if row["earlier"] else ""),
                labels.get(str(row["pattern"]), ""),
                there[run].summary[:48] if (run := str(row["run"])) in there else "(removed)",
                str(row["reason"]),
            )
            for row in found
        ]
        yield table(("run", "went", "pattern", "request", "why"), rows, grow="why")
        yield Text()
    steps = step_rows(ws, learned)
    if steps:
        rows = [(str(one["label"]), str(one["what"]), str(one["draft"] or ""), str(one["reason"])) for one in steps]
        yield table(("ready pattern", "was", "draft", "why"), rows, grow="why")
        yield Text()
