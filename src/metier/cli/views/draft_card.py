"""One draft on a card: what it would do, what taught it, what would change, what review found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.cli.output import visible
from metier.cli.views.diff import page
from metier.cli.views.drafts import state
from metier.skills.diff import changes
from metier.skills.package import Package

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from metier.learning.trace import Origin
    from metier.library.proposals.drafts import ComposedDraft
    from metier.types import Draft, Finding

QUOTES = 3
"""Runs that are quoted."""
QUOTE = 160
"""Characters of a quote."""
LINES = 60
"""Lines of the change that are shown."""
WHAT = {
    "create": "a new skill",
    "append": "lines at the end of a skill",
    "replace": "another text of a skill",
    "merge": "a change of a skill",
}
COLOURS = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "cyan", "info": "dim"}


def card(draft: Draft, taught: Origin, change: ComposedDraft, allows: Sequence[str]) -> Iterator[RenderableType]:
    """The lines of a draft's card."""
    yield visible(f"{WHAT[draft.kind]}: {draft.target}  ({draft.id}, {state(draft)})")
    yield visible(f"  {draft.summary}")
    yield from _evidence(draft, taught)
    yield visible(f"  where: {change.found.folder}")
    yield from _change(draft, change)
    yield from (visible(f"  newly allows: {words}") for words in allows)
    for finding in draft.findings:
        yield from _finding(finding)
    if draft.objection:
        yield _objection(draft)


def _objection(draft: Draft) -> RenderableType:
    """What a gate measured against it."""
    from rich.text import Text

    return Text(visible(f"  ✗ rejected by its gate: {draft.objection}"), style=COLOURS["high"])


def written_words(model: str) -> str:
    """Which model wrote a text; empty: none is known."""
    return "" if not model else "; written without a model" if model == "heuristic" else f"; written by {model}"


def _evidence(draft: Draft, taught: Origin) -> Iterator[str]:
    """Where it comes from, with the person's own words."""
    runs = len(draft.provenance.runs)
    if not runs:
        return
    ratio = f"; {taught.pattern.success_ratio:.0%} of such runs succeeded" if taught.pattern else ""
    by = written_words(draft.provenance.model)
    yield visible(f"  learned from {runs} run{'' if runs == 1 else 's'}{ratio}{by}")
    for record in taught.records[-QUOTES:]:
        said = " ".join(record.run.message.split())
        yield visible(f"    you said (run {record.id[:8]}): {said[:QUOTE]}{'…' if len(said) > QUOTE else ''}")


def _change(draft: Draft, change: ComposedDraft) -> Iterator[RenderableType]:
    """The difference that it would make, the beginning of it if it is long."""
    lines = list(page(changes(change.before or Package(files={}), change.after), ("now", "draft"), two=False))
    yield from lines[:LINES]
    if len(lines) > LINES:
        yield f"  … {len(lines) - LINES} more lines: metier drafts diff {draft.id}"


def _finding(finding: Finding) -> Iterator[RenderableType]:
    """What review found, in its words."""
    from rich.text import Text

    where = f" ({finding.file}:{finding.line})" if finding.line else f" ({finding.file})" if finding.file else ""
    yield Text.assemble(
        "  review, ", (finding.severity, COLOURS[finding.severity]), visible(f": {finding.reason}{where}")
    )
    for line in (f"│ {finding.excerpt}" if finding.excerpt else "", finding.fix):
        if line:
            yield Text(visible(f"    {line}"), style="dim")
