"""Combined shortcuts: one skill that does in one go what a stable chain of skills did."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

from metier.learning.drafting.document import LEARNED, cut, section_of, short
from metier.learning.drafting.phrases import ENGLISH, GERMAN, Phrases, join_items, phrases_of
from metier.skills.document.lines import lines_of
from metier.skills.document.yaml_quoting import quote
from metier.skills.names import name_problem, slug
from metier.text.terms import language_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.learning.drafting.proposal import Proposal
    from metier.learning.drafting.similar_skills import KnownSkill
    from metier.learning.patterns import Path
    from metier.types import Pattern

GUIDANCE = 1_200
"""Characters of learned guidance."""
RESULT = 360
OPERATIONS = 5
"""Things a component does that are named."""
OPERATION = 160
WORDS = 4
STABLE = 0.5
"""Share of the runs with a path that took the winning one."""
_WORD = re.compile(r"[a-z0-9]+")
_OPERATION = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(\S.*)")


def is_stable(pattern: Pattern, paths: Mapping[Path, int], min_runs: int = 2) -> bool:
    """Whether a winning path of two or more skills was taken often enough, by at least half of the runs with one."""
    count = paths.get(pattern.winning_path, 0)
    total = sum(number for path, number in paths.items() if path)
    return len(pattern.winning_path) >= 2 and count >= max(2, min_runs) and count >= STABLE * total


def shortcut_name(summary: str, path: Sequence[str]) -> str:
    """The name of a shortcut: the first of the cascade that is valid."""
    return next(
        (name for name in _candidates(summary, path) if name_problem(name) is None),
        slug(f"{path[0]}-to-{path[-1]}-shortcut"),
    )


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
        entry_path=(name,),
        avoid=tuple(dict.fromkeys((*proposal.avoid, say.chain.format(chain)))),
        matched=tuple(dict.fromkeys((*proposal.matched, *(one.name for one in components)))),
        notes=tuple(dict.fromkeys((*proposal.notes, f"Former target: {proposal.target}"))),
    )


def operations(skill: KnownSkill) -> tuple[str, ...]:
    """What a skill does, from its lists: a few lines, none of them long."""
    found = [
        match[1]
        for line in lines_of(skill.body).lines
        if line.kind == "text" and (match := _OPERATION.match(line.bare))
    ]
    return tuple(short(one, OPERATION) for one in found[:OPERATIONS])


def _candidates(summary: str, path: Sequence[str]) -> Iterator[str]:
    names = [slug(name) for name in path]
    words = _words(summary)
    segments = {name.rsplit("-", 1)[-1] for name in names}
    segment = segments.pop() if len(segments) == 1 else ""
    numbers = [word for word in words if word.isdigit()]
    first = "-".join(words[:WORDS])
    if len(numbers) == 1 and segment:
        yield f"calculate-{numbers[0]}-via-{segment}s"
    if first and segment:
        yield f"{first}-via-{segment}s"
    if first:
        yield f"{first}-shortcut"
    yield f"combined-{'-'.join(names)}"
    yield f"{names[0]}-to-{names[-1]}-shortcut"


def _words(text: str) -> list[str]:
    plain = "".join(char for char in normalize("NFKD", text.casefold()) if not combining(char))
    return _WORD.findall(plain)


def _procedure(body: str) -> str:
    """The generator's own procedure; where it has no such section, all it says."""
    titles = (ENGLISH.headings.procedure, GERMAN.headings.procedure, "Steps", "Workflow", "Instructions")
    found = section_of(body, titles)
    if found:
        return found
    kept = [line.text for line in lines_of(body).lines if line.kind != "front" and line.level != 1]
    return "".join(kept).strip()


def _document(say: Phrases, name: str, pattern: Pattern, given: tuple[Proposal, Sequence[KnownSkill], str]) -> str:
    proposal, components, guidance = given
    chain = join_items(pattern.winning_path, say.and_)
    intro = say.one_go.format(chain)
    about = proposal.uses[0].rstrip(".") if proposal.uses else pattern.summary.rstrip(".")
    front = f"---\nname: {name}\ndescription: {quote(short(f'{about}. {intro}'))}\n{LEARNED}---\n"
    result = cut(section_of(proposal.body, (ENGLISH.headings.result, GERMAN.headings.result)), RESULT)
    title = name.replace("-", " ")
    parts = [f"{front}\n# {title[:1].upper()}{title[1:]}", intro, f"## {say.headings.procedure}\n\n{guidance or intro}"]
    if wrapped := _wrapped(components):
        parts.append(f"## {say.headings.parts}\n\n{wrapped}")
    if result:
        parts.append(f"## {say.headings.result}\n\n{result}")
    return "\n\n".join(parts) + "\n"


def _wrapped(components: Sequence[KnownSkill]) -> str:
    """What the component skills do, bounded."""
    blocks: list[str] = []
    for skill in components:
        lines = [f"### {skill.name}", "", short(skill.description, OPERATION) or skill.name]
        done = operations(skill)
        lines += ["", *(f"- {one}" for one in done)] if done else []
        blocks.append("\n".join(lines))
    return cut("\n\n".join(blocks), GUIDANCE)


def _update(say: Phrases, name: str, guidance: str) -> str:
    title = name.replace("-", " ")
    return f"## {title[:1].upper()}{title[1:]}: {say.headings.update}\n\n{guidance}\n"
