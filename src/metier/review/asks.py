"""The second answer of review: what a package asks to be allowed to do, once and in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.review.capabilities import Host, SecretName
from metier.review.matching.hosts import hosts_of
from metier.review.rules.catalogue import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.review.capabilities import Addition
    from metier.types import Finding


def asks_of(findings: Iterable[Finding], additions: Iterable[Addition]) -> tuple[str, ...]:
    """What a person should know before a yes: what the rules found that is no attack, and new hosts and keys."""
    told = [words for one in findings if (words := _words(one))]
    new = [one.words for one in additions if isinstance(one.capability, (Host, SecretName))]
    return tuple(dict.fromkeys((*told, *new)))


def is_ask(finding: Finding) -> bool:
    """Whether a finding is a request, and no sign of an attack."""
    rule = all_rules().get(finding.rule)
    return rule is not None and bool(rule.asks)


def _words(finding: Finding) -> str:
    rule = all_rules().get(finding.rule)
    if rule is None or not rule.asks:
        return ""
    host = next((name for _, _, name in hosts_of(finding.excerpt.encode("utf-8", "replace"))), "the network")
    return rule.asks.replace("{host}", host)
