"""What analysts propose: edits, suggestions for a rewrite, or whole documents, each with where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from metier.skills.editing.patch_json import MalformedEdit, Proposal, dump_edit, parse_edit
from metier.training.proposing.answers import Patched, Rewritten, Suggestions

if TYPE_CHECKING:
    from collections.abc import Mapping

Source = Literal["failure", "success"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """One thing a rewrite should take up."""

    instruction: str
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A document in place of the one there is."""

    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedChange:
    """A proposal, and what speaks for it."""

    what: Proposal | Suggestion | Whole
    source: Source
    support: int = 1
    """How many cases speak for it."""
    level: int = 0
    """How often it was merged with others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Proposals in order, and why."""

    items: tuple[ProposedChange, ...] = ()
    reasoning: str = ""


NOTHING = Bundle()


Answered = Patched | Suggestions | Rewritten


def bundle_of(answer: Answered, source: Source, *, support: int, level: int = 0) -> Bundle:
    """The proposals in an answer; one that does not say how many cases speak for it gets `support`."""
    if isinstance(answer, Rewritten):
        item = ProposedChange(what=Whole(document=answer.new_skill), source=source, support=support, level=level)
        return Bundle(items=(item,), reasoning=answer.reasoning)
    if isinstance(answer, Suggestions):
        items = tuple(
            ProposedChange(
                what=Suggestion(title=one.title, instruction=one.instruction),
                source=source,
                support=one.support_count if one.support_count > 0 else support,
                level=level,
            )
            for one in answer.suggestions
        )
        return Bundle(items=items, reasoning=answer.reasoning)
    items = tuple(_edit(one, source, support, level) for one in answer.edits)
    return Bundle(items=items, reasoning=answer.reasoning)


def _edit(value: object, source: Source, support: int, level: int) -> ProposedChange:
    fields = cast("Mapping[str, object]", value if isinstance(value, dict) else {})
    said = fields.get("support_count")
    counted = said if isinstance(said, int) and not isinstance(said, bool) and said > 0 else support
    if level and fields.get("source") == "success":  # an analyst sees one side only; who merges sees both
        source = "success"
    return ProposedChange(what=parse_edit(cast("object", value)), source=source, support=counted, level=level)


def in_short(proposed: ProposedChange, most: int = 60) -> str:
    """The proposal in a few words, on one line."""
    fields = dump(proposed)
    said = next((str(fields[key]) for key in ("content", "target", "instruction", "new_skill") if fields.get(key)), "")
    words = " ".join(said.split())
    shown = words if len(words) <= most else words[: most - 1] + "…"
    return f"{fields.get('op', 'rewrite')} “{shown}”"


def dump(proposed: ProposedChange) -> dict[str, object]:
    """The proposal as a JSON object."""
    about: dict[str, object] = {"source": proposed.source, "support_count": proposed.support, "level": proposed.level}
    match proposed.what:
        case Suggestion(title=title, instruction=instruction):
            return {"title": title, "instruction": instruction, **about}
        case Whole(document=document):
            return {"new_skill": document, **about}
        case MalformedEdit(error=error):
            return {"error": error, **about}
        case edit:
            return {**dump_edit(edit), **about}
