"""Scorers that say how near an answer came: numeric, token-F1, ANLS."""

from __future__ import annotations

import re
import string
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

from metier.errors import InputError
from metier.training.scoring.scorer import WRONG, Kind, score_of, share
from metier.training.scoring.text import answers

if TYPE_CHECKING:
    from metier.formats.strict_json import StrictObject
    from metier.training.scoring.scorer import Judge, Means
    from metier.training.targets.target import Attempt
    from metier.types.trials import Case, Scored

NUMBER = re.compile(
    r"[-+\u2212]?(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3}(?!\d))?", re.ASCII
)
LONGEST = 400
"""Characters of a number; what is longer is none."""
PLACES = ("last", "first", "only")
ARTICLES = frozenset(("a", "an", "the"))
PUNCTUATION = str.maketrans("", "", string.punctuation)


def numbers(text: str) -> tuple[Decimal, ...]:
    """The numbers in a text, in order; a minus behind a letter or a digit is a dash."""
    found: list[Decimal] = []
    for match in NUMBER.finditer(text):
        one = match[0].replace(",", "").replace("\u2212", "-")
        if one[0] in "-+" and text[max(0, match.start() - 1) : match.start()].isalnum():
            one = one[1:]
        if len(one) <= LONGEST:
            found.append(Decimal(one))
    return tuple(found)


def _numeric(settings: StrictObject, case: Case) -> Judge:
    place = settings.text("take") or "last"
    if place not in PLACES:
        raise InputError(f"{settings.where}.take: {place!r} is unknown; write one of {', '.join(PLACES)}")
    given = numbers(case.expected)
    if len(given) != 1:
        raise InputError(f"{settings.where}: the case's 'expected' must hold one number, not {case.expected[:40]!r}")
    allowed = max(_decimal(settings, "tolerance"), abs(given[0]) * _decimal(settings, "relative"))

    def judge(attempt: Attempt, _: Means) -> Scored:
        found = numbers(attempt.output)
        if not found or (place == "only" and len(found) > 1):
            return WRONG
        off = abs(found[0 if place == "first" else -1] - given[0])
        size = abs(given[0])
        near = float(1 - off / size) if size and off < size else 0.0
        return score_of(off <= allowed, 1.0 if off <= allowed else near)

    return judge


def token_f1(said: str, wanted: str) -> float:
    """The harmonic mean of precision and recall over words, as reading-comprehension benchmarks count it."""
    left, right = _words(said), _words(wanted)
    if not left or not right:
        return float(left == right)
    same = sum((Counter(left) & Counter(right)).values())
    return 2 * same / (len(left) + len(right))


def anls(said: str, wanted: str, threshold: float = 0.5) -> float:
    """One minus the edit distance as a share of the longer text; 0 from the threshold on."""
    left, right = said.strip().casefold(), wanted.strip().casefold()
    longer = max(len(left), len(right))
    if not longer:
        return 1.0
    if abs(len(left) - len(right)) >= threshold * longer:
        return 0.0 if left != right else 1.0
    off = distance(left, right) / longer
    return 1 - off if off < threshold else 0.0


def distance(left: str, right: str) -> int:
    """The fewest insertions, deletions and replacements that turn one text into the other.

    Bit-parallel (Myers 1999, Hyyrö 2003): a column of the usual table is one whole number.
    """
    if not left:
        return len(right)
    places: dict[str, int] = {}
    for index, char in enumerate(left):
        places[char] = places.get(char, 0) | 1 << index
    full, last = (1 << len(left)) - 1, 1 << len(left) - 1
    up, down, score = full, 0, len(left)
    for char in right:
        here = places.get(char, 0)
        flat = here | down
        across = ((((here & up) + up) ^ up) | here) & full
        more, less = down | (full & ~(across | up)), up & across
        score += bool(more & last) - bool(less & last)
        more, less = (more << 1 | 1) & full, less << 1 & full
        up, down = less | (full & ~(flat | more)), more & flat
    return score


def _token_f1(settings: StrictObject, case: Case) -> Judge:
    wanted, threshold = answers(settings, case), share(settings, "threshold", 1.0)

    def judge(attempt: Attempt, _: Means) -> Scored:
        best = max(token_f1(attempt.output, one) for one in wanted)
        return score_of(best >= threshold, best)

    return judge


def _anls(settings: StrictObject, case: Case) -> Judge:
    wanted, threshold = answers(settings, case), share(settings, "threshold", 0.5)

    def judge(attempt: Attempt, _: Means) -> Scored:
        best = max(anls(attempt.output, one, threshold) for one in wanted)
        return score_of(best > 0, best)

    return judge


def _words(text: str) -> list[str]:
    return [one for one in text.casefold().translate(PUNCTUATION).split() if one not in ARTICLES]


def _decimal(settings: StrictObject, key: str) -> Decimal:
    return Decimal(repr(settings.amount(key) or 0.0))


KINDS = {
    "numeric": Kind(fields=("tolerance", "relative", "take"), make=_numeric),
    "token-f1": Kind(fields=("answers", "threshold"), make=_token_f1),
    "anls": Kind(fields=("answers", "threshold"), make=_anls),
}
