"""Find secrets in text with the rule table and put marks in their place."""

from __future__ import annotations

import functools
import importlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from tacit.redact import MARK, mark
from tacit.redact_judge import accept
from tacit.redact_rules import RULES, Judge, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_BLOCK = 8192
_SHAPED = (Judge.PLAIN, Judge.TRUSTED, Judge.URL)
"""Rules whose match ends where the secret does."""
_ECHO_LENGTH = 8
_ECHO_LIMIT = 64


class Match(Protocol):
    """The part of a match object that both engines share."""

    def start(self, group: int = 0, /) -> int:
        """Where a group begins."""
        ...

    def end(self, group: int = 0, /) -> int:
        """Where a group ends."""
        ...

    @property
    def lastindex(self) -> int | None:
        """The last group that matched."""
        ...


class Pattern(Protocol):
    """The part of a compiled pattern that both engines share."""

    def search(self, text: bytes, pos: int = 0, /) -> Match | None:
        """The first match from a position on."""
        ...


class Engine(Protocol):
    """Runs the rule table over bytes: `google-re2`, or `re` where that is missing."""

    def likely(self, data: bytes) -> Iterable[int]:
        """Numbers of the rules whose words occur in the data."""
        ...

    def pattern(self, rule: int) -> Pattern:
        """The compiled pattern of a rule."""
        ...


class _Encoding(Protocol):
    @property
    def LATIN1(self) -> object: ...  # noqa: N802 - google-re2's own names


class _Options(Protocol):
    Encoding: _Encoding
    encoding: object
    max_mem: int

    def __call__(self) -> _Options: ...


class _Set(Protocol):
    def SearchSet(self, options: _Options) -> _Set: ...  # noqa: N802
    def Add(self, pattern: bytes) -> int: ...  # noqa: N802
    def Compile(self) -> None: ...  # noqa: N802
    def Match(self, text: bytes) -> list[int] | None: ...  # noqa: N802


class _Re2(Protocol):
    """What is used of `google-re2`, which comes without types."""

    Options: _Options
    Set: _Set

    def compile(self, pattern: bytes, options: _Options) -> Pattern: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Where a secret stands in a text, and which rule found it."""

    rule: str
    start: int
    end: int


class StdlibEngine:
    """The rules on `re`: the same hits, more slowly."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._compiled: dict[int, Pattern] = {}
        self._words = [[word.encode() for word in rule.words] for rule in rules]

    def likely(self, data: bytes) -> Iterator[int]:
        """Numbers of the rules whose words occur in the data."""
        lower = data.lower()
        return (n for n, words in enumerate(self._words) if not words or any(word in lower for word in words))

    def pattern(self, rule: int) -> Pattern:
        """The compiled pattern of a rule."""
        return cast("Pattern", re.compile(self._rules[rule].pattern.encode()))


class Re2Engine:
    """The rules on `google-re2`: one pass for all words, linear time for every pattern."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._re2 = cast("_Re2", importlib.import_module("re2"))
        self._options = self._re2.Options()
        self._options.encoding = self._re2.Options.Encoding.LATIN1
        self._options.max_mem = 32 << 20
        self._rules = rules
        self._compiled: dict[int, Pattern] = {}
        self._always = [n for n, rule in enumerate(rules) if not rule.words]
        self._numbers = [n for n, rule in enumerate(rules) if rule.words]
        self._set = self._re2.Set.SearchSet(self._options)
        for n in self._numbers:
            self._set.Add(f"(?i:{'|'.join(map(re.escape, rules[n].words))})".encode())
        self._set.Compile()

    def likely(self, data: bytes) -> list[int]:
        """Numbers of the rules whose words occur in the data."""
        return sorted([*self._always, *(self._numbers[n] for n in self._set.Match(data) or ())])

    def pattern(self, rule: int) -> Pattern:
        """The compiled pattern of a rule."""
        if rule not in self._compiled:
            self._compiled[rule] = self._re2.compile(self._rules[rule].pattern.encode(), self._options)
        return self._compiled[rule]


class Redactor:
    """Replaces secrets by marks that carry the rule and a short keyed hash."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def redact(self, text: str) -> str:
        """The text with every secret replaced; a second pass changes nothing."""
        text = _without_surrogates(text)
        hits = self.find(text)
        pieces: list[str] = []
        done = 0
        for hit in hits:
            pieces += text[done : hit.start], mark(hit.rule, text[hit.start : hit.end], self._key)
            done = hit.end
        return "".join([*pieces, text[done:]]) if hits else text

    def find(self, text: str) -> tuple[Hit, ...]:
        """The secrets of a text in order, none overlapping another."""
        data = _without_surrogates(text).encode()
        spans = scan(data, engine())
        return tuple(Hit(rule=RULES[n].name, start=a, end=b) for n, a, b in _in_characters(data, spans))


@functools.cache
def engine() -> Engine:
    """The engine of this process."""
    try:
        return Re2Engine(RULES)
    except ImportError:
        return StdlibEngine(RULES)


def scan(data: bytes, on: Engine) -> list[tuple[int, int, int]]:
    """Spans (rule number, start, end) of all secrets in UTF-8 bytes, found until nothing more turns up.

    What is found, and every mark that is already there, is blanked with zero bytes, which no rule matches. So a text
    and its redaction look alike to the rules, and redacting twice is redacting once.
    """
    work = _blank_marks(data)
    found: list[tuple[int, int, int]] = []
    while fresh := _merged(_candidates(work, on)):
        buffer = bytearray(work)
        _blank(buffer, fresh)
        echoes = _echoes(work, bytes(buffer), fresh)
        _blank(buffer, echoes)
        found += fresh + echoes
        work = bytes(buffer)
    return sorted(found, key=lambda span: span[1])


def _candidates(data: bytes, on: Engine) -> Iterator[tuple[int, int, int]]:
    """Accepted spans of all rules; a block of lines is tried only with the rules whose words it holds."""
    across: set[int] = set()
    for offset, block in _blocks(data):
        for n in on.likely(block):
            if RULES[n].across:
                across.add(n)
                continue
            for start, end in _matches(block, on.pattern(n), RULES[n]):
                yield n, *_whole_characters(data, offset + start, offset + end)
    for n in across:
        for start, end in _matches(data, on.pattern(n), RULES[n]):
            yield n, *_whole_characters(data, start, end)


def _blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Stretches of whole lines with their offsets; the cuts change nothing, as these rules never cross a line's end."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at + _BLOCK) + 1 or len(data)
        yield at, data[at:end]
        at = end


def _matches(data: bytes, pattern: Pattern, rule: Rule) -> Iterator[tuple[int, int]]:
    """Accepted spans of one rule; behind a refused one the search goes on inside it only if it may hide another."""
    at = 0
    while match := pattern.search(data, at):
        group = match.lastindex or 0
        start, end = match.start(group), match.end(group)
        span = (start, end) if rule.judge is Judge.TRUSTED else accept(rule, data, match.start(), start, end)
        if span:
            yield span
            at = max(span[1], at + 1)
        else:
            at = max(_behind(data, start, end), at + 1)


def _behind(data: bytes, start: int, end: int) -> int:
    nested = end - start < 1024 and (data.find(b"=", start, end) >= 0 or data.find(b":", start, end) >= 0)
    return start if nested else end


def _merged(spans: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Overlapping spans joined into one, named by the rule that stands first in the table.

    Where a known shape begins an assigned value, the shape says where the secret ends: `token:KEY@host` keeps its host.
    """
    merged: list[tuple[int, int, int]] = []
    for n, start, end in sorted(spans, key=lambda span: span[1:]):
        last = merged[-1] if merged else (0, 0, 0)
        if start < last[2]:
            if start == last[1] and RULES[n].judge is Judge.ASSIGNED and RULES[last[0]].judge in _SHAPED:
                continue
            merged[-1] = (min(n, last[0]), last[1], max(end, last[2]))
        else:
            merged.append((n, start, end))
    return merged


def _echoes(before: bytes, blanked: bytes, spans: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Further places where a secret just found stands without anything that would give it away."""
    rules = {before[start:end]: n for n, start, end in reversed(list(spans))}
    secrets = [s for s in rules if len(s) >= _ECHO_LENGTH and any(48 <= byte <= 57 for byte in s)]
    places: list[tuple[int, int, int]] = []
    for secret in secrets[:_ECHO_LIMIT]:
        at = blanked.find(secret)
        while at >= 0:
            places.append((rules[secret], at, at + len(secret)))
            at = blanked.find(secret, at + len(secret))
    return _merged(places)


def _blank(buffer: bytearray, spans: Iterable[tuple[int, int, int]]) -> None:
    for _, start, end in spans:
        buffer[start:end] = bytes(end - start)


def _blank_marks(data: bytes) -> bytes:
    if b"[REDACTED:" not in data:
        return data
    return _mark_bytes().sub(lambda match: bytes(len(match[0])), data)


@functools.cache
def _mark_bytes() -> re.Pattern[bytes]:
    return re.compile(MARK.pattern.encode())


def _whole_characters(data: bytes, start: int, end: int) -> tuple[int, int]:
    while start and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return start, end


def _in_characters(data: bytes, spans: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Byte spans as character spans; only the stretch up to the last one is decoded."""
    if data.isascii():
        yield from spans
        return
    at = characters = 0
    for n, start, end in spans:
        first = characters + len(data[at:start].decode())
        characters = first + len(data[start:end].decode())
        at = end
        yield n, first, characters


def _without_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", "\ufffd", text)
    return text
