"""Cut a text into passages, and a passage into what it says: stems of words, and what kind of place each address is."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Knows = Callable[[str], bool]
    """Whether a host is everybody's, or the skill's own."""

LONGEST = 1200
"""Characters of one passage; a longer one is read piece by piece."""
SHORTEST = 25
LINES = 12
"""Lines of a program that are read as one block; a passage is two blocks."""
LINE = 400
"""Characters of a line of a program that are read."""
_FENCE = re.compile(r"^[ \t>]{0,12}(?:```|~~~)[^\n]*$", re.MULTILINE)
_CUT = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+>|#•]|\d{1,3}[.)])\s?)")
"""Where a passage ends: at an empty line, and before an item of a list, a row or a heading."""
_CHUNK = re.compile(r"[^\s`*\"'“”„()<>\[\]{},;!?|=，。；：、！？（）「」]+")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_END = re.compile(r"(?:'s|’s|ings?|edly|ed|es|s|ly)$")
_SECRET = re.compile(
    r"\.ssh|\.aws|\.env|\.netrc|\.kube|\.npmrc|credential|id_rsa|id_ed|keychain|\.gnupg|\.config/g|_history|cookies"
    r"|wallet|shadow|passwd|\.pem\b|\.claude|\.openclaw",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"[\d.:]+")
_NAME = re.compile(
    r"[a-z0-9-]{2,60}(?:\.[a-z0-9-]{1,60}){0,3}\.(?:[a-z]{2,4}|cloud|online|site|help|health|school|club)"
)
_FILES = frozenset(
    """md py js ts sh json yml yaml toml txt csv html css pdf png jpg log xml sql go rs rb php java ini conf zip tsx jsx
    svg exe docx xlsx pptx env lock db mjs cjs tf kt lua local test key pem bak""".split()  # noqa: SIM905
)
"""Ends of file names, which look like the ends of hosts."""
_CODE = re.compile(
    r"[a-z][a-z0-9+]{1,9}://[^\s)>\"'`\]]+|[A-Za-z_$][\w$]*|\d[\w.]*|-{1,2}[a-z][\w-]*|>>|\|\||&&|/\.\w+|\\x|[|@~]"
)
_BLOB = 40
"""Letters and digits in a row that are no word."""
_COMMENT = re.compile(
    r"(?:^[ \t]*(?://|#|--|;|%|\*|'{3}|\"{3})[^\n]*\n?)+|\"[^\"\n]{40,}\"|'[^'\n]{40,}'", re.MULTILINE
)
"""Comments on lines of their own, and long texts between quotation marks."""


def prose_passages(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every passage of a page, without its blocks of code."""
    for left, right in _outside(text):
        at = left
        for match in _CUT.finditer(text, left, right):
            yield from _pieces(at, match.start())
            at = match.end()
        yield from _pieces(at, right)


def remarks(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of what a program says in words: comments, and long texts between quotation marks."""
    for match in _COMMENT.finditer(text):
        yield from _pieces(*match.span())


def fenced(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every block of code of a page."""
    marks = [*(match.span() for match in _FENCE.finditer(text)), (len(text), len(text))]
    for (_, start), (end, _) in islice(pairwise(marks), 0, None, 2):
        yield start, end


def line_blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Start and end of every few lines of a program."""
    first, lines, at = start, 0, start
    while at < end:
        found = text.find("\n", at, end)
        at = found + 1 if found >= 0 else end
        lines += 1
        if lines == LINES or at >= end:
            yield first, at
            first, lines = at, 0


def said(passage: str, knows: Knows) -> list[str]:
    """The words of a passage of prose, in order."""
    found: list[str] = []
    for chunk in _CHUNK.findall(passage):
        found += _of_word(chunk) if chunk.isalpha() and chunk.isascii() else _of_chunk(chunk, knows)
    return found


def written(passage: str, knows: Knows) -> list[str]:
    """The words of a piece of a program, in order; lines that no person writes are read in part."""
    if len(passage) > LINE * LINES:
        passage = "\n".join(line[:LINE] for line in passage.split("\n"))
    return [_of_code(match[0], knows) for match in _CODE.finditer(passage)]


def features(words: list[str]) -> set[str]:
    """What is weighed: each word, and each two in a row."""
    return {*words, *(f"{one} {two}" for one, two in pairwise(words))}


def _outside(text: str) -> Iterator[tuple[int, int]]:
    """What stands between the blocks of code."""
    marks = [(0, 0), *(match.span() for match in _FENCE.finditer(text)), (len(text), len(text))]
    for (_, start), (end, _) in islice(pairwise(marks), 0, None, 2):
        yield start, end


def _pieces(start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start >= SHORTEST:
        yield start, min(end, start + LONGEST)
        start += LONGEST


def _of_chunk(chunk: str, knows: Knows) -> list[str]:
    """The words of what stands between two blanks."""
    before, mark, after = chunk.partition("://")
    if mark:
        host = after.partition("/")[0].rpartition("@")[2].partition(":")[0].lower()
        return [*_plain_words(before[:-5]), _host(host, knows, "stranger")]
    name, mark, host = chunk.partition("@")
    if mark and name and "." in host:
        return ["<mail>" if knows(host.lower().rstrip(".")) else "<stranger-mail>"]
    if "/" in chunk and chunk[0] in "~/.$":
        return ["<key>" if _SECRET.search(chunk) else "<path>"]
    if "." in chunk and _is_host(chunk.rstrip(".:")):
        return [_host(chunk.rstrip(".:").lower(), knows, "stranger-host")]
    if _is_secret(chunk):
        return ["<key>", *_plain_words(chunk)]
    return _plain_words(chunk)


def _host(host: str, knows: Knows, name: str) -> str:
    if knows(host):
        return "<known>"
    return "<number-host>" if _NUMBERS.fullmatch(host) else f"<{name}>"


def _is_host(chunk: str) -> bool:
    return _NAME.fullmatch(chunk.lower()) is not None and chunk.lower().rpartition(".")[2] not in _FILES


def _plain_words(chunk: str) -> list[str]:
    found: list[str] = []
    for match in _LETTERS.finditer(chunk):
        word = match[0]
        if word[0].isdigit():
            found.append("<n>")
        elif not word.isascii() and _WIDE.search(word):
            found += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            found.append(_stem(word[:40]))
    return found


@lru_cache(maxsize=16_384)
def _of_word(word: str) -> tuple[str, ...]:
    """The same for letters alone, of which most of a text is made."""
    return ("<key>", _stem(word[:40])) if _is_secret(word) else (_stem(word[:40]),)


@lru_cache(maxsize=8192)
def _is_secret(chunk: str) -> bool:
    return _SECRET.search(chunk) is not None


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    """A word without its ending."""
    small = word.lower().replace("’", "'")
    if len(small) > 4:
        small = _END.sub("", small) or small
    return small[:-1] if len(small) > 4 and small.endswith("e") else small


def _of_code(token: str, knows: Knows) -> str:
    if "://" in token:
        host = token.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0].lower()
        return _host(host, knows, "stranger")
    if token[0].isdigit():
        return "<address>" if token.count(".") == 3 else "<n>"
    return "<blob>" if len(token) >= _BLOB else token.lower()
