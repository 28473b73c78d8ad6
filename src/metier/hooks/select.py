"""The hook that selects: before each request it prints the skill that fits best, as text for the agent's context.

    echo '{"prompt": "fix the flaky login test", "cwd": "…", "session_id": "s1"}' | python -I -m metier.hooks.select

It prints nothing if no skill fits well enough. It calls no model and reads SQLite once. It never fails or delays the
agent: the exit code is always 0, and it ends within a second. Selection reviewed and prepared the texts before.
"""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import os
import sys
import time

from metier.hooks.agents import agent_of, context_output, is_from_a_person, selection_id, turn_of
from metier.hooks.given import given_keys, note_given
from metier.hooks.identity import read_key
from metier.hooks.process import run_hook
from metier.hooks.rank import RankedSkill, choose_skills, read_statements
from metier.hooks.spool import write_entry
from metier.hooks.tell import notes_for_prompt, record_told
from metier.hooks.trial import WITHOUT, arm_of, running_trials
from metier.hooks.wording import told_text
from metier.hooks.workspace import (
    UnreadableSettingsError,
    is_of_another_tree,
    quick_redactor,
    settings_of,
    workspace_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from metier.hooks.notes import Note
    from metier.hooks.process import Payload

SECONDS = 1.0
"""The hook exits after this time."""
BUSY = 0.2
"""Seconds to wait while another process changes the database's files."""
EVENT = "UserPromptSubmit"
TOKENS, CHARACTERS = 2_000, 10_000
"""The most that is added to a request."""
QUERY_LIMIT = 16_000
"""Characters of a request that the note about the selection keeps."""


def main() -> None:
    """Read the agent's object, print the text for its context if there is any, and exit with 0."""
    run_hook("select", select, seconds=SECONDS, only_tells=True)


def select(state: str, folder: str, payload: Payload) -> None:
    """Print the skills for one request, and write a note about the selection into the spool."""
    if not _prompt_of(payload):
        return
    notes = notes_for_prompt(state, folder, payload)
    skills: list[RankedSkill] = []
    database = os.path.join(state, "metier.db")
    try:
        if not settings_of(state).get("store") and os.path.isfile(database):
            skills = _skills_from(database, state, folder, payload)
    except UnreadableSettingsError:
        pass  # it was logged: notes are told, and no skill is given
    finally:
        if skills or notes:
            _print_context(agent_of(sys.argv, os.environ, payload), skills, notes)
        record_told(state, folder, payload, "prompt", notes)


def _skills_from(database: str, state: str, folder: str, payload: Payload) -> list[RankedSkill]:
    """The skills for a request."""
    import sqlite3

    connection = sqlite3.connect(f"file:{_uri_path(database)}?mode=ro", uri=True, timeout=BUSY, isolation_level=None)
    return _choose(connection, state, folder, payload)


def _choose(connection: sqlite3.Connection, state: str, folder: str, payload: Payload) -> list[RankedSkill]:
    prompt = _prompt_of(payload)
    agent = agent_of(sys.argv, os.environ, payload)
    session = str(payload.get("session_id") or "")
    pinned, found = choose_skills(connection, workspace_name(state), agent, prompt)
    known = given_keys(state, session) | {
        _key(one) for one in (*pinned, *([found] if found else ())) if is_of_another_tree(state, folder, one.document)
    }
    always, fitting = _unknown(pinned, known), _unknown([found] if found else [], known)
    trials = running_trials(connection, read_statements(), workspace_name(state), agent) if session else {}
    arms = [_assigned(one, trials, session, read_key(state)) for one in fitting if (one.name, one.hash) in trials]
    left_out = {arm["skill"] for arm in arms if arm["arm"] == WITHOUT}
    withheld = [one for one in fitting if one.name in left_out]
    skills = skills_within_limits([*always, *(one for one in fitting if one not in withheld)])
    note_given(state, session, [_key(one) for one in skills])
    if fitting:
        note = _note(payload, folder, skills, withheld)
        query = quick_redactor(state)(prompt[:QUERY_LIMIT])
        names = [one.name for one in skills if one in always]
        write_entry(state, note | {"query": query, "pinned": names, "trials": arms})
    return skills


def _unknown(skills: Sequence[RankedSkill], known: set[str]) -> list[RankedSkill]:
    """The skills that the session did not get yet."""
    return [one for one in skills if _key(one) not in known]


def _prompt_of(payload: Payload) -> str:
    """The request; empty if the object is about something else."""
    prompt = payload.get("prompt") if payload.get("hook_event_name") in (None, EVENT) else None
    return prompt if isinstance(prompt, str) and is_from_a_person(prompt) else ""


def _print_context(agent: str, skills: Sequence[RankedSkill], notes: Sequence[Note]) -> None:
    parts = [*([context_of(skills)] if skills else ()), *([told_text(notes)] if notes else ())]
    sys.stdout.write(context_output(agent, EVENT, "\n\n".join(parts)) + "\n")
    sys.stdout.flush()


def _key(skill: RankedSkill) -> str:
    """One version of a skill, as a session remembers it."""
    return f"{skill.name} {skill.hash}"


def skills_within_limits(skills: Sequence[RankedSkill]) -> list[RankedSkill]:
    """The first skills, as many as fit into the limits."""
    fitting: list[RankedSkill] = []
    tokens = characters = 0
    for one in skills:
        tokens, characters = tokens + one.tokens, characters + len(one.context)
        if tokens > TOKENS or characters > CHARACTERS:
            break
        fitting.append(one)
    return fitting


def context_of(skills: Sequence[RankedSkill]) -> str:
    """The texts of the skills as one text; their common first paragraph appears once."""
    about, _, first = skills[0].context.partition("\n\n")
    return "\n\n".join((about, first, *(one.context.partition("\n\n")[2] for one in skills[1:])))


def _assigned(skill: RankedSkill, trials: Mapping[tuple[str, str], str], session: str, key: bytes) -> dict[str, str]:
    """The arm of a trial that a session is in; noted before the skill is printed, so that no outcome can change it."""
    trial = trials[skill.name, skill.hash]
    return {"trial": trial, "skill": skill.name, "arm": arm_of(key, trial, session)}


def _note(
    payload: Payload, folder: str, skills: Sequence[RankedSkill], withheld: Sequence[RankedSkill]
) -> dict[str, object]:
    """The spool entry about a selection."""
    return {
        "kind": "selection",
        "id": selection_id(turn) if (turn := turn_of(payload)) else os.urandom(16).hex(),
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "folder": folder,
        "agent": agent_of(sys.argv, os.environ, payload),
        "session": str(payload.get("session_id") or ""),
        "chosen": [_row(one) for one in skills],
        "withheld": [_row(one) for one in withheld],
    }


def _row(skill: RankedSkill) -> dict[str, object]:
    return {"skill": skill.name, "hash": skill.hash, "score": round(skill.score, 4)}


def _uri_path(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


if __name__ == "__main__":
    main()
