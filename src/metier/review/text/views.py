"""One text seen in several ways: as it is, without its disguises, as running prose, and with what is encoded in it.

Every view knows which place of the original each of its own places comes from, so a finding names the line a person
has to look at, whatever disguise it was seen through.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from metier.review.text.encoded import encoded_stretches
from metier.review.text.folding import fold_lookalikes

if TYPE_CHECKING:
    from collections.abc import Callable

_DISGUISES = re.compile(
    r"(?=[\\`'\"$^*\x00\x80-\U0010ffff])(?:"
    r"[^\x00-\x7f]+"
    r"|\x00+"
    r"|(?:\\|(?<!`)`)\r?\n[ \t]*"
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
    r"(?<=[^\s|`])[ \t]{0,8}\n[ \t]{0,8}(?:>[ \t]{0,8}){0,4}(?=[A-Za-z\"'(_<$~/]|\d+(?![.)]\s|\d))"
    r"|(?<=\S)[ \t]{2,40}(?=\S))"
)
"""Where a line goes on in the next one, also in a quotation; and gaps in a line."""
_QUOTED = re.compile(r"\n[ \t]{0,8}(?:>[ \t]{0,8}){1,4}(?![\s>#]|```|~~~|(?:[-*+]|\d{1,3}[.)])[ \t])")
"""Where a line of a quotation begins that goes on with the one before: no heading, item of a list or piece of code."""


_STYLED_AWAY = re.compile(
    r"\[(?://|comment|_|hidden)\]: *(?:#|<>) *[(\"'][^\n]{12,2000}"
    r"|<(?:span|div|p|font|small|details)[^>\n]{0,120}?(?:display *: *none|visibility *: *hidden|font-size *: *0"
    r"|opacity *: *0|color *: *(?:white|#fff|transparent)|\bhidden\b)[^>\n]{0,80}>[^<]{8,2000}",
    re.IGNORECASE,
)
"""Elements of a page that no browser shows, and what Markdown takes for a note."""
_PAGES = (".md", ".mdx", ".markdown", ".txt", ".rst")
"""Ends of files that are read as pages, where a comment is not seen."""
_BETWEEN = "\n\n"
"""What stands between two texts that are read as one."""
MOST_UNSEEN = 20_000
"""Characters of one comment that are looked at."""


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

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the original that a span of bytes stands for."""
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
    def decoded(self) -> View | None:
        """The texts that are encoded in this one, one level deep, one after the other."""
        found: dict[str, tuple[int, int]] = {}
        for view in (self.raw,) if self.plain.text == self.text else (self.raw, self.plain):
            for start, end, text in encoded_stretches(view.text):
                found.setdefault(text, (view.place(start), max(view.place(end), view.place(start) + 1)))
        return _pieces(sorted((span, text) for text, span in found.items())) if found else None

    @cached_property
    def unseen(self) -> View | None:
        """What a reader of the page does not see, one after the other: comments, and elements that are styled away."""
        if self.script or ("<" not in self.text and "]:" not in self.text):
            return None
        shown = (span for span in comments(self.text) if self.text[max(0, span[0] - 1) : span[0]] != "`")
        spans = sorted({*shown, *(match.span() for match in _STYLED_AWAY.finditer(self.text))})
        return (
            _pieces([(span, fold_lookalikes(self.text[slice(*span)][:MOST_UNSEEN])) for span in spans])
            if spans
            else None
        )

    @cached_property
    def spoken(self) -> View:
        """What it says once its disguises are gone: lines that go on in the next one are joined."""
        return _rewritten(self.plain, _WRAPPED, lambda _match: " ")

    @property
    def is_page(self) -> bool:
        """Whether people read it as a page."""
        return not self.script and self.path.lower().endswith(_PAGES)

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


def _pieces(parts: list[tuple[tuple[int, int], str]]) -> View:
    """Texts one after the other, each with the span of the original that it stands for."""
    here, there = [0], [0]
    size = 0
    for (start, end), text in parts:
        here += size, size + len(text)
        there += start, end
        size += len(text) + len(_BETWEEN)
    whole = _BETWEEN.join(text for _, text in parts)
    return View(whole, whole.encode("utf-8", "replace"), tuple(here), tuple(there))


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
