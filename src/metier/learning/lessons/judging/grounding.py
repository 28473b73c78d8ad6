"""Whether a model's line may stand: its quote is there, it says what the quote says, and it brings nothing along."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.review.review import review_line
from metier.text.words import stems_of

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 240
"""Characters of a line."""
SHORTEST_QUOTE = 12
"""Characters of a quote that can be found by more than chance."""
SHARED = 0.34
"""Share of a line's words that the evidence has to hold."""
LEAST = 2
"""Words that they have to share at least."""
_CODE = re.compile(
    r"`([^`]+)`|(https?://\S+|\b[\w-]+(?:\.[\w-]+)+/\S*|(?<!\w)--?[a-z][\w-]+|(?<!\w)[~.]?/[\w./-]+|"
    r"\b[\w.-]+@[\w.-]+\b)"
)
_NAMED = re.compile(r"\b[\w-]+\.(?:com|org|net|io|dev|sh|example|xyz|ru|cn|app|ai)\b", re.IGNORECASE)
_NEGATIVE = re.compile(
    (
        r"\b(?:never|not?|don'?t|doesn'?t|didn'?t|shouldn'?t|mustn'?t|won'?t|can'?t|cannot|avoid|"
        r"stop|without|instead|rather|unless|only|hate|dislike|wrong|forbid\w*|nicht|kein\w*|"
        r"nie)\b"
    ),
    re.IGNORECASE,
)
_CORRECTING = re.compile(
    r"\b(?:why|forgot|again|keep|wrong|supposed|told|asked|said|missed|ignored|what are you)\b", re.IGNORECASE
)
_RISKY = re.compile(
    (
        r"\b(?:curl|wget|rm|sudo|chmod|base64|eval|nc|ssh|scp|token|password|secret|credential\w*|"
        r"api key|private key|ignore (?:all|previous|prior))\b|--(?:force|no-verify|hard)\b"
    ),
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")


def flat(text: str) -> str:
    """A text as quotes are compared: spaces and typographic marks do not count."""
    plain = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    return _SPACES.sub(" ", plain).strip(" .\"'").casefold()


def found_in(quote: str, evidence: Sequence[str]) -> str:
    """The text of the evidence that holds a quote word for word; empty: none does."""
    wanted = flat(quote)
    if len(wanted) < SHORTEST_QUOTE:
        return ""
    return next((text for text in evidence if wanted in flat(text)), "")


def refusal(line: str, quote: str, evidence: Sequence[str]) -> str:
    """Why a line may not stand; empty: it may. `evidence` are the person's words that the model was shown for it."""
    source = found_in(quote, evidence)
    if not source:
        return "its quote is not in the evidence"
    if not line or len(line) > LONGEST or not line.isprintable():
        return "it is not one short line"
    if strange := _strange(line, source):
        return f"it names {strange}, and the evidence does not"
    if not _is_about(line, source):
        return "it says something else than its quote"
    if _is_turned_round(line, source):
        return "it says the opposite of its quote"
    return "review stops it" if review_line(line).status == "quarantined" else ""


def _strange(line: str, source: str) -> str:
    """A command, path, address or risky word of a line that the person did not say."""
    said = flat(source)
    for match in _CODE.finditer(line):
        token = (match[1] or match[2]).strip()
        if flat(token) not in said:
            return f"`{token}`"
    for pattern in (_NAMED, _RISKY):
        for match in pattern.finditer(line):
            if match[0].casefold() not in said:
                return f"“{match[0]}”"
    return ""


def _is_about(line: str, source: str) -> bool:
    mine = stems_of(line)
    shared = len(mine & stems_of(source))
    return shared >= min(LEAST, len(mine)) and shared >= SHARED * len(mine)


def _is_turned_round(line: str, source: str) -> bool:
    """Whether one of the two forbids and the other does not."""
    plain = source.replace("’", "'")
    forbids = bool(_NEGATIVE.search(line.replace("’", "'")))
    forbidden = bool(_NEGATIVE.search(plain))
    if forbidden:
        return not forbids and not _CORRECTING.search(plain)
    return forbids and not _CORRECTING.search(plain)
