"""What an agent's hook calls before each request: the skill that surely fits, as text for its context, or nothing.

    echo '{"prompt": "fix the flaky login test", "cwd": "…", "session_id": "s1"}' | python -m metier.hooks.select

Standard library only, one look into SQLite, no model. It never fails or holds up the agent: whatever happens, the exit
code is 0 and it is over in a second. Texts were reviewed and made ready before (`workspace/select_hooks.py`).
"""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import json
import os
import sys
import time

from metier.hooks import record as spool
from metier.hooks.rank import Skill, chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SECONDS = 1.0
"""After this the hook leaves, whatever it waits for."""
BUSY = 0.2
"""Seconds to wait for somebody who changes the database's files."""
EVENT = "UserPromptSubmit"
TOKENS, CHARACTERS = 2_000, 10_000
"""Most that is added to a request."""
KEPT = 16_000
"""Characters of a request that are kept in the note of what was handed out."""


def main() -> None:
    """Read the agent's object, print what to add to its context if anything, and exit with 0."""
    state = ""
    try:
        spool.limit_time(SECONDS)
        payload = spool.read_object()
        folder = str(payload.get("cwd") or "") or os.getcwd()
        state = spool.find_state(folder, os.environ)
        if state and payload.get("hook_event_name") in (None, EVENT) and not spool.is_left_out(state, folder):
            _serve(state, folder, payload)
    except Exception as error:  # noqa: BLE001 - a hook must never fail its agent
        spool.log(state, f"quick_select: {type(error).__name__}: {error}")
    finally:
        spool.leave()


def _serve(state: str, folder: str, payload: Mapping[str, object]) -> None:
    prompt, database = payload.get("prompt"), os.path.join(state, "metier.db")
    settings = spool.settings_of(state)
    if not isinstance(prompt, str) or not prompt.strip() or _setting(settings, "store") or not os.path.isfile(database):
        return
    import sqlite3

    connection = sqlite3.connect(f"file:{_quoted(database)}?mode=ro", uri=True, timeout=BUSY, isolation_level=None)
    always, found = chosen(connection, workspace_of(state, folder), prompt)
    rate = float(_setting(settings, "select_withhold_rate") or 0)
    withheld = found is not None and _is_drawn(prompt, found, rate)
    handed = fitting(always if withheld or not found else [*always, found])
    if handed:
        said = {"hookSpecificOutput": {"hookEventName": EVENT, "additionalContext": joined(handed)}}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
    if found:
        note = _note(payload, folder, handed, found if withheld else None)
        query = spool.redactor(state)(prompt[:KEPT])
        spool.write(state, note | {"query": query, "pinned": _names(handed, always), "withhold_rate": rate})


def _names(skills: Sequence[Skill], among: Sequence[Skill]) -> list[str]:
    return [one.name for one in skills if one in among]


def fitting(skills: Sequence[Skill]) -> list[Skill]:
    """As many of the skills as the agent takes, in their order."""
    kept: list[Skill] = []
    tokens = characters = 0
    for one in skills:
        tokens, characters = tokens + one.tokens, characters + len(one.context)
        if tokens > TOKENS or characters > CHARACTERS:
            break
        kept.append(one)
    return kept


def joined(skills: Sequence[Skill]) -> str:
    """The texts of some skills as one: what they are is said once, in front."""
    about, _, first = skills[0].context.partition("\n\n")
    return "\n\n".join((about, first, *(one.context.partition("\n\n")[2] for one in skills[1:])))


def workspace_of(state: str, folder: str) -> str:
    """What the records of a folder's workspace are called by."""
    listed = os.path.join(state, "workspaces")
    if os.path.isfile(listed):
        with open(listed, encoding="utf-8", errors="surrogateescape") as lines:
            roots = {os.path.realpath(line.rstrip("\n")): line.rstrip("\n") for line in lines}
        for place in spool.upwards(os.path.realpath(os.environ.get("METIER_WORKSPACE") or folder)):
            if place in roots:
                return roots[place].encode("utf-8", "replace").decode()
    with open(os.path.join(state, "workspace"), encoding="utf-8") as file:
        return file.read().strip()


def _setting(settings: Mapping[str, object], name: str) -> str:
    return os.environ.get(f"METIER_{name.upper()}") or str(settings.get(name) or "")


def _is_drawn(prompt: str, skill: Skill, rate: float) -> bool:
    """Whether this skill is left out this time: the same lot as selection draws."""
    from hashlib import sha256

    day = time.strftime("%Y-%m-%d", time.gmtime())
    said = "\0".join(("withhold", prompt, skill.name, skill.hash, day))
    return int.from_bytes(sha256(said.encode("utf-8", "surrogatepass")).digest()[:7], "big") / 2**56 < rate


def _note(
    payload: Mapping[str, object], folder: str, handed: Sequence[Skill], withheld: Skill | None
) -> dict[str, object]:
    """What is kept of it, until somebody opens the workspace."""
    return {
        "kind": "selection",
        "id": os.urandom(16).hex(),
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "folder": folder,
        "agent": "claude-code",
        "session": str(payload.get("session_id") or ""),
        "chosen": [_row(one) for one in handed],
        "withheld": [_row(withheld)] if withheld else [],
    }


def _row(skill: Skill) -> dict[str, object]:
    return {"skill": skill.name, "hash": skill.hash, "score": round(skill.score, 4)}


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


if __name__ == "__main__":
    main()
