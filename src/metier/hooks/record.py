"""The hook that records: it reads one JSON object, writes one file into the spool and exits.

    echo '{"session_id": "s1", "transcript_path": "…", "cwd": "…"}' | python -I -m metier.hooks.record

It never fails the agent: the exit code is always 0, and an error becomes a line in `spool/errors.log`.
If the agent wrote a transcript, the file refers to it. Other text is redacted first.
"""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import os

from metier.hooks.process import HookInputError, run_hook
from metier.hooks.spool import write_entry
from metier.hooks.workspace import quick_redactor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from metier.hooks.process import Payload
    from metier.hooks.workspace import Redact

SECONDS = 5
"""The hook exits after this time."""
HOOK_KEYS = ("cwd", "hook_event_name", "session_id", "transcript_path")
"""Keys that an agent adds for its hook and that are not part of a run."""


def main() -> None:
    """Read standard input, write it into the spool, and exit with 0."""
    run_hook("record", record, seconds=SECONDS)


def record(state: str, folder: str, payload: Payload) -> None:
    """Write the agent's object into the spool."""
    if payload.get("hook_event_name") == "SessionEnd" and not payload.get("transcript_path"):
        return  # Copilot CLI named it at the last stop
    write_entry(state, entry_of(payload, quick_redactor(state)) | {"folder": folder})


def entry_of(payload: Payload, redact: Redact) -> dict[str, object]:
    """What the spool keeps of the agent's object: a reference to a transcript, or a run with its text redacted."""
    path = payload.get("transcript_path")
    session = str(payload.get("session_id") or payload.get("thread-id") or payload.get("session") or "")
    if isinstance(path, str) and path:
        size = os.path.getsize(path) if os.path.isfile(path) else 0
        event = str(payload.get("hook_event_name") or "")
        return {"kind": "reference", "event": event, "session": session, "path": path, "offset": size}
    if "message" in payload:
        run: dict[str, object] = {key: value for key, value in payload.items() if key not in HOOK_KEYS}
        run.setdefault("session", session)
        return {"kind": "run", "run": _redact_texts(run, redact)}
    if isinstance(payload.get("input-messages"), list):
        return {"kind": "run", "run": _redact_texts(_run_of_notification(payload, session), redact)}
    raise HookInputError("the object has neither transcript_path nor message")


def _run_of_notification(payload: Payload, session: str) -> dict[str, object]:
    """The run in a Codex notification, which contains the request and the answer."""
    messages = payload["input-messages"]
    parts = [str(part) for part in messages] if isinstance(messages, list) else []
    return {
        "id": str(payload.get("turn-id") or "") or None,
        "session": session,
        "agent": "codex",
        "status": "completed",
        "message": "\n".join(parts),
        "output": str(payload.get("last-assistant-message") or ""),
    }


def _redact_texts(value: object, redact: Redact) -> object:
    """A JSON value with each of its texts redacted."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_redact_texts(one, redact) for one in value]
    if isinstance(value, dict):
        return {str(key): _redact_texts(one, redact) for key, one in value.items()}
    return value


if __name__ == "__main__":
    main()
