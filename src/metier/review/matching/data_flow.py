"""Follow values through a program, line by line: what is read from secrets or the network, and what is sent or run.

It knows no language well and many a little: an assignment hands a mark on, a function that returns a marked value is
marked itself, and a call that takes a marked value is where it ends. Two passes are enough for functions that stand
below their use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_LINES = 20_000
"""Lines of one program that are followed; no script of a skill is longer."""
MAX_LINE = 4000
"""Characters of a line that are looked at."""
MAX_CALLS = 500
"""Calls of one program that are looked at."""
MAX_CALL = 1200
"""Characters of a call that are looked at."""
_SPAN = 12
"""Lines a call may go on for."""
_ASSIGN = re.compile(
    r"^\s*(?:export\s+|local\s+|readonly\s+|const\s+|let\s+|var\s+|\$)?(?:self\.|this\.)?([A-Za-z_]\w{0,60})"
    r"(?:\s*:\s*[\w\[\], |.]{1,40})?(?:\[[^\]]{0,40}\])?\s*(?:\|\||\+)?=(?!=)\s*(.*)"
)
_TUPLE = re.compile(
    r"^\s*(?:const\s+|let\s+|var\s+)?[\[({]?\s*([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*){1,5})\s*[\])}]?\s*=(?!=)\s*(.*)"
)
_WITH = re.compile(
    r"\b(?:with|for|foreach)\b\s*\(?(?:const |let |var )?(.{0,200}?)(?:\bas\b|\bin\b|\bof\b)\s*(.{0,200})"
)
_PUT = re.compile(r"\b([A-Za-z_]\w{0,60})(?:\.\w+)?\.(?:append|push|update|add|write|extend|set)\s*\((.*)")
_DEF = re.compile(
    r"^\s*(?:async\s+)?(?:def|function|func|fn|sub)\s+([A-Za-z_]\w{0,60})|^\s*([A-Za-z_]\w{0,60})\s*\(\)\s*\{"
)
_RETURN = re.compile(r"^\s*(?:return|echo|printf|yield)\b(.*)")
_NAME = re.compile(r"(?<![\w\\])[A-Za-z_]\w*(?![\w\"'])")
_SHELL_NAME = re.compile(r"\$\{?([A-Za-z_]\w*)")
_ADDRESS = re.compile(r"(?:https?|ftp|wss?)://[^\s\"'`)>]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Where a value begins, where it must not end, and what makes an end harmless."""

    sources: str
    """A pattern of expressions that read such a value."""
    sinks: str
    """A pattern of the beginning of a call that takes it."""
    hints: tuple[str, ...] = ()
    """Words of which one is in every such call; a text without them is not followed."""
    aside: str = r"(?!)"
    """Parts of a call where such a value is in its place, as a key in a header."""
    harmless: Callable[[str, str], bool] = lambda _source, _call: False
    """Whether a value from this expression may go into this call, given with the addresses of the names in it."""


def flow_ends(text: str, flow: Flow) -> Iterator[tuple[int, int]]:
    """Spans of calls that take a value of the flow's sources."""
    if not any(hint in text for hint in flow.hints):
        return
    lines = text.split("\n")[:MAX_LINES]
    source, sink, aside = re.compile(flow.sources), re.compile(flow.sinks), re.compile(flow.aside)
    if not source.search(text) or not sink.search(text):
        return
    marked, hosts = _marks(lines, source), _marks(lines, _ADDRESS)
    at = calls = 0
    for number, line in enumerate(lines):
        for match in sink.finditer(line[:MAX_LINE]):
            calls += 1
            if calls > MAX_CALLS:
                return
            call = _call(lines, number, match.start())
            why = _reason(aside.sub(" ", call)[match.end() - match.start() :], source, marked)
            if why and not flow.harmless(why, f"{call} {_addresses(call, hosts)}"):
                yield at + match.start(), at + max(match.end(), min(len(line), match.start() + 200))
        at += len(line) + 1


def _addresses(call: str, hosts: dict[str, str]) -> str:
    """The addresses that the names in a call stand for."""
    return " ".join(hosts[name] for name in dict.fromkeys(_names(call)) if name in hosts)


def _marks(lines: list[str], source: re.Pattern[str]) -> dict[str, str]:
    """The names that hold a marked value, with the expression it came from."""
    marked: dict[str, str] = {}
    for _ in range(2):
        inside = ""
        for raw in lines:
            line = raw[:MAX_LINE]
            if found := _DEF.match(line):
                inside = found[1] or found[2] or ""
            for names, value in _handed(line, inside):
                why = _reason(value, source, marked)
                if why:
                    marked.update((name, why) for name in names if name not in marked)
    return marked


def _handed(line: str, inside: str) -> Iterator[tuple[list[str], str]]:
    """Names that get a value in this line, and the expression it is made of."""
    if found := _ASSIGN.match(line):
        yield [found[1]], found[2]
    elif found := _TUPLE.match(line):
        yield _NAME.findall(found[1]), found[2]
    if found := _WITH.search(line):
        first, second = found[1], found[2]
        yield (_NAME.findall(second)[:1], first) if " as " in line else (_NAME.findall(first)[:3], second)
    if found := _PUT.search(line):
        yield [found[1]], found[2]
    if inside and (found := _RETURN.match(line)):
        yield [inside], found[1]


def _reason(value: str, source: re.Pattern[str], marked: dict[str, str]) -> str:
    """The source that an expression holds, in itself or through a name; empty when there is none."""
    if found := source.search(value):
        return found[0]
    return next((marked[name] for name in _names(value) if name in marked), "")


def _names(value: str) -> list[str]:
    """The names in an expression; one in quotation marks counts only behind the sign that shells have for it."""
    return _NAME.findall(value) + (_SHELL_NAME.findall(value) if "$" in value else [])


def _call(lines: list[str], number: int, start: int) -> str:
    """The text of a call from its beginning to its closing bracket, at most some lines."""
    text = "\n".join(line[:MAX_LINE] for line in lines[number : number + _SPAN])[start : start + MAX_CALL]
    depth = 0
    for index, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth <= 0:
                return text[: index + 1]
        elif char == "\n" and depth == 0 and not text[:index].endswith("\\"):
            return text[:index]
    return text
