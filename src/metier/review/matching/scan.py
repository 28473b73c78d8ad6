"""Run the content rules over a file: every rule sees the raw text, the text without disguises, and what is encoded."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from metier.review.matching.findings import finding
from metier.review.matching.prefilter import Prefilter
from metier.review.matching.re2 import TooManyMatchesError, compile_pattern, match_spans, matches, places
from metier.review.rules.sentence_rule import Framed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from metier.review.rules.rule import Analyse, Rule
    from metier.review.text.views import ReviewedText, View
    from metier.types import Finding

MAX_TEXT = 4 * 1024 * 1024
"""Characters of one file that are looked at; no text of a skill is longer, and more would cost too much time."""
ENOUGH = 40
"""Harmful matches of one pattern in one view after which it is not searched on."""
EXCUSES = 300
"""Matches of one pattern whose surroundings are looked at; a text that needs more excuses is not excused."""
SHOWN = 3
"""Findings of one rule in one file that are shown; a person who mends these will run the review again."""


def scan(source: ReviewedText, rules: Iterable[Rule]) -> list[Finding]:
    """The findings of all rules in one file."""
    if source.size > MAX_TEXT:
        what = f"The file has {source.size:,} characters; up to {MAX_TEXT:,} are looked at."
        return [replace(finding(source, "scan-limit", (0, 0)), reason=what)]
    results: list[Finding] = []
    rules = tuple(rules)
    sifted = _Sifted(_sieve(rules))
    for rule in rules:
        if (rule.place == "script" and not source.script) or sifted.rules_out(rule, source):
            continue
        try:
            results += _of_rule(source, rule, sifted)
        except TooManyMatchesError:
            what = f"The text matches the rule {rule.id} more often than can be looked at."
            results.append(replace(finding(source, "scan-limit", (0, 0)), reason=what))
    return results


class _Sifted:
    """The patterns each view of a file may match, looked up once."""

    def __init__(self, sieve: Prefilter) -> None:
        self._sieve = sieve
        self._known: dict[bytes, frozenset[str]] = {}
        self._anywhere: set[str] | None = None

    def rules_out(self, rule: Rule, source: ReviewedText) -> bool:
        """Whether no view of a file can match a rule."""
        if rule.analyse and not isinstance(rule.analyse, Framed):
            return False
        found = self._look(source)
        if rule.analyse and not found.isdisjoint(rule.analyse.anchors):
            return False
        return not self.may_match(rule, source)

    def may_match(self, rule: Rule, source: ReviewedText) -> bool:
        """Whether the patterns of a rule may match any view of a file."""
        found = self._look(source)
        return not found.isdisjoint(rule.patterns) or (bool(rule.together) and found.issuperset(rule.together))

    def analysed(self, analyse: Analyse, source: ReviewedText) -> Iterator[tuple[int, int]]:
        """What a rule's own look finds; of meanings, only those are looked for that can be there."""
        return analyse.among(source, self._look(source)) if isinstance(analyse, Framed) else analyse(source)

    def _look(self, source: ReviewedText) -> set[str]:
        """The patterns that any view of a file may match."""
        if self._anywhere is not None:
            return self._anywhere
        self._anywhere = set[str]()
        spoken = [view for view, _ in source.spoken]
        for view in (source.raw, *source.commands, source.flowed, *source.decoded, *spoken):
            self._anywhere |= self._possible(view)
        return self._anywhere

    def may(self, patterns: Iterable[str], view: View) -> list[str]:
        """Those of the patterns that are worth searching for."""
        known = self._possible(view)
        return [pattern for pattern in patterns if pattern in known]

    def _possible(self, view: View) -> frozenset[str]:
        if view.data not in self._known:
            self._known[view.data] = self._sieve.possible(view.data)
        return self._known[view.data]


@lru_cache(maxsize=256)
def _sieve(rules: tuple[Rule, ...]) -> Prefilter:
    anchors = (one for rule in rules if isinstance(rule.analyse, Framed) for one in rule.analyse.anchors)
    return Prefilter([*(pattern for rule in rules for pattern in (*rule.patterns, *rule.together)), *anchors])


def _of_rule(source: ReviewedText, rule: Rule, sifted: _Sifted) -> list[Finding]:
    spans: dict[tuple[int, int], bool] = {}
    if rule.analyse:
        spans.update(dict.fromkeys(sifted.analysed(rule.analyse, source), False))
    for view in _views(source, rule) if sifted.may_match(rule, source) else ():
        for start, end in _hits(rule, view, sifted):
            spans.setdefault(view.origin(start, end), view.span is not None)
    kept = _apart(sorted(spans))[:SHOWN]
    return [finding(source, rule, span, hidden=spans[span]) for span in kept]


def _views(source: ReviewedText, rule: Rule) -> Iterator[View]:
    if rule.style != "encoded":
        yield source.raw
        for view in source.commands if rule.style == "command" else (source.plain,):
            if view is not source.raw:
                yield view
        if rule.style == "prose" and source.flowed is not source.plain:
            yield source.flowed
    yield from source.decoded


def _hits(rule: Rule, view: View, sifted: _Sifted) -> Iterator[tuple[int, int]]:
    for pattern in sifted.may(rule.patterns, view):
        yield from _harmful(rule, view, match_spans(pattern, view.data))
    if rule.together and len(sifted.may(rule.together, view)) == len(rule.together):
        yield from _harmful(rule, view, near(rule, view))


def _harmful(rule: Rule, view: View, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans that the words around them do not excuse: a few are enough, and so many excuses are none."""
    kept = 0
    for count, span in enumerate(spans):
        if count < EXCUSES and _harmless(rule, view, span):
            continue
        yield span
        kept += 1
        if kept == ENOUGH:
            return


def near(rule: Rule, view: View) -> Iterator[tuple[int, int]]:
    """Spans that reach over one match of each of the patterns, none further than `within` from the first."""
    if not all(compile_pattern(pattern).search(view.data) for pattern in rule.together):
        return
    all_places = [places(pattern, view.data) for pattern in rule.together]
    for start, end in all_places[0]:
        close = [_closest(spans, start, end, rule.within) for spans in all_places[1:]]
        parts = [span for span in close if span]
        if len(parts) == len(close):
            yield min(start, *(a for a, _ in parts)), max(end, *(b for _, b in parts))


def _closest(spans: Sequence[tuple[int, int]], start: int, end: int, within: int) -> tuple[int, int] | None:
    """A span that begins or ends within reach of another; both lists are in order, so two neighbours are enough."""
    at = bisect_left(spans, (start, start))
    for index in (at, at - 1):
        if 0 <= index < len(spans):
            first, last = spans[index]
            if first - end <= within and start - last <= within:
                return spans[index]
    return None


def _harmless(rule: Rule, view: View, span: tuple[int, int]) -> bool:
    """Whether the words around a match, or the hosts in it, give it another meaning."""
    if rule.known:
        inside = view.data[span[0] : span[1]]
        return 0 < inside.count(b"://") <= len(places(rule.known, inside))
    if not rule.unless:
        return False
    window = view.data[max(0, span[0] - rule.around) : span[1] + rule.around]
    text = window.decode("utf-8", "ignore")
    return all(matches(pattern, text) for pattern in rule.unless)


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of which none begins inside the one before."""
    kept: list[tuple[int, int]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept
