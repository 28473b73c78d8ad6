"""Find secrets in text with the rule table and put marks in their place."""

from __future__ import annotations

import functools
import importlib
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol, cast

from metier.redaction import MARK, mark
from metier.redaction.plausibility import accept
from metier.redaction.rules.table import RULES, Plausibility, RedactionRule
from metier.redaction.terminal import as_shown, speaks_to_terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_BLOCK = 8192
_SHAPED = (Plausibility.PLAIN, Plausibility.TRUSTED, Plausibility.URL)
"""Rules whose match ends where the secret does."""
_REST = re.compile(rb"""["'`\\+ \t]{0,8}\r?\n["'`+ \t]{0,32}([A-Za-z0-9_+/=-]{8,512})["'`,;) \t]{0,8}(?=\r?\n|$)""")
"""A line that holds nothing but a token, behind the end of another."""
_SPLIT = 20
"""Characters that the first part of a broken key has at least."""
_ECHO_LENGTH = 8
_ECHO_LIMIT = 64
_NESTED = 4
"""So many assignments inside one another are looked at."""
_ROUNDS = 20
"""Ends the search in a text that is made to hide each secret behind the one before."""


class PatternEngine(Protocol):
    """Runs the rule table over bytes: `google-re2`, or `re` where that is missing."""

    def likely(self, data: bytes) -> Iterable[int]:
        """Numbers of the rules whose words occur in the data."""
        ...

    def find(self, rule: int, data: bytes, at: int) -> tuple[int, int, int] | None:
        """Where the first match of a rule begins from a position on, and where its last group begins and ends."""
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


class _Anchor(Protocol):
    UNANCHORED: object


class _Pattern(Protocol):
    Anchor: _Anchor

    def __call__(self, pattern: bytes, options: _Options) -> _Pattern: ...
    def ok(self) -> bool: ...
    def Match(self, anchor: object, text: bytes, pos: int, end: int, /) -> list[tuple[int, int]]: ...  # noqa: N802


class _Core(Protocol):
    RE2: _Pattern


class _Re2(Protocol):
    """What is used of `google-re2`, which comes without types."""

    Options: _Options
    Set: _Set


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretHit:
    """Where a secret stands in a text, and which rule found it."""

    rule: str
    start: int
    end: int


class StdlibEngine:
    """The rules on `re`: the same hits, more slowly."""

    def __init__(self, rules: Sequence[RedactionRule]) -> None:
        self._rules = rules
        self._compiled: dict[int, re.Pattern[bytes]] = {}
        self._words = [[word.encode() for word in rule.words] for rule in rules]

    def likely(self, data: bytes) -> Iterator[int]:
        """Numbers of the rules whose words occur in the data."""
        lower = data.lower()
        return (n for n, words in enumerate(self._words) if not words or any(word in lower for word in words))

    def find(self, rule: int, data: bytes, at: int) -> tuple[int, int, int] | None:
        """Where the first match of a rule begins from a position on, and where its last group begins and ends."""
        if rule not in self._compiled:
            self._compiled[rule] = re.compile(self._rules[rule].pattern.encode())
        match = self._compiled[rule].search(data, at)
        return (match.start(), *match.span(match.lastindex or 0)) if match else None


class Re2Engine:
    """The rules on `google-re2`: one pass for all words, linear time for every pattern.

    Patterns are run on its core module: the wrapper around it costs more than the match itself.
    """

    def __init__(self, rules: Sequence[RedactionRule]) -> None:
        module = importlib.import_module("re2")
        re2, self._core = cast("_Re2", module), cast("_Core", vars(module)["_re2"]).RE2
        self._anchor = self._core.Anchor.UNANCHORED
        self._options = re2.Options()
        self._options.encoding = re2.Options.Encoding.LATIN1
        self._options.max_mem = 32 << 20
        self._rules = rules
        self._compiled: dict[int, _Pattern] = {}
        self._always = [n for n, rule in enumerate(rules) if not rule.words]
        self._numbers = [n for n, rule in enumerate(rules) if rule.words]
        self._set = re2.Set.SearchSet(self._options)
        for n in self._numbers:
            self._set.Add(f"(?i:{'|'.join(map(re.escape, rules[n].words))})".encode())
        self._set.Compile()

    def likely(self, data: bytes) -> list[int]:
        """Numbers of the rules whose words occur in the data."""
        return sorted([*self._always, *(self._numbers[n] for n in self._set.Match(data) or ())])

    def find(self, rule: int, data: bytes, at: int) -> tuple[int, int, int] | None:
        """Where the first match of a rule begins from a position on, and where its last group begins and ends."""
        pattern = self._compiled.get(rule) or self._compile(rule)
        spans = pattern.Match(self._anchor, data, at, len(data))
        lead = spans[0][0]
        if lead < 0:
            return None
        last = len(spans) - 1
        while spans[last][0] < 0:
            last -= 1
        return lead, *spans[last]

    def _compile(self, rule: int) -> _Pattern:
        pattern = self._core(self._rules[rule].pattern.encode(), self._options)
        if not pattern.ok():
            raise ValueError(f"rule {self._rules[rule].name} does not compile")
        self._compiled[rule] = pattern
        return pattern


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

    def find(self, text: str) -> tuple[SecretHit, ...]:
        """The secrets of a text in order, none overlapping another."""
        data = _without_surrogates(text).encode()
        spans = scan(data, engine())
        if speaks_to_terminal(data):
            spans = _merged([*spans, *_scan_as_shown(data)])
        return tuple(SecretHit(rule=RULES[n].name, start=a, end=b) for n, a, b in _in_characters(data, spans))


@functools.cache
def engine() -> PatternEngine:
    """The engine of this process."""
    try:
        return Re2Engine(RULES)
    except (ImportError, KeyError, AttributeError):
        return StdlibEngine(RULES)


def scan(data: bytes, on: PatternEngine) -> list[tuple[int, int, int]]:
    """Spans (rule number, start, end) of all secrets in UTF-8 bytes, found until nothing more turns up.

    What is found, and every mark that is already there, is blanked with zero bytes, which no rule matches. So a text
    and its redaction look alike to the rules, and redacting twice is redacting once. After the first round only blocks
    that changed are tried again.
    """
    work = _blank_marks(data)
    blocks = _blocks(work)
    found: list[tuple[int, int, int]] = []
    changed: Sequence[tuple[int, int]] = blocks
    for _ in range(_ROUNDS):
        fresh = _merged(_candidates(work, changed, on))
        if not fresh:
            break
        buffer = bytearray(work)
        _blank(buffer, fresh)
        echoes = _echoes(work, bytes(buffer), fresh)
        _blank(buffer, echoes)
        echoes += _tails(bytes(buffer), fresh)
        _blank(buffer, echoes)
        found += fresh + echoes
        work = bytes(buffer)
        changed = _touched(blocks, fresh + echoes)
    return sorted(found, key=lambda span: span[1])


def _scan_as_shown(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Secrets of a text as a terminal shows it, at their places in the text."""
    plain, starts, moved = as_shown(data)
    for n, start, end in scan(plain, engine()):
        yield n, start + moved[bisect_right(starts, start) - 1], end + moved[bisect_right(starts, end - 1) - 1]


def _tails(data: bytes, spans: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """The rest of keys that were broken at the end of a line: nothing else stands on the next one."""
    found: list[tuple[int, int, int]] = []
    for n, start, end in spans:
        rest = _REST.match(data, end) if RULES[n].judge in _SHAPED and end - start >= _SPLIT else None
        if rest and _is_mixed(rest[1]):
            found.append((n, *rest.span(1)))
    return found


def _is_mixed(value: bytes) -> bool:
    return bool(re.search(rb"[0-9]", value) and re.search(rb"[A-Za-z]", value))


def _candidates(data: bytes, blocks: Iterable[tuple[int, int]], on: PatternEngine) -> Iterator[tuple[int, int, int]]:
    """Accepted spans of all rules; a block of lines is tried only with the rules whose words it holds."""
    across: set[int] = set()
    for offset, stop in blocks:
        block = data[offset:stop]
        for n in on.likely(block):
            if RULES[n].across:
                across.add(n)
                continue
            for start, end in _matches(block, on, n):
                yield n, *_whole_characters(data, offset + start, offset + end)
    for n in across:
        for start, end in _matches(data, on, n):
            yield n, *_whole_characters(data, start, end)


def _blocks(data: bytes) -> list[tuple[int, int]]:
    """Stretches of whole lines; the cuts change nothing, as these rules never cross a line's end."""
    blocks: list[tuple[int, int]] = []
    at = 0
    while at < len(data):
        end = data.find(b"\n", at + _BLOCK) + 1 or len(data)
        blocks.append((at, end))
        at = end
    return blocks


def _touched(blocks: Sequence[tuple[int, int]], spans: Iterable[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """The blocks in which something was blanked."""
    starts = [start for start, _ in blocks]
    numbers: set[int] = set()
    for _, start, end in spans:
        numbers.update(range(bisect_right(starts, start) - 1, bisect_left(starts, end)))
    return [blocks[n] for n in sorted(numbers)]


def _matches(data: bytes, on: PatternEngine, n: int) -> Iterator[tuple[int, int]]:
    """Accepted spans of one rule; behind a refused one the search goes on inside it only if it may hide another."""
    rule = RULES[n]
    at = inside = 0
    while match := on.find(n, data, at):
        lead, start, end = match
        span = (start, end) if rule.judge is Plausibility.TRUSTED else accept(rule, data, lead, start, end)
        if span:
            yield span
        nested = not span and inside < _NESTED and _may_hide(data, start, end)
        inside = inside + 1 if nested else 0
        at = max(span[1] if span else start if nested else end, at + 1)


def _may_hide(data: bytes, start: int, end: int) -> bool:
    """Whether another assignment may stand inside a value: a sign with room for a secret behind it."""
    if end - start >= 1024:
        return False
    return data.find(b"=", start, end - 6) >= 0 or data.find(b":", start, end - 6) >= 0


def _merged(spans: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Overlapping spans joined into one, named by the rule that stands first in the table.

    Where a known shape begins an assigned value, the shape says where the secret ends: `token:KEY@host` keeps its host.
    """
    merged: list[tuple[int, int, int]] = []
    for n, start, end in sorted(spans, key=lambda span: span[1:]):
        last = merged[-1] if merged else (0, 0, 0)
        if start < last[2]:
            if start == last[1] and RULES[n].judge is Plausibility.ASSIGNED and RULES[last[0]].judge in _SHAPED:
                continue
            merged[-1] = (min(n, last[0]), last[1], max(end, last[2]))
        else:
            merged.append((n, start, end))
    return merged


def _echoes(before: bytes, blanked: bytes, spans: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Further places where a secret just found stands without anything that would give it away."""
    rules = {before[start:end]: n for n, start, end in reversed(list(spans))}
    secrets = (s for s in rules if len(s) >= _ECHO_LENGTH and any(48 <= byte <= 57 for byte in s))
    places: list[tuple[int, int, int]] = []
    for secret in islice(secrets, _ECHO_LIMIT):
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
