"""One text seen in several ways: as it is, without its disguises, as running prose, and with what is encoded in it.

Every view knows which place of the original each of its own places comes from, so a finding names the line a person
has to look at, whatever disguise it was seen through.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from metier.review.text.folding import fold_lookalikes
from metier.review.text.sentences import Sentences, sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_BLOB = 64 * 1024
"""Characters of one encoded text that are decoded; commands and orders are shorter."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_BASE64_LINES = re.compile(r"(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,76}\r?\n[ \t]*){2,}[A-Za-z0-9+/]{2,76}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){16,}")
_ESCAPES = re.compile(r"(?:\\x[0-9a-fA-F]{2}|\\u00[0-9a-fA-F]{2}|\\[0-3][0-7]{2}|%[2-7][0-9a-fA-F]){4,}")
_ESCAPE = re.compile(r"\\x(..)|\\u00(..)|\\(\d{3})|%(..)")
_TAGS = re.compile("[\U000e0020-\U000e007e]{2,}")
_PRINTABLE = re.compile(r"[\x20-\x7e\s]+")


def encoded_stretches(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and meaning of every encoded stretch that decodes to plain text."""
    longest = 0
    for pattern, meaning, least in _BLOBS:
        for match in pattern.finditer(text) if longest >= least else ():
            longest = max(longest, match.end() - match.start())
            if decoded := meaning(match[0][:MAX_BLOB]):
                yield match.start(), match.end(), decoded
    for match in _ESCAPES.finditer(text) if "\\" in text or "%" in text else ():
        yield match.start(), match.end(), _ESCAPE.sub(_escaped, match[0][:MAX_BLOB])
    for match in _TAGS.finditer(text) if not text.isascii() else ():
        yield match.start(), match.end(), "".join(chr(ord(char) - 0xE0000) for char in match[0])


def _from_base64(blob: str) -> str | None:
    compact = "".join(blob.split()).rstrip("=").replace("-", "+").replace("_", "/")
    if len(compact) % 4 == 1:
        compact = compact[:-1]
    try:
        return _as_text(b64decode(compact + "=" * (-len(compact) % 4)))
    except (Error, ValueError):
        return None


def _from_hex(blob: str) -> str | None:
    return _as_text(bytes.fromhex(blob[: len(blob) // 2 * 2]))


def _as_text(data: bytes) -> str | None:
    """Bytes as text when that is what they are: printable, in ASCII or in the UTF-16 that PowerShell takes."""
    for encoding in ("ascii", "utf-16-le"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if len(text) >= 8 and _PRINTABLE.fullmatch(text):
            return text
    return None


_BLOBS = ((_BASE64, _from_base64, 0), (_BASE64_LINES, _from_base64, 60), (_HEX, _from_hex, 32))
"""Ways to write bytes, with how long a stretch of the first has to be for the others to be there at all."""


def _escaped(match: re.Match[str]) -> str:
    octal = match[3]
    return chr(int(octal, 8) if octal else int(match[1] or match[2] or match[4], 16))


_DISGUISES = re.compile(
    r"(?=[\\`'\"$^*\x00\x80-\U0010ffff])(?:"
    r"[^\x00-\x7f]+"
    r"|\x00+"
    r"|[\\`]\r?\n[ \t]*"
    r"|(?<=[A-Za-z])(?:''|\"\"|\\|\$@|\$\*|\^)(?=[A-Za-z/.-])"
    r"|(?<=[A-Za-z0-9])['\"](?=[A-Za-z0-9])"
    r"|(?<=[A-Za-z0-9])[\"'] ?[+.] ?[\"'](?=[A-Za-z0-9])"
    r"|\$\{?IFS(?:%\?\?)?\}?"
    r"|\*{2,3}(?=\w)|(?<=\w)\*{2,3})"
    r"|[ \t][\\`]\r?\n[ \t]*"
)
"""What hides a word from a pattern: other alphabets, continued lines, quotes and strokes inside words. Here and below,
the look ahead has what a match can begin with: most characters are none of it, and seen at once to begin none."""
_LAYOUT = re.compile(
    r"(?=[\s*`_~])(?:"
    r"(?! [^\s\d>#*/|;+-])\s+(?:(?:[>#*/|;+-]{1,8}|\d{1,2}[.)])\s+)*|\*+|`+|(?<!\w)_+|_+(?!\w)|~~)"
)
"""What wraps prose: white space, list and comment marks at the beginning of lines, emphasis; not the one space between
two words, of which a text has more than of everything else."""

_SET = re.compile(
    r"(?:^|[;&\s])(?:export |local |readonly )?([A-Za-z_]\w{0,40})="
    r"(?:\"([^\"$`\n]{1,200})\"|'([^'\n]{1,200})'|([^\s\"'$`;&|()]{1,200}))(?=[\s;&]|$)",
    re.MULTILINE,
)
"""A shell variable that is given a value written out."""
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w{0,40})\}|([A-Za-z_]\w{0,40}))")
MOST_VARIABLES = 2000
"""Uses of variables that are put in; a program with more of them is no script of a skill."""
SIGN = 8
"""Characters whose plain form is remembered."""
_WRAPPED = re.compile(
    r"(?=[ \t\n])(?:"
    r"(?<=[^\s|`])[ \t]{0,8}\n[ \t]{0,8}(?:>[ \t]{0,8}){0,4}(?=[A-Za-z\"'(_<$~/]|0x)|(?<=\S)[ \t]{2,40}(?=\S))"
)
"""Where a line goes on in the next one, also in a quotation; and gaps in a line."""
_QUOTED = re.compile(r"\n[ \t]{0,8}(?:>[ \t]{0,8}){1,4}(?![\s>#]|```|~~~|(?:[-*+]|\d{1,3}[.)])[ \t])")
"""Where a line of a quotation begins that goes on with the one before: no heading, item of a list or piece of code."""


@dataclass(frozen=True, slots=True)
class View:
    """A text, and where each place of it stands in the original."""

    text: str
    data: bytes
    here: tuple[int, ...] = (0,)
    """Places at which the correspondence changes, in this text; `there` has their counterparts in the one before."""
    there: tuple[int, ...] = (0,)
    before: View | None = None
    """The view it was made from; none for the original."""
    span: tuple[int, int] | None = None
    """Where all of it comes from, for a text that was encoded in the original."""

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the original that a span of bytes stands for."""
        if self.span:
            return self.span
        first = self._characters(start)
        return self.place(first), max(self.place(self._characters(end)), self.place(first) + 1)

    def place(self, at: int) -> int:
        """The place in the original of a character of this view."""
        index = bisect_right(self.here, at) - 1
        moved = self.there[index] + at - self.here[index]
        found = min(moved, self.there[index + 1]) if index + 1 < len(self.there) else moved
        return self.before.place(found) if self.before else found

    def _characters(self, at: int) -> int:
        return at if len(self.data) == len(self.text) else len(self.data[:at].decode("utf-8", "replace"))


class ReviewedText:
    """One file of a package, with its views made when they are asked for."""

    def __init__(self, path: str, text: str, *, script: bool = False, about: str = "") -> None:
        self.path = path
        self.text = text
        self.about = about
        """The document of the package it belongs to, which says what the package is for."""
        self.script = script
        """Whether it is a program rather than prose."""

    @cached_property
    def raw(self) -> View:
        """The text as it is."""
        return _view(self.text)

    @cached_property
    def plain(self) -> View:
        """The text without comments and disguises, line by line as before."""
        return _rewritten(_without_comments(self.raw), _DISGUISES, _undisguised)

    @cached_property
    def unquoted(self) -> View:
        """The plain text with the lines of a quotation on one line; itself where there is none."""
        return _rewritten(self.plain, _QUOTED, lambda _match: " ")

    @cached_property
    def expanded(self) -> View:
        """The same with the values of shell variables in their places; itself where there are none."""
        view = self.unquoted
        if "=" not in view.text or not 0 < view.text.count("$") <= MOST_VARIABLES:
            return view
        values = {match[1]: match[2] or match[3] or match[4] for match in _SET.finditer(view.text)}
        return _rewritten(view, _VARIABLE, lambda match: values.get(match[1] or match[2], match[0]))

    @cached_property
    def commands(self) -> tuple[View, ...]:
        """The plain text, and where they differ from it, the same unquoted and expanded."""
        more = [self.unquoted] if self.unquoted is not self.plain else []
        more += [self.expanded] if self.expanded is not self.unquoted else []
        return (self.plain, *more)

    @cached_property
    def flowed(self) -> View:
        """The plain text as one long line of prose, without marks and emphasis."""
        return _rewritten(self.plain, _LAYOUT, _laid_out)

    @cached_property
    def decoded(self) -> tuple[View, ...]:
        """Texts that are encoded in this one, one level deep."""
        views = (self.raw,) if self.plain.text == self.text else (self.raw, self.plain)
        found: dict[str, View] = {}
        for view in views:
            for start, end, text in encoded_stretches(view.text):
                span = (view.place(start), max(view.place(end), view.place(start) + 1))
                found.setdefault(text, View(text, text.encode("utf-8", "replace"), span=span))
        return tuple(found.values())

    @cached_property
    def spoken(self) -> tuple[tuple[View, Sentences], ...]:
        """What it says once its disguises are gone, also what is encoded in it, cut into sentences."""
        joined = _rewritten(self.plain, _WRAPPED, lambda _match: " ")
        return tuple((view, sentences(view)) for view in (joined, *self.decoded))

    @property
    def size(self) -> int:
        """Characters of the original."""
        return len(self.text)


def comments(text: str) -> list[tuple[int, int]]:
    """The spans between `<!--` and `-->`; one that is never closed goes to the end."""
    found: list[tuple[int, int]] = []
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at + 4)
        if end < 0:
            found.append((at, len(text)))
            break
        found.append((at, end + 3))
        at = text.find("<!--", end + 3)
    return found


def _view(text: str) -> View:
    return View(text, text.encode("utf-8", "replace"))


def _undisguised(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] > "\x7f":
        return _sign(found) if len(found) <= SIGN else fold_lookalikes(found)
    if "\n" in found:
        return " "
    return " " if found.startswith("$") and "IFS" in found else ""


_sign = lru_cache(maxsize=1024)(fold_lookalikes)
"""Of a few characters: dashes and quotation marks come up again and again."""


def _laid_out(match: re.Match[str]) -> str:
    return " " if match[0][0].isspace() else ""


def _without_comments(view: View) -> View:
    """The view with closed comments taken out; one that is never closed stays, as readers differ on it."""
    spans = [span for span in comments(view.text) if view.text.endswith("-->", *span)]
    return _cut(view, spans) if spans else view


def _cut(view: View, spans: list[tuple[int, int]]) -> View:
    edits = [(start, end, "") for start, end in spans]
    return _edited(view, edits)


def _rewritten(view: View, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]) -> View:
    edits: list[tuple[int, int, str]] = []
    for match in pattern.finditer(view.text):
        new = replace(match)
        if new != match[0]:
            edits.append((match.start(), match.end(), new))
    return _edited(view, edits) if edits else view


def _edited(view: View, edits: list[tuple[int, int, str]]) -> View:
    """The view after replacements, given in order as start, end and new text."""
    text = view.text
    pieces: list[str] = []
    here, there = [0], [0]
    done = size = 0
    for start, end, new in edits:
        size += start - done
        pieces += text[done:start], new
        here += size, size + len(new)
        there += start, end
        size += len(new)
        done = end
    rest = "".join([*pieces, text[done:]])
    return View(rest, rest.encode("utf-8", "replace"), tuple(here), tuple(there), before=view)
