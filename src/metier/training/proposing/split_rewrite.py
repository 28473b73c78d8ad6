"""A document written anew as single edits, so that each of its changes can be judged by itself."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from metier.training.proposing.prompt import document_of
from metier.training.proposing.proposals import Bundle, ProposedChange
from metier.training.proposing.update import apply_edits
from metier.types import Append, Delete, Edit, InsertAfter, Replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.skills.package import Package
    from metier.training.spec import Spec

BEGINS = re.compile(r"\s*(?:[-*+]|\d+[.)]|#+)\s")
"""How a line begins that is no continuation of the one before: an item, a heading."""


def edits_to_screen(before: Package, after: Package, spec: Spec, support: int) -> tuple[ProposedChange, ...]:
    """The edits of a rewrite where the settings want each of them screened; none: it is judged as a whole."""
    if not spec.editing.split_rewrites or spec.gating.gate not in ("screen", "adaptive"):
        return ()
    return split_rewrite(before, after, support)


def split_rewrite(before: Package, after: Package, support: int = 1) -> tuple[ProposedChange, ...]:
    """The edits that make one document of another, a block each; none where they would not come to the same lines."""
    old, new = document_of(before), document_of(after)
    items = tuple(ProposedChange(what=edit, source="failure", support=max(1, support)) for edit in _edits(old, new))
    made = apply_edits(before, Bundle(items=items), strict=True)
    return items if _lines(document_of(made.package)) == _lines(new) else ()


def _edits(old: str, new: str) -> Iterator[Edit]:
    was, now = _blocks(old), _blocks(new)
    for op, i1, i2, j1, j2 in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if op == "equal":
            continue
        gone, added = was[i1:i2], now[j1:j2]
        yield from (Replace(target=one, content=other) for one, other in zip(gone, added, strict=False))
        yield from (Delete(target=one) for one in gone[len(added) :])
        behind = [*was[:i1], *added[: len(gone)]]
        yield from _added(added[len(gone) :], behind, at_end=i2 == len(was))


def _added(blocks: Sequence[str], before: Sequence[str], *, at_end: bool) -> Iterator[Edit]:
    """New blocks behind those before them; the last goes in first, as each goes right behind the same line."""
    if at_end or not before:
        yield from (Append(content=one) for one in blocks)
    else:
        place = before[-1].splitlines()[-1]
        yield from (InsertAfter(target=place, content=one) for one in reversed(blocks))


def _blocks(text: str) -> list[str]:
    """Paragraphs, items and headings."""
    found: list[list[str]] = []
    fresh = True
    for line in text.splitlines():
        if line.strip():
            if fresh or BEGINS.match(line):
                found.append([])
            found[-1].append(line)
        fresh = not line.strip()
    return ["\n".join(block) for block in found]


def _lines(text: str) -> list[str]:
    return sorted(line.strip() for line in text.splitlines() if line.strip())
