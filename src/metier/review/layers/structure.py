"""The structure layer: the standard for skills, and for drafts that all their parts fit together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from metier.review.rules.catalogue import finding
from metier.review.text.views import ReviewedText
from metier.skills.names import lookalike_key
from metier.skills.validation import validate
from metier.types import Draft, DraftKind, DraftType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from metier.skills.package import Package
    from metier.types import Finding

_BOMBS = ("yaml-alias", "yaml-too-deep", "yaml-too-large", "frontmatter-too-large")
"""Problems that cost a reader time or memory; the others only keep a skill from being loaded."""
_TAG = "AST04"


def package_findings(package: Package, folder: str | None = None) -> list[Finding]:
    """What keeps somebody else's package from being loaded; it is no danger by itself, unless it is a bomb."""
    found = validate(package, level="lenient", folder=folder).findings
    return [
        replace(one, tag=_TAG, severity=one.severity if one.rule in _BOMBS or one.severity != "high" else "medium")
        for one in found
    ]


def draft_findings(draft: Draft, package: Package, before: Package | None, existing: Iterable[str]) -> list[Finding]:
    """What is wrong with a draft as such; what Metier itself writes keeps the standard to the letter."""
    level = "strict" if before is None else "lenient"
    found = [replace(one, tag=_TAG) for one in validate(package, level=level).findings]
    return [*found, *_parts(draft, before), *_name(draft, package, existing)]


def _parts(draft: Draft, before: Package | None) -> Iterator[Finding]:
    if draft.kind not in get_args(DraftKind) or draft.type not in get_args(DraftType):
        yield _about("draft-kind-unknown", f"A {draft.kind!r} of type {draft.type!r} is nothing that is known.")
    for part in ("target", "summary", "body"):
        if not str(getattr(draft, part)).strip():
            yield _about("draft-incomplete", f"The draft has no {part}.")
    if draft.kind != "create" and before is None:
        yield _about("draft-incomplete", f"The draft is to {draft.kind}, but the skill it changes is not there.")


def _name(draft: Draft, package: Package, existing: Iterable[str]) -> Iterator[Finding]:
    if package.name != draft.target:
        what = f"The draft is for {draft.target!r}, its document says {package.name!r}."
        yield _about("target-mismatch", what)
    if draft.kind == "create":
        alike = next((name for name in existing if lookalike_key(name) == lookalike_key(draft.target)), None)
        if alike is not None:
            yield _about("name-confusable", f"{draft.target!r} can be taken for {alike!r}, which exists.")


def _about(rule: str, reason: str) -> Finding:
    return replace(finding(ReviewedText("SKILL.md", ""), rule, (0, 0)), reason=reason)
