"""Which edit brought what: every line that training added, with the step it came from and what it is worth."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from metier.skills.document.lines import lines_of
from metier.skills.document.regions import scan
from metier.statistics.intervals import paired_interval
from metier.training.gates.effects import LEVEL
from metier.training.proposing.prompt import document_of
from metier.training.proposing.proposals import dump
from metier.training.result import JudgedChange, LineWorth, UnjudgedChange
from metier.training.state import ACCEPTED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.skills.document.lines import DocumentLine
    from metier.skills.package import Package
    from metier.training.proposing.proposals import ProposedChange
    from metier.training.result import StepRecord
    from metier.training.state import RunState


def attribute_lines(start: Package, state: RunState) -> tuple[LineWorth, ...]:
    """The added lines of the best skill in their order; one that no edit holds came of a rewrite."""
    lines = added_lines(document_of(start), document_of(state.best))
    return tuple(_brought(line.bare.strip(), state.steps) for line in lines)


def added_lines(before: str, after: str) -> tuple[DocumentLine, ...]:
    """Lines of text that came in: no headings, no code, nothing of the frontmatter or of a protected region."""
    old, new = lines_of(before).lines, lines_of(after).lines
    regions = scan(after)
    matcher = SequenceMatcher(None, [line.bare for line in old], [line.bare for line in new], autojunk=False)
    fresh = {at for what, _, _, c, d in matcher.get_opcodes() if what != "equal" for at in range(c, d)}
    found: list[DocumentLine] = []
    place = 0
    for at, line in enumerate(new):
        if at in fresh and line.kind == "text" and not regions.touches(place, place + len(line.text)):
            found.append(line)
        place += len(line.text)
    return tuple(found)


def _brought(text: str, steps: tuple[StepRecord, ...]) -> LineWorth:
    """The last accepted edit that holds a line, and what is known of its worth."""
    for step in reversed(steps):
        outcome = step.outcome
        if not isinstance(outcome, JudgedChange) or outcome.decision.action not in ACCEPTED:
            continue
        found = _screened(text, step.step, outcome) if outcome.effects else _together(text, step, outcome)
        if found:
            return found
    return _waited(text, steps)


def _waited(text: str, steps: tuple[StepRecord, ...]) -> LineWorth:
    """The edit that holds a line and waited for others, with which it was judged as one; if there is any."""
    for step in steps:
        if isinstance(step.outcome, UnjudgedChange) and step.outcome.waits:
            edit = next((edit for edit in step.edits if _holds(edit, text)), None)
            if edit:
                return LineWorth(line=text, step=step.step, op=_op(edit))
    return LineWorth(line=text)


def _screened(text: str, step: int, outcome: JudgedChange) -> LineWorth | None:
    """The edit's own effect, as near to the figure to quote as its interval lets it be."""
    one = next((one for one in outcome.effects if one.kept and _holds(one.edit, text)), None)
    if one is None:
        return None
    effect = min(max(one.shrunk, one.interval.low), one.interval.high)
    return LineWorth(line=text, step=step, op=_op(one.edit), how="screened", effect=effect, interval=one.interval)


def _together(text: str, step: StepRecord, outcome: JudgedChange) -> LineWorth | None:
    """The step's effect, which its edits share."""
    made = tuple(_made(step))
    edit = next((edit for edit in made if _holds(edit, text)), None)
    if edit is None:
        return None
    deltas = [delta for _, delta in outcome.decision.deltas]
    return LineWorth(
        line=text,
        step=step.step,
        op=_op(edit),
        how="together",
        effect=sum(deltas) / len(deltas) if deltas else None,
        interval=paired_interval(deltas, LEVEL) if deltas else None,
        others=len(made) - 1,
    )


def _made(step: StepRecord) -> Iterable[ProposedChange]:
    """The edits that are in the candidate."""
    if not step.reports:
        return step.edits
    return (edit for edit, report in zip(step.edits, step.reports, strict=True) if report.applied)


def _holds(edit: ProposedChange, text: str) -> bool:
    fields = dump(edit)
    content = str(fields.get("content") or fields.get("new_skill") or "")
    return text in (line.strip() for line in content.splitlines())


def _op(edit: ProposedChange) -> str:
    return str(dump(edit).get("op") or "rewrite")
