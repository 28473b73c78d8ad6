"""What a pass of learning did, as a page and as JSON."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from metier.cli.output import console, table, talk
from metier.cli.views.drafts import row, state
from metier.cli.views.lessons import line_of, problem_row
from metier.cli.views.lessons import row as lesson_row
from metier.library.proposals.drafts import drafts_as_stored
from metier.types.reviews import may_ship

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.text import Text

    from metier.types import Draft
    from metier.types.passes import Learned, Taken, Where
    from metier.types.skills import Version
    from metier.workspace import Workspace

ELSEWHERE: dict[Where, tuple[str, str]] = {
    "waits": ("doesn't yet", "don't yet"),
    "unknown": ("could not be judged yet", "could not be judged yet"),
    "rejected": ("was skipped", "were skipped"),
}
"""What to say about one run, and about several, that match no pattern."""
ORDER = ("formed", "joined", "waits", "unknown", "rejected")
WORDS = {
    "formed": "new pattern",
    "joined": "joined",
    "waits": "no pattern yet",
    "unknown": "not judged",
    "rejected": "skipped",
}
FEW = 5
"""Lessons that are shown."""
UNCUT = 100_000
"""Columns where no terminal limits a line."""
NAMED = 3
"""Patterns that are named where many share a failure."""


def document(ws: Workspace, learned: Learned, *, explain: bool) -> dict[str, object]:
    """A pass as JSON."""
    from metier.learning.stages.learn_lessons import external_ids

    life = learned.lifecycle
    names = external_ids(ws.context, learned.problems)
    made: dict[str, object] = {
        "evidence": learned.evidence,
        "rejected": [{"run": one.run, "reason": one.reason} for one in learned.rejected],
        "lifecycle": {"evaluated": life.evaluated, "transitioned": len(life.steps), "deleted": life.deleted},
        "patterns": {"new": len(learned.new), "extended": len(learned.extended)},
        "drafts": [row(one) for one in drafts_as_stored(ws.context, learned.drafts)],
        "applied": [_applied_document(one) for one in learned.applied],
        "lessons": [lesson_row(one) for one in learned.lessons],
        "problems": [problem_row(one, names[one.id]) for one in learned.problems],
        "calls": learned.calls,
        "cost_usd": learned.cost_usd,
        "drafter": learned.drafter,
        "failed": [_failure(one) for one in _failures(learned)],
        "notes": list(learned.notes),
        "dry_run": learned.dry_run,
    }
    if explain:
        made |= {"runs": runs_rows(ws, learned), "steps": step_rows(ws, learned)}
    return made


def print_page(ws: Workspace, learned: Learned, notes: Sequence[str], *, explain: bool) -> None:
    """A pass as a person reads it: what it found, what it wrote, what to do next."""
    shipped = {one.draft for one in learned.applied}
    open_ = [one for one in drafts_as_stored(ws.context, learned.drafts) if one.id not in shipped]
    out = console()
    if explain:
        for part in explanation(ws, learned):
            out.print(part)
    talk(summary(learned))
    told = list(dict.fromkeys((*(() if _is_idle(learned) else notes), *learned.notes)))
    for text in (*told, *_unjudged_lines(learned, told)):
        talk(text)
    if open_:
        out.print(drafts_table(open_, dry_run=learned.dry_run))
        if not learned.dry_run:
            talk("See the changes: metier drafts diff ID. Undo: metier drafts reject ID")
    for text in _lesson_lines(learned):
        out.print(text)
    for text in (*_held_back_lines(learned), *_endings(learned)):
        talk(text)


def _held_back_lines(learned: Learned) -> Iterator[str]:
    """Why drafts were not shipped though they could have been, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for one in learned.held_back:
        if one.draft is not None and one.what in ("drafted", "refreshed", "left"):
            by_reason.setdefault(one.reason, []).append(_name(one.draft))
    for reason, names in by_reason.items():
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        yield f"Not shipped ({', '.join(names[:NAMED])}{more}): {reason}. Decide: metier drafts review"


def _unjudged_lines(learned: Learned, told: Sequence[str]) -> Iterator[str]:
    """Why runs could not be judged, unless that was told already."""
    reasons = Counter(one.reason for one in learned.fates if one.where == "unknown")
    for reason, count in reasons.most_common(1):
        why = reason.removeprefix("not judged yet: ")
        if not any(why in text for text in told):
            number = f"{count} of {reasons.total()} runs; the next pass tries again"
            yield f"Not judged: {why} ({number}). Check the model: metier models check"


def _lesson_lines(learned: Learned) -> Iterator[str]:
    """The few best proposals, and where the others are."""
    waiting = [one for one in learned.lessons if one.is_open]
    if not waiting or not learned.evidence:
        return
    yield "Lessons from your sessions:"
    yield from (f"  {one.id[:8]}  {one.kind:<4}  {line_of(one)}" for one in waiting[:FEW])
    more = f" ({len(waiting) - FEW} more: metier lessons list)" if len(waiting) > FEW else ""
    yield f"Decide on them: metier lessons review{more}"


def _endings(learned: Learned) -> Iterator[str]:
    """What was shipped, with its undo; what aged; what failed."""
    for version in learned.applied:
        yield _shipped_line(version)
    verb = "would be" if learned.dry_run else "is now"
    for step in learned.lifecycle.steps:
        name = step.profile.skill
        undo = "" if learned.dry_run else f" Undo: metier skills restore {name}"
        yield f"{name} {verb} {step.to}: {step.reason}.{undo}"
    for name in learned.lifecycle.woken:
        yield f"{name} {verb} active again: it was used while it was archived."
    yield from failed_lines(learned)
    if learned.dry_run:
        yield "Dry run: nothing was written. Run it: metier learn"


def summary(learned: Learned) -> str:
    """What was found, in a line."""
    if _is_idle(learned):
        return "No new runs to learn from. Work with your agent, or bring in past sessions: metier import"
    found = f"Patterns: {len(learned.new)} new, {len(learned.extended)} extended."
    made = f"Drafts: {len(learned.drafts)} written, {len(learned.applied)} shipped."
    return f"{_runs(learned)}. {found} {made}{_cost(learned)}"


def _runs(learned: Learned) -> str:
    """How many runs are new, and where runs went."""
    went = Counter(one.where for one in learned.fates if not one.is_earlier)
    found = sum(one.is_earlier and one.where in ("formed", "joined") for one in learned.fates)
    new = learned.evidence + len(learned.rejected)
    if not new:
        return "No new runs"
    parts = [_phrase(went["formed"] + went["joined"], "matches a pattern", "match a pattern")]
    parts += [_phrase(went[where], *words) for where, words in ELSEWHERE.items() if went[where]]
    reasons = dict.fromkeys(one.reason for one in learned.fates if one.where == "rejected" and one.reason)
    parts[-1] += f" ({'; '.join(reasons)})" if reasons else ""
    earlier = f"; {_phrase(found, 'earlier run matches', 'earlier runs match')} one now" if found else ""
    return f"Read {_count(new, 'new run')}: {', '.join(parts)}{earlier}"


def _phrase(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _is_idle(learned: Learned) -> bool:
    return not (learned.fates or learned.taken or learned.extended)


def _cost(learned: Learned) -> str:
    if not learned.calls:
        return ""
    cost = "price unknown" if learned.cost_usd is None else f"${learned.cost_usd:.4f}"
    return f" {_count(learned.calls, 'call')} to {learned.drafter} ({cost})."


def drafts_table(drafts: Sequence[Draft], *, dry_run: bool = False, width: int = 0) -> Text:
    """Drafts, each with the command that takes it one step further."""
    rows = [(_name(one), "(not written)" if dry_run else _next(one), state(one), one.kind) for one in drafts]
    return table(("draft for", "next", "status", "kind"), rows, grow="draft for", width=width)


def _next(draft: Draft) -> str:
    if draft.status not in ("candidate", "quarantined"):
        return f"metier drafts show {draft.id}"
    verb = "apply" if may_ship(draft) else "approve" if draft.status == "candidate" else "show"
    return f"metier drafts {verb} {draft.id}"


def _shipped_line(version: Version) -> str:
    undo = "rollback" if version.parent else "archive"
    return (
        f"Shipped {version.skill} v{version.number} ({version.status}). See it: metier skills show {version.skill}   "
        f"Undo: metier skills {undo} {version.skill}"
    )


def failed_lines(learned: Learned) -> list[str]:
    """Every failure in a line; one that many patterns share is said once."""
    by_reason: dict[str, list[str]] = {}
    for one in _failures(learned):
        by_reason.setdefault(one.reason, []).append(one.label)
    lines: list[str] = []
    for reason, labels in by_reason.items():
        more = f" and {len(labels) - NAMED} more" if len(labels) > NAMED else ""
        count = f"{len(labels)} patterns failed" if len(labels) > 1 else "1 pattern failed"
        lines.append(f"{count} ({', '.join(labels[:NAMED])}{more}): {reason}")
    return lines


def _failures(learned: Learned) -> list[Taken]:
    return [one for one in learned.taken if one.what in ("failed", "refused")]


def _failure(one: Taken) -> dict[str, object]:
    return {"pattern": one.pattern, "label": one.label, "reason": one.reason}


def _applied_document(version: Version) -> dict[str, object]:
    return {
        "skill": version.skill,
        "version": version.number,
        "hash": version.hash,
        "draft": version.draft,
        "status": version.status,
    }


def _name(draft: Draft) -> str:
    return draft.target.rpartition("/")[2]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


# ---- every run and every ready pattern, with --explain --------------------------------------------------------------


def runs_rows(ws: Workspace, learned: Learned) -> list[dict[str, object]]:
    """Every run a pass looked at, and every one from earlier passes that stays new, with where it went and why."""
    from metier.learning.trace import waits
    from metier.types.passes import Fate

    seen = {one.run for one in learned.fates}
    earlier = [
        Fate(run=one.run, where="rejected" if one.success is None else "waits", reason=one.reason)
        for one in waits(ws.context)
        if one.run not in seen
    ]
    return [
        {
            "run": one.run,
            "where": one.where,
            "pattern": one.pattern or None,
            "reason": one.reason,
            "earlier": one.run not in seen,
        }
        for one in (*learned.fates, *earlier)
    ]


def step_rows(ws: Workspace, learned: Learned) -> list[dict[str, object]]:
    """Every ready pattern, what was done and why."""
    from metier.learning.trace import steps

    return [
        {
            "pattern": one.pattern,
            "label": one.label,
            "what": one.what,
            "reason": one.reason,
            "draft": one.draft.id if one.draft else None,
            "skill": one.version.skill if one.version else None,
        }
        for one in steps(ws.context, learned)
    ]


def _whole() -> int:
    """The width of a table whose reasons are cut for a terminal only."""
    return 0 if sys.stdout.isatty() else UNCUT


def explanation(ws: Workspace, learned: Learned) -> Iterator[Text]:
    """Both as tables."""
    from rich.text import Text

    from metier.learning.trace import records

    found = sorted(runs_rows(ws, learned), key=lambda row: (bool(row["earlier"]), ORDER.index(str(row["where"]))))
    there = records(ws.context, [str(row["run"]) for row in found])
    labels = {one.id: one.label for one in (*ws.patterns(), *learned.new)}
    if found:
        rows = [
            (
                str(row["run"])[:8],
                WORDS[str(row["where"])] + (", earlier" if row["earlier"] else ""),
                labels.get(str(row["pattern"]), ""),
                there[run].summary[:48] if (run := str(row["run"])) in there else "(removed)",
                str(row["reason"]),
            )
            for row in found
        ]
        yield table(("run", "result", "pattern", "request", "why"), rows, grow="why", width=_whole())
        yield Text()
    steps = step_rows(ws, learned)
    if steps:
        rows = [(str(one["label"]), str(one["what"]), str(one["draft"] or ""), str(one["reason"])) for one in steps]
        yield table(("ready pattern", "result", "draft", "why"), rows, grow="why", width=_whole())
        yield Text()
