"""Drafting without a model: a skill from what the successful runs of a pattern did, or a section with what is new."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metier.learning.drafting.phrases import (
    Phrases,
    code_names,
    detours,
    join_items,
    late_lines,
    names_in,
    phrases_of,
    trigger_of,
    with_full_stop,
)
from metier.learning.drafting.proposal import HEURISTIC, LEARNED, Proposal
from metier.learning.procedures.procedure import Lessons, Procedure, procedure_of
from metier.learning.procedures.shell import head
from metier.learning.procedures.template import literal
from metier.skills.document.yaml_values import quote
from metier.skills.names import lookalike_key, slug

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.learning.drafting.similar_skills import KnownSkill
    from metier.learning.procedures.procedure import Procedure
    from metier.learning.procedures.steps import Step
    from metier.learning.procedures.template import Template
    from metier.types import DraftType, Pattern

EXAMPLE = "references/example.md"
DESCRIPTION = 1_024
RESULT = 360
TOOLS = 5
PASSING = 3
_NAMED_PLACEHOLDER = re.compile(r"<([^<>\s-]*)[^<>\s]*>")


class Writer:
    """Writes the parts of a skill about one kind of work."""

    def __init__(self, known: Procedure) -> None:
        self._known = known
        self._say: Phrases = phrases_of(known.language)

    def document(self, name: str, title: str) -> str:
        """The whole SKILL.md."""
        front = f"---\nname: {name}\ndescription: {quote(self.description(title))}\n{LEARNED}---\n"
        intro = [with_full_stop(self._known.requests[0])] if self._known.requests else []
        return "\n\n".join([f"{front}\n# {title}", *intro, *self.sections()]) + "\n"

    def files(self) -> Mapping[str, str]:
        """What lies beside SKILL.md: the example and the scripts."""
        found = {f"scripts/{one.name}": one.text for one in self._known.scripts}
        if self._known.example:
            fence = "~~~" if any("```" in line.text for line in self._known.example) else "```"
            parts = [f"# {self._say.example_title}", ""]
            code = False
            for line in self._known.example:
                if code != (line.kind == "code"):
                    code = not code
                    parts.append(fence)
                parts.append(line.text if code else f"- {line.text}")
            found[EXAMPLE] = "\n".join([*parts, *([fence] if code else [])]) + "\n"
        return found

    def sections(self) -> list[str]:
        """Every section that has something to say, heading included."""
        known, titles = self._known, self._say.headings
        parts = (
            (titles.when, self.when()),
            (titles.asked, _items(known.asked)),
            (titles.procedure, self.procedure(known.steps) or self._followed()),
            (titles.notes, _items((*known.reasons, *known.notes))),
            (titles.code, _block(known.code)),
            (titles.pitfalls, self.pitfalls()),
            (titles.result, self.result()),
            (titles.example, self.example()),
        )
        return [f"## {title}\n\n{text}" for title, text in parts if text]

    def description(self, title: str) -> str:
        """What the skill does and when to use it, in the words of those who asked, within the standard's limit."""
        requests = self._known.requests
        common = [step for step in self._known.steps if step.is_common]
        heads = list(dict.fromkeys(head(literal(step.template)) for step in common if step.kind == "command"))[:TOOLS]
        files = list(dict.fromkeys(self._fill(step.template) for step in common if step.kind == "edit"))[:3]
        parts = [with_full_stop(requests[0] if requests else title)]
        if heads:
            parts.append(self._say.uses.format(join_items(heads, self._say.and_)))
        if files:
            named = [_NAMED_PLACEHOLDER.sub(lambda found: found[1].upper(), one) for one in files]
            parts.append(self._say.changes.format(join_items(named, self._say.and_)))
        if requests[1:]:
            shown = [self._quoted(one) for one in requests[1:4]]
            parts.append(self._say.asked_like.format(join_items(shown, self._say.or_)))
        if self._known.subject:
            parts.append(self._say.about.format(", ".join(self._known.subject)))
        return _within(parts, DESCRIPTION)

    def when(self) -> str:
        """Typical requests."""
        return "\n".join(f"- {self._quoted(one)}" for one in self._known.requests[1:] or self._known.requests)

    def procedure(self, steps: Sequence[Step]) -> str:
        """The steps, numbered, and which of their values the request gives."""
        lines = [f"{number}. {self._sentence(step)}" for number, step in enumerate(steps, 1)]
        used = {name for step in steps for name in self._known.names.names_in(step.template)}
        given = [f"`<{name}>`" for name in sorted(used & self._known.names.asked)]
        others = [f"`<{name}>`" for name in sorted(used - self._known.names.asked)]
        told = [self._say.values.format(join_items(given, self._say.and_))] if given else []
        told += [self._say.others.format(join_items(others, self._say.and_))] if others else []
        lines += ["", " ".join(told)] if told else []
        return "\n".join(lines)

    def pitfalls(self) -> str:
        """What fails now and then and what helps, what only runs that went wrong did, and skills that came in late."""
        known, say = self._known, self._say.steps
        lines = [f"- {say.helps.format(self._code(one.failed), self._code(one.helped))}" for one in known.remedies]
        lines += [f"- {say.avoid.format(self._code(one))}" for one in known.avoided]
        return "\n".join(lines + late_lines(self._say, known.late, known.trigger))

    def result(self) -> str:
        """How one can tell that the work is done."""
        steps = self._known.steps
        checks = dict.fromkeys(self._code(step.template) for step in steps if step.check and step.acts)
        if checks:
            return _within([self._say.passes.format(one) for one in list(checks)[-PASSING:]], RESULT)
        last = steps[-1] if steps and steps[-1].kind == "command" else None
        return self._say.ends_well.format(self._code(last.template))[:RESULT] if last else ""

    def example(self) -> str:
        """Where the example and the scripts are."""
        names = [f"scripts/{one.name}" for one in self._known.scripts]
        lines = [self._say.example] if self._known.example else []
        return "\n".join([*lines, *([self._say.scripts.format(code_names(names))] if names else [])])

    def _followed(self) -> str:
        """The skills that the runs used, as what to do."""
        path, say = self._known.path, self._say.of_skills
        return (say.in_order if len(path) > 1 else say.begin_with).format(code_names(path)) if path else ""

    def _sentence(self, step: Step) -> str:
        say = self._say.steps
        words = {"edit": say.edit, "read": say.read, "command": say.fails_first if step.fails else say.run}
        text = words.get(step.kind, say.tool).format(self._code(step.template))
        extras = [say.repeated] if step.repeated else []
        if step.when:
            extras.append(say.when.format(step.when))
        elif not step.is_common:
            extras.append(say.some.format(step.runs, step.of))
        return " ".join([text.rstrip("."), *extras]) + "." if extras else text

    def _fill(self, template: Template) -> str:
        return self._known.names.fill(template)

    def _code(self, template: Template) -> str:
        text = self._fill(template)
        return f"`` {text} ``" if "`" in text else f"`{text}`"

    def _quoted(self, text: str) -> str:
        left, right = self._say.quotes
        return f"{left}{text}{right}"


def _items(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _block(lines: Sequence[str]) -> str:
    """Lines of code in a block; empty: there are none."""
    fence = "~~~" if any("```" in line for line in lines) else "```"
    return "\n".join([fence, *lines, fence]) if lines else ""


def _within(parts: Sequence[str], limit: int) -> str:
    """As many of the parts as fit; the first one is cut if it has to be."""
    text = ""
    for part in parts:
        joined = f"{text} {part}".strip()
        if len(joined) > limit:
            break
        text = joined
    return text or (f"{parts[0][: limit - 1]}…" if parts else "")


_PLACEHOLDER = re.compile(r"<[^<>\s]*>|…")
NO_STEPS = "the runs ask for the same, but have fewer than two steps in common and say little else"


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
    parts = [f"{len(known.steps)} steps"] if known.steps else []
    parts += [f"with {join_items(known.path, 'and')}"] if known.path and not known.steps else []
    parts += ["an example"] if known.example else []
    runs = f"from {pattern.successes} run{'' if pattern.successes == 1 else 's'} that succeeded"
    failed = f"; {pattern.failures} of this kind failed" if pattern.failures else ""
    return f"{title} ({', '.join([*parts, runs])}{failed})"
