"""`metier digest`: the last week of lessons in three lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer  # noqa: TC002 - read when the command is made

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import emit, say, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.learning.stages.digest import Digest

NAMED = 3
"""Errors and lessons that are named."""


def digest(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show the last seven days: which lessons were obeyed or violated, which errors came back, what to remove.

    Example:  metier digest
    """
    from metier.learning.stages.digest import digest_of

    with open_workspace(ctx) as ws:
        found = digest_of(ws.context)
    if as_json:
        emit(document(found))
        return
    for line in lines(found):
        say(visible(line))


def document(found: Digest) -> dict[str, object]:
    """A digest as JSON."""
    return {
        "checked": [
            {
                "id": lesson.id,
                "text": lesson.text,
                "applies": rate.applies,
                "violated": rate.violated,
                "denied": rate.denied,
            }
            for lesson, rate in found.checked
        ],
        "before": {"applies": found.before.applies, "violated": found.before.violated},
        "without_calls": [one.id for one in found.without_calls],
        "came_back": [
            {"program": one.program, "error": one.error, "sessions": one.sessions} for one in found.came_back
        ],
        "unused": [{"id": one.id, "text": one.text} for one in found.unused],
        "gone": [{"id": one.id, "text": one.text, "why": one.note} for one in found.gone],
    }


def _checked(found: Digest) -> Iterator[str]:
    """How calls stood to lessons, sentence by sentence."""
    from metier.learning.stages.digest import QUIET

    applies, violated, denied = (
        sum(getattr(rate, part) for _, rate in found.checked) for part in ("applies", "violated", "denied")
    )
    if applies:
        yield f"violated in {violated} of {applies} calls."
    if denied:
        yield "1 wrong call was denied before it ran." if denied == 1 else f"{denied} wrong calls were denied."
    if before := found.before.applies:
        then = f"violated in {found.before.violated} of {before}"
        yield f"Before you approved them (last {QUIET} days): {then} (before and after, not causal)."
    if found.checked and (left := len(found.without_calls)):
        yield f"Left out: {left} lesson{'' if left == 1 else 's'} without a call this week (metier lessons checks)."
    worst = max(found.checked, key=lambda one: one[1].violated, default=None)
    if worst and worst[1].violated:
        yield f"Most often violated: {worst[0].text}"


def lines(found: Digest) -> Iterator[str]:
    """A digest in three lines."""
    yield f"Lessons: {' '.join(_checked(found)) or 'no call to check.'}"
    back = "; ".join(f"{one.program}: {one.error}" for one in found.came_back[:NAMED])
    yield f"Came back: {back}" if back else "Came back: no error of earlier sessions."
    gone = [f"{one.text} {one.note} (metier lessons show {one.id[:8]})" for one in found.gone[:NAMED]]
    unused = [f"{one.text} (metier lessons forget {one.id[:8]})" for one in found.unused[:NAMED]]
    yield f"To remove: {'; '.join([*gone, *unused])}" if gone or unused else "To remove: nothing."
