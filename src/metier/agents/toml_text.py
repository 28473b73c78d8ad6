"""A table added at the end of a TOML file as text, so that every byte that was there stays, and taken out again."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any, cast

from metier.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    Value = str | list[str]

TABLE = "mcp_servers"
HEADER = re.compile(r"\s*\[")


def with_server(text: str, name: str, fields: Mapping[str, Value]) -> tuple[str, str]:
    """A settings file with one more MCP server at its end, and the piece of text that was added.

    The piece is empty where none can be added at the end, as when the servers stand in one line.
    """
    before = read_toml(text)
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    piece = "\n".join([f"{gap}[{TABLE}.{name}]", *lines, ""])
    try:
        before.setdefault(TABLE, {})[name] = dict(fields)
        is_right = tomllib.loads(text + piece) == before
    except (tomllib.TOMLDecodeError, TypeError):
        is_right = False
    return (text + piece, piece) if is_right else (text, "")


def without_server(text: str, name: str, piece: str) -> tuple[str, bool]:
    """A settings file without what was added, and whether it is gone; what an agent noted below it goes, too."""
    after = read_toml(text)
    servers = after.get(TABLE)
    if not isinstance(servers, dict) or name not in servers:
        return text, True
    del cast("dict[str, Any]", servers)[name]
    if not servers:
        del after[TABLE]
    cut = text.replace(piece, "", 1)
    for left in (cut, _without_tables(cut, name), _without_tables(text, name)):
        try:
            if tomllib.loads(left) == after:
                return left, True
        except tomllib.TOMLDecodeError:
            continue
    return text, False


def has_server(text: str, name: str) -> bool:
    """Whether a settings file knows an MCP server of that name."""
    return name in (read_toml(text).get(TABLE) or {})


def read_toml(text: str) -> dict[str, Any]:
    """A TOML document; InputError if it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"it is not valid TOML ({error})") from None


def _without_tables(text: str, name: str) -> str:
    """The text without the tables of a server, each from its header to the next one."""
    own = re.compile(rf"\s*\[{TABLE}\.{re.escape(name)}[\].]")
    kept: list[str] = []
    is_ours = False
    for line in text.splitlines(keepends=True):
        if HEADER.match(line):
            is_ours = own.match(line) is not None
        if not is_ours:
            kept.append(line)
    return "".join(kept)
