"""Rules by a model's judgement: it is shown what the person said, and every line it writes has to be grounded in it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr

from metier.formats.strict_json import clean
from metier.learning.lessons.judging.grounding import flat, found_in, refusal
from metier.prompts import load, render
from metier.text.words import stems_of
from metier.types.lessons import Lesson, Quote
from metier.types.questions import NoAnswer, Question, as_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.types.lessons import LessonScope
    from metier.types.questions import Asker
    from metier.types.sightings import Said

BATCH = 20
"""Candidates in one question."""
MOST = 600
"""Candidates that are looked at, the newest."""
PAGE = 4_000
"""Characters of the project's own pages that a question shows."""
OUTAGE = 2
"""Questions in a row without any answer, after which the others are not asked."""
SAME = 0.6
"""Share of words that two lines share when they say the same."""
_Short = Annotated[StrictStr, Field(max_length=1_000)]


class RuleAnswer(BaseModel):
    """One rule as a model writes it."""

    model_config = ConfigDict(extra="ignore")

    candidates: Annotated[list[int], Field(max_length=50)]
    text: _Short
    quote: _Short
    subject: _Short = ""
    scope: Literal["person", "project"] = "project"
    already_written: StrictBool = False


class RulesAnswer(BaseModel):
    """What a model makes of one batch; often nothing."""

    model_config = ConfigDict(extra="ignore")

    rules: Annotated[list[RuleAnswer], Field(max_length=BATCH)]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRules:
    """Rules that stand, and what did not."""

    lessons: tuple[Lesson, ...] = ()
    asked: int = 0
    dropped: tuple[str, ...] = ()
    """Why lines of the model were dropped."""
    outage: str = ""
    """Why nobody answered, if nobody did at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    text: str
    scope: LessonScope
    written: bool
    said: tuple[Said, ...]
    """The one that holds the quote first."""


def questions_for(said: Sequence[Said], pages: Mapping[str, str], rejected: Sequence[str]) -> list[Question]:
    """What a model is asked; the same candidates give the same questions, so that nothing is asked twice."""
    return [_question(batch, pages, rejected) for batch in _batches(said)]


def judge_rules(
    asker: Asker, said: Sequence[Said], pages: Mapping[str, str], rejected: Sequence[str] = ()
) -> JudgedRules:
    """The rules that a model finds in what the person said, each with a quote that is there."""
    rules: list[_Rule] = []
    dropped: list[str] = []
    silent = asked = usable = 0
    last = ""
    for batch in _batches(said):
        if silent == OUTAGE:
            break
        answer = asker.ask(_question(batch, pages, rejected), RulesAnswer)
        asked += 1
        if isinstance(answer, NoAnswer):
            silent, last = (0 if answer.answered else silent + 1), answer.reason
            continue
        silent, usable = 0, usable + 1
        made = [_grounded(rule, batch) for rule in answer.rules]
        rules += [one for one in made if isinstance(one, _Rule)]
        dropped += [one for one in made if isinstance(one, str)]
    lessons = tuple(_lesson(group, asker.name) for group in _together(rules))
    return JudgedRules(lessons=lessons, asked=asked, dropped=tuple(dropped), outage="" if usable else last)


def _batches(said: Sequence[Said]) -> Iterator[Sequence[Said]]:
    newest = list(said)[-MOST:]
    return (newest[at : at + BATCH] for at in range(0, len(newest), BATCH))


def _question(batch: Sequence[Said], pages: Mapping[str, str], rejected: Sequence[str]) -> Question:
    shown = [
        {"number": number, "said": one.text, "before": one.before, "reply": one.reply[:200]}
        for number, one in enumerate(batch, start=1)
    ]
    written = "\n".join(pages[name] for name in sorted(pages))[:PAGE]
    prompt = render(
        _prompt(), candidates=as_data(shown, indent=1), written=as_data(written), rejected=as_data(list(rejected)[:30])
    )
    return Question(prompt=prompt, stage="lessons", temperature=0.0)


def _grounded(rule: RuleAnswer, batch: Sequence[Said]) -> _Rule | str:
    """A rule that stands, or why it does not."""
    meant = [batch[number - 1] for number in dict.fromkeys(rule.candidates) if 0 < number <= len(batch)]
    line = " ".join(clean(rule.text).split())
    why = refusal(line, rule.quote, [one.text for one in meant])
    if why:
        return f"“{line[:80]}”: {why}"
    source = found_in(rule.quote, [one.text for one in meant])
    ordered = sorted(meant, key=lambda one: one.text != source)
    return _Rule(text=line, scope=rule.scope, written=rule.already_written, said=tuple(ordered))


def _together(rules: Sequence[_Rule]) -> list[list[_Rule]]:
    """Rules that say the same, from whatever batch."""
    groups: list[list[_Rule]] = []
    for rule in rules:
        mine = stems_of(rule.text)
        for group in groups:
            theirs = stems_of(group[0].text)
            if mine and len(mine & theirs) >= SAME * min(len(mine), len(theirs)):
                group.append(rule)
                break
        else:
            groups.append([rule])
    return groups


def _lesson(group: Sequence[_Rule], model: str) -> Lesson:
    """One lesson for rules that say the same: the newest words, all the quotes."""
    newest = group[-1]
    said: dict[str, Said] = {flat(one.text): one for rule in (newest, *group) for one in rule.said}
    sessions = len({one.session for one in said.values()})
    counts: dict[str, int] = defaultdict(int)
    for one in said.values():
        for term in one.terms:
            counts[term] += 1
    subject = sorted(counts, key=lambda term: (-counts[term], term))[:3]
    return Lesson(
        id="",
        workspace="",
        kind="rule",
        text=newest.text,
        subject=" ".join(sorted(subject)),
        scope=newest.scope,
        trigger=" ".join(subject),
        strength=round(min(0.98, 0.6 + 0.08 * sessions), 3),
        sessions=sessions,
        quotes=tuple(
            Quote(run=one.run, session=one.session, text=one.text, origin="person") for one in list(said.values())[:6]
        ),
        already_written="the project's pages" if newest.written else "",
        by=f"model:{model}",
    )


@cache
def _prompt() -> str:
    return load("metier.learning", "lessons")
