"""Labelled queries: what people ask, and the skills that serve it; read from JSON, a query a line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from metier.formats.strict_json import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

FORM = '{"query": "…", "gold": ["skill"]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A request, and the names of the skills that serve it: any one of them is right, none means that no skill is."""

    text: str
    gold: tuple[str, ...] = ()
    kind: str = ""
    """What sort of request it is, so that figures can be told apart."""
    line: int = 0
    """Where it stands in its file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BadQuery:
    """A line that is no query: what is wrong with it, and what to write instead."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFile:
    """The queries of a file, and the lines that are none."""

    queries: tuple[Query, ...] = ()
    bad: tuple[BadQuery, ...] = ()


def read_queries(lines: Iterable[str]) -> QueryFile:
    """Every line as a query or with what is wrong with it; empty lines are nothing, fields of others are left alone."""
    queries: list[Query] = []
    bad: list[BadQuery] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = _query(line, number)
        if isinstance(found, Query):
            queries.append(found)
        else:
            bad.append(BadQuery(line=number, reason=found))
    return QueryFile(queries=tuple(queries), bad=tuple(bad))


def _query(line: str, number: int) -> Query | str:
    """The query of a line, or what is wrong with it."""
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return f"not JSON; write one object a line: {FORM}"
    if not isinstance(value, dict):
        return f"not an object; write {FORM}"
    fields = cast("dict[str, object]", value)
    text, gold, kind = fields.get("query"), fields.get("gold"), fields.get("kind")
    if not isinstance(text, str) or not text.strip():
        return f"query: {_wrong(fields, 'query')}; write the request as a text"
    names = _names(gold)
    if names is None:
        return f"gold: {_wrong(fields, 'gold')}; write a list of skill names, [] when no skill fits"
    if kind is not None and not isinstance(kind, str):
        return "kind: not a text; write one, or leave it out"
    return Query(text=clean(text), gold=names, kind=clean(kind or ""), line=number)


def _names(value: object) -> tuple[str, ...] | None:
    """Distinct names, or None when it is no list of them."""
    if not isinstance(value, list):
        return None
    items = cast("list[object]", value)
    names = [item.strip() for item in items if isinstance(item, str) and item.strip()]
    return tuple(dict.fromkeys(names)) if len(names) == len(items) else None


def _wrong(fields: dict[str, object], key: str) -> str:
    if key not in fields:
        return "missing"
    if isinstance(fields[key], list):
        return "holds something that is no name"
    return "empty" if fields[key] == "" or str(fields[key]).isspace() else "of the wrong kind"
