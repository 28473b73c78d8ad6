"""The secrets layer: what the redactor would take out of a run may not stand in a skill."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from metier.redaction.engine import Redactor
from metier.review.rules.catalogue import finding
from metier.review.text.file_kinds import sources

if TYPE_CHECKING:
    from metier.review.text.views import ReviewedText
    from metier.skills.package import Package
    from metier.types import Finding

_LOOSE = (
    *("assigned-value", "assigned-secret", "url-password", "authorization", "bearer-token", "generic-secret"),
    *("option-secret", "stated-secret", "named-value", "jwt", "password-field"),
)
"""Rules that go by the words around a value: in somebody else's documentation they often meet an example."""


@cache
def _redactor() -> Redactor:
    """Marks in excerpts carry no key of a workspace: they only have to hide the value."""
    return Redactor(b"review")


def secret_findings(package: Package, *, learned: bool = False) -> list[Finding]:
    """Every secret in the texts of a package; in what was learned, the doubtful ones count in full too."""
    return [one for source in sources(package) for one in _of_source(source, learned=learned)]


def without_secrets(found: Finding) -> Finding:
    """A finding whose excerpt shows no secret."""
    return replace(found, excerpt=_redactor().redact(found.excerpt)) if found.excerpt else found


def _of_source(source: ReviewedText, *, learned: bool) -> list[Finding]:
    found: list[Finding] = []
    for hit in _redactor().find(source.text):
        one = finding(source, f"secret-{hit.rule}", (hit.start, hit.end))
        severity = "medium" if hit.rule in _LOOSE and not learned else one.severity
        what = f"A secret stands in the package ({hit.rule.replace('-', ' ')})."
        found.append(replace(one, rule=f"secret-{hit.rule}", severity=severity, reason=what))
    return found
