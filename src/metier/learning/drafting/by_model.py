"""Drafting with a model: it is asked once, and once more if its answer cannot be used; then the heuristic drafts."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictStr

from metier.errors import RefusedError
from metier.learning.drafting.heuristic import HeuristicDrafter, NothingNew, type_of
from metier.learning.drafting.phrases import names_in
from metier.learning.drafting.proposal import AFTER, HEURISTIC, Proposal
from metier.learning.drafting.sanitise import is_dictated, told_hosts, without_hosts, without_marks
from metier.learning.procedures.actions import actions_of, project_root
from metier.prompts import load, render
from metier.skills.document.whole import cut, is_whole
from metier.skills.editing.compose import compose
from metier.skills.names import slug
from metier.types.questions import Asker, NoAnswer, Question, as_data

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from metier.learning.drafting.similar_skills import KnownSkill
    from metier.learning.procedures.procedure import Lessons
    from metier.types import Pattern, Run

TOKENS = 8_000
"""Of an answer: a little more than the longest body takes."""
TEMPERATURE = 0.2
RUNS, RUN = 5, 700
TRIGGER = 64
SKILLS, SKILL = 5, 1_400
LONGEST = 24_000
"""Characters of a body; more is no skill."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ID = re.compile(r"\b[0-9a-f]{24}\b")
_Short = Annotated[StrictStr, Field(max_length=1_000)]


class DraftAnswer(BaseModel):
    """What a model proposes."""

    model_config = ConfigDict(extra="ignore")

    target: StrictStr
    kind: Literal["create", "append", "replace", "merge"]
    summary: _Short
    uses: list[_Short]
    entry_path: list[_Short]
    avoid: list[_Short]
    body: StrictStr


class ModelDrafter:
    """Asks a model for a draft, once more if its answer cannot be used; then the heuristic drafts instead."""

    def __init__(self, asker: Asker, *, is_out: Callable[[], bool] = lambda: False) -> None:
        """`is_out` tells whether the model is no longer asked in this pass."""
        self._asker = asker
        self._is_out = is_out

    @property
    def name(self) -> str:
        """Who would draft now."""
        return HEURISTIC if self._is_out() else self._asker.name

    def draft(self, pattern: Pattern, lessons: Lessons, recalled: Sequence[KnownSkill] = ()) -> Proposal | NothingNew:
        """The model's proposal, checked; or the heuristic's, with a note that says why."""
        asker, problem = self._asker, ""
        first = question(pattern, lessons, recalled)
        for asked in (first, None):
            answer = asker.ask(asked or question(pattern, lessons, recalled, problem), DraftAnswer)
            if isinstance(answer, NoAnswer):
                if problem:
                    answer = NoAnswer(reason=f"{problem}; then: {answer.reason}", answered=True)
                return self._draft_without(answer, pattern, lessons, recalled)
            problem = problem_of(answer, pattern, recalled) or ""
            if not problem:
                return _proposal(answer, pattern, recalled, asker.name, first.hash)
        return self._draft_without(NoAnswer(reason=problem, answered=True), pattern, lessons, recalled)

    def _draft_without(
        self, failed: NoAnswer, pattern: Pattern, lessons: Lessons, recalled: Sequence[KnownSkill]
    ) -> Proposal | NothingNew:
        """The heuristic's proposal; a model that answered is not asked the same again."""
        found = HeuristicDrafter().draft(pattern, lessons, recalled)
        name = self._asker.name
        if isinstance(found, NothingNew):
            return replace(found, drafter=name if failed.answered else HEURISTIC)
        note = f"{name} gave no usable draft ({failed.reason[:200]}); drafted without a model"
        model = f"{AFTER}{name}" if failed.answered else HEURISTIC
        return replace(found, model=model, notes=(*found.notes, note))


def question(pattern: Pattern, lessons: Lessons, recalled: Sequence[KnownSkill], problem: str = "") -> Question:
    """What a model is asked: the pattern, a few runs, similar skills, a name to consider, and what was wrong before."""
    facts = {
        "label": pattern.label,
        "summary": without_marks(pattern.summary),
        "successes": pattern.successes,
        "failures": pattern.failures,
        "path": list(pattern.winning_path),
        "late_added": list(names_in(pattern.late_added)),
        "trigger": without_marks(pattern.trigger)[:TRIGGER],
    }
    said = f"\nYour last answer could not be used: {problem}. Answer again, whole." if problem else ""
    prompt = render(
        _prompt(),
        pattern=as_data(facts, indent=1),
        runs=as_data(excerpts(lessons), indent=1),
        skills=as_data([_shown(one) for one in recalled[:SKILLS]], indent=1),
        hint=slug(pattern.label),
        problem=said,
    )
    return Question(prompt=prompt, stage="draft", temperature=TEMPERATURE, max_tokens=TOKENS)


def excerpts(lessons: Lessons) -> list[str]:
    """A few runs in short: requests, what was done, corrections; never what tools answered."""
    failed = [run for run in lessons.failures if run.correction][-2:]
    good = lessons.successes[-(RUNS - len(failed)) :]
    root = project_root((*good, *failed))
    return [_excerpt(run, root, went) for went, runs in (("succeeded", good), ("failed", failed)) for run in runs]


def problem_of(answer: DraftAnswer, pattern: Pattern, recalled: Sequence[KnownSkill]) -> str | None:
    """Why an answer cannot be used, in words for the model; None: it can."""
    body = answer.body.strip()
    if not body or not answer.summary.strip():
        return "body and summary must not be empty"
    if _CONTROL.search(body):
        return "the body holds control characters"
    if len(body) > LONGEST:
        return f"the body has {len(body):,} characters, {LONGEST:,} are allowed"
    if aim := _aim_problem(answer, {one.name for one in recalled}):
        return aim
    if answer.kind in ("create", "replace") and not is_whole(body):
        return "the body must be a full document with frontmatter and one title"
    if _names_a_run(body, pattern):
        return "the body names a run or a redacted secret"
    return _standard(answer, body) if answer.kind == "create" else None


def _names_a_run(body: str, pattern: Pattern) -> bool:
    """Whether a text holds a run's id or the mark of a secret."""
    return "[REDACTED:" in body or _ID.search(body) is not None or any(run in body for run in pattern.runs)


def _aim_problem(answer: DraftAnswer, names: set[str]) -> str | None:
    """Why an answer is for the wrong skill; None: it is not."""
    if answer.kind != "create" and answer.target not in names:
        return f"there is no skill {answer.target[:80]!r} to {answer.kind}; use create"
    if answer.kind == "create" and answer.target in names:
        return f"{answer.target!r} exists; use append or merge"
    return None


def _standard(answer: DraftAnswer, body: str) -> str | None:
    """What the standard for skills says against a new document."""
    try:
        compose("create", answer.target, None, body)
    except RefusedError as refused:
        return str(refused)
    return None


def _proposal(
    answer: DraftAnswer, pattern: Pattern, recalled: Sequence[KnownSkill], model: str, prompt_hash: str
) -> Proposal:
    return Proposal(
        target=answer.target,
        kind=answer.kind,
        type=type_of(pattern),
        summary=_line(answer.summary)[:300],
        body=f"{answer.body.strip()}\n",
        uses=_lines(answer.uses),
        entry_path=_lines(answer.entry_path) or (answer.target,),
        avoid=_lines(answer.avoid),
        matched=tuple(one.name for one in recalled),
        model=model,
        prompt_hash=prompt_hash,
    )


def _lines(texts: Sequence[str]) -> tuple[str, ...]:
    lines = [_line(text) for text in texts]
    return tuple(line for line in lines if line)[:5]


def _line(text: str) -> str:
    """A model's words in one line that any store can hold."""
    return " ".join(_CONTROL.sub(" ", text).split())


def _excerpt(run: Run, root: str, went: str) -> str:
    lines = [f"request: {without_marks(run.message)}", f"outcome: {went}"]
    told = told_hosts((run,))
    lines += [
        f"{one.kind}{'' if one.ok else ' (failed)'}: {without_hosts(without_marks(one.text), told)}"
        for one in actions_of(run, root)
        if not is_dictated(one.text, one.at, run)
    ]
    if run.correction:
        lines.insert(1, f"the person corrected: {without_marks(run.correction)}")
    return cut("\n".join(lines), RUN)


def _shown(skill: KnownSkill) -> dict[str, str]:
    return {"name": skill.name, "description": skill.description, "body": cut(skill.body, SKILL)}


@cache
def _prompt() -> str:
    return load("metier.learning", "draft")
