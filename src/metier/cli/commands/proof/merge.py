"""`metier skills merge` and `metier lessons merge`: near-duplicates as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import console, emit, table, talk, visible

if TYPE_CHECKING:
    from metier.types.lessons import Lesson

First = Annotated[str, typer.Argument(metavar="[KEEP]", help="The one that stays; without it: list near-duplicates.")]
Second = Annotated[str, typer.Argument(metavar="[DROP]", help="The one that goes into it.")]


def merge_skills(ctx: typer.Context, keep: First = "", drop: Second = "", as_json: AsJson = False) -> None:
    """List skills that are nearly the same, or propose a draft that makes two of them one.

    The draft says how many requests of both would still go to it. Nothing changes before you apply it.

    Example:  metier skills merge  ·  metier skills merge flaky-tests fix-flaky-tests
    """
    from metier.proof.merge import near_skills, propose_merge

    _check_pair(keep, drop)
    with open_workspace(ctx) as ws:
        if not keep:
            pairs = near_skills(ws.library)
            rows = [(one.keep, one.drop, f"{one.alike:.0%}") for one in pairs]
            _list("skills", rows, [(one.keep, one.drop, one.alike) for one in pairs], as_json=as_json)
            return
        done = propose_merge(ws.library, keep, drop)
    if as_json:
        emit({"draft": done.draft.id, "requests": done.probes, "lost": list(done.lost)})
        return
    talk(f"Draft {done.draft.id}: {done.probes - len(done.lost)} of {done.probes} requests of both still go to {keep}.")
    for text in done.lost[:3]:
        talk(visible(f"  lost: {' '.join(text.split())[:100]}"))
    talk(f"Look: metier drafts diff {done.draft.id}   Approve and apply it, then: metier skills archive {drop}")
    talk(f"Undo: metier drafts reject {done.draft.id}")


def merge_lessons(ctx: typer.Context, keep: First = "", drop: Second = "", as_json: AsJson = False) -> None:
    """List lessons that say nearly the same, or take one of two out of use.

    Refused if calls would no longer be held to what only the second one checks.

    Example:  metier lessons merge  ·  metier lessons merge 3f9a 77b1
    """
    from metier.proof.merge import merge_lessons as merge
    from metier.proof.merge import near_lessons

    _check_pair(keep, drop)
    with open_workspace(ctx) as ws:
        if not keep:
            near = near_lessons(ws.context)
            rows = [(_line(one.keep), _line(one.drop), f"{one.alike:.0%}") for one in near]
            _list("lessons", rows, [(one.keep.id, one.drop.id, one.alike) for one in near], as_json=as_json)
            return
        stays, gone = merge(ws.context, keep, drop)
    if as_json:
        emit({"kept": stays.id, "forgotten": gone.id})
    else:
        talk(f"Lesson {gone.id[:8]} is out of use; {stays.id[:8]} says it. Undo: metier lessons approve {gone.id[:8]}")


def _check_pair(keep: str, drop: str) -> None:
    from metier.errors import UsageError

    if bool(keep) != bool(drop):
        raise UsageError("Name two: the one that stays and the one that goes. Without names: a list.")


def _line(lesson: Lesson) -> str:
    return f"{lesson.id[:8]} {lesson.text}"


def _list(what: str, rows: list[tuple[str, str, str]], pairs: list[tuple[str, str, float]], *, as_json: bool) -> None:
    if as_json:
        emit([{"keep": keep, "drop": drop, "alike": share} for keep, drop, share in pairs])
    elif not rows:
        talk("No near-duplicates.")
    else:
        console().print(table(("keep", "drop", "alike"), rows, grow="drop"))
        keep, drop, _ = pairs[0]
        names = f"{keep} {drop}" if what == "skills" else f"{keep[:8]} {drop[:8]}"
        talk(f"Make two of them one: metier {what} merge {names}")
