"""What the runs of a pattern teach: what recurs in those that went well, what differs, and the best of them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from math import ceil
from statistics import median
from typing import TYPE_CHECKING

from metier.learning.drafting.sanitise import is_dictated, told_hosts, without_hosts, without_marks
from metier.learning.procedures.actions import Action, actions_of, foreign_tool, project_root
from metier.learning.procedures.recurring import (
    Common,
    Recurring,
    RunLine,
    Script,
    example_of,
    is_telling,
    lines_of,
    recurring,
    request_lines,
    scripts_of,
    stems,
    unheard,
)
from metier.learning.procedures.requests import examples, subject
from metier.learning.procedures.slot_names import Names, names_for
from metier.learning.procedures.steps import Remedy, Step, commands_to_avoid, remedies_of, steps_of
from metier.learning.procedures.template import fits, literal, names_asked_value, slots_of
from metier.text.words import Language, language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.learning.procedures.actions import Actions
    from metier.learning.procedures.template import Template
    from metier.types import Run

SHOWN = 24
"""Runs of each kind that are read, the newest; more say nothing new."""
COMPARED = 12
"""Runs whose every line is compared."""
EXAMPLES = 5
WORDY = 5
"""Words of a request that is hardly said twice."""
ALIKE = 0.15
"""Part of their lines that runs have in common at least: else each said and wrote its own."""
HALF = 0.5
"""Share of the runs in which a line recurs; at least two have it."""
STEPS, LINES = 2, 6
"""Steps that are more than a habit; or else lines that recur."""
MANY = 0.6
"""Part of the requests that have a word which all of them are about."""
SUBJECT = 0.3
"""Part of a request that such words are at least, in runs of one session."""
MOSTLY = 0.4
"""Part of a run that the steps are, at least: else they were taken by the way."""
ASKED, NOTES, CODE = 2_500, 2_000, 2_000
"""Characters of what recurs: in requests, in what agents say, in what they write."""
LONG = 400
"""Characters of a request from which on it is more than a line that asks."""
_REASON = re.compile(
    r"\b(?:since|because|only (?:if|be|when|after|within)|cannot|can't|unable|must|unless|otherwise|"
    r"not (?:allowed|eligible|possible|permitted)|weil|nur wenn|darf nicht|muss)\b",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"(?:(?:ok(?:ay)?|great|perfect|good|excellent|done|now)\b[,.! ]*)*"
    r"(?:let me|let's|i|i'll|i've|i'm|now|here's|here is|here are|all (?:done|set|tests)"
    r"|done|both|the task|everything)\b",
    re.IGNORECASE,
)
"""How a sentence begins that tells what the agent is about to do or has done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """The runs behind a draft."""

    successes: tuple[Run, ...]
    failures: tuple[Run, ...] = ()

    def newest(self) -> Lessons:
        """As many of them as are worth looking at; the copy that a resumed session has of a run is no second one."""
        once = {_identity(run, number): run for number, run in enumerate(self.successes)}
        return Lessons(successes=tuple(once.values())[-SHOWN:], failures=self.failures[-SHOWN:])


def _identity(run: Run, number: int) -> tuple[str, ...]:
    """The same for the copies of a run: nobody says so many words twice in a session."""
    said = run.message.split()
    return (run.session, *said) if run.session and len(said) >= WORDY else (str(number),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """What the runs teach."""

    language: Language
    requests: tuple[str, ...]
    """Typical requests, the most typical first."""
    subject: tuple[str, ...]
    """Words most requests share."""
    steps: tuple[Step, ...]
    share: float
    """Which part of what a run did are steps that most runs took, or what fails now and then and what helps."""
    remedies: tuple[Remedy, ...]
    avoided: tuple[Template, ...]
    names: Names
    asked: tuple[str, ...] = ()
    """What long requests ask for again and again."""
    reasons: tuple[str, ...] = ()
    """Sentences that recur and say when something holds, or why."""
    notes: tuple[str, ...] = ()
    """Other sentences that recur."""
    code: tuple[str, ...] = ()
    """Lines of code that recur."""
    example: tuple[RunLine, ...] = ()
    scripts: tuple[Script, ...] = ()
    teaches: bool = True
    """Whether a step that most runs took does something that the requests do not already say."""
    is_work: bool = True
    """Whether most runs used a tool, and they are neither copies of one nor one long piece of work."""
    path: tuple[str, ...] = ()
    """The skills the runs used, in order, where they are no skills of this library."""
    late: tuple[str, ...] = ()
    """Skills that came into the context only on the way."""
    trigger: str = ""
    """What brought them there; empty: nothing that can be named."""

    @property
    def has_content(self) -> bool:
        """Whether it says more than that the runs asked for the same: several steps, or much that recurs."""
        steps = [step for step in self.steps if step.is_common]
        lines = len(self.code) + len(self.notes) + len(self.reasons)
        if not self.is_work:
            return False
        several = len(steps) >= STEPS and self.teaches
        return (several and self.share >= MOSTLY) or lines >= LINES


def procedure_of(lessons: Lessons) -> Procedure:
    """What a pattern's runs teach: from what people said and agents said and did, never from what tools answered."""
    shown = lessons.newest()
    runs = (*shown.successes, *shown.failures)
    acted = _all_actions(runs)
    good, bad = acted[: len(shown.successes)], acted[len(shown.successes) :]
    messages = tuple(without_marks(run.message) for run in runs)
    asked = messages[: len(shown.successes)]
    remedies = remedies_of(good, asked)
    steps = _without_remedies(steps_of(good, asked), remedies)
    avoided = commands_to_avoid(bad, good)
    mended = [template for one in remedies for template in (one.failed, one.helped)]
    names = names_for([*(step.template for step in steps), *mended, *avoided], messages)
    found = Procedure(
        language=language_of(asked),
        requests=examples(asked, names.values, EXAMPLES),
        subject=subject(asked, names.values),
        steps=steps,
        share=_share(good, [*(step.template for step in steps if step.is_common), *mended]),
        remedies=remedies,
        avoided=avoided,
        names=names,
        teaches=_teaches(steps, asked),
        is_work=len(shown.successes) >= min(2, len(lessons.successes)) and _is_work(shown.successes, good),
    )
    shown_whole = shown.successes[-COMPARED:]
    if len(shown_whole) < 2 or _use_other_tools(shown_whole):
        return found
    return _with_lines(found, shown_whole, [step.template for step in steps])


def _teaches(steps: Iterable[Step], requests: Sequence[str]) -> bool:
    """Whether a step that most runs took does something that the requests do not already say."""
    return any(step.is_common and step.acts and not _is_asked(step, requests) for step in steps)


def _is_asked(step: Step, requests: Sequence[str]) -> bool:
    """Whether most requests already give a command, or a file has another name in each run that no request says."""
    if step.kind == "edit":
        name = _file_name(step.template)
        return bool(slots_of(name)) and not names_asked_value(name, requests)
    words = literal(step.template).partition("…")
    head = " ".join((words[0].rpartition(" ")[0] if words[1] else words[0]).split())
    told = sum(head in " ".join(one.split()) for one in requests)
    return step.kind == "command" and len(head.split()) >= 2 and told >= MANY * len(requests)


def _file_name(path: Template) -> Template:
    """What stands behind the last slash."""
    at = max((at for at, part in enumerate(path) if isinstance(part, str) and "/" in part), default=-1)
    part = path[at] if at >= 0 else ""
    return (part.rpartition("/")[2], *path[at + 1 :]) if isinstance(part, str) else path[at + 1 :]


def _without_remedies(steps: Iterable[Step], remedies: Sequence[Remedy]) -> tuple[Step, ...]:
    """Steps that most runs took, and others that did not only mend something."""
    helped = {literal(one.helped) for one in remedies}
    return tuple(one for one in steps if one.is_common or literal(one.template) not in helped)


def _is_work(runs: Sequence[Run], ways: Sequence[Actions]) -> bool:
    """Whether most runs did something; those of one session must ask for the same, for it may be one piece of work."""
    if sum(map(bool, ways)) * 2 <= len(ways):
        return False
    if len({run.session for run in runs}) > 1 or not runs[0].session:
        return True
    said = [stems(run.message) for run in runs]
    counts = Counter(word for words in said for word in words)
    return sum(count >= MANY * len(runs) for count in counts.values()) >= SUBJECT * median(map(len, said))


def _share(ways: Sequence[Actions], steps: Sequence[Template]) -> float:
    """Which part of what a run did are these steps, in the middle of all runs."""
    parts = [sum(any(fits(step, one.text) for step in steps) for one in way) / len(way) for way in ways if way]
    return median(parts) if parts else 0.0


def _use_other_tools(runs: Sequence[Run]) -> bool:
    """Whether most calls are to tools that are none of a coding agent's own: what these do is not known.

    Then only what each run did in the very same way is a step; what was said around it may hold for one case only.
    """
    calls = [foreign_tool(call) is not None for run in runs for call in run.tools]
    return sum(calls) * 2 > len(calls)


def _with_lines(found: Procedure, runs: Sequence[Run], steps: Sequence[Template]) -> Procedure:
    """A procedure with what recurs in the lines of its runs, and the best of them as an example."""
    least = max(2, ceil(HALF * len(runs)))
    told, root = told_hosts(runs), project_root(runs)
    lines = [lines_of(run, told, root) for run in runs]
    every = recurring(lines, least)
    if _are_too_different(lines, every):
        return found
    common = Common([[line.text for line in each] for each in lines])
    own = _own_values(found.names, len(runs))
    again = [
        _without_values(one, own) for one in every if common.holds(one.line.text) and not _is_step(one.line, steps)
    ]
    parts = (
        _within((one for one in again if _is_note(one.line)), NOTES),
        _within((one for one in again if one.line.kind == "code"), CODE),
        example_of(lines, common),
    )
    said, code, example = unheard(parts, runs)
    return replace(
        found,
        asked=_texts(_within(recurring(_long_requests(runs), least), ASKED)),
        reasons=_texts(line for line in said if _REASON.search(line.text)),
        notes=_texts(line for line in said if not _REASON.search(line.text)),
        code=_texts(code),
        example=tuple(example),
        scripts=scripts_of(runs),
    )


def _own_values(names: Names, runs: int) -> dict[str, str]:
    """The values that less than half of the runs put into a slot, the longest first, with the names of the slots."""
    counts = Counter(value for values in names.values.values() for value in values if len(value) > 2)
    named = {value: name for values in names.values.values() for value, name in values.items()}
    own = sorted((value for value, count in counts.items() if count * 2 < runs), key=len, reverse=True)
    return {value: named[value] for value in own if " " not in value}


def _without_values(one: Recurring, own: Mapping[str, str]) -> Recurring:
    """A line with names for the values of its own run; a sentence has `…`, with which it is no note."""
    text = one.line.text
    for value, name in own.items():
        if value in text:
            hole = f"<{name}>" if one.line.kind == "code" else "…"
            text = re.sub(rf"(?<![\w<-]){re.escape(value)}(?![\w>-])", lambda _, hole=hole: hole, text)
    return one if text == one.line.text else replace(one, line=replace(one.line, text=text))


def _are_too_different(lines: Sequence[Sequence[RunLine]], again: Sequence[Recurring]) -> bool:
    """Whether little of what the runs tell recurs."""
    return sum(one.runs for one in again) < ALIKE * sum(is_telling(line.text) for each in lines for line in each)


def _long_requests(runs: Sequence[Run]) -> list[list[RunLine]]:
    return [request_lines(run.message) if len(run.message) >= LONG else [] for run in runs]


def _is_step(line: RunLine, steps: Sequence[Template]) -> bool:
    return any(fits(step, line.text.strip()) for step in steps)


def _is_note(line: RunLine) -> bool:
    """Whether a sentence tells what holds for all runs, and not what the agent is about or what came out."""
    return line.kind == "prose" and "…" not in line.text and not _CHATTER.match(line.text)


def _within(lines: Iterable[Recurring], room: int) -> list[RunLine]:
    """The lines that most runs have, as many as there is room for, in their own order."""
    every = list(lines)
    kept: set[int] = set()
    for at in sorted(range(len(every)), key=lambda at: (-every[at].runs, at)):
        room -= len(every[at].line.text) + 1
        if room < 0:
            break
        kept.add(at)
    return [every[at].line for at in sorted(kept)]


def _texts(lines: Iterable[RunLine]) -> tuple[str, ...]:
    return tuple(line.text for line in lines)


def _all_actions(runs: Sequence[Run]) -> tuple[Actions, ...]:
    """The actions of each run that may teach, cleaned of secrets and of addresses nobody named."""
    root = project_root(runs)
    told = told_hosts(runs)
    return tuple(
        tuple(_clean(one, run, told) for one in actions_of(run, root) if not is_dictated(one.text, one.at, run))
        for run in runs
    )


def _clean(action: Action, run: Run, told: frozenset[str]) -> Action:
    """An action without secrets and hosts; what another tool was given is a part of the step."""
    given = " ".join(run.tools[action.at].input.split()) if action.kind == "tool" else ""
    text = without_hosts(without_marks(f"{action.text} {given}".strip()), told)
    return action if text == action.text else replace(action, text=text)
