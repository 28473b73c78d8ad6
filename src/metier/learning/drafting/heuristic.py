"""Drafting without a model: a skill from what the successful runs of a pattern did, or a section with what is new."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.learning.drafting.late_skills import detours, names_in, trigger_of
from metier.learning.drafting.phrases import join_items, phrases_of
from metier.learning.drafting.proposal import HEURISTIC, Proposal
from metier.learning.drafting.text import Writer
from metier.learning.procedures.knowledge import Knowledge, Lessons, knowledge_of
from metier.learning.procedures.shell import head
from metier.learning.procedures.template import literal
from metier.skills.names import lookalike_key, slug

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.drafting.similar_skills import KnownSkill
    from metier.learning.procedures.template import Template
    from metier.types import DraftType, Pattern

_PLACEHOLDER = re.compile(r"<[^<>\s]*>|…")
NO_STEPS = "the runs ask for the same, but have no steps in common"


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingNew:
    """The skill has all of it already, or the runs teach nothing."""

    reason: str
    drafter: str = ""
    """Who says so; empty: the drafter that was asked."""


class HeuristicDrafter:
    """Without a model: writes down what the successful runs did."""

    name = HEURISTIC

    def draft(self, pattern: Pattern, lessons: Lessons, recalled: Sequence[KnownSkill] = ()) -> Proposal | NothingNew:
        """A new skill, or one section for the skill that the runs already follow."""
        known = replace(knowledge_of(lessons), late=names_in(pattern.late_added), trigger=trigger_of(pattern))
        there = target_of(pattern, recalled)
        if there:
            return _section(pattern, known, there, recalled)
        return _document(pattern, replace(known, path=names_in(pattern.winning_path)), recalled)

    def draft_chain(self, pattern: Pattern, lessons: Lessons) -> Proposal:
        """What the runs did besides following their chain of skills; the text is empty where that is nothing."""
        known = knowledge_of(lessons)
        found = _whole(pattern, known, ())
        return found if known.procedure or known.corrections else replace(found, body="")


def target_of(pattern: Pattern, recalled: Sequence[KnownSkill]) -> KnownSkill | None:
    """The existing skill a pattern belongs to: the first its runs followed, or one of its own name."""
    path = [name.casefold() for name in pattern.winning_path]
    followed = [one for name in path for one in recalled if one.name.casefold() == name]
    name = lookalike_key(slug(pattern.label))
    return next(iter(followed), None) or next((one for one in recalled if lookalike_key(one.name) == name), None)


def type_of(pattern: Pattern) -> DraftType:
    """A shortcut where the path has at most one skill, else a workflow."""
    return "shortcut" if len(pattern.winning_path) <= 1 else "workflow"


def title_of(label: str, subject: Sequence[str]) -> str:
    """A label as a heading, its words spelled as people spell them."""
    spelled = {word.casefold(): word for word in subject}
    words = [spelled.get(word.casefold(), word) for word in re.split(r"[\s_-]+", label.strip()) if word]
    text = " ".join(words) or label
    return text[:1].upper() + text[1:]


def _avoided(pattern: Pattern, known: Knowledge) -> tuple[str, ...]:
    """What is better left: steps of failures, and the skills that runs began with before they had the right one."""
    steps = tuple(known.names.fill(one) for one in known.avoided)
    return (*steps, *detours(phrases_of(known.language), pattern))


def _document(pattern: Pattern, known: Knowledge, recalled: Sequence[KnownSkill]) -> Proposal | NothingNew:
    taught = known.procedure or known.corrections or known.path
    if not taught and (known.tools or not known.requests):
        return NothingNew(reason=NO_STEPS if known.requests else "the runs share neither steps nor words")
    if known.procedure and not (known.corrections or known.path) and all(one.kind == "tool" for one in known.procedure):
        return NothingNew(reason="the runs share only the names of tools, and when to use which is not known")
    return _whole(pattern, known, recalled)


def _whole(pattern: Pattern, known: Knowledge, recalled: Sequence[KnownSkill]) -> Proposal:
    name = slug(pattern.label)
    title = title_of(pattern.label, known.subject)
    return Proposal(
        target=name,
        kind="create",
        type=type_of(pattern),
        summary=_summary(pattern, known, title),
        body=Writer(known).document(name, title),
        uses=known.requests,
        entry_path=(name,),
        avoid=_avoided(pattern, known),
        matched=tuple(one.name for one in recalled),
        model=HEURISTIC,
    )


def _section(
    pattern: Pattern, known: Knowledge, there: KnownSkill, recalled: Sequence[KnownSkill]
) -> Proposal | NothingNew:
    fresh = unknown_to(f"{there.name}\n{there.body}", known)
    writer = Writer(fresh)
    parts = [writer.procedure(fresh.procedure), writer.checks(fresh.checks), writer.pitfalls()]
    if not fresh.procedure:
        parts.append("\n".join(f"- {one}" for one in fresh.corrections))
    text = "\n\n".join(part for part in parts if part)
    if not text:
        return NothingNew(reason=f"{there.name} says all of it already")
    title = title_of(pattern.label, known.subject)
    heading = f"{title}: {phrases_of(known.language).headings.update}"
    return Proposal(
        target=there.name,
        kind="append",
        type=type_of(pattern),
        summary=_summary(pattern, fresh, title),
        body=f"## {heading}\n\n{text}\n",
        uses=known.requests,
        entry_path=pattern.winning_path or (there.name,),
        avoid=_avoided(pattern, fresh),
        matched=tuple(one.name for one in recalled),
        model=HEURISTIC,
    )


def unknown_to(body: str, known: Knowledge) -> Knowledge:
    """The knowledge that a skill's text does not have yet."""
    text = " ".join(body.split()).casefold()
    return replace(
        known,
        procedure=tuple(step for step in known.procedure if not _is_in(step.template, text, known)),
        checks=tuple(step for step in known.checks if not _is_in(step.template, text, known)),
        troubles=tuple(
            one for one in known.troubles if not all(_is_in(each, text, known) for each in one.templates[1:])
        ),
        avoided=tuple(one for one in known.avoided if not _is_in(one, text, known)),
        corrections=tuple(one for one in known.corrections if " ".join(one.split()).casefold() not in text),
        late=tuple(one for one in known.late if one.casefold() not in text),
    )


def _is_in(template: Template, text: str, known: Knowledge) -> bool:
    """Whether a text names a step: in these words, or the same program told to do the same."""
    if " ".join(known.names.fill(template).split()).casefold() in text:
        return True
    said = head(literal(template)).casefold()
    pieces = [piece.strip(" '\"") for piece in _PLACEHOLDER.split(literal(template).casefold())]
    longest = max(pieces, key=len, default="")
    return (" " in said and said in text) or (len(longest) >= 12 and longest in text)


def _summary(pattern: Pattern, known: Knowledge, title: str) -> str:
    """A line for the person who decides."""
    evidence = pattern.successes + pattern.failures
    steps = len(known.procedure) + len(known.checks)
    what = (
        f"{steps} steps"
        if steps
        else f"with {join_items(known.path, 'and')}"
        if known.path
        else "what people asked for"
    )
    more = f", {len(known.troubles)} known troubles" if known.troubles else ""
    return f"{title}: {what}{more}, from {pattern.successes} successful of {evidence} runs"
