"""How much a passage reads like an attack: its words and pairs of words, weighed by hostile and ordinary passages.

No word decides: the weights of all words of a passage add up. `benchmarks/review/likeness.py` fits them.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from math import sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple

from metier.review.matching.hosts import is_public
from metier.review.text.wording import features, fenced, line_blocks, prose_passages, remarks, said, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.review.text.views import ReviewedText, View

FEW = 60
"""Words and pairs that a passage is taken to have at least, so that one word of a short one does not count for all."""
WORDS = 6
"""Words of a passage that says anything."""
ELSEWHERE = 1500
"""What a passage of a page counts less that is not SKILL.md, in thousandths: such pages hold most of the passages of a
package and few of the attacks, as nobody reads them unless SKILL.md sends them there."""
Part = Literal["orders", "programs"]
LIKE: dict[Part, tuple[str, str]] = {
    "orders": ("orders much like attacks", "orders rather like attacks"),
    "programs": ("programs much like attacks", "programs rather like attacks"),
}
"""The names that rules give to what is much like an attack, and rather like one."""


_MEANS = re.compile(
    r"https?://|www\.|\b[\w-]+(?:\.[\w-]+)+\b|@|~/|(?<!\w)/\w|\.env\b"
    r"|\b(?:keys?|tokens?|passwords?|credentials?|secrets?|cookies?|wallets?|env(?:ironment)?|ssh)\b"
    r"|\b(?:sends?|shares?|uploads?|forwards?|posts?|submit|transmit|mail|email|bcc|cc|copy|mirror|sync|publish|invite"
    r"|grant|paste)\b"
    r"|\b(?:without|silent\w*|quiet\w*|secret\w*|hidden|hide|conceal|omit|mention|tell|inform|notify|confirm\w*"
    r"|approval|permission|aware|notice)\b"
    r"|\b(?:deletes?|remove|wipe|erase|overwrite|disable|turn off|skip|bypass|ignore|override|drop|purge|revoke|force"
    r"|weaken|lower|replace|alter|insert|append)\b"
    r"|\b(?:any(?:one|body)|every(?:one|body)|public\w*|admin\w*|privileged?|root|owner|access|rights|roles?|scopes?)\b"
    r"|\b(?:pay(?:s|ments?)?|iban|accounts?|card|money|claims?|prices?|limits?)\b"
    r"|\b(?:checks?|verif\w+|validat\w+|backdat\w+|approved?)\b",
    re.IGNORECASE,
)
"""What an order that does harm needs: a place, a secret, a way out, something hidden or taken away, access, money,
or a check."""


_PLACES = frozenset(("<stranger>", "<number-host>", "<address>", "<blob>"))
_ENGLISH = re.compile(r" (?:the|to|and|of|all|in|it) ")
"""What tells a text from letters that only decode to letters."""


class Weights(NamedTuple):
    """What each word and pair of words counts, and from which sum on a passage is like an attack."""

    weight: dict[str, int]
    """In thousandths, so that a sum is the same in any order."""
    constant: int
    rather: int
    """Rather like one: evidence beside other evidence."""
    much: int
    """So like one that it blocks."""


class WeighedPassage(NamedTuple):
    """A passage of a view, with its words."""

    view: View
    start: int
    end: int
    """Characters of the view."""
    features: set[str]

    @property
    def bytes(self) -> tuple[int, int]:
        """Its place in the bytes of the view."""
        if len(self.view.data) == len(self.view.text):
            return self.start, self.end
        before = len(self.view.text[: self.start].encode("utf-8", "replace"))
        return before, before + len(self.view.text[self.start : self.end].encode("utf-8", "replace"))


def orders(source: ReviewedText) -> Iterator[WeighedPassage]:
    """The passages of a file that say something in words."""
    for view in (source.plain if source.script else source.spoken, *_hidden(source)):
        for start, end in (prose_passages if source.is_page else remarks)(view.text):
            if view is source.decoded and not _ENGLISH.search(view.text, start, end):
                continue
            words = said(view.text[start:end], is_public)
            if len(words) >= WORDS:
                yield WeighedPassage(view, start, end, features(words))


def _hidden(source: ReviewedText) -> list[View]:
    """What of a file a reader does not see: comments of a page, and what is encoded."""
    return [view for view in (source.unseen if source.is_page else None, source.decoded) if view]


def programs(source: ReviewedText) -> Iterator[WeighedPassage]:
    """The passages of a file that are code: of a page its blocks of code, otherwise every few lines with the next."""
    view = source.plain
    for left, right in fenced(view.text) if source.is_page else ((0, len(view.text)),):
        before, first = list[str](), left
        for start, end in line_blocks(view.text, left, right):
            words = written(view.text[start:end], is_public)
            if len(before) + len(words) >= WORDS:
                yield WeighedPassage(view, first, end, features(before + words))
            before, first = words, start


def score(features: set[str], weights: Weights) -> float:
    """How much a passage is like an attack."""
    known = weights.weight
    total = sum(known[one] for one in features if one in known)
    return weights.constant + total / sqrt(max(len(features), FEW))


def alike(source: ReviewedText, part: Part) -> Iterator[tuple[WeighedPassage, bool]]:
    """The passages of a file that read like an attack, and whether much so; of what is hidden, less is enough."""
    weights = weights_of(part)
    hidden, less = _hidden(source), discount(source)
    for one in (orders if part == "orders" else programs)(source):
        found = score(one.features, weights) - less
        if found >= weights.rather:
            enough = found >= weights.much or any(one.view is view for view in hidden)
            yield one, enough and (_has_means(one) if part == "orders" else not source.is_page or _has_place(one))


def discount(source: ReviewedText) -> int:
    """What passages of a file count less, in thousandths."""
    return ELSEWHERE if source.is_page and source.path.lower() != "skill.md" else 0


def _has_means(one: WeighedPassage) -> bool:
    """Whether a passage names anything to do harm with: words alone, of whatever subject, block nothing."""
    return bool(_MEANS.search(one.view.text, one.start, one.end))


def _has_place(one: WeighedPassage) -> bool:
    """Whether code that a page shows names a place that the skill says nothing of."""
    return not _PLACES.isdisjoint(one.features)


@cache
def weights_of(part: Part) -> Weights:
    """The fitted weights."""
    text = files("metier.review.rules").joinpath(f"like_{part}.tsv").read_text(encoding="utf-8")
    rows = (line.rsplit("\t", 1) for line in text.splitlines() if line and not line.startswith("# "))
    weight = {name: int(value) for name, value in rows}
    return Weights(weight, weight.pop("#constant"), weight.pop("#rather"), weight.pop("#much"))
