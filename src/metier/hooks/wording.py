"""The words that hooks say: fixed headings, one clean line for each note, and no more than fits."""
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.hooks.notes import Note

STANDING = "Standing instructions of the person who works here:"
"""The heading of rules. No heading holds a name, and transcripts are known by them again."""
REFERENCE = "Notes from earlier work here, for reference:"
"""The heading of facts and fixes."""
DENIED = "Not run. Standing instruction of the person:"
"""The beginning of the reason for a denial."""
CHARACTERS = 1_400
"""The most that is said at once, headings included."""
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U0001d159"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
"""Signs that show nothing although Python calls them printable: fillers and variation selectors."""


def one_line(text: str) -> str:
    """A text as an agent reads it: one line, nothing in it that hides or that could end the frame around it."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_seen, text))
    if "<" in text:
        import re

        tags = r"<(?=[/!?]|(?:system|user|assistant|human|hook|skill|developer|tool)\b)"
        text = re.sub(tags, "‹", text, flags=re.IGNORECASE)
    return " ".join(text.split())


def _seen(sign: str) -> str:
    """A sign that a person sees; a blank for one that separates; nothing for one that hides."""
    if sign.isprintable():
        return "" if sign in _BLANK else sign
    return " " if sign.isspace() or sign < "\xa0" else ""


def told_text(notes: Sequence[Note]) -> str:
    """What an agent reads: rules as instructions, then facts and fixes as reference, one line for each."""
    groups = (
        (STANDING, [one_line(one.text) for one in notes if one.kind == "rule"]),
        (REFERENCE, [one_line(one.text) for one in notes if one.kind != "rule"]),
    )
    return "\n\n".join("\n- ".join((heading, *lines)) for heading, lines in groups if lines)


def notes_that_fit(notes: Sequence[Note]) -> list[Note]:
    """The notes that can be said at once; one for which there is no room is left out."""
    fitting: list[Note] = []
    for one in notes:
        if len(told_text([*fitting, one])) <= CHARACTERS:
            fitting.append(one)
    return fitting


def denial_text(note: Note) -> str:
    """What an agent reads in the place of a tool's result."""
    said = f"{DENIED} {note.text}"
    if note.check:
        from metier.hooks.calls import NoteCheck
        from metier.text.shell.checks import check_words

        said += f" ({check_words(NoteCheck(note.check))})"
    said = one_line(said)
    return said if len(said) <= CHARACTERS else said[: CHARACTERS - 1] + "…"
