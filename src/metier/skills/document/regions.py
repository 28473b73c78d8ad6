"""The protected regions of a document: where they are, and the text inside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["slow_update", "appendix"]
MARKERS: dict[Kind, tuple[str, str]] = {
    "slow_update": ("<!-- SLOW_UPDATE_START -->", "<!-- SLOW_UPDATE_END -->"),
    "appendix": ("<!-- APPENDIX_START -->", "<!-- APPENDIX_END -->"),
}
_ALL = tuple(marker for pair in MARKERS.values() for marker in pair)


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """One protected part, markers included; places are characters of the document."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Regions:
    """What of a document is protected, and before what place text may be appended."""

    regions: tuple[Region, ...] = ()
    first_start: int = -1
    """The earliest start marker, with or without its end; -1: none."""

    def touches(self, start: int, end: int) -> bool:
        """Whether any character from `start` up to `end` is protected."""
        return any(start < region.end and region.start < end for region in self.regions)

    def holds(self, place: int) -> bool:
        """Whether text put in at a place would stand inside a region."""
        return any(region.start < place < region.end for region in self.regions)


_NONE = Regions()


def scan(document: str) -> Regions:
    """The regions of a document: the first start marker of each kind with the first end marker behind it."""
    begin = document.find("<")  # one character is found many times faster than a marker
    if begin < 0:
        return _NONE
    found: list[Region] = []
    starts: list[int] = []
    for kind, (opening, closing) in MARKERS.items():
        start = document.find(opening, begin)
        if start < 0:
            continue
        starts.append(start)
        end = document.find(closing, start + len(opening))
        if end >= 0:
            found.append(Region(kind=kind, start=start, end=end + len(closing)))
    return Regions(regions=tuple(found), first_start=min(starts, default=-1))


def region(document: str, kind: Kind) -> Region | None:
    """The region of one kind, if the document has it."""
    return next((one for one in scan(document).regions if one.kind == kind), None)


def inner(document: str, kind: Kind) -> str | None:
    """The text between the markers, without white space around it; None without a region."""
    found = region(document, kind)
    if found is None:
        return None
    opening, closing = MARKERS[kind]
    return document[found.start + len(opening) : found.end - len(closing)].strip()


def with_inner(document: str, kind: Kind, text: str) -> str:
    """The document with other text in its one region of a kind; a region that is not there is put at the end.

    Of several regions the last place is kept and the others go, with what they hold. Markers in the text are dropped,
    and so is a marker of this kind that stands alone in the document: together with the new region it would protect
    everything between them.
    """
    opening, closing = MARKERS[kind]
    body = without_markers(text).strip()
    block = f"{opening}\n{body}\n{closing}" if body else f"{opening}\n{closing}"
    found = region(document, kind)
    while found and region(document[found.end :], kind):
        document = without_region(document, kind)
        found = region(document, kind)
    if found is None:
        return f"{without_markers(document, MARKERS[kind]).rstrip()}\n\n{block}\n"
    before, behind = document[: found.start], document[found.end :]
    after = without_markers(behind, MARKERS[kind])
    if after != behind and not after.strip():
        after = "\n"
    return f"{without_markers(before, MARKERS[kind])}{block}{after}"


def without_region(document: str, kind: Kind) -> str:
    """The document with a region taken out, and the white space before it that `with_inner` had put there."""
    found = region(document, kind)
    if found is None:
        return document
    before, after = document[: found.start].rstrip(), document[found.end :].lstrip()
    if not before and after:
        return after
    return f"{before}\n\n{after}" if after else f"{before}\n"


def without_markers(text: str, markers: tuple[str, ...] = _ALL) -> str:
    """The text without any of the markers, also without one that appears when another is taken out."""
    while any(marker in text for marker in markers):
        for marker in markers:
            text = text.replace(marker, "")
    return text
