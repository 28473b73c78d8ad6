"""A training as a person reads it, in a terminal of 80 columns, and what it leaves as JSON."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, cast

from metier.cli.output import console, table, talk, visible
from metier.training.report import page_head
from metier.training.report.page_head import RIVAL, reached, resume_line
from metier.training.report.page_html import signed
from metier.training.report.page_lines import EXPECTED, has_screened
from metier.training.report.page_steps import action_of, name_of, was_screened
from metier.training.report.page_usage import HEADS, total, usage_rows
from metier.types import Draft
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rich.console import RenderableType
    from rich.text import Text

    from metier.training.train import Finished

Json = dict[str, object]
NAMES = {"no_skill": "no skill", "initial": "initial skill", "one_shot": "one-shot rewrite", "best": "trained skill"}
AFTERWARDS = (
    "In brackets: the result of fresh rollouts after screening. They undo a choice only if it is clearly worse."
)
HOW = {"screened": "screened", "together": "judged", "unknown": "a rewrite"}
"""How it is known what a line is worth."""
WIDEST = 100
"""Columns of running text, however wide the terminal is."""


# ---- what a training left -----------------------------------------------------------------------------------------


def document(finished: Finished, result: Version | Draft | None, page: Path | None) -> Json:
    """What `metier train --json` prints."""
    report, decision = finished.report, _part(finished.report, "decision")
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
        "resume": resume_line(report) if report["stopped"] else None,
    }


def say_next(finished: Finished, result: Version | Draft | None, page: Path | None) -> None:
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
        talk(f"Continue (nothing is paid for twice): {resume_line(report)}")


def _next(draft: Draft) -> str:
    from metier.library.proposals.ship import may_ship

    if may_ship(draft):
        return f"Ship: metier drafts apply {draft.id}"
    why = "review blocked it" if draft.status == "quarantined" else "it needs your approval"
    return f"Approve ({why}): metier drafts approve {draft.id}"


# ---- one training -------------------------------------------------------------------------------------------------


def say(report: Mapping[str, object]) -> None:
    """A training, the decision first."""
    out = console()
    for part in page(report, width=out.width):
        out.print(part)


def say_explained(report: Mapping[str, object]) -> None:
    """How a training came to its result, decision by decision, in plain words."""
    from metier.training.report.explain import told

    out = console()
    out.print(prose(verdict(report), out.width))
    for text in told(_rows(report, "events")):
        for line in text.splitlines():
            out.print(prose(line, out.width))


def page(report: Mapping[str, object], *, width: int) -> Iterator[RenderableType]:
    """The parts of the summary, in the order somebody reads them."""
    rival = RIVAL if report.get("beats_one_shot") is False else ""
    for text in (verdict(report), str(report.get("power") or ""), rival, reached(report)):
        if text:
            yield prose(text, width)
    for columns, grow, rows, notes in _tables(report):
        if rows:
            yield _gap()
            yield table(columns, rows, grow=grow, width=width)
            yield from (prose(note, width) for note in notes)
    if "rollouts" in report:
        yield prose(total(report), width)


def _tables(report: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], str, list[tuple[str, ...]], list[str]]]:
    """Each table with its columns, the one that may be cut, its rows, and what is to be said about them."""
    columns = ("skill", "val", "95 % interval", "test", "95 % interval ", "unscored")
    yield columns, "skill", list(_baseline_rows(report)), []
    rows = [_step_row(one) for one in _rows(report, "steps")]
    notes = [AFTERWARDS] if any("(" in row[2] for row in rows) else []
    yield ("step", "action", "effect", "edits", "reason"), "reason", rows, notes
    rows = [_line_row(one) for one in _rows(report, "attribution")]
    columns = ("added line", "step", "points", "95 % interval", "known from")
    yield columns, "added line", rows, [EXPECTED] if has_screened(report) else []
    yield HEADS, "for", list(usage_rows(report)), []


def verdict(report: Mapping[str, object]) -> str:
    """What came of a training, in one sentence."""
    word, reason = page_head.verdict(report)
    go_on = f"; or {resume_line(report)}" if not _part(report, "decision") else ""
    return f"{report['skill']}: {word}: {reason}{go_on}."


def _baseline_rows(report: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    rows = _rows(report, "baselines")
    for arm in dict.fromkeys(str(one["arm"]) for one in rows):
        val, test = _arm(rows, arm, "val"), _arm(rows, arm, "test")
        missing = sum(cast("int", one.get("unscored") or 0) for one in (val, test))
        cells = [cell for one in (val, test) for cell in (_score(one.get("score")), _interval(one.get("interval")))]
        name = NAMES.get(arm, arm) + (f" ({val['reason']})" if val.get("reason") else "")
        yield (name, *cells, str(missing or ""))


def _arm(rows: list[Json], arm: str, split: str) -> Json:
    found = [one for one in rows if one["arm"] == arm and one["split"] == split]
    return found[0] if found else {}


def _step_row(one: Json) -> tuple[str, ...]:
    outcome = _part(one, "outcome")
    effect = outcome.get("effect")
    points = f"({signed(effect)})" if was_screened(outcome) and effect is not None else signed(effect)
    edits = str(len(cast("list[object]", one.get("edits") or [])))
    return name_of(one), action_of(outcome), points, edits, str(outcome["reason"])


def _line_row(one: Json) -> tuple[str, ...]:
    effect, interval = one.get("effect"), cast("list[float] | None", one.get("interval"))
    ends = "" if not interval else " to ".join(signed(end) for end in interval)
    others = one.get("others")
    how = HOW.get(str(one["how"]), "") + (f" with {others} other{'s' * (others != 1)}" if others else "")
    step = "" if one["how"] == "unknown" else "one-shot" if one["step"] == 0 else str(one["step"])
    return str(one["line"]), step, signed(effect), ends, how


# ---- several trainings --------------------------------------------------------------------------------------------


def row_of(report: Mapping[str, object]) -> tuple[str, ...]:
    """A training in a line of the list."""
    scores, decision = _part(report, "scores"), _part(report, "decision")
    known = scores.get("initial") is not None
    val = f"{_score(scores.get('initial'))} -> {_score(scores.get('best'))}" if known else ""
    gain = scores.get("confirm")
    confirmed = str(decision.get("action") or "")
    if gain is not None:
        confirmed = f"{confirmed} {100 * cast('float', gain):+.1f} points"
    elif report.get("status") == "stopped":
        confirmed = "not reached"
    elif known and scores["initial"] == scores["best"]:
        confirmed = "nothing better"
    when = str(report.get("updated") or "")[:16].replace("T", " ")
    name, made = str(report["skill"]).rpartition("/")[2], report.get("rollouts")
    rollouts = "" if made is None else f"{made:,}"
    return str(report["run"])[:8], name, str(report["status"]), val, confirmed, rollouts, when


def say_compared(found: Mapping[str, object]) -> None:
    """Two trainings side by side, and what can be said about their difference."""
    out = console()
    one, other = _part(found, "one"), _part(found, "other")
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
    ("confirmed gain", "confirm"),
    ("test of the best", "test"),
    ("decision", "action"),
    ("rollouts", "rollouts"),
    ("calls", "calls"),
    ("tokens", "tokens"),
    ("dollars", "cost_usd"),
)


def _fact(side: Json, key: str) -> str:
    value = {**side, **_part(side, "scores"), **_part(side, "decision")}.get(key)
    if key == "skill":
        return str(value).rpartition("/")[2]
    if value is None:
        return "unknown" if key == "cost_usd" else ""
    if key == "confirm":
        return f"{signed(value)} points"
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


def _rows(report: Mapping[str, object], key: str) -> list[Json]:
    return cast("list[Json]", report.get(key) or [])


def _part(report: Mapping[str, object], key: str) -> Json:
    return cast("Json", report.get(key) or {})


def _score(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, int | float) else "-"


def _interval(value: object) -> str:
    if not value:
        return ""
    low, high = cast("list[float]", value)
    return f"{low:.2f} to {high:.2f}"


def prose(text: str, width: int) -> Text:
    """Running text, wrapped, with nothing hidden in it."""
    from rich.text import Text

    return Text(fill(visible(text), min(width, WIDEST), subsequent_indent="  ", break_on_hyphens=False))


def _gap() -> Text:
    from rich.text import Text

    return Text()
