"""Hold the rules against a file: as prose, as commands, as what nobody sees, and as what is encoded in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from metier.review.matching.context import Surroundings
from metier.review.matching.likeness import LIKE, alike
from metier.review.matching.looks import LOOKS
from metier.review.matching.passages import Passages
from metier.review.matching.re2 import Prefilter
from metier.review.rules.catalogue import finding
from metier.review.rules.rule import WEAK
from metier.review.text.views import ReviewedText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from metier.review.matching.hosts import Acquaintance
    from metier.review.rules.rule import File, Reading, Rule, Way
    from metier.review.text.views import View
    from metier.types import Finding

MAX_TEXT = 4 * 1024 * 1024
"""Characters of one file that are looked at; no text of a skill is longer, and more would cost too much time."""
TRIED = 2000
"""Places of one way in one text that are looked at; an attack stands among the first, or the text is no skill."""
SHOWN = 3
"""Findings of one rule in one file that are shown; a person who mends these will run the review again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One place where a rule applies."""

    rule: Rule
    source: ReviewedText
    span: tuple[int, int]
    """Characters of the file."""
    share: float = 1.0
    """How much of the rule's weight counts here."""
    hidden: bool = False
    """Whether it was seen only after decoding."""
    way: Way | None = None
    """The way of the rule that found it; None: a look of its own."""

    @property
    def weight(self) -> float:
        """How much it counts as evidence of an attack."""
        return (min(self.rule.weight, WEAK) if self.is_weak else self.rule.weight) * self.share

    @property
    def is_weak(self) -> bool:
        """Whether it never blocks alone."""
        return self.way is not None and self.way.weak

    @property
    def finding(self) -> Finding:
        """It in the words for a person; weak, or shown as an example, it is half as bad."""
        told = finding(self.source, self.rule, self.span, hidden=self.hidden)
        is_less = (self.share < 1 or self.is_weak) and told.severity in ("high", "critical")
        return replace(told, severity="medium") if is_less else told


class Scan:
    """Rules, ready to be held against the files of one package."""

    def __init__(self, rules: Iterable[Rule], hosts: Acquaintance, *, on_security: bool = False) -> None:
        self._rules = tuple(rules)
        self._hosts = hosts
        self._on_security = on_security
        self._sieve = _sieve(self._rules)

    def look(self, source: ReviewedText) -> list[Evidence]:
        """Where the rules apply in a file, a few places of each."""
        found: dict[tuple[str, tuple[int, int]], Evidence] = {}
        for one in (*self._looks(source), *self._alike(source)):
            found[one.rule.id, one.span] = one
        for kinds, view, hidden in _readings(source):
            passages = Passages(view, self._sieve.possible(view.data), self._hosts)
            around = None if hidden else self._around(view, source, prose="prose" in kinds)
            for rule in [one for one in self._rules if _is_for(one, source)]:
                for one in self._of_rule(rule, kinds, source, passages, around):
                    known = found.get((rule.id, one.span))
                    found[rule.id, one.span] = one if known is None or known.weight < one.weight else known
        return _few(found.values())

    def _looks(self, source: ReviewedText) -> Iterator[Evidence]:
        """What rules find that look at a file by other means than words."""
        for rule in [one for one in self._rules if one.look in LOOKS and _is_for(one, source)]:
            for span in LOOKS[rule.look](source):
                yield Evidence(rule=rule, source=source, span=span)

    def _alike(self, source: ReviewedText) -> Iterator[Evidence]:
        """Passages that read like attacks; named as something bad by what leads in to them, they count less."""
        by_look = {rule.look: rule for rule in self._rules if rule.look}
        around: dict[int, Surroundings] = {}
        for part, (much, rather) in LIKE.items():
            for one, is_much in alike(source, part) if much in by_look else ():
                known = around.setdefault(id(one.view), self._around(one.view, source, prose=part == "orders"))
                share = known.share_of_passage(*one.bytes)
                span = one.view.place(one.start), one.view.place(one.end)
                yield Evidence(rule=by_look[much if is_much else rather], source=source, span=span, share=share)

    def _around(self, view: View, source: ReviewedText, *, prose: bool) -> Surroundings:
        return Surroundings(view, script=source.script, on_security=self._on_security, prose=prose)

    def look_at_description(self, text: str) -> list[Evidence]:
        """Where the rules on descriptions apply."""
        source = ReviewedText("description", text)
        passages = Passages(source.raw, self._sieve.possible(source.raw.data), self._hosts)
        around = self._around(source.raw, source, prose=False)
        return _few(
            one for rule in self._rules for one in self._of_rule(rule, ("description",), source, passages, around)
        )

    def look_at_all(self, sources: Sequence[ReviewedText]) -> list[Evidence]:
        """Where the files of a package show together what none shows alone."""
        ways = [(rule, way) for rule in self._rules for way in rule.ways if way.within == "package"]
        if not any(source.script for source in sources):
            return []
        found = (
            (rule, [self._first(part, file, sources) for part, file in zip(way.all, way.files, strict=True)])
            for rule, way in ways
        )
        return [
            Evidence(rule=rule, source=parts[0][0], span=parts[0][1])
            for rule, parts in found
            if parts[0] is not None and all(part is not None for part in parts)
        ]

    def _first(
        self, part: str, file: File, sources: Sequence[ReviewedText]
    ) -> tuple[ReviewedText, tuple[int, int]] | None:
        """The first place of a part in the files of a kind."""
        for source in sources:
            if file == "any" or source.script == (file == "script"):
                view = source.plain
                spans = Passages(view, frozenset(), self._hosts).spans(part)
                if spans:
                    return source, view.origin(*spans[0])
        return None

    def _of_rule(
        self,
        rule: Rule,
        kinds: tuple[Reading, ...],
        source: ReviewedText,
        passages: Passages,
        around: Surroundings | None,
    ) -> Iterator[Evidence]:
        for way, needed in _ways(rule, kinds):
            if needed <= passages.possible:
                yield from self._of_way(rule, way, source, passages, around)

    def _of_way(
        self, rule: Rule, way: Way, source: ReviewedText, passages: Passages, around: Surroundings | None
    ) -> Iterator[Evidence]:
        view, kept = passages.view, 0
        for place in islice(passages.places(way), TRIED):
            excused = around if rule.excusable and way.excusable else None
            share = excused.share(place.first, place.end, place.left, place.right) if excused else 1.0
            if share > 0:
                kept += 1
                span = view.origin(place.start, place.end)
                hidden = around is None
                yield Evidence(rule=rule, source=source, span=span, share=share, hidden=hidden, way=way)
            if kept == SHOWN:
                return


def _is_for(rule: Rule, source: ReviewedText) -> bool:
    return rule.file == "any" or source.script == (rule.file == "script")


def _readings(source: ReviewedText) -> Iterator[tuple[tuple[Reading, ...], View, bool]]:
    """The views of a file, what each is read as, and whether it is hidden from a reader."""
    if not source.script:
        yield ("prose",), source.spoken, False
    for view in source.commands:
        yield ("commands",), view, False
    if source.decoded:
        yield ("encoded", "prose", "commands"), source.decoded, True
    if source.is_page and source.unseen:
        yield ("unseen", "prose", "commands"), source.unseen, True


def _few(found: Iterable[Evidence]) -> list[Evidence]:
    """The first places of each rule, of which none begins inside the one before."""
    kept: dict[str, list[Evidence]] = {}
    for one in sorted(found, key=lambda one: (one.span, -one.weight)):
        mine = kept.setdefault(one.rule.id, [])
        if len(mine) < SHOWN and (not mine or one.span[0] >= mine[-1].span[1]):
            mine.append(one)
        elif mine and one.weight > mine[-1].weight:
            mine[-1] = replace(mine[-1], share=one.share, hidden=one.hidden, way=one.way)
    return [one for each in kept.values() for one in each]


@lru_cache(maxsize=1024)
def _ways(rule: Rule, kinds: tuple[Reading, ...]) -> tuple[tuple[Way, frozenset[str]], ...]:
    """The ways of a rule that look at one file, each with the patterns without which it cannot apply."""
    return tuple(
        (way, frozenset(part for part in way.all if not part.startswith("@")))
        for way in rule.ways_for(kinds)
        if way.within != "package"
    )


@lru_cache(maxsize=8)
def _sieve(rules: tuple[Rule, ...]) -> Prefilter:
    return Prefilter(part for rule in rules for way in rule.ways for part in way.all if not part.startswith("@"))
