"""What both hooks do around their work: read one JSON object, find the workspace, never fail the agent, end quickly."""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import json
import os
import sys

from metier.hooks.agents import agent_of
from metier.hooks.places import find_project, home_of_hook, problem_of, session_folder
from metier.hooks.spool import OBJECT_LIMIT, log_error
from metier.hooks.workspace import UnreadableSettingsError, is_disabled, readable_settings_of, settings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.hooks.places import Project

    Payload = dict[str, object]


LOGGED = 0.3
"""Seconds that the last line of a hook that took too long may take."""


class HookInputError(Exception):
    """The object on standard input is nothing that a hook can use."""


def run_hook(name: str, work: Callable[[str, str, Payload], None], *, seconds: float, only_tells: bool = False) -> None:
    """Call `work` with the state folder, the session's folder and the agent's object; then exit with 0 in any case.

    Outside a project, in a copy of one and where recording is off, nothing is called. Where a settings file is not
    valid, nothing is recorded; a hook that only tells goes on, because what a person approved does not depend on
    another line's typo.
    """
    found: list[str] = []
    payload: Payload = {}
    try:
        limit_time(name, seconds, found)
        given = read_object()
        payload = given if isinstance(given, dict) else {}
        agent = agent_of(sys.argv, os.environ, payload)
        folder = session_folder(agent, os.environ, str(payload.get("cwd") or ""))
        project = _find(folder, home_of_hook(sys.argv, os.environ), payload)
        if project is not None:
            found.append(project.state)
            _check_usable(given)
            if not _is_off(project.state, folder, name if only_tells else ""):
                work(project.state, folder, payload)
    except Exception as error:  # noqa: BLE001 - a hook must never fail its agent
        here = None if found else _find(os.getcwd(), home_of_hook(sys.argv, os.environ), {})
        # what cannot be read does not say where its session began
        log_error(found[0] if found else here.state if here else "", f"{name}: {type(error).__name__}: {error}")
        _say_at_start(payload, f"what you approved is not told here: {error}. Look: metier doctor")
    finally:
        exit_at_once()


def _find(folder: str, home: str, payload: Payload) -> Project | None:
    """The project of a folder; None where nothing is recorded or told, which is said when a session starts."""
    if problem := problem_of(home) if home else "":
        _say_at_start(payload, f"nothing is recorded or told, because {home} is not used: {problem}.")
        return None
    found = find_project(folder, home) if home else None
    if found is None or not found.twin:
        return found
    said = f"{found.root} is a copy of {os.path.dirname(found.twin)}, so nothing is recorded or told here."
    _say_at_start(payload, f"{said} Decide in a terminal: metier init")
    return None


def _say_at_start(payload: Payload, text: str) -> None:
    """Tell the person, and only when a session starts."""
    if payload.get("hook_event_name") == "SessionStart":
        sys.stdout.write(json.dumps({"systemMessage": f"Metier: {text}"}) + "\n")
        sys.stdout.flush()


def _check_usable(given: Payload | HookInputError) -> None:
    if isinstance(given, HookInputError):
        raise given


def _is_off(state: str, folder: str, telling: str) -> bool:
    """Whether Metier is off in a folder; `telling`: the name of a hook that goes on without valid settings."""
    try:
        return is_disabled(settings_of(state), folder)
    except UnreadableSettingsError as error:
        if not telling:
            raise
        log_error(
            state, f"{telling}: {error}; until it is corrected, only approved notes are told, and nothing is recorded"
        )
        return is_disabled(readable_settings_of(state), folder)


def read_object() -> Payload | HookInputError:
    """The JSON object on standard input, or what is wrong with it."""
    raw = sys.stdin.buffer.read(OBJECT_LIMIT + 1)
    if len(raw) > OBJECT_LIMIT:
        return HookInputError(f"the object is larger than {OBJECT_LIMIT} bytes")
    try:
        payload = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        return HookInputError(f"standard input is not a JSON object: {error}")
    return payload if isinstance(payload, dict) else HookInputError("standard input is not a JSON object")


def limit_time(name: str, seconds: float, state: list[str]) -> None:
    """Exit with 0 after this time, even while the hook waits for something; the log of the state folder says so."""
    import signal

    def end(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGALRM, lambda _number, _frame: exit_at_once())
        signal.setitimer(signal.ITIMER_REAL, LOGGED)
        log_error(state[0] if state else "", f"{name}: not done after {seconds:g} s, so nothing was kept")
        exit_at_once()

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def exit_at_once() -> None:
    """Exit with 0 without the interpreter's clean-up, which takes milliseconds."""
    os._exit(0)
