"""Two skills of one ancestor made one, section by section: what only one of them changed is taken from it."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from metier.skills.document.lines import lines_of, text_of
from metier.skills.document.regions import scan
from metier.training.proposing.prompt import document_of, with_document

if TYPE_CHECKING:
    from metier.skills.document.lines import Line
    from metier.skills.package import Package

Key = tuple[str, int]
"""A heading's line, and which of those that read like it; empty: what stands before the first one."""
Sections = dict[Key, str]
Hunk = tuple[int, int, tuple[str, ...]]
"""Lines from, up to, and what takes their place."""


def crossed(ancestor: Package, better: Package, other: Package) -> Package:
    """The better skill with what the other one changed besides; where both changed the same, the better one's."""
    names = {one.skill_file for one in (ancestor, better, other)}
    files: dict[str, bytes] = {}
    for path in dict.fromkeys((*better.files, *other.files)):
        was, mine, theirs = (one.files.get(path) for one in (ancestor, better, other))
        taken = theirs if mine == was else mine
        if taken is not None:
            files[path] = taken
    executable = frozenset(path for one in (other, better) for path in one.executable) & files.keys()
    made = type(better)(files=files, executable=executable)
    if len(names) > 1 or better.skill_file is None:
        return made
    return with_document(made, merged_text(*(document_of(one) for one in (ancestor, better, other))))


def merged_text(ancestor: str, better: str, other: str) -> str:
    """The documents in one; every byte of a section comes from one of them, or its lines from both."""
    was, mine, theirs = _sections(ancestor), _sections(better), _sections(other)
    made = [_section(was.get(key), mine.get(key), theirs.get(key)) for key in _order(mine, theirs)]
    text = "".join(_ended(made))
    return text if len(scan(text).regions) == len(scan(better).regions) else better


def _sections(document: str) -> Sections:
    """Each heading with the lines up to the next one, whatever its level."""
    found: dict[Key, list[Line]] = {("", 0): []}
    seen: Counter[str] = Counter()
    key: Key = ("", 0)
    for line in lines_of(document).lines:
        if line.kind == "heading":
            key = (line.bare, seen[line.bare])
            seen[line.bare] += 1
        found.setdefault(key, []).append(line)
    return {key: text_of(lines) for key, lines in found.items()}


def _order(mine: Sections, theirs: Sections) -> list[Key]:
    """The better one's order; a section that only the other one has comes behind the one it stands behind there."""
    order = list(mine)
    before: Key = ("", 0)
    for key in theirs:
        if key not in mine:
            order.insert(order.index(before) + 1, key)
        before = key
    return order


def _section(was: str | None, mine: str | None, theirs: str | None) -> str:
    if mine in (was, theirs):
        return theirs or ""
    if theirs == was or was is None or mine is None or theirs is None:
        return mine or ("" if was is not None else theirs or "")
    return _lines(was, mine, theirs)


def _lines(was: str, mine: str, theirs: str) -> str:
    """The changes of both to one section, line by line; the better one's section where they touch the same lines."""
    old = was.splitlines(keepends=True)
    ours, others = _hunks(old, mine), _hunks(old, theirs)
    taken: dict[tuple[int, int], list[str]] = {(start, end): list(new) for start, end, new in ours}
    for start, end, new in others:
        same = taken.get((start, end))
        if same is not None and start == end:  # both put something in here
            same += [line for line in new if line not in same]
        elif same is None and not any(start < stop and begin < end for begin, stop in taken):
            taken[start, end] = list(new)
        elif same != list(new):
            return mine
    made: list[str] = []
    at = 0
    for (start, end), new in sorted(taken.items()):
        made += (*old[at:start], *new)
        at = end
    return "".join((*made, *old[at:]))


def _hunks(old: list[str], new_text: str) -> list[Hunk]:
    new = new_text.splitlines(keepends=True)
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(a, b, tuple(new[c:d])) for what, a, b, c, d in changes if what != "equal"]


def _ended(sections: list[str]) -> list[str]:
    """Each section but the last with a line break at its end: what came behind it may not have stood there before."""
    kept = [one for one in sections if one]
    return [one if one.endswith(("\n", "\r")) else f"{one}\n" for one in kept[:-1]] + kept[-1:]
