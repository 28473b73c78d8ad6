"""A training as a person reads it, in a terminal of 80 columns, and what it leaves as JSON."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, cast

from metier.cli.output import console, table, talk, visible
from metier.training.report.fields import count, part, rows, score_text
from metier.training.report.summary import proven_points, resume_command, summary_of, total_cost
from metier.training.report.tables import lines_table, scores_table, steps_table, usage_table
from metier.types import Draft
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rich.console import RenderableType
    from rich.text import Text

    from metier.training.train import Finished

Json = dict[str, object]
WIDEST = 100
"""Columns of running text, however wide the terminal is."""


# ---- what a training left -----------------------------------------------------------------------------------------


def document(finished: Finished, result: Version | Draft | None, page: Path | None) -> Json:
    """What `metier train --json` prints."""
    report, decision = finished.report, part(finished.report, "decision")
    return {
        "run": report["run"],
        "decision": decision["action"],
        "reason": decision["reason"],
        "skill": report["skill"],
        "skill_hash": report["skill_hash"],
        "status": report["status"],
        "stopped": report["stopped"],
        "scores": report["scores"],
        "beats_one_shot": report["beats_one_shot"],
        "power": report["power"],
        "rollouts": report["rollouts"],
        "calls": report["calls"],
        "tokens": report["tokens"],
        "cost_usd": report["cost_usd"],
        "report": str(page) if page else None,
        "draft": result.id if isinstance(result, Draft) else result.draft if result else None,
        "version": result.number if isinstance(result, Version) else None,
        "package": str(finished.package) if finished.package else None,
        "resume": resume_command(report) if report["stopped"] else None,
    }


def print_next_steps(finished: Finished, result: Version | Draft | None, page: Path | None) -> None:
    """What was made of a training's result, with its undo, and what can be done next."""
    report = finished.report
    if isinstance(result, Version):
        talk(
            f"Shipped {result.skill} v{result.number} ({result.status}), tested on {report['target']}. "
            f"Undo: metier skills rollback {result.skill}"
        )
    elif result is not None:
        talk(f"Saved as draft {result.id}. See it: metier drafts diff {result.id}   {_next(result)}")
        talk(f"Undo: metier drafts reject {result.id}")
    if finished.package:
        talk(f"Trained skill: {finished.package} (the original is unchanged)")
    if page:
        talk(f"Report: {page}")
    if report["stopped"]:
        talk(f"Continue (nothing is paid for twice): {resume_command(report)}")


def _next(draft: Draft) -> str:
    from metier.types.reviews import may_ship

    if may_ship(draft):
        return f"Ship: metier drafts apply {draft.id}"
    why = "review blocked it" if draft.status == "quarantined" else "it needs your approval"
    return f"Approve ({why}): metier drafts approve {draft.id}"


# ---- one training -------------------------------------------------------------------------------------------------


def print_report(report: Mapping[str, object]) -> None:
    """A training, the decision first."""
    out = console()
    for shown in page(report, width=out.width):
        out.print(shown)


def print_explanation(report: Mapping[str, object]) -> None:
    """How a training came to its result, decision by decision, in plain words."""
    from metier.training.report.explain import explanations_of

    out = console()
    out.print(prose(verdict(report), out.width))
    for text in explanations_of(rows(report, "events")):
        for line in text.splitlines():
            out.print(prose(line, out.width))


def page(report: Mapping[str, object], *, width: int) -> Iterator[RenderableType]:
    """The parts of the summary, in the order somebody reads them."""
    yield from (prose(text, width) for text in (verdict(report), *summary_of(report).notes))
    for one in (scores_table(report), steps_table(report), lines_table(report), usage_table(report)):
        if one.rows:
            yield _gap()
            yield table(one.columns, [row.texts for row in one.rows], grow=one.wide, width=width)
            yield from (prose(note, width) for note in one.notes)
    if "rollouts" in report:
        yield prose(total_cost(report), width)


def verdict(report: Mapping[str, object]) -> str:
    """What came of a training, in one sentence."""
    summary = summary_of(report)
    resume = "" if part(report, "decision") else f"; or {resume_command(report)}"
    return f"{report['skill']}: {summary.word}: {summary.reason}{resume}."


# ---- several trainings --------------------------------------------------------------------------------------------


WORDS_IN_LIST = {"accept": "proven", "reject": "rejected", "uninformative": "not proven"}
"""What the last gate says, in the list."""


def row_of(report: Mapping[str, object]) -> tuple[str, ...]:
    """A training in a line of the list."""
    scores, decision = part(report, "scores"), part(report, "decision")
    known = scores.get("initial") is not None
    val = f"{score_text(scores.get('initial'))} -> {score_text(scores.get('best'))}" if known else ""
    confirmed = WORDS_IN_LIST.get(str(decision.get("action") or ""), "")
    if scores.get("confirm") is not None:
        cases = part(decision, "receipt").get("cases")
        on = f" ({count(cases, 'fresh case')})" if cases is not None else ""
        confirmed = f"{confirmed} {proven_points(report)}".rstrip() + on
    elif report.get("status") == "stopped":
        confirmed = "not reached"
    elif known and scores["initial"] == scores["best"]:
        confirmed = "nothing better"
    when = str(report.get("updated") or "")[:16].replace("T", " ")
    name, made = str(report["skill"]).rpartition("/")[2], report.get("rollouts")
    rollouts = "" if made is None else f"{made:,}"
    return str(report["run"])[:8], name, str(report["status"]), val, confirmed, rollouts, when


def print_comparison(found: Mapping[str, object]) -> None:
    """Two trainings side by side, and what can be said about their difference."""
    out = console()
    one, other = part(found, "one"), part(found, "other")
    facts = [("", str(one["run"])[:8], str(other["run"])[:8])]
    facts += [(name, *(_fact(side, key) for side in (one, other))) for name, key in FACTS]
    out.print(table(facts[0], facts[1:], grow="", width=out.width))
    for text in _difference(found):
        out.print(prose(text, out.width))


FACTS = (
    ("skill", "skill"),
    ("status", "status"),
    ("val at start", "initial"),
    ("val of the best", "best"),
    ("gain on fresh cases", "confirm"),
    ("test of the best", "test"),
    ("decision", "action"),
    ("rollouts", "rollouts"),
    ("calls", "calls"),
    ("tokens", "tokens"),
    ("dollars", "cost_usd"),
)


def _fact(side: Json, key: str) -> str:
    value = {**side, **part(side, "scores"), **part(side, "decision")}.get(key)
    if key == "skill":
        return str(value).rpartition("/")[2]
    if value is None:
        return "unknown" if key == "cost_usd" else ""
    if key == "confirm":
        return proven_points(side) or "not proven"
    if isinstance(value, float):
        return f"{value:.4f}" if key == "cost_usd" else f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _difference(found: Mapping[str, object]) -> Iterator[str]:
    if found["difference"] is None:
        yield "They share no scored test case, so they cannot be compared."
        return
    low, high = (100 * end for end in cast("list[float]", found["interval"]))
    points = f"{100 * cast('float', found['difference']):+.1f} points"
    yield (
        f"The best skill of the second training scores {points} compared with the first's, on {found['cases']} shared "
        f"test cases (95 % interval {low:+.1f} to {high:+.1f}, p = {found['p']:.3g})."
    )


# ---- small things -------------------------------------------------------------------------------------------------


def prose(text: str, width: int) -> Text:
    """Running text, wrapped, with nothing hidden in it."""
    from rich.text import Text

    return Text(fill(visible(text), min(width, WIDEST), subsequent_indent="  ", break_on_hyphens=False))


def _gap() -> Text:
    from rich.text import Text

    return Text()
