"""Whether a note is about a call: its check, held to what the tool is asked, or its word in what the tool answered."""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.hooks.notes import Note
    from metier.hooks.process import Payload

LINE_KEYS = ("command", "cmd", "script")
PATH_KEYS = ("file_path", "path", "notebook_path", "filename", "target_file", "absolute_path")
SHELLS = ("bash", "shell", "exec_command", "local_shell", "run_shell_command", "container.exec")
EDITING = ("edit", "write", "patch", "replace", "create", "delete", "move")
PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")


class NoteCheck:
    """A note's check, in the form that the parser of command lines reads."""

    __slots__ = ("instead", "needs", "path", "program", "reading", "wrong")

    def __init__(self, row: Mapping[str, object]) -> None:
        self.program, self.wrong, self.needs = (_texts(row.get(name)) for name in ("program", "wrong", "needs"))
        self.path, self.instead = str(row.get("path") or ""), str(row.get("instead") or "")
        self.reading = row.get("reading") is not False


def is_about(note: Note, event: str, payload: Payload) -> bool:
    """Whether a note is to be said for this call."""
    if event == "before":
        return violates(NoteCheck(note.check), payload) if note.check else note.word in asked_text(payload)
    if note.word not in _answered(payload):
        return False
    program = _texts(note.check.get("program")) if note.check else ()
    line = line_of(payload)
    return not program or line is None or _runs(program, line)


def violates(check: NoteCheck, payload: Payload) -> bool:
    """Whether a call does what a check forbids."""
    from metier.text.shell.checks import changed_paths, check_line, named_paths, touches

    line = line_of(payload)
    if check.path:
        if check.reading:
            return touches(check.path, [*_paths_of(payload), *named_paths(line or "")])
        return touches(check.path, [*edited_paths(payload), *changed_paths(line or "")])
    return line is not None and check_line(check, line) == "violated"


def line_of(payload: Payload) -> str | None:
    """The command line that a tool is asked to run; None: it is no shell."""
    given = payload.get("tool_input")
    if str(payload.get("tool_name") or "").casefold() not in SHELLS or not isinstance(given, dict):
        return None
    value = next((given[key] for key in LINE_KEYS if key in given), None)
    if isinstance(value, list):
        words = [str(word) for word in value]
        wrapped = len(words) >= 3 and words[0].rpartition("/")[2] in ("bash", "sh", "zsh") and "c" in words[1]
        return words[2] if wrapped else " ".join(words)
    return value if isinstance(value, str) else None


def edited_paths(payload: Payload) -> list[str]:
    """The files that a tool is asked to change."""
    tool = str(payload.get("tool_name") or "").casefold().rpartition("__")[2]
    return _paths_of(payload) if any(word in tool for word in EDITING) and "read" not in tool else []


def _paths_of(payload: Payload) -> list[str]:
    """The files that a tool is asked to read or change."""
    given = payload.get("tool_input")
    if not isinstance(given, dict):
        return []
    named = [str(given[key]) for key in PATH_KEYS if isinstance(given.get(key), str)]
    lines = "\n".join(one for one in given.values() if isinstance(one, str)).splitlines()
    return named + [line.split(": ", 1)[1].strip() for line in lines if line.startswith(PATCHED)]


def _runs(program: tuple[str, ...], line: str) -> bool:
    """Whether a command line runs a program."""
    from metier.text.shell.checks import arguments_after
    from metier.text.shell.parse import parse_commands

    return any(arguments_after(program, one) is not None for one in parse_commands(line[:20_000]))


def asked_text(payload: Payload) -> str:
    """All that a tool is asked, one text a line."""
    return "\n".join(_flat(payload.get(key)) for key in ("tool_name", "tool_input"))


def _answered(payload: Payload) -> str:
    return "\n".join(_flat(payload.get(key)) for key in ("error", "tool_response"))


def _flat(value: object) -> str:
    """All texts in a JSON value, one a line."""
    if isinstance(value, dict):
        return "\n".join(_flat(one) for one in value.values())
    if isinstance(value, list):
        return "\n".join(_flat(one) for one in value)
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list | tuple) else ()
