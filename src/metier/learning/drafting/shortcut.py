"""Combined shortcuts: one skill that does in one go what a stable chain of skills did."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

from metier.learning.drafting.phrases import (
    ENGLISH,
    GERMAN,
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
from metier.learning.drafting.proposal import LEARNED
from metier.skills.document.lines import DocumentLine, lines_of
from metier.skills.document.whole import cut, section_of, short
from metier.skills.document.yaml_values import quote
from metier.skills.names import name_problem, slug
from metier.text import stop_words
from metier.text.words import language_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.learning.drafting.proposal import Proposal
    from metier.learning.drafting.similar_skills import KnownSkill
    from metier.types import Pattern

GUIDANCE = 1_200
"""Characters of learned guidance."""
RESULT = 360
OPERATIONS = 8
"""Things a component does that are named."""
OPERATION = 160
"""Characters of a list item of a component."""
PROSE = 600
"""Characters of a paragraph of a component."""
PARTS, PART = 3_600, 300
"""Characters for all components, shared among them, and for each at least."""
_COPIES = frozenset(("component skill breakdown", "source skills", "wrapped path"))
"""Sections in which a generator repeats the components."""
_AROUND = frozenset(
    title.casefold()
    for title in (
        ENGLISH.headings.when,
        GERMAN.headings.when,
        ENGLISH.headings.result,
        GERMAN.headings.result,
        "When not to use",
    )
)
"""Sections of a component that are not about what it does."""
_TITLES = (ENGLISH.headings.procedure, GERMAN.headings.procedure, "Steps", "Workflow", "Instructions")
NAME = 4
"""Words of a shortcut's name."""
_WORD = re.compile(r"[a-z0-9]+")
_FUNCTION_WORDS = stop_words.ENGLISH | stop_words.GERMAN
_OPERATION = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(\S.*)")


def as_shortcut(
    proposal: Proposal, pattern: Pattern, components: Sequence[KnownSkill], existing: KnownSkill | None = None
) -> Proposal:
    """The proposal as a shortcut for the pattern's chain; one that is there already gets an update.

    `existing` is the skill of the shortcut's name, if there is one. The proposal's own procedure is kept.
    """
    name = existing.name if existing else shortcut_name(pattern.summary, pattern.winning_path)
    say = phrases_of(language_of(proposal.uses or (pattern.summary,)))
    guidance = cut(_procedure(proposal.body), GUIDANCE)
    chain = " -> ".join(pattern.winning_path)
    return replace(
        proposal,
        target=name,
        kind="append" if existing else "create",
        type="shortcut",
        summary=f"{name}: {join_items(pattern.winning_path, 'and')} in one go",
        body=_update(say, name, guidance)
        if existing
        else _document(say, name, pattern, (proposal, components, guidance)),
        beside=(),
        entry_path=(name,),
        avoid=tuple(dict.fromkeys((*proposal.avoid, *detours(say, pattern), say.of_skills.chain.format(chain)))),
        matched=tuple(dict.fromkeys((*proposal.matched, *(one.name for one in components)))),
        notes=tuple(dict.fromkeys((*proposal.notes, f"Former target: {proposal.target}"))),
    )


def operations(skill: KnownSkill) -> tuple[str, ...]:
    """What a skill does, from its lists and its sentences: a few lines, none of them too long."""
    found: list[tuple[str, int]] = []
    goes_on = False
    for line in _working_lines(skill.body):
        text = line.bare.strip()
        if line.kind == "code" and found:
            found[-1] = _with_code(*found[-1], text)
        elif line.kind == "text" and (item := _OPERATION.match(line.bare)):
            found.append((item[1], OPERATION))
        elif line.kind == "text" and goes_on:
            found[-1] = (f"{found[-1][0]} {text}", found[-1][1])
        elif line.kind == "text":
            found.append((text, PROSE))
        goes_on = line.kind == "text"
    return tuple(short(text, limit) for text, limit in found[:OPERATIONS])


def _working_lines(body: str) -> Iterator[DocumentLine]:
    """The lines of a body but those of sections that say when to use it and what comes out."""
    skipped = False
    for line in lines_of(f"\n{body}").lines:
        skipped = line.title.casefold() in _AROUND if line.kind == "heading" else skipped
        if not skipped:
            yield line


def _with_code(said: str, limit: int, code: str) -> tuple[str, int]:
    """A line of a code block behind the words before it, as far as there is room."""
    longer = f"{said} `{code}`"
    if not code or "`" in code or code.startswith("~~~") or len(longer) > PROSE:
        return said, limit
    return longer, PROSE


def _procedure(body: str) -> str:
    """The generator's own procedure; where it has no such section, all it says besides copies of the components."""
    return section_of(body, _TITLES) or "".join(_own_lines(body)).strip()


def _own_lines(body: str) -> Iterator[str]:
    """The lines of a text for a section: without its title, its frontmatter and what the components say anyway."""
    copied = False
    for line in lines_of(body).lines:
        if line.kind == "heading":
            copied = line.title.casefold() in _COPIES
        if line.kind == "front" or line.level == 1 or copied:
            continue
        yield f"#{line.text.lstrip()}" if line.level == 2 else line.text


def _document(say: Phrases, name: str, pattern: Pattern, given: tuple[Proposal, Sequence[KnownSkill], str]) -> str:
    proposal, components, guidance = given
    chain = join_items(pattern.winning_path, say.and_)
    intro = say.of_skills.one_go.format(chain)
    about = with_full_stop(proposal.uses[0] if proposal.uses else pattern.summary)
    front = f"---\nname: {name}\ndescription: {quote(short(f'{about} {intro}'))}\n{LEARNED}---\n"
    result = cut(section_of(proposal.body, (ENGLISH.headings.result, GERMAN.headings.result)), RESULT)
    title = name.replace("-", " ")
    todo = guidance or (
        say.of_skills.in_turn if components else say.of_skills.in_order.format(code_names(pattern.winning_path))
    )
    parts = [f"{front}\n# {title[:1].upper()}{title[1:]}", intro, f"## {say.headings.procedure}\n\n{todo}"]
    if wrapped := _wrapped(components):
        parts.append(f"## {say.headings.parts}\n\n{wrapped}")
    if late := late_lines(say, names_in(pattern.late_added), trigger_of(pattern), pattern.winning_path):
        parts.append("\n".join([f"## {say.headings.pitfalls}", "", *late]))
    if result:
        parts.append(f"## {say.headings.result}\n\n{result}")
    return "\n\n".join(parts) + "\n"


def _wrapped(components: Sequence[KnownSkill]) -> str:
    """What the component skills do, bounded, so that each has its say."""
    room = max(PART, PARTS // max(1, len(components)))
    blocks: list[str] = []
    for skill in components:
        lines = [f"### {skill.name}", "", short(skill.description, OPERATION) or skill.name]
        done = operations(skill)
        lines += ["", *(f"- {one}" for one in done)] if done else []
        blocks.append(cut("\n".join(lines), room))
    return "\n\n".join(blocks)


def _update(say: Phrases, name: str, guidance: str) -> str:
    title = name.replace("-", " ")
    return f"## {title[:1].upper()}{title[1:]}: {say.headings.update}\n\n{guidance}\n"


def shortcut_name(summary: str, path: Sequence[str]) -> str:
    """The name of a shortcut: the first of the cascade that is valid."""
    return next(
        (name for name in _candidates(summary, path) if name_problem(name) is None),
        slug(f"{path[0]}-to-{path[-1]}-shortcut"),
    )


def _candidates(summary: str, path: Sequence[str]) -> Iterator[str]:
    names = [slug(name) for name in path]
    words = _words(summary)
    kind = _shared_kind(names)
    meaningful = [word for word in words if word not in _FUNCTION_WORDS]
    if kind and len(meaningful) == 1 and meaningful[0].isdigit():
        yield f"calculate-{meaningful[0]}-via-{_plural(kind)}"
    if len(words) >= 2:
        first = "-".join(_opening(words))
        if kind:
            yield f"{first}-via-{_plural(kind)}"
        yield f"{first}-shortcut"
    yield f"combined-{'-'.join(_compressed(names, kind))}"
    yield f"{names[0]}-to-{names[-1]}-shortcut"


def _opening(words: Sequence[str]) -> list[str]:
    """The first few words; where that cuts a sentence short, without the function words it would end with."""
    first = list(words[:NAME])
    while len(words) > NAME and len(first) > 2 and first[-1] in _FUNCTION_WORDS:
        first.pop()
    return first


def _shared_kind(names: Sequence[str]) -> str:
    """The last word that all names share; empty: there is none, or only one name."""
    last = {name.rsplit("-", 1)[-1] for name in names}
    return last.pop() if len(names) >= 2 and len(last) == 1 else ""


def _compressed(names: Sequence[str], kind: str) -> list[str]:
    """The names; a last word that all of them share is said once, at the end."""
    if not kind:
        return list(names)
    own = [name.removesuffix(kind).strip("-") for name in names]
    return [*(name for name in own if name), _plural(kind)]


def _plural(word: str) -> str:
    return word if word.endswith("s") else f"{word}s"


def _words(text: str) -> list[str]:
    plain = "".join(char for char in normalize("NFKD", text.casefold()) if not combining(char))
    return _WORD.findall(plain)
