"""Reviews as SARIF 2.1.0, which code hosts show next to the lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from metier.review.rules.catalogue import TAGS, explain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.types import Finding, Severity
    from metier.types.reviews import Review

Level = Literal["error", "warning", "note"]
_LEVELS: dict[Severity, Level] = {
    "critical": "error",
    "high": "error",
    "medium": "warning",
    "low": "note",
    "info": "note",
}
_SCORES: dict[Severity, str] = {"critical": "9.5", "high": "8.0", "medium": "5.0", "low": "2.0", "info": "0.0"}


def sarif(reviews: Iterable[tuple[str, Review]], *, version: str) -> dict[str, object]:
    """One run of the tool over packages, each named by the path of its folder."""
    results = [(path, one) for path, review in reviews for one in review.findings]
    rules = sorted({one.rule for _, one in results})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {"name": "metier", "version": version, "rules": [_rule(rule) for rule in rules]},
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(path, one, rules.index(one.rule)) for path, one in results],
            }
        ],
    }


def _rule(rule: str) -> dict[str, object]:
    told = explain(rule)
    return {
        "id": rule,
        "shortDescription": {"text": told.reason},
        "help": {"text": told.fix},
        "defaultConfiguration": {"level": _LEVELS[told.severity]},
        "properties": {
            "tags": ["security", told.tag, TAGS[told.tag]],
            "security-severity": _SCORES[told.severity],
        },
    }


def _result(path: str, one: Finding, index: int) -> dict[str, object]:
    physical: dict[str, object] = {"artifactLocation": {"uri": _uri(path, one.file)}}
    if one.line:
        start, end = one.span
        region: dict[str, object] = {"startLine": one.line, "snippet": {"text": one.excerpt}}
        if end > start:
            region |= {"charOffset": start, "charLength": end - start}
        physical["region"] = region
    return {
        "ruleId": one.rule,
        "ruleIndex": index,
        "level": _LEVELS[one.severity],
        "message": {"text": f"{one.reason} {one.fix}".strip()},
        "locations": [{"physicalLocation": physical}],
    }


def _uri(path: str, file: str) -> str:
    from urllib.parse import quote

    return quote("/".join(part for part in (path.rstrip("/"), file) if part))
