"""What an agent did in a run, call by call, as plain actions that may teach."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, cast

from metier.formats.origins import is_shell, origin_of
from metier.formats.strict_json import load_json
from metier.learning.procedures.shell import head, likeness, without_folder
from metier.text.shell.command import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from metier.types import Run, ToolCall

ActionKind = Literal["command", "edit", "read", "search", "web", "tool"]
REMEMBERED = 400
"""Characters of a call's input whose actions are remembered: the same is done again and again."""
LONGEST = 400
"""Characters of a command that can be taught; longer ones are programs, not steps."""


_EDITS = word_set(
    """edit write multiedit apply_patch str_replace_editor str_replace_based_edit_tool create_file write_file replace
    notebookedit edit_file patch replace_in_file write_to_file search_replace"""
)
_SEARCHES = word_set("grep glob search_file_content search_files grep_search grep_files glob_files codebase_search")
_SILENT = word_set(
    """todowrite update_plan task agent think exitplanmode skill askuserquestion bashoutput killshell todoread
    write_stdin slashcommand toolsearch"""
)
"""Tools an agent keeps its own house with; nothing to teach."""
_PLANS = word_set("todowrite update_plan task agent exitplanmode")
"""Tools that hold what an agent means to do."""
_QUERIES = word_set("search web")
"""What an agent asked for executes nothing and teaches nothing: a page could put its words there."""
_TRIVIAL = word_set("ls pwd cd clear echo true whoami date")
_KEYWORDS = word_set("for while until if do done then else elif fi case esac function { }")
_PATH_FIELDS = ("file_path", "path", "filename", "target_file", "notebook_path", "absolute_path")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_NAMED_PATH = re.compile(r"[\w./@*~-]*[\w*-]\.[\w*]{1,12}|[\w./@~-]*/[\w.@*-]+|\.?[\w-]+")
_SHOWN_PATH = re.compile(r'\bpath: "([^"]+)"')
"""A path among the arguments of a call, as a console shows them."""
_HOME = re.compile(r"(?<![\w.])(/(?:home|Users)/[^/\s'\"`:]+/[^/\s'\"`:]+)(?=[/\s'\"`:]|\Z)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing the agent did: a command, a file it changed or read, a search, a page, another tool."""

    kind: ActionKind
    text: str
    """The command, the path, the words searched for, the address, or the tool's name."""
    ok: bool
    at: int
    """Which call of the run it was."""

    @property
    def key(self) -> str:
        """What two actions share when they are the same kind of step."""
        return _key(self.kind, self.text)


Actions = tuple[Action, ...]
"""What one run did, in order."""


@lru_cache(maxsize=4096)
def _key(kind: ActionKind, text: str) -> str:
    if kind == "command":
        return f"command {head(text)}"
    folder, _, name = text.rpartition("/")
    return f"{kind} {folder.split('/')[0]} {name.rpartition('.')[2]}" if "." in name else f"{kind} {name}"


def actions_of(run: Run, root: str = "") -> tuple[Action, ...]:
    """The actions of a run in order, paths below `root` made relative; trivial ones are left out."""
    return tuple(action for at, call in enumerate(run.tools) for action in _of_call(call, at, root))


def project_root(runs: Iterable[Run]) -> str:
    """The project's folder in somebody's home that most absolute paths of the runs lie in; empty: there is none."""
    found = Counter(root for run in runs for call in run.tools for root in _HOME.findall(call.input))
    return min(found, key=lambda root: (-found[root], root), default="")


def alike(one: Action, other: Action) -> float:
    """How much two actions are the same step, from 0 to 1; one that failed is a little less like one that did not."""
    if one.kind != other.kind:
        return 0.0
    found = likeness(one.text, other.text) if one.kind == "command" else _near(one.text, other.text)
    return found - (0.15 if one.ok != other.ok else 0.0)


def _near(one: str, other: str) -> float:
    """How alike two paths, addresses or names are."""
    if one == other:
        return 1.0
    mine, theirs = one.rpartition("/"), other.rpartition("/")
    same_end = mine[2].rpartition(".")[2] == theirs[2].rpartition(".")[2] and "." in mine[2]
    if mine[0] == theirs[0] and same_end:
        return 0.8
    return 0.65 if same_end and mine[0].split("/")[0] == theirs[0].split("/")[0] else 0.3


def deeds_in(call: ToolCall) -> list[Deed]:
    """What a call did, as it was said; trivial things are left out."""
    done = _short_deeds if len(call.input) <= REMEMBERED else _deeds
    return [one for one in done(call.name, call.input) if _teaches(one[0], one[1])]


def shell_line(call: ToolCall) -> str | None:
    """The command line that a call ran, as it was said; None: it ran none."""
    fields = _fields(call.input)
    if not is_shell(call.name) or _is_view(fields):
        return None
    return _command(fields) if fields else call.input


def edited_paths(call: ToolCall) -> list[str]:
    """The files that a call changed."""
    fields = _fields(call.input)
    if _last_name(call.name) not in _EDITS or _is_view(fields):
        return []
    return list(dict.fromkeys(_paths(call.input, fields)))


def written_file(call: ToolCall) -> tuple[str, str]:
    """The path and the whole text of a file that a call wrote; two empty texts: it wrote none."""
    fields = _fields(call.input)
    if _last_name(call.name) not in _EDITS:
        return "", ""
    text = next((one for key in ("content", "file_text", "contents") if isinstance(one := fields.get(key), str)), "")
    return (_text(fields, _PATH_FIELDS), text) if text else ("", "")


def read_paths(call: ToolCall) -> list[str]:
    """The files that a call read or looked through."""
    if is_shell(call.name) or _last_name(call.name) in _EDITS:
        return []
    fields = _fields(call.input)
    if not fields and (found := _SHOWN_PATH.findall(call.input)):
        return cast("list[str]", found)
    if fields or origin_of(call.name) == "file":
        return _paths(call.input, fields)
    return []


def is_plan(tool: str) -> bool:
    """Whether a tool keeps an agent's plan or hands a part of it on."""
    return _last_name(tool) in _PLANS


def input_texts(call: ToolCall) -> list[str]:
    """The texts in a call's arguments, in order."""
    return list(_texts(_fields(call.input))) if call.input.lstrip().startswith("{") else [call.input]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in cast("dict[str, object]", value).values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in cast("list[object]", value):
            yield from _texts(one)


def foreign_tool(call: ToolCall) -> str | None:
    """The name of a tool that is none of a coding agent's own; None: it is one."""
    done = deeds_in(call)
    return done[0][1] if done and done[0][0] == "tool" else None


def _last_name(tool: str) -> str:
    return tool.strip().casefold().rsplit("__", 1)[-1].rsplit("/", 1)[-1]


def _of_call(call: ToolCall, at: int, root: str) -> Iterator[Action]:
    ok = call.ok and call.error is None
    done = _short_deeds if len(call.input) <= REMEMBERED else _deeds
    for kind, said in done(call.name, call.input):
        text = below_root(said, root) if root and root in said else said
        if kind not in _QUERIES and _teaches(kind, text):
            yield Action(kind=kind, text=text, ok=ok, at=at)


def _teaches(kind: ActionKind, text: str) -> bool:
    return bool(text) and not (kind == "command" and _is_trivial(text))


Deed = tuple[ActionKind, str]
"""An action's kind and text: all that does not depend on how the call went."""


def _deeds(tool: str, given: str) -> tuple[Deed, ...]:
    """What a tool did with an input."""
    last = _last_name(tool)
    if last in _SILENT:
        return ()
    fields = _fields(given)
    if is_shell(tool) or (last in _EDITS and _is_view(fields)):
        return tuple(_commands(given, fields))
    if last in _EDITS:
        return tuple(("edit", path) for path in dict.fromkeys(_paths(given, fields)))
    return (_looked_up(tool, given, fields),)


_short_deeds = lru_cache(maxsize=4096)(_deeds)


def _commands(text: str, fields: dict[str, object]) -> Iterator[Deed]:
    if _is_view(fields):
        yield "read", _text(fields, ("path", "file_path"))
        return
    whole = _command(fields) if fields else text
    if "\n" in whole and ("<<" in whole or _is_program(whole)):
        return
    lines = [without_folder(line) for line in whole.replace("\\\n", " ").splitlines()]
    said = [" ".join(line.split()) for line in lines if line and not line.startswith("#")]
    if len(said) <= 6:
        for line in said:
            if len(line) <= LONGEST:
                yield "command", line


def _is_program(text: str) -> bool:
    """Whether several lines are a loop, a branch or a quoted text: that is a program, not a row of commands."""
    lines = text.replace("\\\n", " ").splitlines()
    words = {line.split(maxsplit=1)[0] for line in lines if line.strip()}
    return bool(words & _KEYWORDS) or any(line.count('"') % 2 or line.count("'") % 2 for line in lines)


def _looked_up(tool: str, text: str, fields: dict[str, object]) -> Deed:
    name = tool.strip().casefold().rsplit("__", 1)[-1]
    origin = origin_of(tool)
    if name in _SEARCHES:
        given = _text(fields, ("pattern", "query", "regex")) or ("" if fields else text.strip())
        return "search", given[:80]
    if origin == "file":
        paths = _paths(text, fields)
        return "read", paths[0] if paths else ""
    if origin == "web":
        given = _text(fields, ("url", "query")) or ("" if fields else text.strip())
        return "web", given[:200]
    return "tool", tool.strip()


def _fields(text: str) -> dict[str, object]:
    if not text.lstrip().startswith("{"):
        return {}
    try:
        parsed = load_json(text)
    except ValueError:
        return {}
    return cast("dict[str, object]", parsed) if isinstance(parsed, dict) else {}


def _is_view(fields: dict[str, object]) -> bool:
    return fields.get("command") == "view" and "path" in fields


def _command(fields: dict[str, object]) -> str:
    """The command line in the arguments; `bash -lc` around it is taken off."""
    for key in ("command", "cmd", "script", "code", "args"):
        value = fields.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            words = [str(word) for word in cast("list[object]", value)]
            wrapped = len(words) >= 3 and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh") and "c" in words[1]
            return words[2] if wrapped else " ".join(words)
    return ""


def _paths(text: str, fields: dict[str, object]) -> list[str]:
    if found := _PATCHED.findall(_text(fields, ("input", "patch", "content")) or text):
        return [path.strip() for path in cast("Sequence[str]", found)]
    given = _text(fields, _PATH_FIELDS)
    if given or fields:
        return [given] if given else []
    named = _NAMED_PATH.match(text.strip())
    return [named[0]] if named else []


def _text(fields: dict[str, object], keys: tuple[str, ...]) -> str:
    return next((value.strip() for key in keys if isinstance(value := fields.get(key), str) and value.strip()), "")


def below_root(text: str, root: str) -> str:
    """A text with paths relative to the project's folder."""
    return text.replace(f"{root}/", "").replace(root, ".")


@lru_cache(maxsize=4096)
def _is_trivial(command: str) -> bool:
    return not head(command) or head(command) in _TRIVIAL
