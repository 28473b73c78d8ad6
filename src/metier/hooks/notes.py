"""The hook that tells: at a session's start, before a tool runs and after one failed, it says what was noted for it.

Notes are lines that a person approved (`write_notes`). Beside them lies one file of plain words for each event: the
launcher looks into it, and starts Python only for a call that holds one of the words.
"""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import json
import os
import sys

from metier.hooks.agents import agent_of, context_output, denial_output
from metier.hooks.given import forget_given
from metier.hooks.process import run_hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.hooks.process import Payload

SECONDS = 1.0
"""The hook exits after this time."""
NOTES, WORDS = "notes.json", "words"
EVENTS = {
    "SessionStart": "start",
    "PreToolUse": "before",
    "PostToolUse": "after",
    "PostToolUseFailure": "after",
}
"""The agents' events, and what Metier calls them."""
LINES, CHARACTERS = 12, 2_000
"""The most that is said at once."""
EMPTIED = ("clear", "compact")
"""Sources of a session's start after which the context holds nothing of before."""


class Note:
    """A line that an agent is told: at which event, for calls with which word, and whether the call is stopped."""

    __slots__ = ("denies", "event", "text", "word")

    def __init__(self, event: str, text: str, word: str = "", *, denies: bool = False) -> None:
        self.event, self.text, self.word, self.denies = event, text, word, denies


def main() -> None:
    """Read the agent's object, print what was noted for it if there is anything, and exit with 0."""
    run_hook("notes", tell, seconds=SECONDS)


def tell(state: str, _folder: str, payload: Payload) -> None:
    """Print the notes for one event."""
    name = str(payload.get("hook_event_name") or "")
    event = EVENTS.get(name, "")
    if event == "start" and payload.get("source") in EMPTIED:
        forget_given(state, str(payload.get("session_id") or ""))
    fitting = [one for one in read_notes(state) if one.event == event and one.word in text_of(event, payload)]
    denial = next((one for one in fitting if one.denies and event == "before"), None)
    if denial is not None:
        _say(denial_output(name, denial.text))
    elif fitting:
        text = "\n".join(one.text for one in fitting[:LINES])[:CHARACTERS]
        _say(context_output(agent_of(sys.argv, os.environ, payload), name, text))


def text_of(event: str, payload: Payload) -> str:
    """The text in which a note's word must stand: what a tool is asked, or what it answered."""
    if event == "start":
        return ""
    keys = ("tool_name", "tool_input") if event == "before" else ("error", "tool_response")
    return "\n".join(_flat(payload.get(key)) for key in keys)


def _flat(value: object) -> str:
    """All texts in a JSON value, one a line."""
    if isinstance(value, dict):
        return "\n".join(_flat(one) for one in value.values())
    if isinstance(value, list):
        return "\n".join(_flat(one) for one in value)
    return value if isinstance(value, str) else ""


def read_notes(state: str) -> list[Note]:
    """The notes of a workspace; none if there is no file of them."""
    file = os.path.join(state, NOTES)
    if not os.path.isfile(file):
        return []
    with open(file, encoding="utf-8") as source:
        rows = json.load(source)
    return [Note(str(row["event"]), str(row["text"]), str(row["word"]), denies=row["denies"] is True) for row in rows]


def write_notes(state: str, notes: Sequence[Note]) -> None:
    """Replace the notes of a workspace, and the files of words that the launcher reads."""
    rows = [{"event": one.event, "text": one.text, "word": one.word, "denies": one.denies} for one in notes]
    _replace(os.path.join(state, NOTES), json.dumps(rows, ensure_ascii=False, indent=1) + "\n" if rows else "")
    os.makedirs(os.path.join(state, WORDS), mode=0o700, exist_ok=True)
    for event in ("start", "before", "after"):
        words = dict.fromkeys(launcher_word(one.word) for one in notes if one.event == event)
        _replace(os.path.join(state, WORDS, event), "".join(f"{word}\n" for word in words))


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


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
