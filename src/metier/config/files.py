"""Settings files: the person's own for all projects, and theirs for one; read whole, changed a line at a time."""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import cast

from metier.errors import ConfigError

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


def change_file(file: Path, name: str, value: object) -> None:
    """Set one setting in a file, or take it out (None); comments and everything else stay as they are.

    A file in which nothing is left goes.
    """
    wanted = read_file(file)
    wanted.pop(name, None)
    if value is not None:
        wanted[name] = tomllib.loads(f"value = {_literal(value)}")["value"]
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    changed = _changed(text, name, value)
    if tomllib.loads(changed) != wanted:
        raise ConfigError(f"{file} is written in a way that cannot be changed safely. Set {name} there by hand.")
    if changed.strip():
        _write(file, changed)
    else:
        _remove(file)


def _changed(text: str, name: str, value: object) -> str:
    """The text of a file with one line put in, replaced or taken out."""
    lines = text.splitlines()
    new = [] if value is None else [f"{name} = {_literal(value)}"]
    for at, line in enumerate(lines):
        if line.split("=")[0].strip() == name:
            return "\n".join([*lines[:at], *new, *lines[_end_of_value(lines, at) :]]) + "\n"
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return "\n".join([*lines[:end], *new, *lines[end:]]) + "\n"


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
