"""`metier lessons checks`: whether agents obey what you approved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer  # noqa: TC002 - read when the command is made

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import console, emit, table, talk

if TYPE_CHECKING:
    from metier.learning.lessons.tally import Rate, Tally


def checks(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show how often calls obeyed the lessons that can be checked, before you approved them and since.

    Example:  metier lessons checks  ·  metier lessons checks --json
    """
    from metier.cli.views.lessons import check_row, tally_row
    from metier.learning.stages.count_checks import count_check
    from metier.proof.obeyed import NOT_CAUSAL

    with open_workspace(ctx) as ws:
        found = [(one, count_check(ws.context, one)) for one in ws.lessons() if one.check is not None]
    counted = [(lesson, one) for lesson, one in found if one is not None]
    if as_json:
        emit(
            [
                {"id": lesson.id, "text": lesson.text, "check": check_row(lesson), **tally_row(one)}
                for lesson, one in counted
            ]
        )
    elif not counted:
        talk("No lesson names a command or path that calls could be held to. See all: metier lessons list")
    else:
        rows = [
            (lesson.id[:8], lesson.status, said(one.before), said(one.after), _change(one), lesson.text)
            for lesson, one in counted
        ]
        console().print(table(("id", "status", "violated before", "since", "change", "lesson"), rows, grow="lesson"))
        if any(one.after.denied for _, one in counted):
            talk("Denied: calls that would have broken it, stopped before they ran; they are in no other figure.")
        talk(f"The change is in points, with its interval: {NOT_CAUSAL}.")
        milder = any(lesson.check and lesson.check.step != "deny" for lesson, _ in counted)
        deny = "   Deny the wrong call: metier lessons approve ID --deny" if milder else ""
        talk(f"Examples of each: metier lessons show ID{deny}")


def _change(tally: Tally) -> str:
    """The change in points; empty calls on one side say nothing."""
    from metier.proof.obeyed import obeyed_change

    found = obeyed_change(tally)
    if found is None:
        return "-"
    return f"{100 * found.change:+.0f} ({100 * found.interval.low:+.0f} to {100 * found.interval.high:+.0f})"


def said(rate: Rate) -> str:
    """A rate in words."""
    denied = f"{rate.denied} denied" if rate.denied else ""
    ran = f"{rate.violated} of {rate.applies}" if rate.applies else ""
    return ", ".join(part for part in (ran, denied) if part) or "-"
