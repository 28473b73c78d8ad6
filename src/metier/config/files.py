"""Settings files: the user's, with a table for each workspace, and the project's, which may not name everything."""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from metier.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE = "workspace"
"""The table of the user's file that holds settings by the path of a workspace."""
PERSONAL = frozenset(
    {
        *("store", "second_opinions", "paused"),
        *("model_url", "model_key", "model_headers", "model_price"),
        *("embed_url", "embed_key", "embed_headers", "embed_price"),
        *("budget_calls", "budget_tokens", "budget_usd"),
    }
)
"""Settings that name an address, a command, a key or money: only the person sets them, never a folder."""
MOST = 1 << 20
"""Bytes of a settings file."""


def read_file(file: Path) -> dict[str, object]:
    """The settings in a file; none if there is no such file."""
    data = b""
    try:
        with file.open("rb") as source:
            data = source.read(MOST + 1)
        if len(data) > MOST:
            raise ConfigError(f"{file} is larger than {MOST} bytes, so it is no settings file.")
        return dict(tomllib.loads(data.decode()))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except IsADirectoryError:
        raise ConfigError(f"{file} is a folder, and settings are a file. Move it away, or delete it.") from None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}. Look at its permissions.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} cannot be read: {error}.") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{file} is not valid TOML: {error}.{_bare_word_hint(data, str(error))}") from None


def _bare_word_hint(data: bytes, problem: str) -> str:
    """What to write where a bare word stands in the place of a value; empty: that is not the problem."""
    from metier.config import PARSERS

    place = re.search(r"at line (\d+)", problem)
    lines = data.decode("utf-8", "replace").splitlines()
    line = lines[int(place[1]) - 1] if place and int(place[1]) <= len(lines) else ""
    bare = re.match(r"\s*([\w.-]+)\s*=\s*([A-Za-z][^\s#\"']*)", line)
    if bare is None:
        return ""
    name, word = bare.groups()
    try:
        meant = PARSERS.get(name, str)(word)
    except ValueError as error:
        return f" {name} needs {error}."
    if isinstance(meant, bool):
        return f" {name} needs true or false: {name} = {_literal(meant)}"
    return f" Text needs quotes: {name} = {_literal(meant)}"


def read_user_file(file: Path, workspace: Path | None) -> tuple[dict[str, object], dict[str, object]]:
    """The user's settings for everything, and those for one workspace."""
    given = read_file(file)
    tables = given.pop(TABLE, {})
    if not isinstance(tables, dict):
        raise ConfigError(f'{file}: write [workspace."/path/to/project"], and settings below it.')
    found: dict[str, object] = {}
    for path, values in cast("dict[str, object]", tables).items():
        if not isinstance(values, dict):
            raise ConfigError(f'{file}: write [workspace."/path/to/project"], and settings below it.')
        if workspace is not None and os.path.realpath(Path(path).expanduser()) == os.path.realpath(workspace):
            found |= cast("dict[str, object]", values)
    if "state_dir" in found:
        raise ConfigError(
            f"{file}: state_dir cannot be set for one workspace. Set it above the tables, or METIER_HOME."
        )
    return given, found


def read_project_file(file: Path, user: Path, workspace: Path) -> dict[str, object]:
    """The settings in a workspace's own file; one that could send something away or run something is refused."""
    if file.is_symlink():
        raise ConfigError(f"{file} is a link. Metier does not follow links in its state folder. Remove it.")
    given = read_file(file)
    if risky := sorted(given.keys() & PERSONAL):
        raise ConfigError(
            f"{file}: {risky[0]} cannot be set there: a folder from elsewhere could bring that file along, and with it "
            f"run programs, or send keys and runs away. Take it out, and run: metier config set {risky[0]} VALUE "
            f"(it goes to {user})."
        )
    if "state_dir" in given:
        raise ConfigError(
            f"{file}: state_dir cannot be set in a file inside it. Set METIER_HOME, or state_dir in {user}."
        )
    outside = [root for root in _texts(given.get("skill_roots")) if leads_outside(root, workspace)]
    if outside:
        raise ConfigError(
            f"{file}: skill_roots cannot name a folder outside the project ({outside[0]}). "
            f"Take it out, and run: metier config set skill_roots {outside[0]}"
        )
    return given


def leads_outside(path: str, workspace: Path) -> bool:
    """Whether a path is not inside a workspace, once links are followed."""
    if path.startswith("~"):
        return True
    base = os.path.realpath(workspace)
    return os.path.commonpath((base, os.path.realpath(os.path.join(base, path)))) != base  # noqa: PTH118


def change_file(file: Path, name: str, value: object, workspace: Path | None = None) -> None:
    """Set one setting in a file, or take it out (None); comments and everything else stay as they are.

    A table that becomes empty goes, and so does the file.
    """
    wanted = read_file(file)
    table = _table(wanted, workspace)
    table.pop(name, None)
    if value is not None:
        table[name] = tomllib.loads(f"value = {_literal(value)}")["value"]
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    changed = _changed(text, name, value, _header(read_file(file), workspace))
    if _content(tomllib.loads(changed)) != _content(wanted):
        raise ConfigError(f"{file} is written in a way that cannot be changed safely. Set {name} there by hand.")
    if changed.strip():
        _write(file, changed)
    else:
        _remove(file)


def _content(given: Mapping[str, object]) -> dict[str, object]:
    """What a file says; a table for a workspace without a setting says nothing."""
    tables = cast("dict[str, object]", given.get(TABLE, {}))
    kept = {path: values for path, values in tables.items() if values != {}}
    return {key: kept if key == TABLE else found for key, found in given.items() if key != TABLE or kept}


def _table(given: dict[str, object], workspace: Path | None) -> dict[str, object]:
    """The part of a file's content that a setting goes to."""
    if workspace is None:
        return given
    tables = cast("dict[str, dict[str, object]]", given.setdefault(TABLE, {}))
    return tables.setdefault(_path_in(tables, workspace), {})


def _path_in(tables: Mapping[str, object], workspace: Path) -> str:
    """How a file calls a workspace: as it is written there already, else by its real path."""
    real = os.path.realpath(workspace)
    return next((path for path in tables if os.path.realpath(Path(path).expanduser()) == real), real)


def _header(given: Mapping[str, object], workspace: Path | None) -> str:
    if workspace is None:
        return ""
    tables = cast("dict[str, object]", given.get(TABLE, {}))
    return f"[{TABLE}.{_literal(_path_in(tables, workspace))}]"


def _changed(text: str, name: str, value: object, header: str) -> str:
    """The text of a file with one line put in, replaced or taken out."""
    lines = text.splitlines()
    start, end = _section(lines, header)
    new = [] if value is None else [f"{name} = {_literal(value)}"]
    if header and start < 0:
        return "\n".join([*lines, *([""] if lines else []), header, *new]) + "\n" if new else text
    for at in range(start, end):
        if lines[at].split("=")[0].strip() == name:
            rest = [*lines[:at], *new, *lines[_end_of_value(lines, at) :]]
            return "\n".join(_without_empty(rest, header)) + "\n"
    while end > start and not lines[end - 1].strip():
        end -= 1
    return "\n".join([*lines[:end], *new, *lines[end:]]) + "\n"


def _without_empty(lines: list[str], header: str) -> list[str]:
    """The lines without a table in which nothing stands any more, and without the blank lines before it."""
    start, end = _section(lines, header)
    if not header or any(line.strip() for line in lines[start:end]):
        return lines
    start -= 1
    while start and not lines[start - 1].strip():
        start -= 1
    return [*lines[:start], *([""] if start and end < len(lines) else []), *lines[end:]]


def _section(lines: list[str], header: str) -> tuple[int, int]:
    """The lines of a table, from the one after its header; (-1, -1): it is not there."""
    heads = [at for at, line in enumerate(lines) if line.startswith("[")]
    if not header:
        return 0, heads[0] if heads else len(lines)
    at = next((at for at in heads if lines[at].strip() == header), None)
    return (-1, -1) if at is None else (at + 1, next((one for one in heads if one > at), len(lines)))


def _end_of_value(lines: list[str], start: int) -> int:
    """Behind the last line of a value, which may be a list over several lines."""
    for end in range(start + 1, len(lines) + 1):
        with suppress(tomllib.TOMLDecodeError):
            tomllib.loads("\n".join(lines[start:end]))
            return end
    return start + 1


def _literal(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(_literal(one) for one in cast('tuple[object, ...]', value))}]"
    return json.dumps(value).replace("\x7f", "\\u007f")


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        Path(part).replace(file)
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror}.") from None


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"{file} cannot be removed: {error.strerror}.") from None


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [str(one) for one in cast("list[object]", value)] if isinstance(value, list) else []
