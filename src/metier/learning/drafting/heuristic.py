"""Drafting without a model: a skill from what the successful runs of a pattern did, or a section with what is new."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.learning.drafting.phrases import detours, join_items, names_in, phrases_of, trigger_of
from metier.learning.drafting.proposal import HEURISTIC, Proposal
from metier.learning.drafting.text import Writer
from metier.learning.procedures.procedure import Lessons, Procedure, procedure_of
from metier.learning.procedures.shell import head
from metier.learning.procedures.template import literal
from metier.skills.names import lookalike_key, slug

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.learning.drafting.similar_skills import KnownSkill
    from metier.learning.procedures.template import Template
    from metier.types import DraftType, Pattern

_PLACEHOLDER = re.compile(r"<[^<>\s]*>|…")
NO_STEPS = "the runs ask for the same, but hardly did or said the same"


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingNew:
    """The skill has all of it already, or the runs teach nothing."""

    reason: str
    drafter: str = ""
    """Who says so; empty: the drafter that was asked."""


class HeuristicDrafter:
    """Without a model: writes down what recurs in the runs that went well, and shows the best of them."""

    name = HEURISTIC

    def draft(self, pattern: Pattern, lessons: Lessons, recalled: Sequence[KnownSkill] = ()) -> Proposal | NothingNew:
        """A new skill, or one section for the skill that the runs already follow."""
        known = replace(procedure_of(lessons), late=names_in(pattern.late_added), trigger=trigger_of(pattern))
        there = target_of(pattern, recalled)
        if there:
            return _section(pattern, known, there, recalled)
        known = replace(known, path=names_in(pattern.winning_path))
        if not (known.has_content or known.path):
            return NothingNew(reason=NO_STEPS if known.requests else "the runs share neither steps nor words")
        return _whole(pattern, known, recalled)

    def draft_chain(self, pattern: Pattern, lessons: Lessons) -> Proposal:
        """What the runs did besides following their chain of skills; the text is empty where that is nothing."""
        known = procedure_of(lessons)
        found = _whole(pattern, known, ())
        return found if known.steps else replace(found, body="")


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


def _avoided(pattern: Pattern, known: Procedure) -> tuple[str, ...]:
    """What is better left: steps of failures, and the skills that runs began with before they had the right one."""
    steps = tuple(known.names.fill(one) for one in known.avoided)
    return (*steps, *detours(phrases_of(known.language), pattern))


def _whole(pattern: Pattern, known: Procedure, recalled: Sequence[KnownSkill]) -> Proposal:
    name = slug(pattern.label)
    title = title_of(pattern.label, known.subject)
    writer = Writer(known)
    return Proposal(
        target=name,
        kind="create",
        type=type_of(pattern),
        summary=_summary(pattern, known, title),
        body=writer.document(name, title),
        beside=tuple(writer.files().items()),
        uses=known.requests,
        entry_path=(name,),
        avoid=_avoided(pattern, known),
        matched=tuple(one.name for one in recalled),
        model=HEURISTIC,
    )


def _section(
    pattern: Pattern, known: Procedure, there: KnownSkill, recalled: Sequence[KnownSkill]
) -> Proposal | NothingNew:
    fresh = unknown_to(f"{there.name}\n{there.body}", known)
    writer = Writer(fresh)
    text = "\n\n".join(part for part in (writer.procedure(fresh.steps), writer.pitfalls()) if part)
    if not text:
        return NothingNew(reason=f"{there.name} says all of it already")
    title = title_of(pattern.label, known.subject)
    return Proposal(
        target=there.name,
        kind="append",
        type=type_of(pattern),
        summary=_summary(pattern, fresh, title),
        body=f"## {title}: {phrases_of(known.language).headings.update}\n\n{text}\n",
        uses=known.requests,
        entry_path=pattern.winning_path or (there.name,),
        avoid=_avoided(pattern, fresh),
        matched=tuple(one.name for one in recalled),
        model=HEURISTIC,
    )


def unknown_to(body: str, known: Procedure) -> Procedure:
    """The steps and warnings that a skill's text does not have yet."""
    text = " ".join(body.split()).casefold()
    return replace(
        known,
        steps=tuple(step for step in known.steps if not _is_in(step.template, text, known)),
        remedies=tuple(one for one in known.remedies if not _is_in(one.helped, text, known)),
        avoided=tuple(one for one in known.avoided if not _is_in(one, text, known)),
        late=tuple(one for one in known.late if one.casefold() not in text),
    )


def _is_in(template: Template, text: str, known: Procedure) -> bool:
    """Whether a text names a step: in these words, or the same program told to do the same."""
    if " ".join(known.names.fill(template).split()).casefold() in text:
        return True
    said = head(literal(template)).casefold()
    pieces = [piece.strip(" '\"") for piece in _PLACEHOLDER.split(literal(template).casefold())]
    longest = max(pieces, key=len, default="")
    return (" " in said and said in text) or (len(longest) >= 12 and longest in text)


def _summary(pattern: Pattern, known: Procedure, title: str) -> str:
    """A line for the person who decides."""
    evidence = pattern.successes + pattern.failures
    parts = [f"{len(known.steps)} steps"] if known.steps else []
    parts += [f"with {join_items(known.path, 'and')}"] if known.path and not known.steps else []
    parts += ["what recurs"] if known.notes or known.reasons or known.code else []
    parts += ["an example"] if known.example else []
    what = ", ".join(parts) or "what people asked for"
    return f"{title}: {what}, from {pattern.successes} successful of {evidence} runs"
