"""Looks of their own, for what no pattern says: characters that nobody sees, and names that are one slip away."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from metier.review.text.folding import lookalikes
from metier.text.shell.command import word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from metier.review.text.views import ReviewedText

_TAG = re.compile("[\U000e0001-\U000e007f]")
_TAGS = re.compile("(?<![\U0001f3f4\U000e0001-\U000e007f])[\U000e0001-\U000e007f]+")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]+")
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufefc]")
_INVISIBLE = re.compile(
    "(?<=[A-Za-z])[\u200b-\u200d\u2060-\u2064\u00ad\u034f\u180e\ufeff]+(?=[A-Za-z])"
    "|[\u200b\u200c\u2060-\u2064\u180e\ufeff]{4,}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}|[\u2800\u3164\u115f\u1160]{4,}"
)
_RARE = re.compile("[\u206a-\u206f\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]+")
"""Invisible characters that no text of today needs."""
_DOTS = re.compile("[\u2801-\u28ff]")
"""Braille letters, of which drawings are made."""
_COPIED = 20
"""So many of one invisible character in a row, and they are no accident."""
_LONG = 40
"""Letters of a word that are looked at."""
_END, _START = re.compile(r"[\w-]*$"), re.compile(r"[\w-]*")
_IN_WORD = re.compile(rf"(?<=[A-Za-z]){_RARE.pattern}(?=[A-Za-z])")
_UNSEEABLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u2800\u3164\ufe00-\ufe0f\ufeff"
    "\u206a-\u206f\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0100-\U000e01ef]"
)
"""Every character of these; a text that has none is seen at once."""
_LINES, _COLUMNS = 60, 400
"""So many empty lines, or so many blanks in a line, before something follows."""
_SPACE = re.compile(rf"[\s\u200b\u3164]{{{_LINES},}}")
_FOREIGN = "Ͱ-ϿЀ-ӿԀ-ԯɐ-ʯ"
_LETTER = re.compile(f"[{_FOREIGN}]")
_WORD = re.compile(f"[A-Za-z{_FOREIGN}]{{3,}}")
HOME = 3
"""With a third of all letters a text is written in the other alphabet, and a mixed word is a slip of the keyboard."""
NOISE = 0.02
"""The share of characters that cannot be read from which on a file is no text."""
POPULAR = word_set(
    """requests numpy pandas django flask fastapi pydantic sqlalchemy pillow matplotlib scipy scikit-learn tensorflow
    pytest beautifulsoup4 selenium playwright openai anthropic langchain boto3 urllib3 cryptography paramiko pyyaml
    setuptools virtualenv colorama tqdm httpx aiohttp transformers uvicorn celery redis psycopg2 pymongo opencv-python
    python-dateutil python-dotenv yfinance web3 ccxt express lodash axios react react-dom typescript webpack eslint
    prettier mongoose puppeteer commander chalk dotenv nodemon jsonwebtoken cross-env socket.io discord.js ethers nextjs
    tailwindcss vitest openclaw clawhub supabase stripe firebase electron"""
)
KNOWN = word_set(
    """preact grequests scapy opencv openapi redux request pandera dayjs playwright-core urllib
    ether lodash-es vite node-fetch
    redis-py psycopg httpx2 httpie clawdhub tests pypdf react2 expresso stripes reactor"""
)
"""Names near a popular one that are packages in their own right, or that no one is fooled by."""
_INSTALL = re.compile(
    r"\b(?:pip3? install|pipx install|uv add|uv pip install|uvx|poetry add|npm (?:install|i|add)|pnpm (?:add|i|install)"
    r"|yarn add|bun add|npx|bunx)"
    r"((?:[ \t]+[^\s`'\"|;&)\\]{1,80}){1,20})"
)
_PLACED = re.compile(r"://\S*$|@\S*$|\b(?:install|add|require|npx|uvx|import|from)\b[ \t]+(?:[^\s]+[ \t]+){0,6}$")
"""What stands before the name of a host or a package."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{3,40}")
_LISTS = (
    (re.compile(r"(?:.*/)?requirements[\w.-]*\.txt"), re.compile(r"(?m)^[ \t]*([A-Za-z0-9][\w.-]*)")),
    (re.compile(r"(?:.*/)?package\.json"), re.compile(r'"([a-z0-9][\w.-]*)"\s*:\s*"(?:[\^~]?\d|\*|latest)')),
)
"""Files that list packages, and how each one is named there."""


def tags(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Runs of tag characters; the ones behind a black flag spell the flag of a region."""
    if _TAG.search(source.text):
        yield from (match.span() for match in _TAGS.finditer(source.text) if len(match[0]) > 1)


def bidi(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Marks that turn the reading direction, in a text without a script that needs them."""
    if _BIDI.search(source.text) and not _RTL.search(source.text):
        yield from (match.span() for match in _BIDI.finditer(source.text))


def invisible(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Invisible characters where they hide something: inside words, many in a row, or more than one of a rare kind."""
    if not _UNSEEABLE.search(source.text):
        return
    if not _is_lone(source.text):
        yield from (match.span() for match in _RARE.finditer(source.text))
    found = [match for match in _INVISIBLE.finditer(source.text) if _may_hide(match)]
    split = {_word_around(match) for match in found}
    if len(split) > 1 or any(len(match[0]) > 2 for match in found):
        yield from (match.span() for match in found)


def _may_hide(match: re.Match[str]) -> bool:
    """Whether invisible characters split a word or could carry a text.

    The blanks of a drawing, and one character over and over between words, as pages leave behind when they are copied,
    do neither.
    """
    text, start, end = match.string, *match.span()
    if text[start] == "\u2800":
        return not _DOTS.search(text, max(0, start - _COLUMNS), end + _COLUMNS)
    return len(set(match[0])) > 1 or _is_in_word(text, start, end) or end - start >= _COPIED


def _is_in_word(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start].isascii() and text[start - 1 : start].isalpha() and text[end : end + 1].isalpha()


def _word_around(match: re.Match[str]) -> str:
    """The word that is split; the same word split twice comes from copying."""
    text, start, end = match.string, *match.span()
    before, after = _END.search(text[max(0, start - _LONG) : start]), _START.match(text[end : end + _LONG])
    return f"{before[0] if before else ''}{match[0]}{after[0] if after else ''}"


def rare_character(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """The one invisible character of a rare kind, where it stands beside a word and hides nothing."""
    if _UNSEEABLE.search(source.text) and _is_lone(source.text):
        yield from (match.span() for match in _RARE.finditer(source.text))


def _is_lone(text: str) -> bool:
    found = [match[0] for match in islice(_RARE.finditer(text), 2)]
    return [len(one) for one in found] == [1] and not _IN_WORD.search(text)


def padding(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """What stands behind so much empty space that nobody scrolls there."""
    for match in _SPACE.finditer(source.text):
        lines = match[0].count("\n")
        if (
            match.start() > 0
            and match.end() < len(source.text)
            and (lines > _LINES or len(match[0]) > _COLUMNS + lines)
            and source.text[match.end()] != "|"
        ):
            yield match.end(), match.end() + 1


def mixed_words(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Latin words with letters of another alphabet that look the same.

    In bytes that are no text they are chance, and in the sentences of a text written in that alphabet they are slips.
    """
    text = source.text
    if text.isascii() or not _LETTER.search(text) or text.count("\ufffd") > len(text) * NOISE:
        return
    at_home = len(_LETTER.findall(text)) * HOME > sum(map(str.isalpha, text))
    for match in _WORD.finditer(text):
        if _is_mixed(match[0]) and (not at_home or _names_something(text, match.start())):
            yield match.span()


def _is_mixed(word: str) -> bool:
    foreign = [char for char in word if char > "\x7f"]
    return 0 < len(foreign) < len(word) and lookalikes().issuperset(foreign)


def _names_something(text: str, at: int) -> bool:
    """Whether a word is in an address, or behind what installs packages."""
    before = text[max(0, at - _COLUMNS) : at].rpartition("\n")[2]
    return bool(_PLACED.search(before))


def lookalike_installs(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Spans of package names in install commands and lists that look like a popular package and are not it."""
    for match in _INSTALL.finditer(source.text):
        at = match.start(1)
        for word in re.finditer(r"\S+", match[1]):
            if match[0].startswith(("npx", "bunx", "uvx")) and not match[1][: word.start()].isspace():
                break
            name = re.split(r"[=<>~\[@]", word[0], maxsplit=1)[0].lower().rstrip(".,:!?*_")
            if _NAME.fullmatch(name) and resembles(name):
                yield at + word.start(), at + word.end()
    for file, named in _LISTS:
        if file.fullmatch(source.path):
            for match in named.finditer(source.text):
                if _NAME.fullmatch(match[1].lower()) and resembles(match[1].lower()):
                    yield match.span(1)


def resembles(name: str) -> str | None:
    """The popular package that a name is one slip away from; None when it is popular itself or like none."""
    plain = name.replace("_", "-")
    if plain in POPULAR or plain in KNOWN or len(plain) < 5:
        return None
    return next((known for known in sorted(POPULAR) if len(known) > 4 and _one_slip(plain, known)), None)


def _one_slip(name: str, known: str) -> bool:
    """Whether one letter was swapped with its neighbour, doubled, left out, added or mistaken."""
    if abs(len(name) - len(known)) > 1 or name == known:
        return False
    start = next((i for i, (a, b) in enumerate(zip(name, known, strict=False)) if a != b), min(len(name), len(known)))
    rest, other = name[start:], known[start:]
    if len(rest) == len(other):
        return rest[1:] == other[1:] or (
            len(rest) > 1 and rest[0] == other[1] and rest[1] == other[0] and rest[2:] == other[2:]
        )
    longer, shorter = (rest, other) if len(rest) > len(other) else (other, rest)
    return longer[1:] == shorter


LOOKS: dict[str, Callable[[ReviewedText], Iterator[tuple[int, int]]]] = {
    "tag characters": tags,
    "reading direction": bidi,
    "invisible characters": invisible,
    "a rare character": rare_character,
    "empty space": padding,
    "mixed alphabets": mixed_words,
    "look-alike packages": lookalike_installs,
}
"""Every look by the name that a rule gives it."""
