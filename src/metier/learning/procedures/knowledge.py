"""Everything a pattern's runs teach, before it is put into words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.learning.drafting.sanitise import (
    foreign_texts,
    is_dictated,
    is_risky,
    told_hosts,
    without_hosts,
    without_marks,
)
from metier.learning.procedures.actions import Action, actions_of, project_root
from metier.learning.procedures.requests import corrections, examples, plain, subject
from metier.learning.procedures.slot_names import Names, names_for
from metier.learning.procedures.steps import Step, split_checks, steps_of
from metier.learning.procedures.troubles import Trouble, commands_to_avoid, straighten_runs, troubles
from metier.text.terms import Language, language_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.learning.procedures.actions import Actions
    from metier.learning.procedures.template import Template
    from metier.types import Run

SHOWN = 24
"""Runs of each kind that are looked at, the newest; more say nothing new."""
EXAMPLES = 5
AGREED = 0.6
LEAST = 3
"""Answers that must agree; two may do so by chance."""
SHORTEST, LONGEST = 20, 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """The runs behind a draft."""

    successes: tuple[Run, ...]
    failures: tuple[Run, ...] = ()

    def newest(self) -> Lessons:
        """As many of them as are worth looking at."""
        return Lessons(successes=self.successes[-SHOWN:], failures=self.failures[-SHOWN:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What the runs teach."""

    language: Language
    requests: tuple[str, ...]
    """Typical requests, the most typical first."""
    subject: tuple[str, ...]
    """Words most requests share."""
    procedure: tuple[Step, ...]
    checks: tuple[Step, ...]
    troubles: tuple[Trouble, ...]
    avoided: tuple[Template, ...]
    corrections: tuple[str, ...]
    answer: str
    """How most answers end the work, where they agree."""
    names: Names
    tools: bool = True
    """Whether any of the runs used a tool."""
    path: tuple[str, ...] = ()
    """The skills the runs used, in order, where they are no skills of this library."""
    late: tuple[str, ...] = ()
    """Skills that came into the context only on the way."""
    trigger: str = ""
    """What brought them there; empty: nothing that can be named."""


def knowledge_of(lessons: Lessons) -> Knowledge:
    """What a pattern's runs teach: from what people said and agents did, never from what tools answered."""
    shown = lessons.newest()
    runs = (*shown.successes, *shown.failures)
    acted = _all_actions(runs)
    good, bad = acted[: len(shown.successes)], acted[len(shown.successes) :]
    messages = tuple(without_marks(run.message) for run in runs)
    asked = messages[: len(shown.successes)]
    straight = straighten_runs(good)
    steps = steps_of(straight.runs, asked)
    trouble = troubles(straight.detours, asked, [step.template for step in steps])
    corrected = frozenset(place for place, run in enumerate(shown.failures) if run.correction)
    avoid = commands_to_avoid(bad, good, corrected, messages)
    templates = [step.template for step in steps]
    templates += [one for each in trouble for one in each.templates]
    templates += avoid
    names = names_for(templates, messages)
    procedure, checks = split_checks(steps)
    return Knowledge(
        language=language_of(asked),
        requests=examples(asked, names.values, EXAMPLES),
        subject=subject(asked, names.values),
        procedure=procedure,
        checks=checks,
        troubles=trouble,
        avoided=avoid,
        corrections=corrections(without_marks(run.correction) for run in runs if run.correction),
        answer=common_answer(shown.successes, names.values),
        names=names,
        tools=any(run.tools for run in runs),
    )


def _all_actions(runs: Sequence[Run]) -> tuple[Actions, ...]:
    """The actions of each run that may teach, cleaned of secrets and of addresses nobody named."""
    root = project_root(runs)
    told = told_hosts(runs)
    return tuple(
        tuple(_clean(one, told) for one in actions_of(run, root) if not is_dictated(one.text, one.at, run))
        for run in runs
    )


def _clean(action: Action, told: frozenset[str]) -> Action:
    text = without_hosts(without_marks(action.text), told)
    return action if text == action.text else replace(action, text=text)


def common_answer(runs: Sequence[Run], values: Mapping[int, Mapping[str, str]]) -> str:
    """The sentence most answers begin with, without their own values; empty: they differ, or a tool said it."""
    counts = Counter(_first(run.output, values.get(number, {})) for number, run in enumerate(runs))
    usable = {text: count for text, count in counts.items() if SHORTEST <= len(text) <= LONGEST and not is_risky(text)}
    text = min(usable, key=lambda one: (-usable[one], one), default="")
    if not text or usable[text] < max(LEAST, AGREED * len(runs)):
        return ""
    pieces = [piece.strip() for piece in text.split("…") if len(piece.split()) > 3]
    heard = [" ".join(one.split()) for one in foreign_texts(runs)]
    return "" if any(piece.casefold() in one.casefold() for piece in pieces for one in heard) else text


def _first(output: str, values: Mapping[str, str]) -> str:
    line = next((line for line in without_marks(output).splitlines() if line.strip()), "")
    return plain(line.split(". ")[0], values).rstrip(".")
