"""Make a finding of a rule and a span: the line, the excerpt, the words for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.review.rules.catalogue import explain
from metier.types import Finding

if TYPE_CHECKING:
    from metier.review.rules.rule import Rule
    from metier.review.text.views import ReviewedText

EXCERPT = 240
"""Characters of a finding's excerpt, at most."""
_ENCODED = " It is written where a reader does not see it, or in an encoded form."


def finding(source: ReviewedText, rule: Rule | str, span: tuple[int, int], *, hidden: bool = False) -> Finding:
    """A finding at a span of a file; one that a reader does not see is as bad as it gets."""
    told = explain(rule) if isinstance(rule, str) else rule
    start, end = span
    return Finding(
        rule=told.id,
        tag=told.tag,
        severity="critical" if hidden and told.severity == "high" else told.severity,
        reason=told.reason + (_ENCODED if hidden else ""),
        fix=told.fix,
        file=source.path,
        line=source.text.count("\n", 0, start) + 1 if end else 0,
        span=span,
        excerpt=excerpt(source.text, start, end) if end else "",
    )


def excerpt(text: str, start: int, end: int) -> str:
    """The lines around a span, cut to a length that fits a report."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", max(start, end - 1))
    last = len(text) if last < 0 else last
    if last - first <= EXCERPT:
        return text[first:last].strip()
    first = max(first, start - 40)
    cut = text[first : min(last, first + EXCERPT)].strip()
    return cut if first + EXCERPT >= last else cut + "…"
