"""The content layer: the rules over every text of a package, also those inside archives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.errors import InputError
from metier.review.layers.whole_package import combined_findings
from metier.review.matching.findings import finding
from metier.review.matching.scan import scan
from metier.review.rules.catalogue import CONTENT
from metier.review.text.file_kinds import kind_of, source_of, sources, text_of
from metier.review.text.views import ReviewedText
from metier.skills.archives.reader import ArchiveLimits, read_archive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.skills.package import Package
    from metier.types import Finding

LIMITS = ArchiveLimits(small=64 * 1024, all_tars=True)
"""For archives inside a package: any form is read, and small ones may grow less than those a person brings."""
_TEXT = tuple(rule for rule in CONTENT if rule.place != "description")
_DESCRIPTION = tuple(rule for rule in CONTENT if rule.place == "description")


def content_findings(package: Package) -> list[Finding]:
    """What the content of a package gives away."""
    found: list[Finding] = []
    texts = tuple(sources(package))
    for source in texts:
        found += scan(source, _TEXT)
    found += combined_findings(texts)
    found += _of_description(package)
    about = text_of(package.document)
    for path, content in sorted(package.files.items()):
        found += _of_opaque(path, content, about)
    return found


def _of_description(package: Package) -> Iterator[Finding]:
    entry = package.frontmatter.entry("description")
    if entry is None or not package.description:
        return
    start, end = (len(package.document[:at].decode("utf-8", "replace")) for at in entry.span)
    for one in scan(ReviewedText(package.skill_file or "SKILL.md", package.description), _DESCRIPTION):
        yield replace(one, line=entry.line, span=(start, max(end, start + 1)))


def _of_opaque(path: str, content: bytes, about: str) -> Iterator[Finding]:
    kind = kind_of(path, content)
    whole = ReviewedText(path, "")
    if kind == "program":
        yield finding(whole, "binary-program", (0, 0))
    if kind != "archive":
        return
    try:
        members = read_archive(content, LIMITS) if content else ()
    except InputError as error:
        yield replace(finding(whole, "archive-unsafe", (0, 0)), reason=f"{path}: {error}")
        return
    yield finding(whole, "archive", (0, 0))
    for name, part, _ in members:
        if kind_of(name, part) == "text":
            yield from scan(source_of(f"{path}/{name}", part, about), _TEXT)
        elif kind_of(name, part) == "program":
            yield finding(ReviewedText(f"{path}/{name}", ""), "binary-program", (0, 0))
