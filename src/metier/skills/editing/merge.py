"""Put new knowledge where it belongs: under the matching heading of the document, or in a new section."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from metier.skills.document.lines import ITEM, Block, DocumentPart, KnownBlocks, blocks_of, lines_of, parts_of
from metier.skills.editing.add_sections import (
    OpenDocument,
    join_parts,
    new_parts,
    parent_numbers,
    text_of_part,
    with_headings,
    without_own_title,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spot:
    """A section of the document; places are characters of its head."""

    title: str
    level: int
    under: str
    """The title of the section it stands in."""
    last: Block | None
    """The last block directly under its heading."""
    own_end: int
    """Behind the last line directly under its heading."""
    end: int
    """Behind the last line of its last subsection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Insert:
    at: int
    text: str
    tight: bool = False
    """Whether it goes on with the list before it, without a blank line."""


def merge_sections(sheet: OpenDocument, parts: Sequence[DocumentPart], *, whole: bool) -> str | None:
    """The document with the new parts in their places; None if nothing is new.

    `whole`: the text is a whole document, so its title stands for the skill's.
    """
    spots = _spots(sheet.head)
    parts = with_headings(_aligned(parts, spots, whole=whole))
    above = parent_numbers(parts)
    places = _places(spots, parts, above)
    known = sheet.known()
    inserts: list[_Insert] = []
    for part, place in zip(parts, places, strict=True):
        if place is not None:
            inserts += _additions(place, part, known, sheet.newline)
    behind: list[DocumentPart] = []
    for number, part in new_parts(parts, known, lambda number: places[number] is None):
        anchor = _anchor(parts, places, above, number)
        if anchor is None:
            behind.append(part)
        else:
            inserts.append(_Insert(at=anchor[0].end, text=text_of_part(part.at_level(anchor[1]), sheet.newline)))
    return join_parts(sheet, _inserted(sheet, inserts), behind) if inserts or behind else None


def _spots(head: str) -> list[_Spot]:
    """Every section of the head."""
    lines = lines_of(head).lines
    parts = [part for part in parts_of(lines) if part.heading]
    if not parts:
        return []
    ends = list(accumulate(len(line.text) for line in lines))
    starts = [number for number, line in enumerate(lines) if line.kind == "heading"]
    said = [number for number, line in enumerate(lines) if line.kind != "blank"]
    stops, above = _stops(parts), parent_numbers(parts)
    found: list[_Spot] = []
    last_said = _last_before(said, [*starts[1:], len(lines)])
    for number, part in enumerate(parts):
        blocks = blocks_of(part.lines)
        found.append(
            _Spot(
                title=part.title,
                level=part.level,
                under=_title(parts, above[number]),
                last=blocks[-1] if blocks else None,
                own_end=ends[last_said[number]],
                end=ends[last_said[stops[number]]],
            )
        )
    return found


def _stops(parts: Sequence[DocumentPart]) -> list[int]:
    """For each part the number of the last part inside it."""
    found = [len(parts) - 1] * len(parts)
    waiting: list[int] = []
    for number, part in enumerate(parts):
        while waiting and parts[waiting[-1]].level >= part.level:
            found[waiting.pop()] = number - 1
        waiting.append(number)
    return found


def _last_before(said: Sequence[int], limits: Iterable[int]) -> list[int]:
    """For each limit the number of the last line before it that is not blank."""
    found: list[int] = []
    at = 0
    for limit in limits:
        while at < len(said) and said[at] < limit:
            at += 1
        found.append(said[at - 1])
    return found


def _aligned(parts: Sequence[DocumentPart], spots: Sequence[_Spot], *, whole: bool) -> list[DocumentPart]:
    """The parts at the document's heading levels; the document keeps its own title."""
    title = next((spot.title for spot in spots if spot.level == 1), None)
    first = next((number for number, part in enumerate(parts) if part.level == 1), None)
    if first is None or title is None or not (whole or parts[first].title == title):
        return without_own_title(parts, title or "")
    found: list[DocumentPart] = []
    by = 0
    for number, part in enumerate(parts):
        by = 1 if part.level == 1 and number != first else by
        found.append(part.at_level(part.level + by))
    return found


def _places(spots: Sequence[_Spot], parts: Sequence[DocumentPart], above: Sequence[int]) -> list[_Spot | None]:
    """The section that each part belongs to; a title that occurs twice matches nothing."""
    top = next((spot for spot in spots if spot.level == 1), None)
    titled: dict[str, list[_Spot]] = defaultdict(list)
    for spot in spots:
        if spot.level > 1 and spot.title:
            titled[spot.title].append(spot)
    found: list[_Spot | None] = []
    for number, part in enumerate(parts):
        if part.level == 1:
            found.append(top)
            continue
        same = titled.get(part.title, [])
        if len(same) > 1:
            same = [spot for spot in same if spot.under == _title(parts, above[number])]
        found.append(same[0] if len(same) == 1 else None)
    return found


def _title(parts: Sequence[DocumentPart], number: int) -> str:
    return parts[number].title if number >= 0 else ""


def _anchor(
    parts: Sequence[DocumentPart], places: Sequence[_Spot | None], above: Sequence[int], number: int
) -> tuple[_Spot, int] | None:
    """The section that a new part goes into, and its level there; None: at the end."""
    up = above[number]
    while up >= 0 and places[up] is None:
        up = above[up]
    spot = places[up] if up >= 0 else None
    if spot is None or spot.level == 1:
        return None
    return spot, spot.level + parts[number].level - parts[up].level


def _additions(place: _Spot, part: DocumentPart, known: KnownBlocks, newline: str) -> list[_Insert]:
    """What a part adds to an existing section."""
    new = _fresh_blocks(part, known)
    if not new:
        return []
    pieces: list[str] = []
    before = place.last
    for block in new:
        block, tight = _following(block, before)  # noqa: PLW2901 - the same block, as it goes on
        pieces.append(("" if tight else newline) + newline.join(line.bare for line in block.lines))
        before = block
    text = newline.join(pieces)
    tight = not text.startswith(newline)
    return [_Insert(at=place.own_end, text=text.removeprefix(newline), tight=tight)]


def _fresh_blocks(part: DocumentPart, known: KnownBlocks) -> list[Block]:
    """The new blocks; a block that introduces others comes only together with them."""
    blocks = blocks_of(part.lines)
    new: list[Block] = []
    leads: list[Block] = []
    for number, block in enumerate(blocks):
        if block.leads and number + 1 < len(blocks):
            leads.append(block)
            continue
        if not known.holds(block):
            more = [*(lead for lead in leads if not known.holds(lead)), block]
            new += more
            for one in more:
                known.add(one)
        leads.clear()
    return new


def _following(block: Block, before: Block | None) -> tuple[Block, bool]:
    """A block that continues another: the next number of a list or the same bullet; else a separate block."""
    first = block.lines[0]
    mine = ITEM.match(first.bare) if block.kind == "item" else None
    theirs = ITEM.match(before.lines[0].bare) if before and before.kind == "item" else None
    if mine is None:
        bare = first.text.lstrip(" ")
        shallow = block.kind == "paragraph" and len(first.text) - len(bare) < 4
        return (replace(block, lines=(replace(first, text=bare), *block.lines[1:])) if shallow else block), False
    number = theirs[2][:-1] if theirs else ""
    if theirs is None or bool(number) != bool(mine[2][:-1]):
        return block, False
    mark = f"{int(number) + 1}{theirs[2][-1]}" if number else theirs[2]
    text = f"{theirs[1]}{mark}{first.text[mine.end(2) :]}"
    return replace(block, lines=(replace(first, text=text), *block.lines[1:])), True


def _inserted(sheet: OpenDocument, inserts: Sequence[_Insert]) -> str:
    """The head with everything inserted, each on its own line."""
    pieces: list[str] = []
    done = 0
    newline = sheet.newline
    for insert in sorted(inserts, key=lambda one: one.at):
        pieces.append(sheet.head[done : insert.at])
        before = next((piece for piece in reversed(pieces) if piece), "")
        pieces.append("" if before.endswith(("\n", "\r")) else newline)
        pieces.append(newline if before.endswith("\r") and newline == "\n" else "")
        pieces.append(f"{'' if insert.tight else newline}{insert.text}{newline}")
        done = insert.at
        after = sheet.head[done : done + 1]
        if after and after not in "\r\n" and not _blank_line(sheet.head, done):
            pieces.append(newline)
    return "".join((*pieces, sheet.head[done:]))


def _blank_line(text: str, at: int) -> bool:
    """Whether the line that starts there is blank."""
    found = lines_of(f"\n{text[at : at + 400]}").lines
    return len(found) > 1 and not found[1].bare.strip()
