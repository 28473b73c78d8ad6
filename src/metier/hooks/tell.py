"""The hook that tells: at a session's start, before a tool runs and after one failed, it says what was noted for it."""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import os
import sys
import time

from metier.hooks.agents import agent_of, context_output, denial_output, selection_id, turn_of
from metier.hooks.deciding import refusal_of
from metier.hooks.given import forget_given, given_keys, note_given
from metier.hooks.notes import WIDE, read_notes, read_person_notes, still_says
from metier.hooks.process import run_hook
from metier.hooks.spool import write_entry
from metier.hooks.wording import denial_text, notes_that_fit, told_text
from metier.hooks.workspace import root_of, settings_folder, workspace_name
from metier.hooks.yeses import take_yeses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.hooks.notes import Note
    from metier.hooks.process import Payload

SECONDS = 1.0
"""The hook exits after this time."""
EVENTS = {
    "SessionStart": "start",
    "PreToolUse": "before",
    "PostToolUse": "after",
    "PostToolUseFailure": "after",
}
"""The agents' events, and what Metier calls them."""
LINES = {"start": 12, "prompt": 3, "before": 3, "after": 1}
HOW = {"start": "start", "before": "remind", "after": "fix"}
"""What the record of a note that was said calls the event."""
EMPTIED = ("clear", "compact")
"""Sources of a session's start after which the context holds nothing of before."""


def main() -> None:
    """Read the agent's object, print what was noted for it if there is anything, and exit with 0."""
    run_hook("tell", tell, seconds=SECONDS, only_tells=True)


def tell(state: str, folder: str, payload: Payload) -> None:
    """Print the notes for one event, and leave a note in the spool of what was said."""
    name = str(payload.get("hook_event_name") or "")
    event, session = EVENTS.get(name, ""), str(payload.get("session_id") or "")
    if event == "start" and payload.get("source") in EMPTIED:
        forget_given(state, session)
    if event == "before" and (refusal := refusal_of((os.path.dirname(state), settings_folder()), folder, payload)):
        _say(denial_output(name, refusal))
        return
    fitting = _fitting(state, event, payload)
    denial = next((one for one in fitting if one.denies and event == "before"), None)
    if denial is not None:
        _say(denial_output(name, denial_text(denial)))
        record_told(state, folder, payload, "deny", [denial])
        return
    fitting = _new_ones(fitting, state, session, event)
    message = take_yeses(state) if event == "start" else ""
    if fitting or message:
        said = told_text(fitting) if fitting else ""
        _say(context_output(agent_of(sys.argv, os.environ, payload), name, said, message))
        record_told(state, folder, payload, HOW[event], fitting)


def _fitting(state: str, event: str, payload: Payload) -> list[Note]:
    """The notes that are for this event and this call."""
    found = [one for one in notes_now(state) if one.event == event]
    if event == "start" or not found:
        return found
    from metier.hooks.calls import is_about

    return [one for one in found if is_about(one, event, payload)]


def notes_now(state: str) -> list[Note]:
    """The notes of a workspace that have not expired, then those that hold in all projects of the person."""
    now, name = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()), workspace_name(state)
    others = [one for one in read_person_notes(state) if one.workspace != name]
    return [one for one in (*read_notes(state), *others) if not one.expires or one.expires > now]


def _new_ones(notes: Sequence[Note], state: str, session: str, event: str) -> list[Note]:
    """The first notes, as many as may be said; a fix is said once in a session."""
    fresh = not_given(notes, state, session) if event == "after" else notes
    fitting = notes_that_fit(fresh[: LINES.get(event, 0)])
    if event == "after":
        note_given(state, session, [_key(one) for one in fitting])
    return fitting


def not_given(notes: Sequence[Note], state: str, session: str) -> list[Note]:
    """The notes that a session was not told yet."""
    known = given_keys(state, session)
    return [one for one in notes if _key(one) not in known]


def notes_for_prompt(state: str, folder: str, payload: Payload) -> list[Note]:
    """The few notes whose words stand in a request and that the session was not told yet; they count as told now."""
    found = [one for one in notes_now(state) if one.event == "prompt"]
    if not found:
        return []
    prompt = str(payload.get("prompt") or "")
    session = str(payload.get("session_id") or "")
    called = [one for one in found if _calls_for(one, prompt) and _still_holds(one, state, folder)]
    fitting = notes_that_fit(not_given(called, state, session)[: LINES["prompt"]])
    note_given(state, session, [_key(one) for one in fitting])
    return fitting


def _still_holds(note: Note, state: str, folder: str) -> bool:
    """Whether the project still says what a note rests on."""
    file, _, says = note.cites.partition("\t")
    return not file or still_says(root_of(state, folder), file, says)


def _calls_for(note: Note, prompt: str) -> bool:
    """Whether a request holds a note's words: two of them, or the one it has."""
    wanted, said = note.word.casefold().split(), _words(prompt)
    plain = prompt.casefold()
    held = sum(any(word.startswith(one) for word in said) or (one > WIDE and one in plain) for one in wanted)
    return bool(wanted) and held >= min(2, len(wanted))


def _words(text: str) -> set[str]:
    """The words of a text, in small letters."""
    plain = "".join(one if one.isalnum() or one in "-_." else " " for one in text.casefold())
    return {word.strip("-_.") for word in plain.split()}


def record_told(state: str, folder: str, payload: Payload, how: str, notes: Sequence[Note]) -> None:
    """Leave in the spool which lessons an agent was told, and how."""
    lessons = [one.id for one in notes if one.id]
    if not lessons:
        return
    entry: dict[str, object] = {
        "kind": "told",
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "folder": folder,
        "session": str(payload.get("session_id") or ""),
        "request": selection_id(turn) if (turn := turn_of(payload)) else "",
        "how": how,
        "lessons": lessons,
    }
    write_entry(state, entry)


def _key(note: Note) -> str:
    """A note, as a session remembers it."""
    return f"lesson {note.id or note.text}"


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
