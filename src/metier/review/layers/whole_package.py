"""What no file gives away alone: findings on the parts of a package together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.review.matching.findings import finding
from metier.review.matching.re2 import compile_pattern, matches
from metier.review.rules.exfiltration.unknown_hosts import meets_stranger
from metier.review.rules.shared_patterns import KEY_FILE, UPLOAD
from metier.review.rules.weak_signals import ACCOUNT_KEY, ACTS, ENOUGH, MAKERS_KEY, NO_NETWORK, ONLY_READS, SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.review.matching.re2 import Match
    from metier.review.text.views import ReviewedText
    from metier.types import Finding

MOST = 256 * 1024
"""Characters of a file that are looked at here; what is longer was looked at alone."""
HEAD = 4000
"""Bytes of a document in which its list of rights stands."""


def combined_findings(sources: Sequence[ReviewedText]) -> Iterator[Finding]:
    """Findings on a package as a whole; the document comes first."""
    scripts = [one for one in sources if one.script and one.size <= MOST]
    if not scripts:
        return
    yield from _keys_and_network([one for one in sources if one.size <= MOST], scripts)
    yield from _said_otherwise(sources[0], scripts)
    yield from _many_signs(scripts)


def _keys_and_network(sources: Sequence[ReviewedText], scripts: Sequence[ReviewedText]) -> Iterator[Finding]:
    """One file knows where keys lie, another talks to a host that nobody has told of."""
    if not any(True for one in scripts for _ in meets_stranger(one)):
        return
    for keeper in sources:
        found = compile_pattern(KEY_FILE).search(keeper.plain.data) or _foreign_keys(keeper)
        if found:
            yield finding(keeper, "keys-and-network", keeper.plain.origin(found.start(), found.end()))
            return


def _foreign_keys(source: ReviewedText) -> Match | None:
    """The keys of several makers, or of an account, in one program; one that needs a key needs its own."""
    if not source.script:
        return None
    names = {match.group(1) for match in compile_pattern(MAKERS_KEY).finditer(source.plain.data)}
    pattern = MAKERS_KEY if len(names) > 1 else ACCOUNT_KEY
    return compile_pattern(pattern).search(source.plain.data)


def _said_otherwise(document: ReviewedText, scripts: Sequence[ReviewedText]) -> Iterator[Finding]:
    """The document says that nothing leaves or is only read, and a program does more."""
    said = compile_pattern(NO_NETWORK).search(document.plain.data)
    if said and any(matches(UPLOAD, one.plain.text) and any(meets_stranger(one)) for one in scripts):
        yield finding(document, "says-otherwise", document.plain.origin(said.start(), said.end()))
        return
    rights = compile_pattern(ONLY_READS).search(document.raw.data[:HEAD])
    if rights and any(matches(ACTS, one.plain.text) for one in scripts):
        yield finding(document, "says-otherwise", document.raw.origin(rights.start(), rights.end()))


def _many_signs(scripts: Sequence[ReviewedText]) -> Iterator[Finding]:
    """Many small signs in the programs of a package are one large one."""
    for script in scripts:
        found = [name for name, pattern in SIGNS.items() if compile_pattern(pattern).search(script.plain.data)]
        if len(found) >= ENOUGH:
            told = finding(script, "many-signs", (0, 1))
            yield replace(told, reason=f"{told.reason} Here: {', '.join(found)}.")
            return
