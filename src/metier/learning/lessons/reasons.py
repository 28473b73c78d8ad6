"""Reasons that agents gave in runs that went well: what the runs that failed may have broken."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from metier.learning.procedures.actions import foreign_tool
from metier.text.terms import stems_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from metier.types import Record, Run

SHORTEST, LONGEST = 30, 240
"""Characters of a sentence that gives a reason."""
LEAST = 2
"""Sessions that have to give the same reason."""
SAME = 0.5
"""Share of words that two sentences share when they give the same reason."""
PREFIX = 3
"""Letters that a word of a tool's name and one of a sentence share when they mean the same."""
_REASON = re.compile(
    r"\b(?:since|because|only (?:if|be|when|after|within)|cannot|can't|unable|must|unless|"
    r"not (?:allowed|eligible|possible|permitted)|please confirm|need (?:your|to) confirm)\b",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(r"\*\*|`|https?://|\b(?=\w*\d)(?=\w*[A-Z])\w{5,}\b|\d{4}-\d\d|[\w.]+@[\w.]+")
_END = re.compile(r"(?<=[.!?])\s+|\n+")


def reasons_given(records: Iterable[Record]) -> list[tuple[str, int]]:
    """The reasons that several successful sessions gave, the commonest first, with how many sessions."""
    groups: list[tuple[frozenset[str], dict[str, str]]] = []
    for record in records:
        if record.success:
            session = record.run.session or record.id
            for sentence in _sentences(record.run):
                _add(groups, sentence, session)
    found = [(min(said.values(), key=lambda text: (len(text), text)), len(said)) for _, said in groups]
    return sorted([one for one in found if one[1] >= LEAST], key=lambda one: (-one[1], one[0]))


def reason_about(tool: str, reasons: Sequence[tuple[str, int]], tools: Iterable[str]) -> str:
    """The commonest reason that is about what a tool does; empty: none is."""
    words = telling_words(tool, tools)
    return next((text for text, _ in reasons if any(_is_about(word, text) for word in words)), "")


def said_before(tool: str, records: Iterable[Record]) -> str:
    """What agents said last before they used a tool, in half of the runs with it that went well; empty: nothing."""
    said = [_last_words(tool, record.run) for record in records if record.success]
    asked = [sentence for sentence in said if sentence is not None]
    counts = Counter(word for sentence in asked for word in stems_of(sentence))
    common = {word for word, count in counts.items() if count >= max(LEAST, len(asked) / 2)}
    usable = [one for one in asked if one and not _ONE_OFF.search(one)]
    best = min(usable, key=lambda one: (-len(common & stems_of(one)), len(one), one), default="")
    return best if len(common & stems_of(best)) >= LEAST else ""


def _last_words(tool: str, run: Run) -> str | None:
    """The last sentence before the first use of a tool; None: it was not used."""
    call = next((one for one in run.tools if foreign_tool(one) == tool), None)
    return None if call is None else " ".join(_END.split(call.said.strip())[-1].split())


def telling_words(tool: str, tools: Iterable[str]) -> list[str]:
    """The words of a tool's name that few other tools have."""
    names = list(tools)
    counts = Counter(word for name in names for word in set(_words(name)))
    return [word for word in _words(tool) if counts[word] <= max(1, len(names) // 4)]


def _add(groups: list[tuple[frozenset[str], dict[str, str]]], sentence: str, session: str) -> None:
    stems = stems_of(sentence)
    for known, said in groups:
        if stems and len(stems & known) >= SAME * max(len(stems), len(known)):
            said.setdefault(session, sentence)
            return
    groups.append((stems, {session: sentence}))


def _sentences(run: Run) -> Iterator[str]:
    texts = [*(one.text for one in run.context if one.origin == "model"), run.output]
    for text in texts:
        for sentence in _END.split(text):
            plain = " ".join(sentence.split())
            if SHORTEST <= len(plain) <= LONGEST and _REASON.search(plain) and not _ONE_OFF.search(plain):
                yield plain


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", name.casefold()) if len(word) >= PREFIX]


def _is_about(word: str, text: str) -> bool:
    return any(word.startswith(stem) or stem.startswith(word) for stem in stems_of(text) if len(stem) >= PREFIX)
