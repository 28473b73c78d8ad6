"""Notes: lines that a person approved, in the file from which hooks tell agents.

It lies in the state folder, written from approved lessons alone. Beside it lies one file of plain words for each event:
the launcher looks into it, and starts Python only for a call that holds one of the words.
"""

from __future__ import annotations

import json
import os

from metier.hooks.deciding import words_to_find
from metier.hooks.places import USER, user_folder
from metier.hooks.wording import one_line
from metier.hooks.yeses import ANY, has_yeses

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOTES, WORDS = "notes.json", "words"
LAUNCHED = ("start", "before", "after")
"""Events at which the launcher looks for words; at a prompt it always starts Python."""
KNOWN, TAKEN_BACK = "known", "taken back"
"""Events of notes that are told nowhere: a rule of one project, kept to see that another one has it, too; and one that
another project no longer wants for all."""
UNTOLD = (KNOWN, TAKEN_BACK)
WIDE = "\u3040"
"""The first sign of scripts that put no spaces between words."""


class Note:
    """A line that an agent is told: at which event, for which calls, and whether the call is stopped."""

    __slots__ = ("check", "cites", "denies", "event", "expires", "id", "kind", "text", "word", "workspace")

    def __init__(
        self,
        event: str,
        text: str,
        word: str = "",
        *,
        kind: str = "rule",
        denies: bool = False,
        id: str = "",  # noqa: A002 - the lesson's id
        check: Mapping[str, object] | None = None,
        expires: str = "",
        cites: str = "",
        workspace: str = "",
    ) -> None:
        self.event, self.kind, self.text, self.word, self.denies = event, kind, text, word, denies
        self.id, self.check, self.expires, self.workspace = id, check, expires, workspace
        self.cites = cites  # a file of the project and, behind a tab, the text in it that has to be there


def read_person_notes(state: str) -> list[Note]:
    """The notes for all projects of this person."""
    return [one for one in read_notes(user_folder(state)) if one.event not in UNTOLD]


def read_notes(folder: str) -> list[Note]:
    """Every note of a state folder, or of the person's own folder."""
    try:
        with open(os.path.join(folder, NOTES), encoding="utf-8") as source:
            return [_note_of(row) for row in json.load(source)]
    except FileNotFoundError:
        return []


def _note_of(row: Mapping[str, object]) -> Note:
    names = ("event", "kind", "text", "word", "id", "expires", "cites", "workspace")
    said = {name: str(row.get(name) or "") for name in names}
    check = row.get("check")
    return Note(**said, denies=row.get("denies") is True, check=check if isinstance(check, dict) else None)


def write_notes(folder: str, notes: Sequence[Note]) -> None:
    """Write the file of notes, and those of words, with exactly these."""
    rows = [{name: getattr(one, name) for name in Note.__slots__} | {"text": one_line(one.text)} for one in notes]
    _replace(os.path.join(folder, NOTES), json.dumps(rows, ensure_ascii=False, indent=1) + "\n" if rows else "")
    guard = () if os.path.basename(folder) == USER else words_to_find(folder)
    if notes or guard:
        os.makedirs(os.path.join(folder, WORDS), mode=0o700, exist_ok=True)
    for event in LAUNCHED:
        words = dict.fromkeys(guard if event == "before" else ())
        words |= {ANY: None} if event == "start" and has_yeses(folder) else {}
        words |= dict.fromkeys(_word_of(one) for one in notes if one.event == event)
        _replace(os.path.join(folder, WORDS, event), "".join(f"{word}\n" for word in words))


def keep_guard(state: str) -> None:
    """Let the launcher look for what only the person decides, also where nothing is noted yet."""
    file = os.path.join(state, WORDS, "before")
    if not os.path.exists(file):
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        _replace(file, "".join(f"{word}\n" for word in words_to_find(state)))


def _word_of(note: Note) -> str:
    """A word that stands in every call that a note is for."""
    if note.check is None or note.event != "before":
        return launcher_word(note.word)
    program = note.check.get("program")
    words = [str(one) for one in program] if isinstance(program, list | tuple) else []
    return launcher_word(max(words, key=len) if words else str(note.check.get("path") or "").strip("/"))


def launcher_word(word: str) -> str:
    """The longest part of a word that JSON writes as it is, and that is therefore found in the agent's raw object."""
    parts = "".join(one if one.isascii() and one.isprintable() and one not in '"\\/<>&' else "\n" for one in word)
    return max(parts.split("\n"), key=len).strip() or "{"


def _replace(file: str, text: str) -> None:
    """Write a file whole; an empty text is no file."""
    if not text:
        if os.path.lexists(file):
            os.unlink(file)
        return
    part = f"{file}.{os.getpid()}.part"
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(part, file)


LONGEST = 1_000_000
"""Bytes of a file that are looked at."""


def still_says(root: str, file: str, says: str) -> bool:
    """Whether a file below a project's folder is there and holds a text."""
    found = read_below(root, file) if file else b"-"
    return bool(found) and (not file or says.encode("utf-8", "replace") in found)


def read_below(root: str, file: str) -> bytes:
    """What a file below a folder holds; empty: it is not there, is empty, or leads out of the folder."""
    base = os.path.realpath(root)
    path = os.path.realpath(os.path.join(base, file))
    if not path.startswith(base + os.sep) or not os.path.isfile(path):
        return b""
    with open(path, "rb") as source:
        return source.read(LONGEST)
