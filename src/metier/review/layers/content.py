"""The content layer: is it hostile? Evidence from every text of a package, added up place by place."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.errors import InputError
from metier.review.matching.hosts import Acquaintance
from metier.review.matching.likeness import LIKE
from metier.review.matching.re2 import matches
from metier.review.matching.scan import MAX_TEXT, Evidence, Scan
from metier.review.rules.catalogue import content_rules, finding, words
from metier.review.rules.rule import BLOCKS
from metier.review.text.file_kinds import kind_of, source_of, sources, text_of
from metier.review.text.views import ReviewedText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from metier.skills.archives.reader import ArchiveMember
    from metier.skills.package import Package
    from metier.types import Finding

TOGETHER = 1500
"""Characters between findings that stand in one place."""
_KEPT = re.compile(r"((?:.*/)?)__pycache__/([^/.]+)\.[\w-]+(?:\.opt-\d)?\.pyc")
"""Where Python keeps the compiled form of a script: the folder and the name of the script."""
_PASSAGE = LIKE["orders"][1]
"""Where two passages apply, each says something of its own, so both count."""


def content_findings(package: Package) -> list[Finding]:
    """What the content of a package gives away."""
    return findings_of(content_evidence(package)) + [
        one for path, content in sorted(package.files.items()) for one in _of_opaque(path, content, package)
    ]


def content_evidence(package: Package) -> list[Evidence]:
    """Every place of a package where a rule applies."""
    texts = [*sources(package), *_packed(package)]
    small = [one for one in texts if one.size <= MAX_TEXT]
    about = f"{package.name} {package.description}"
    documents = [one.raw.data for one in small if one.is_page]
    hosts = Acquaintance([one.raw.data for one in small], documents)
    scan = Scan(content_rules(), hosts, on_security=matches(words()["security_skill"], about))
    found = [one for source in small for one in scan.look(source)]
    found += scan.look_at_all(small)
    found += _of_description(package, scan)
    return found


def findings_of(evidence: Sequence[Evidence]) -> list[Finding]:
    """Evidence in the words for a person; weak evidence that adds up in one place is a finding of its own."""
    alone = [one.finding for one in evidence]
    if any(one.weight >= BLOCKS for one in evidence):
        return alone
    heap = heaviest_heap(evidence)
    if together(heap) < BLOCKS:
        return alone
    first = min(heap, key=lambda one: one.span)
    added = finding(first.source, "adds-up", first.span)
    names = ", ".join(one.rule.id for one in heap)
    return [*alone, replace(added, reason=f"{added.reason} Here: {names}.")]


def heaviest_heap(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The evidence of one place that weighs most: each rule once, all of it within a short distance."""
    files: dict[str, list[Evidence]] = {}
    for one in sorted(evidence, key=lambda one: one.span):
        if one.weight > 0:
            files.setdefault(one.source.path, []).append(one)
    heaps = [_heap(found[at:]) for found in files.values() for at in range(len(found))]
    return max(heaps, key=together) if heaps else []


def together(heap: Iterable[Evidence]) -> float:
    """What the evidence of one place weighs; of what is shown as an example, however much, only the heaviest counts."""
    parts = [(one.share, one.weight) for one in heap]
    shown = max((weight for share, weight in parts if share < 1), default=0.0)
    return shown + sum(weight for share, weight in parts if share == 1)


def _heap(found: list[Evidence]) -> list[Evidence]:
    """The evidence near the first of some, the heaviest of each rule and of each word; of passages, two."""
    near: dict[str, list[Evidence]] = {}
    for one in found:
        if one.span[0] > found[0].span[0] + TOGETHER:
            break
        near.setdefault(one.rule.id, []).append(one)
    heaviest = [
        one
        for each in near.values()
        for one in sorted(each, key=lambda one: -one.weight)[: 2 if each[0].rule.look == _PASSAGE else 1]
    ]
    words: dict[tuple[int, int], Evidence] = {}
    for one in heaviest:
        known = words.get(one.span)
        words[one.span] = one if known is None or known.weight < one.weight else known
    return list(words.values())


def _of_description(package: Package, scan: Scan) -> Iterator[Evidence]:
    entry = package.frontmatter.entry("description")
    if entry is None or not package.description:
        return
    start, end = (len(package.document[:at].decode("utf-8", "replace")) for at in entry.span)
    document = next(iter(sources(package)))
    for one in scan.look_at_description(package.description):
        yield replace(one, source=document, span=(start, max(end, start + 1)))


def _packed(package: Package) -> Iterator[ReviewedText]:
    """The texts inside the archives of a package."""
    about = text_of(package.document)
    for path, content in sorted(package.files.items()):
        if kind_of(path, content) == "archive" and content:
            try:
                members = _members(content)
            except InputError:
                continue
            for name, part, _ in members:
                if kind_of(name, part) == "text":
                    yield source_of(f"{path}/{name}", part, about)


def _members(content: bytes) -> Sequence[ArchiveMember]:
    """What an archive in a package holds: any form is read; small ones may grow less than those a person brings."""
    from metier.skills.archives.reader import ArchiveLimits, read_archive

    return read_archive(content, ArchiveLimits(small=64 * 1024, all_tars=True))


def _has_source(path: str, package: Package) -> bool:
    """Whether a file is what Python keeps of a script that lies in the package, too."""
    kept = _KEPT.fullmatch(path)
    return kept is not None and f"{kept[1]}{kept[2]}.py" in package.files


def _of_opaque(path: str, content: bytes, package: Package) -> Iterator[Finding]:
    """What cannot be read as text: programs, archives, and texts that are too long."""
    kind = kind_of(path, content)
    whole = ReviewedText(path, "")
    if kind == "text" and len(content) > MAX_TEXT:
        what = f"The file has {len(content):,} bytes; up to {MAX_TEXT:,} are looked at."
        yield replace(finding(whole, "scan-limit", (0, 0)), reason=what)
    if kind == "program":
        yield finding(whole, "compiled-beside-source" if _has_source(path, package) else "binary-program", (0, 0))
    if kind != "archive":
        return
    try:
        members = _members(content) if content else ()
    except InputError as error:
        yield replace(finding(whole, "archive-unsafe", (0, 0)), reason=f"{path}: {error}")
        return
    yield finding(whole, "archive", (0, 0))
    for name, part, _ in members:
        if kind_of(name, part) == "program":
            yield finding(ReviewedText(f"{path}/{name}", ""), "binary-program", (0, 0))
