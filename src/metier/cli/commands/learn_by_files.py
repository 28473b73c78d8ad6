"""`metier learn --questions`: one round of learning whose questions are files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import typer

from metier.cli.options import open_workspace
from metier.cli.output import console, emit, result_with_progress, talk

if TYPE_CHECKING:
    from metier.learning.question_files import QuestionRound

PURPOSES = {
    "draft": "to draft skills",
    "lessons": "to find rules",
}
SHOWN = 20
"""Questions that are named."""


def run_round(ctx: typer.Context, questions: str, answers: str, *, wait: float, explain: bool, as_json: bool) -> None:
    """Take answers in, write the questions that wait; with none left, show what was learned."""
    from metier.cli.views.learn import document, print_page
    from metier.learning.question_files import learn_by_files

    place = Path(questions or answers).expanduser().absolute()
    given = Path(answers).expanduser().absolute() if answers else None
    with open_workspace(ctx) as ws:
        done = result_with_progress(learn_by_files(ws.library, place, given, wait))
        learned = None if done.learned is None else document(ws, done.learned, explain=explain)
        if as_json:
            emit(_document(done) | {"learned": learned})
        else:
            _say(done, place, given)
            if done.learned is not None:
                print_page(ws, done.learned, (), explain=explain)
    if done.refused:
        raise typer.Exit(1)


def _document(done: QuestionRound) -> dict[str, object]:
    return {
        "questions": [{"name": one.name, "stage": one.stage, "file": str(one.file)} for one in done.open],
        "taken": done.taken,
        "refused": [{"name": name, "reason": reason} for name, reason in done.refused],
    }


def _say(done: QuestionRound, place: Path, given: Path | None) -> None:
    for one in done.open[:SHOWN]:
        console().print(str(one.file))
    if done.taken:
        talk(f"Took {done.taken} {'answer' if done.taken == 1 else 'answers'} in.")
    for name, reason in done.refused:
        talk(f"{name}.json cannot be used: {reason}")
    if done.open:
        _say_open(done, place, given)


def _say_open(done: QuestionRound, place: Path, given: Path | None) -> None:
    count = Counter(one.stage for one in done.open)
    parts = ", ".join(f"{number} {PURPOSES.get(stage, stage)}" for stage, number in sorted(count.items()))
    more = f" The first {SHOWN} are named above." if len(done.open) > SHOWN else ""
    talk(
        f"{len(done.open)} {'question waits' if len(done.open) == 1 else 'questions wait'} in {place} ({parts}).{more}"
    )
    talk("Answer each in a file of the same name that ends with .json: one JSON object, as the question says.")
    both = f"--questions {quote(str(place))} " if given and given != place else ""
    talk(f"Then run: metier learn {both}--answers {quote(str(given or place))}")
