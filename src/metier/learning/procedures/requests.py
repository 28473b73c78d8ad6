"""What people ask for, in their own words: typical requests, their subject, and what they corrected."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log2
from typing import TYPE_CHECKING

from metier.text.words import language_of, stem, stems_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

EXAMPLE = 140
"""Characters of a request shown as an example."""
CORRECTION = 300
TURN = 400
"""Characters of a request in which it says what it is about."""
SHARED = 0.75
"""Share of the requests that have a word in common, where they ask for one thing."""
SUBJECT = 0.25
"""Share of the requests a word stands in, from which on it is part of the subject."""
EARLY = 12
"""Words after which a word counts half as much as the first one."""
GENERAL = 0.2
"""What a word counts that stands in requests of every kind."""
_GENERAL = (
    "task data file answer question output input result following given provided user requirement step need want read "
    "write create generate use include make name value example format problem key time day work located"
)
_GREETING = re.compile(
    r"\A\s*(?:hi|hey|hello|morning|good morning|dear all|moin|hallo|guten (?:tag|morgen)|servus)\b[,!. ]*",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"\A(?:(?:can|could|would|will) you(?: please)?|please|kindly|kannst du(?: bitte)?|könntest du(?: bitte)?"
    r"|bitte(?: einmal)?|einmal|i need you to|i want you to|help me(?: to)?"
    r"|no,? that is not right[:,.]?|nein[,!]|no[,!])\s+",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"[\s,.!]*\b(?:please|thanks|thank you|danke|bitte|it is urgent|es eilt|asap|thx)\b[\s.!]*\Z", re.IGNORECASE
)
_THANKS = ("please", "thanks", "you", "danke", "bitte", "urgent", "eilt", "asap", "thx")
"""What the last word is wherever there is such an ending: looking for that first is quicker."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_STANDING = re.compile(
    r"\b(?:always|never|every time|whenever|from now on|at all times|immer|niemals|nie)\b|https?://", re.IGNORECASE
)
"""Words that make an example sound like an order, and addresses: other examples are better."""

_STRANGE = re.compile(r"…|`|\w*\d\w*|\w+_\w+|\(")
"""Signs that a request speaks of one case only."""
_ODD = re.compile(r"[…`\d_(]")
"""One of these stands in each of them; most requests have none, which is quicker to see."""

_TALK = re.compile(
    r"(?:i|we|let|why|what|the|our|some\w*|there|who|is|are|it|this|mach mir|ich|wir|für|der|die|das|warum|wieso)\b",
    re.IGNORECASE,
)
"""How a sentence begins that tells rather than asks to do something."""
_SPELLED = re.compile(r"[^\W\d_][\w-]*")
_NUMBERED = re.compile(r"-\d+\Z")
_TITLED = re.compile(r"\b(?:Mr|Ms|Mrs|Dr|Herr|Frau|Prof)\.? [A-ZÄÖÜ][\w-]+")
_OWN = re.compile(r"\bv?\d+(?:\.\d+)+\b|\b\d{4}-\d{2}(?:-\d{2})?\b|\b\d{4,}\b|\b(?=\w*\d)(?=\w*[A-Z])[A-Z\d]{5,}\b")
"""Versions, dates, long numbers and ids: of one request only."""
_PROPER = re.compile(r"(?<=[a-z,:;] )[A-Z][a-z]+(?:'s)?\b(?! [A-Z])")
"""A name in the middle of an English sentence: of a person, perhaps."""
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+(.*?)[ \t:.]*$", re.MULTILINE)
_PAUSES = re.compile(r"…(?:\W*…)+")
RARE = 0.4


def ask_for_one_thing(requests: Sequence[str]) -> bool:
    """Whether nearly all requests share at least three words that say something."""
    general = stems_of(_GENERAL)
    counts = Counter(word for request in requests for word in stems_of(request[:TURN]) - general)
    return sum(count >= SHARED * len(requests) for count in counts.values()) >= 3


def plain(request: str, values: Mapping[str, str]) -> str:
    """A request without greetings and thanks, its own values replaced by their names: `Bump PACKAGE to VERSION`."""
    return _plain(request, tuple(values.items()))


@lru_cache(maxsize=2048)
def _plain(request: str, values: tuple[tuple[str, str], ...]) -> str:
    text = _without_politeness(_GREETING.sub("", " ".join(_HEADING.sub(r"\1.", request).split())))
    for value, called in sorted(values, key=lambda pair: len(pair[0]), reverse=True):
        if len(value) > 1 and " " not in value and called != "message" and value in text:
            name = _NUMBERED.sub("", called).upper()
            text = re.sub(rf"(?<![\w-])(?<!\d\.)v?{re.escape(value)}(?![\w-]|\.\d)", name, text)
    text = _TITLED.sub("NAME", text)
    versions = [value for value, called in values if called == "version"]
    for major in {value.partition(".")[0] for value in versions if "." in value}:
        text = re.sub(rf"(?<=\bto ){re.escape(major)}(?![\w-]|\.\d)", "VERSION", text)
    text = _OWN.sub(lambda found: "VERSION" if versions and "." in found[0] else "…", text)
    text = re.sub(r"[`'\"(]((?:[A-Z]{3,}|…))[`'\")]", r"\1", text)
    return _begun(_PAUSES.sub("…", " ".join(text.split())).strip(" .,:;?!"))


def _without_politeness(text: str) -> str:
    """A request without "could you please" and "thanks"; a question that asks for something becomes a sentence."""
    asked = False
    while polite := _POLITE.match(text):
        asked = asked or "you" in polite[0].lower()
        text = text[polite.end() :]
    for _ in range(2):
        if text.rstrip(" .!")[-8:].casefold().endswith(_THANKS):
            text = _ENDING.sub("", text)
    return text.replace("?", ".", 1) if asked else text


def examples(requests: Sequence[str], values: Mapping[int, Mapping[str, str]], limit: int) -> tuple[str, ...]:
    """A few requests that say the same in different words, the most typical first."""
    weights = _weights(requests)
    language = language_of(requests)
    few = max(2, RARE * len(requests))
    shown = [_first(plain(one, values.get(number, {}))) for number, one in enumerate(requests)]
    shown = [_nameless(text, weights, few) if language_of([text]) == "en" else text for text in shown]
    ranked = sorted(
        {text for text in shown if len(text) >= 8},
        key=lambda text: (
            language_of([text]) != language,
            bool(_STANDING.search(text)),
            -_typical(text, weights),
            len(text),
            text,
        ),
    )
    found: list[str] = []
    for text in ranked:
        if all(_overlap(text, other) < 0.7 for other in found):
            found.append(text)
        if len(found) == limit:
            break
    return tuple(found)


def subject(requests: Sequence[str], values: Mapping[int, Mapping[str, str]], limit: int = 8) -> tuple[str, ...]:
    """The words most requests share, as people spell them, the most frequent first."""
    texts = [_bare(request, values.get(number, {})) for number, request in enumerate(requests)]
    counts = _weights(texts)
    begun = (f"{text[:1].lower()}{text[1:]}" if text[1:2].islower() else text for text in texts)
    spelled = Counter(word for text in begun for word in _SPELLED.findall(text))
    spellings: dict[str, dict[str, int]] = {}
    for word, count in spelled.items():
        spellings.setdefault(stem(word.casefold()), {})[word] = count
    least = max(2, SUBJECT * len(requests)) if len(requests) > 1 else 1
    telling = _telling(texts)
    ranked = sorted(
        (one for one in counts if counts[one] >= least), key=lambda one: (-counts[one] * telling.get(one, 0.0), one)
    )
    return tuple(_spelling(spellings[one]) for one in ranked[:limit] if one in spellings)


def _telling(texts: Sequence[str]) -> dict[str, float]:
    """How much each word is what requests are about: said early, and again and again."""
    found: dict[str, float] = {}
    general = stems_of(_GENERAL)
    for text in texts:
        said = [stem(word.casefold()) for word in _SPELLED.findall(text)]
        times = Counter(said)
        for word in times:
            much = log2(1 + times[word]) / (1 + said.index(word) / EARLY)
            found[word] = found.get(word, 0.0) + (much * GENERAL if word in general else much)
    return found


def _bare(request: str, own: Mapping[str, str]) -> str:
    """A plain request without the names of its own values."""
    text = plain(request, own)
    slots = {"NAME", *(_NUMBERED.sub("", name).upper() for name in own.values())}
    if not any(slot in text for slot in slots):
        return text
    return " ".join(word for word in text.split() if word.strip(".,:;()'s") not in slots)


def corrections(texts: Iterable[str]) -> tuple[str, ...]:
    """What people said to put a run right, each thing once, as something to keep to."""
    found: list[str] = []
    for text in texts:
        told = " ".join(text.split())
        for pattern in (_GREETING, _POLITE):
            told = pattern.sub("", told)
        told = _cut(told[:1].upper() + told[1:], CORRECTION)
        if len(words_of(told)) >= 3 and all(_overlap(told, other) < 0.6 for other in found):
            found.append(told)
    return tuple(found)


def _nameless(text: str, weights: Counter[str], few: float) -> str:
    """An English sentence without the names in it that few requests share."""
    return _PAUSES.sub("…", _PROPER.sub(lambda one: "…" if weights[stem(one[0].lower())] < few else one[0], text))


def _begun(text: str) -> str:
    """The text with a capital letter, unless it begins with a name of something."""
    first = text.split(" ", maxsplit=1)[0]
    return text if re.search(r"[\d_/.]", first) else text[:1].upper() + text[1:]


def _weights(requests: Sequence[str]) -> Counter[str]:
    return Counter(one for request in requests for one in stems_of(request))


def _typical(text: str, weights: Counter[str]) -> float:
    """How much of a request is what all ask for; short and plain is better."""
    found = stems_of(text)
    strange = len(_STRANGE.findall(text)) if _ODD.search(text) else 0
    worth = sum(weights[one] for one in found) / (3 + len(found) + 2 * strange)
    return worth * (0.6 if _TALK.match(text) else 1.0)


def _overlap(one: str, other: str) -> float:
    mine, theirs = stems_of(one), stems_of(other)
    return len(mine & theirs) / max(1, len(mine | theirs))


def _first(text: str) -> str:
    """The first sentence, or two where the first is short."""
    parts = _SENTENCE.split(text)
    found = parts[0]
    for part in parts[1:]:
        if len(found) >= 40 or len(found) + len(part) > EXAMPLE:
            break
        found = f"{found} {part}"
    return _cut(found, EXAMPLE).rstrip(" .:,;?")


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    at = text.rfind(" ", limit // 2, limit)
    return f"{text[: at if at > 0 else limit - 1]}…"


def _spelling(counts: Mapping[str, int]) -> str:
    return min(counts, key=lambda word: (-counts[word], word))
