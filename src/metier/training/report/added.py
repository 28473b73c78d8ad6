"""The lines of a document that another one does not have."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from metier.skills.document.lines import lines_of
from metier.skills.document.regions import scan

if TYPE_CHECKING:
    from metier.skills.document.lines import Line


def added(before: str, after: str) -> tuple[Line, ...]:
    """Lines of text that came in: no headings, no code, nothing of the frontmatter or of a protected region."""
    old, new = lines_of(before).lines, lines_of(after).lines
    regions = scan(after)
    matcher = SequenceMatcher(None, [line.bare for line in old], [line.bare for line in new], autojunk=False)
    fresh = {at for what, _, _, c, d in matcher.get_opcodes() if what != "equal" for at in range(c, d)}
    found: list[Line] = []
    place = 0
    for at, line in enumerate(new):
        if at in fresh and line.kind == "text" and not regions.touches(place, place + len(line.text)):
            found.append(line)
        place += len(line.text)
    return tuple(found)
