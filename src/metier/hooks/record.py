"""What an agent's hook calls: read one JSON object, write one file for later, leave. Standard library only.

    echo '{"session_id": "s1", "transcript_path": "…", "cwd": "…"}' | python -m metier.hooks.record

It never fails the agent: whatever happens, the exit code is 0 and what went wrong is a line in `spool/errors.log`.
Where a transcript exists the file holds a reference to it; other text passes a small redactor first.
"""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` is not imported here: it would cost the hook several milliseconds)

from __future__ import annotations

import json
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Redact = Callable[[str], str]

LIMIT = 16 * 1024 * 1024
"""Bytes of the largest object that is spooled."""
SECONDS = 5
"""After this the hook leaves, whatever it waits for."""
LOG_LIMIT = 256 * 1024
SPOOL = "spool"
ERRORS = "errors.log"
NOT_OF_A_RUN = ("cwd", "hook_event_name", "session_id", "transcript_path")
"""What a hook adds to its object and a run does not have."""
PART = ".part"
"""The ending of a file that is still being written."""


class NotSpooled(Exception):  # noqa: N818 - a reason, not an error
    """Why an object was left out."""


def main() -> None:
    """Read standard input, spool it, and exit with 0."""
    state = ""
    try:
        limit_time(SECONDS)
        payload = read_object()
        state = find_state(str(payload.get("cwd") or "") or os.getcwd(), os.environ)
        if state and not is_left_out(state, str(payload.get("cwd") or "")):
            folder = str(payload.get("cwd") or "") or os.getcwd()
            write(state, entry_of(payload, redactor(state)) | {"folder": folder})
    except Exception as error:  # noqa: BLE001 - a hook must never fail its agent
        log(state or find_state(os.getcwd(), os.environ), f"{type(error).__name__}: {error}")
    finally:
        leave()


def find_state(folder: str, environ: Mapping[str, str]) -> str:
    """The state folder that serves a folder, or nothing: a hook firing anywhere else does nothing."""
    folder = os.path.realpath(environ.get("METIER_WORKSPACE") or folder)
    shared = environ.get("METIER_HOME") or str(_settings(_user_file(environ)).get("state_dir") or "")
    if shared:
        state = os.path.abspath(os.path.expanduser(shared))
        return state if any(place in _listed(state) for place in upwards(folder)) else ""
    user = os.path.realpath(os.path.expanduser("~"))
    for place in upwards(folder):
        state = os.path.join(place, ".metier")
        if (place != user or place == folder) and os.path.isfile(os.path.join(state, "workspace")):
            return state
    return ""


def upwards(folder: str) -> list[str]:
    """A folder and all those around it, the innermost first."""
    found = [folder]
    while os.path.dirname(found[-1]) != found[-1]:
        found.append(os.path.dirname(found[-1]))
    return found


def _listed(state: str) -> set[str]:
    """The workspaces that share a state folder."""
    file = os.path.join(state, "workspaces")
    if not os.path.isfile(file):
        return set()
    with open(file, encoding="utf-8", errors="surrogateescape") as lines:
        return {os.path.realpath(line.rstrip("\n")) for line in lines}


def _user_file(environ: Mapping[str, str]) -> str:
    base = environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "metier", "metier.toml")


def entry_of(payload: dict[str, object], redact: Redact) -> dict[str, object]:
    """What the spool keeps of a hook's object: a reference, or a run with its text redacted."""
    path = payload.get("transcript_path")
    session = str(payload.get("session_id") or payload.get("thread-id") or payload.get("session") or "")
    if isinstance(path, str) and path:
        size = os.path.getsize(path) if os.path.isfile(path) else 0
        event = str(payload.get("hook_event_name") or "")
        return {"kind": "reference", "event": event, "session": session, "path": path, "offset": size}
    if "message" in payload:
        run: dict[str, object] = {key: value for key, value in payload.items() if key not in NOT_OF_A_RUN}
        run.setdefault("session", session)
        return {"kind": "run", "run": _redacted(run, redact)}
    if isinstance(payload.get("input-messages"), list):
        return {"kind": "run", "run": _redacted(_notified(payload, session), redact)}
    raise NotSpooled("the object names no transcript_path and holds no message")


def _notified(payload: dict[str, object], session: str) -> dict[str, object]:
    """A notification that brings request and answer along, as a run."""
    asked = payload["input-messages"]
    parts = [str(part) for part in asked] if isinstance(asked, list) else []
    return {
        "id": str(payload.get("turn-id") or "") or None,
        "session": session,
        "agent": "codex",
        "status": "completed",
        "message": "\n".join(parts),
        "output": str(payload.get("last-assistant-message") or ""),
    }


def write(state: str, entry: dict[str, object]) -> str:
    """Put an entry into the spool: complete and durable under its final name, or not there at all."""
    folder = os.path.join(state, SPOOL)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    name = f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}.json"
    final = os.path.join(folder, name)
    data = json.dumps(entry | {"v": 1}, ensure_ascii=False).encode("utf-8", "replace")
    handle = os.open(final + PART, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
        os.rename(final + PART, final)
    except OSError:
        os.unlink(final + PART)
        raise
    finally:
        os.close(handle)
    sync_folder(folder)
    return name


def sync_folder(folder: str) -> None:
    """Make a change of names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def log(state: str, line: str) -> None:
    """Note what went wrong, in a file that cannot grow without end."""
    if not state:
        return
    try:
        folder = os.path.join(state, SPOOL)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        file = os.path.join(folder, ERRORS)
        if os.path.exists(file) and os.path.getsize(file) > LOG_LIMIT:
            os.replace(file, file + ".1")
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as out:
            out.write(time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + " ".join(line.split())[:500] + "\n")
    except OSError:
        return


def read_object() -> dict[str, object]:
    """The JSON object on standard input."""
    raw = sys.stdin.buffer.read(LIMIT + 1)
    if len(raw) > LIMIT:
        raise NotSpooled(f"the object is larger than {LIMIT} bytes")
    payload = json.loads(raw.decode("utf-8", "replace"))
    if not isinstance(payload, dict):
        raise NotSpooled("standard input is not a JSON object")
    return payload


def settings_of(state: str) -> dict[str, object]:
    """What the two files of settings say, unchecked; variables come on top of it."""
    return _settings(_user_file(os.environ)) | _settings(os.path.join(state, "metier.toml"))


def is_left_out(state: str, folder: str) -> bool:
    """Whether this workspace is switched off, or the folder on its ignore list."""
    settings = settings_of(state)
    switch = os.environ.get("METIER_ENABLED") or str(settings.get("enabled", True))
    if switch.strip().lower() in ("false", "0", "no", "off"):
        return True
    given, listed = os.environ.get("METIER_IGNORE"), settings.get("ignore")
    patterns = [part.strip() for part in given.split(",") if part.strip()] if given else listed
    if not isinstance(patterns, list) or not patterns:
        return False
    from metier.hooks.ignore import is_ignored

    return is_ignored(folder or os.path.dirname(state), [str(pattern) for pattern in patterns])


def _settings(file: str) -> dict[str, object]:
    if not os.path.isfile(file):
        return {}
    import tomllib

    with open(file, "rb") as source:
        return tomllib.load(source)


def redactor(state: str) -> Redact:
    """The small redactor under this state folder's key."""
    from metier.redaction import redact_quick

    with open(os.path.join(state, "redact.key"), "rb") as file:
        key = file.read()
    return lambda text: redact_quick(text, key)


def _redacted(value: object, redact: Redact) -> object:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_redacted(one, redact) for one in value]
    if isinstance(value, dict):
        return {str(key): _redacted(one, redact) for key, one in value.items()}
    return value


def limit_time(seconds: float) -> None:
    """Leave after so long, whatever is waited for."""
    import signal

    signal.signal(signal.SIGALRM, lambda _number, _frame: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, seconds)


def leave() -> None:
    """End at once: a hook has no time for a long goodbye."""
    os._exit(0)


if __name__ == "__main__":
    main()
