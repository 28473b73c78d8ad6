"""Learning whose questions are files, for a person or the agent's open session to answer. It only proposes.

Only what needs reading is asked, so that the questions stay few: which rules the person gave, and the text of a skill.
Runs are judged and grouped by heuristics. What waits for an answer is written as one file a question, and nothing is
decided. When nothing waits any more, the pass is made with the answers that were kept. No question is asked twice.
The files hold text of sessions: they need the person's yes, and lie in a private folder outside every work tree. Each
question holds a nonce, which its answer repeats.
"""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import BaseModel

from metier.context.models.consent import FILES, has_consent
from metier.context.models.spending import StoreMemo
from metier.context.state_folder import exclusive_lock
from metier.errors import ConfigError, InputError, RefusedError, UnreadableError, UsageError
from metier.events import Noted
from metier.foreign_files import read_foreign
from metier.learning.drafting.by_model import ModelDrafter
from metier.learning.learn import rare_garbage_collection, run_pass, take_in_new, with_defaults
from metier.learning.watch.schedule import begin_pass, complete_pass
from metier.library.proposals.gate import NoCases
from metier.models.answers import read_answer
from metier.models.model import Reply
from metier.models.wire.schemas import schema_of
from metier.prompts import load, render
from metier.runs.record import why_closed
from metier.store.tables.runs import runs
from metier.types.passes import Options
from metier.types.questions import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from metier.context.context import Context
    from metier.events import Event
    from metier.library.skills import Library
    from metier.types.passes import Learned
    from metier.types.questions import Question

T = TypeVar("T", bound=BaseModel)
LONGEST, SECONDS = 1 << 20, 10.0
"""Bytes of an answer, and seconds for reading it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """A question that waits for its answer."""

    name: str
    stage: str
    file: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRound:
    """What came of one round."""

    open: tuple[OpenQuestion, ...] = ()
    taken: int = 0
    """Answers that were read from files."""
    refused: tuple[tuple[str, str], ...] = ()
    """Answers that cannot be used, each with the reason; their questions stay open."""
    learned: Learned | None = None
    """The pass, once nothing was open any more."""


@dataclass(kw_only=True)
class QuestionCounter:
    """Asks nobody: it counts what would be written."""

    ctx: Context
    name: str = "session"
    characters: int = 0

    def ask(self, question: Question, kind: type[T]) -> T | NoAnswer:  # noqa: ARG002
        """No answer; the question's text is counted."""
        self.characters += len(self.ctx.redact(question.prompt))
        return NoAnswer(reason="it was only counted", answered=True)


@dataclass(kw_only=True)
class FileAsker:
    """Answers questions from files, and writes those that have no answer yet; safe for many threads."""

    ctx: Context
    questions: Path
    answers: Path | None
    name: str = "session"
    open: dict[str, OpenQuestion] = field(default_factory=dict[str, OpenQuestion])
    taken: set[str] = field(default_factory=set[str])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    problem: InputError | None = None
    """Why a question could not be written; a pass goes on without a draft that fails, a round does not."""
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def ask(self, question: Question, kind: type[T]) -> T | NoAnswer:
        """The answer that was kept or given; without one, the question is written down."""
        prompt, shape = self.ctx.redact(question.prompt), schema_of(kind).json
        digest = sha256(f"{prompt}\0{shape}".encode("utf-8", "replace")).hexdigest()
        name, memo = f"{question.stage}-{digest[:16]}", StoreMemo(self.ctx)
        with self._lock:
            kept = memo.get(f"answer:{digest}")
            found = self._read(name, kept.decode(), kind) if kept else self._given(name, digest, kind)
            if found is None:
                self._write(name, question.stage, prompt, shape, self._nonce(digest))
                return NoAnswer(reason="it waits for an answer", answered=True)
            value, text = found
            if not kept:
                memo.put(f"answer:{digest}", text.encode("utf-8", "replace"))
                self.taken.add(name)
            with suppress(OSError):
                (self.questions / f"{name}.md").unlink()
            return value

    def result(self, learned: Learned | None = None) -> QuestionRound:
        """What came of the round so far."""
        waiting = tuple(self.open[name] for name in sorted(self.open))
        refused = tuple(sorted(self.refused.items()))
        return QuestionRound(open=waiting, taken=len(self.taken), refused=refused, learned=learned)

    def _nonce(self, digest: str) -> str:
        """What the answer to a question repeats: random, the same for as long as the question is open."""
        memo = StoreMemo(self.ctx)
        memo.put(f"nonce:{digest}", token_hex(8).encode())
        return (memo.get(f"nonce:{digest}") or b"").decode()

    def _given(self, name: str, digest: str, kind: type[T]) -> tuple[T, str] | None:
        """The answer in a file, if it repeats the question's nonce; None: there is none that can be used."""
        text = self._text_of(name)
        if text is None:
            return None
        nonce, rest = _split_nonce(text)
        if nonce != self._nonce(digest):
            said = "its nonce is another question's or project's" if nonce else "it is no JSON object with a nonce"
            self.refused[name] = f"{said}; repeat the one in {name}.md"
            return None
        return self._read(name, rest, kind)

    def _read(self, name: str, text: str, kind: type[T]) -> tuple[T, str] | None:
        clean = self.ctx.redact(text)
        value, problem = read_answer(Reply(text=clean), kind)
        if value is None:
            self.refused[name] = problem
            return None
        return value, clean

    def _text_of(self, name: str) -> str | None:
        """The text of an answer's file; None: there is none."""
        if self.answers is None:
            return None
        try:
            with read_foreign(self.answers / f"{name}.json", self.answers, LONGEST, SECONDS) as file:
                return file.read().decode("utf-8", "replace")
        except UnreadableError as error:
            if error.state != "gone":
                self.refused[name] = error.reason
            return None

    def _write(self, name: str, stage: str, prompt: str, shape: str, nonce: str) -> None:
        file = self.questions / f"{name}.md"
        text = render(_prompt(), name=name, nonce=nonce, prompt=prompt, format=render(_format(), schema=shape).strip())
        try:
            write_privately(file, text.encode("utf-8", "replace"))
        except InputError as error:
            self.problem = error
            raise
        self.open[name] = OpenQuestion(name=name, stage=stage, file=file)


def learn_by_files(
    library: Library, questions: Path, answers: Path | None, wait: float = 0.0
) -> Generator[Event, None, QuestionRound]:
    """One round: take the answers in, write the questions that wait; with none left, the pass itself. Ships nothing."""
    ctx = library.ctx
    if reason := why_closed(ctx):
        raise ConfigError(f"Learning is off in this folder: {reason}.")
    if answers is not None and not answers.is_dir():
        raise InputError(f"There is no folder {answers}. Name the one that holds the answers.")
    refuse_open_place(ctx, questions)
    asker = FileAsker(ctx=ctx, questions=questions, answers=answers)
    with exclusive_lock(ctx, wait), rare_garbage_collection():
        take_in_new(ctx)
        began = begin_pass(ctx)
        if not has_consent(ctx, FILES):
            yield from _refuse_unasked(library, questions)
        parts = replace(with_defaults(None), drafter=ModelDrafter(asker), asker=asker)
        yield from _without_notes(run_pass(library, Options(apply=False, dry_run=True), NoCases(), parts))
        if asker.problem is not None:
            raise asker.problem
        if asker.open:
            return asker.result()
        learned = yield from _without_notes(run_pass(library, Options(apply=False), NoCases(), parts))
        complete_pass(ctx, began)
        return asker.result(learned)


def _refuse_unasked(library: Library, questions: Path) -> Generator[Event, None, None]:
    """Say what would be written, and how the person says yes to it."""
    counter = QuestionCounter(ctx=library.ctx)
    parts = replace(with_defaults(None), drafter=ModelDrafter(counter), asker=counter)
    learned = yield from _without_notes(run_pass(library, Options(apply=False, dry_run=True), NoCases(), parts))
    with library.ctx.store.read() as transaction:
        found = runs.get_many(transaction, [one.run for one in learned.fates])
    sessions = len({one.run.session or one.id for one in found})
    raise RefusedError(
        f"Text of {sessions} session{'' if sessions == 1 else 's'} ({counter.characters:,} characters) would be "
        f"written to {questions} as questions. Nothing was written. To agree, type in a terminal: "
        f"metier models allow {FILES.provider}"
    )


def refuse_open_place(ctx: Context, folder: Path) -> None:
    """Refuse a folder for questions that a work tree could carry on, or that others can read."""
    real = folder.resolve()
    inside = next((one for one in (real, *real.parents) if one == ctx.root.resolve() or (one / ".git").exists()), None)
    if inside is not None:
        raise UsageError(
            f"Questions hold text of your sessions, and {real} lies in the work tree {inside}. Name a private folder "
            'outside: metier learn --questions "$(mktemp -d)"'
        )
    with suppress(FileNotFoundError):
        if real.stat().st_mode & 0o077:
            raise UsageError(f"Others can read {real}, and questions hold text of your sessions. chmod 700 it first.")


def _split_nonce(text: str) -> tuple[str, str]:
    """The nonce in an answer, and the answer without it; text that is no JSON object has none."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return "", text
    if not isinstance(given, dict):
        return "", text
    rest = {str(key): value for key, value in cast("dict[str, object]", given).items()}
    nonce = str(rest.pop("nonce", ""))
    return nonce, json.dumps(rest, ensure_ascii=False).encode("utf-8", "replace").decode()


def _without_notes(events: Generator[Event, None, Learned]) -> Generator[Event, None, Learned]:
    """The events of a pass without what it says about models: nobody is asked while it runs."""
    while True:
        try:
            event = next(events)
        except StopIteration as end:
            return end.value
        if not isinstance(event, Noted):
            yield event


def write_privately(file: Path, content: bytes) -> None:
    """Write a file that only the person can read, whole or not at all."""
    part = file.with_name(f".{file.name}.{token_hex(4)}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as out:
            out.write(content)
        part.replace(file)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise InputError(f"{file} cannot be written: {error.strerror}.") from None


@cache
def _prompt() -> str:
    return load("metier.learning", "question_file")


@cache
def _format() -> str:
    return load("metier.models", "format")
