"""`metier cases`: runs that can be checked become cases; you review them, and a draft is replayed on them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from metier.cli.options import AsJson, Fleet, fleet_of, open_workspace, tell_budget
from metier.cli.output import console, emit, result_with_progress, table, talk, visible
from metier.cli.yes import ask_key_or_word, ask_word, deciding, word_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.proof.replay.gate import Replayed
    from metier.types.trials import Case
    from metier.workspace import Workspace

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Make cases from recorded runs, review them, and try a draft on them.\n\nExample:  metier cases build",
)
CaseArgument = Annotated[str, typer.Argument(metavar="ID", help="A case's id, or the start of it.")]
Every = Annotated[bool, typer.Option("--all", help="Every case that waits.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; goes into the audit log.")]
KEYS = "[n]o  [l]ater  [q]uit"
LISTED = 3
"""Reasons why runs are no cases that are named."""


@app.callback()
def cases() -> None:
    """Make cases from recorded runs, review them, and try a draft on them.

    Example:  metier cases build
    """


@app.command()
def build(
    ctx: typer.Context,
    problem: Annotated[str, typer.Option(metavar="ID", help="Only the failed runs of a problem: train on this.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Look at this many runs.")] = 500,
    rubric: Annotated[bool, typer.Option("--rubric", help="Where a run shows no check, let a model judge.")] = False,
    as_json: AsJson = False,
) -> None:
    """Propose cases from runs that can be checked. No model is asked, and nothing is tried.

    Example:  metier cases build  ·  metier cases build --problem 3f9a --rubric
    """
    from metier.proof.replay.cases import build_cases

    with open_workspace(ctx) as ws:
        found = build_cases(ws.context, problem=problem, limit=limit, rubric=rubric)
    if as_json:
        skipped = [{"run": one.run, "reason": one.reason} for one in found.skipped]
        emit({"new": [row(one, "proposed") for one in found.new], "known": found.known, "skipped": skipped})
        return
    talk(f"{len(found.new)} new cases; {found.known} runs are cases already; {len(found.skipped)} cannot be checked.")
    for reason, count in _common(one.reason for one in found.skipped):
        talk(f"  {count}: {reason}")
    if found.new:
        talk("They are tried only after your yes: metier cases review")


@app.command("list")
def list_(
    ctx: typer.Context,
    status: Annotated[
        Literal["proposed", "accepted", "rejected"] | None, typer.Option(help="Only cases of this status.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List cases that were made from runs.

    Example:  metier cases list --status accepted
    """
    from metier.proof.replay.cases import STATUSES, list_cases
    from metier.proof.replay.wording import scorer_words

    with open_workspace(ctx) as ws:
        found = [(case, one) for one in STATUSES if status in (None, one) for case in list_cases(ws.context, one)]
    if as_json:
        emit([row(case, one) for case, one in found])
    elif not found:
        talk("No cases yet. Make some from your runs: metier cases build")
    else:
        rows = [(case.id, one, case.split or "-", scorer_words(case), _short(case.input)) for case, one in found]
        console().print(table(("case", "status", "split", "checked by", "request"), rows, grow="request"))


@app.command()
def show(ctx: typer.Context, case: CaseArgument, as_json: AsJson = False) -> None:
    """Show a case: the request, its files, and how an attempt is scored.

    Example:  metier cases show run-3f9a
    """
    from metier.proof.replay.cases import find_case

    with open_workspace(ctx) as ws:
        found, status = find_case(ws.context, case)
    if as_json:
        emit(row(found, status))
        return
    for line in card(found, status):
        console().print(line)


@app.command()
def accept(
    ctx: typer.Context,
    case: Annotated[str, typer.Argument(metavar="[ID]", help="A case's id, or the start of it.")] = "",
    every: Every = False,
    reason: Reason = "",
) -> None:
    """Accept a case: from now on it may be tried, and that may cost money.

    It shows the case and waits for one word of it; with --all of the last one. Needs a terminal.

    Example:  metier cases accept run-3f9a
    """
    from metier.proof.replay.cases import decide_case

    with deciding(), open_workspace(ctx) as ws:
        wanted = _named(ws, case, every=every)
        for one in wanted:
            for line in card(one, "proposed"):
                console().print(line)
        if wanted:
            ask_word(word_of(wanted[-1].input, wanted[-1].id))
        for one in wanted:
            talk(_undo(decide_case(ws.context, one.id, "accepted", reason), "accepted"))
    if not wanted:
        talk("No case waits.")


@app.command()
def reject(
    ctx: typer.Context,
    case: Annotated[str, typer.Argument(metavar="[ID]", help="A case's id, or the start of it.")] = "",
    every: Every = False,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Reject a case: it is never tried, and not proposed again.

    Example:  metier cases reject run-3f9a --reason "depends on the day"
    """
    from metier.proof.replay.cases import decide_case

    with open_workspace(ctx) as ws:
        done = [decide_case(ws.context, one.id, "rejected", reason) for one in _named(ws, case, every=every)]
    if as_json:
        emit([row(one, "rejected") for one in done])
        return
    for one in done:
        talk(_undo(one, "rejected"))
    if not done:
        talk("No case waits.")


@app.command()
def review(ctx: typer.Context) -> None:
    """Go through the proposed cases one by one.

    Example:  metier cases review
    """
    from metier.proof.replay.cases import decide_case, list_cases

    with deciding(), open_workspace(ctx) as ws:
        waiting = list_cases(ws.context, "proposed")
        if not waiting:
            talk("No case waits. Make some from your runs: metier cases build")
        for number, one in enumerate(waiting, start=1):
            console().print(f"\n{number} of {len(waiting)}")
            for line in card(one, "proposed"):
                console().print(line)
            key = ask_key_or_word(KEYS, word_of(one.input, one.id), "l")
            if key == "q":
                return
            if key in ("y", "n"):
                decide_case(ws.context, one.id, "accepted" if key == "y" else "rejected")
                talk(_undo(one, "accepted" if key == "y" else "rejected"))
            else:
                talk("Left for later.")


@app.command()
def export(
    ctx: typer.Context,
    out: Annotated[str, typer.Argument(metavar="FILE", help="The file to write, one case a line.")],
    as_json: AsJson = False,
) -> None:
    """Write the accepted cases into a file that `metier train` and `metier eval` read.

    Example:  metier cases export cases.jsonl && metier train deploy --cases cases.jsonl
    """
    from pathlib import Path

    from metier.errors import RefusedError
    from metier.library.disk.atomic_files import replace_file
    from metier.proof.replay.cases import list_cases
    from metier.training.cases.read import dump_case

    file = Path(out).expanduser()
    if file.exists():
        raise RefusedError(f"{out} already exists, and nothing is overwritten. Name another file.")
    with open_workspace(ctx) as ws:
        found = list_cases(ws.context, "accepted")
    if not found:
        raise RefusedError("No case is accepted yet. Review them: metier cases review")
    replace_file(file, "".join(f"{dump_case(one)}\n" for one in found).encode(), ws.root)
    if as_json:
        emit({"file": str(file), "cases": len(found)})
    else:
        talk(f"Wrote {len(found)} cases to {out}. Train on them: metier train SKILL --cases {out}. Undo: rm {out}")


@app.command()
def replay(
    ctx: typer.Context,
    draft: Annotated[str, typer.Argument(metavar="DRAFT", help="A draft's id, or the start of it.")],
    target: Annotated[
        str, typer.Option(metavar="TARGET", help="What runs the cases, as in `metier train`: chat, agent=NAME, …")
    ] = "chat",
    judge: Annotated[str, typer.Option("--judge", metavar="MODEL", help="The model that judges rubrics.")] = "",
    budget: Annotated[
        list[str] | None,
        typer.Option("--budget", metavar="NAME=N", help="Spend at most: rollouts, calls, tokens, usd, seconds."),
    ] = None,
    commands: Annotated[
        bool, typer.Option("--allow-commands", help="Let cases run their checks; read the cases first.")
    ] = False,
    fleet: Fleet = False,
    apply: Annotated[bool, typer.Option("--apply", help="Ship the draft if it passes and review allows it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Try a draft on the accepted cases, with and without it, paired. Too few cases say so: uninformative.

    Cases whose runs taught the draft are left out. Exits with 1 if the draft does not pass.

    Example:  metier cases replay 17980a12 --target agent=claude-code --budget usd=2
    """
    from metier.cli.budget import limits_from
    from metier.library.proposals.gate import PASSING
    from metier.proof.replay.gate import ReplayOptions, replay_draft

    options = ReplayOptions(target=target, judge=judge, limits=limits_from(budget or []), commands=commands)
    with open_workspace(ctx) as ws:
        if not as_json:
            tell_budget(ws, target, judge)
        options = replace(options, elsewhere=fleet_of(ws)) if fleet else options
        done = result_with_progress(replay_draft(ws.library, draft, options, ship=apply))
    if as_json:
        said = done.decision
        decision = {"action": said.action, "reason": said.reason, "deltas": dict(said.deltas)}
        counts = {"cases": done.cases, "taught": done.taught, "version": done.shipped and done.shipped.number}
        emit({"draft": done.draft.id, "decision": decision} | counts)
    else:
        console().print(visible(f"{done.decision.action}: {done.decision.reason}"))
        _tell_next(done, apply=apply)
    raise typer.Exit(0 if done.decision.action in PASSING else 1)


def _tell_next(done: Replayed, *, apply: bool) -> None:
    """What was left out, and what comes next."""
    from metier.library.proposals.gate import DOUBT, PASSING

    if done.taught:
        talk(f"Left out {done.taught} case{'' if done.taught == 1 else 's'} whose runs taught the draft.")
    if done.shipped:
        undo = f"metier skills {'rollback' if done.shipped.parent else 'archive'} {done.shipped.skill}"
        talk(f"Shipped as version {done.shipped.number}. Undo: {undo}")
    elif done.decision.action in PASSING:
        doubt = next((one.removeprefix(DOUBT) for one in done.draft.notes if one.startswith(DOUBT)), "")
        ship = f"It passes. Ship it: metier drafts apply {done.draft.id}"
        talk(f"It passes, but {doubt}" if apply and doubt else ship)


def row(case: Case, status: str) -> dict[str, object]:
    """A case as JSON."""
    import json

    return {
        "id": case.id,
        "status": status,
        "input": case.input,
        "expected": case.expected or None,
        "scorer": json.loads(case.scorer),
        "split": case.split,
        "tags": list(case.tags),
        "origin": case.origin,
        "files": dict(case.files),
    }


def card(case: Case, status: str) -> Iterator[str]:
    """A case for a person who decides on it."""
    from metier.proof.replay.wording import scorer_words

    yield visible(f"{case.id}  {status}  ({case.split}, {', '.join(case.tags)}, {case.origin})")
    yield visible(f"  asked: {_short(case.input, 600)}")
    for path, text in case.files:
        yield visible(f"  file:  {path} ({len(text):,} characters)")
    yield visible(f"  right: {scorer_words(case)}")
    if case.expected:
        yield visible(f"  answer: {case.expected}")


def _named(ws: Workspace, case: str, *, every: bool) -> list[Case]:
    """The case of a name, or every one that waits."""
    from metier.errors import UsageError
    from metier.proof.replay.cases import find_case, list_cases

    if bool(case) == every:
        raise UsageError("Name one case, or give --all.")
    return list(list_cases(ws.context, "proposed")) if every else [find_case(ws.context, case)[0]]


def _undo(case: Case, status: Literal["accepted", "rejected"]) -> str:
    verb, back = ("Accepted", "reject") if status == "accepted" else ("Rejected", "accept")
    return f"{verb} case {case.id}. Undo: metier cases {back} {case.id}"


def _common(reasons: Iterator[str]) -> list[tuple[str, int]]:
    from collections import Counter

    return Counter(reasons).most_common(LISTED)


def _short(text: str, most: int = 160) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"
