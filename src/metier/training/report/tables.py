"""The tables of a training's report as values; the page and the terminal view only write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from metier.training.report.fields import (
    count,
    part,
    points,
    points_interval,
    rows,
    score_interval,
    score_text,
    step_name,
)
from metier.training.report.words import pairs_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from metier.training.report.fields import Json

Tone = Literal["", "good", "bad", "part", "none"]
ARMS = {"no_skill": "no skill", "initial": "initial skill", "one_shot": "one-shot rewrite", "best": "trained skill"}
SOURCES = {"screened": "screened", "together": "judged", "unknown": "a rewrite"}
"""Where the worth of a line is known from."""
STAGES = {
    "rollout": "batches of train cases",
    "gate": "candidates on val cases",
    "compare": "epochs compared",
    "baseline": "baselines and the best",
    "confirm": "the last gate, fresh cases",
    "reflect": "analysts look at rollouts",
    "merge": "proposals merged",
    "rank": "edits ranked",
    "budget": "how many edits to make",
    "rewrite": "rewrites from suggestions",
    "one_shot": "the one-shot rewrite",
    "slow": "slow update's guidance",
    "meta": "the optimiser's own notes",
    "appendix": "reminders merged",
    "score": "rubrics",
    "ahead": "started early, not needed",
}
FRESH = "In brackets: the result of fresh rollouts after screening. They undo a choice only if it is clearly worse."
SHRUNK = (
    "The points of screened edits are shrunk towards zero, because the best of many look better than they are. The "
    "interval belongs to the estimate before shrinking."
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what it says, whether that is good or bad, and why where there is more to say."""

    text: str
    tone: Tone = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """What is behind a row for a reader who asks: an edit with its old and new text, or a sentence."""

    about: str
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One row, and what is behind it."""

    cells: tuple[Cell, ...]
    details: tuple[Detail, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The cells as plain text."""
        return tuple(cell.text for cell in self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """One table of the report."""

    title: str
    columns: tuple[str, ...]
    wide: str
    """The column with long text, which is cut or wrapped first."""
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()
    """What a reader needs to know about the figures."""


def scores_table(report: Mapping[str, object]) -> ReportTable:
    """The trained skill beside its baselines, on val and on test."""
    found = rows(report, "baselines")
    arms = dict.fromkeys(str(one["arm"]) for one in found)
    return ReportTable(
        title="Scores, with 95 % intervals",
        columns=("skill", "val", "95 % interval", "test", "95 % interval ", "unscored"),
        wide="skill",
        rows=tuple(_scores_row(arm, [one for one in found if one["arm"] == arm]) for arm in arms),
    )


def _scores_row(arm: str, found: list[Json]) -> TableRow:
    by_split = {str(one["split"]): one for one in found}
    sides = [by_split.get(split, {}) for split in ("val", "test")]
    figures = [text for one in sides for text in (score_text(one.get("score")), score_interval(one.get("interval")))]
    reasons = dict.fromkeys(str(one["reason"]) for one in found if one.get("reason"))
    name = ARMS.get(arm, arm) + (f" ({'; '.join(reasons)})" if reasons else "")
    missing = sum(cast("int", one.get("unscored") or 0) for one in sides)
    return _row(name, *figures, str(missing or ""))


def steps_table(report: Mapping[str, object]) -> ReportTable:
    """Every step: what became of its change, and why; behind each row its edits."""
    found = tuple(_step_row(one) for one in rows(report, "steps"))
    bracketed = any("(" in row.texts[2] for row in found)
    columns = ("step", "action", "effect", "edits", "reason")
    return ReportTable(title="Steps", columns=columns, wide="reason", rows=found, notes=(FRESH,) if bracketed else ())


def _step_row(step: Json) -> TableRow:
    outcome, edits = part(step, "outcome"), rows(step, "edits")
    effect = points(outcome.get("effect"))
    if effect and outcome.get("effects") and str(outcome.get("action")).startswith("accept"):
        effect = f"({effect})"  # a screening chose; this is what fresh rollouts said afterwards
    number = str(len(edits) if "edits" in step else step.get("tried", ""))
    after = (Cell(text) for text in (effect, number, str(outcome.get("reason", ""))))
    details = tuple(_step_details(step, edits, rows(outcome, "effects")))
    return TableRow(cells=(Cell(step_name(step)), _action(outcome), *after), details=details)


def _action(outcome: Json) -> Cell:
    action = str(outcome.get("action", ""))
    tone: Tone = "bad" if action == "reject" else "good" if action.startswith(("accept", "force")) else ""
    return Cell("waits" if outcome.get("waits") else action.replace("_", " "), tone)


def _step_details(step: Json, edits: list[Json], effects: list[Json]) -> Iterator[Detail]:
    if "cases" in step:
        yield Detail(about=f"{step['passed']} of {step['cases']} train cases passed.")
    yield from (_edit_detail(edit, str(edit.get("status") or "")) for edit in edits)
    if effects:
        known = SHRUNK if "effect" in effects[0] else ""
        yield Detail(about=f"What each edit did by itself in the screening. {known}".rstrip())
    for edit in effects:
        figures = f"{points(edit['seen'])} points (95 % interval {points_interval(edit['interval'])})"
        shrunk = f", shrunk to {points(edit['effect'])}" if "effect" in edit else ""
        yield _edit_detail(edit, f"{'kept' if edit['kept'] else 'dropped'}: {figures}{shrunk}")


def _edit_detail(edit: Json, status: str) -> Detail:
    kind = str(edit.get("op") or ("rewrite" if "new_skill" in edit else "suggestion"))
    written = edit.get("content") or edit.get("instruction") or edit.get("new_skill") or edit.get("error")
    support = f"from {edit['source']}, {count(edit.get('support_count') or 0, 'case')}" if "source" in edit else ""
    about = " · ".join(text for text in (kind, support, status) if text)
    return Detail(about=about, old=str(edit.get("target") or ""), new=str(written or ""))


def lines_table(report: Mapping[str, object]) -> ReportTable:
    """Every line that training added, with its step and what it is worth."""
    found = rows(report, "attribution")
    return ReportTable(
        title="What each line is worth",
        columns=("added line", "step", "points", "95 % interval", "known from"),
        wide="added line",
        rows=tuple(_line_row(one) for one in found),
        notes=(SHRUNK,) if any(one.get("how") == "screened" for one in found) else (),
    )


def _line_row(one: Json) -> TableRow:
    step = "" if one["how"] == "unknown" else str(one["step"] or "one-shot")
    source = SOURCES.get(str(one["how"]), "") + (f" with {count(one['others'], 'other')}" if one.get("others") else "")
    return _row(str(one["line"]), step, points(one.get("effect")), points_interval(one.get("interval")), source)


def epochs_table(report: Mapping[str, object]) -> ReportTable:
    """How the epochs ended that were compared with the one before."""
    found = [one for one in rows(report, "epochs") if one.get("compared")]
    columns = ("epoch", "cases compared with the epoch before", "guidance")
    return ReportTable(title="Epochs", columns=columns, wide="guidance", rows=tuple(_epoch_row(one) for one in found))


def _epoch_row(one: Json) -> TableRow:
    compared = pairs_text(part(one, "compared").items())
    outcome = part(one, "outcome")
    guidance = f"{_action(outcome).text}: {outcome.get('reason', '')}" if outcome else ""
    return _row(str(one["epoch"]), compared, guidance)


def cases_tables(report: Mapping[str, object]) -> tuple[ReportTable, ...]:
    """The held-out cases of each split under each skill; those that changed come first."""
    found = rows(report, "cases")
    splits = dict.fromkeys(str(one["split"]) for one in found)
    return tuple(_cases_table(split, [one for one in found if str(one["split"]) == split]) for split in splits)


def _cases_table(split: str, found: list[Json]) -> ReportTable:
    changes = [_change(one) for one in found]
    better, worse = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
    title = f"{split}: {count(len(found), 'case')}"
    if any(isinstance(one.get("best"), int | float) for one in found):
        same = len(found) - better - worse
        title += f"; trained skill against initial skill: {better} better, {worse} worse, {same} the same"
    ordered = sorted(found, key=lambda one: (_change(one) == 0, _change(one)))
    columns = ("case", *ARMS.values(), "input")
    return ReportTable(title=title, columns=columns, wide="input", rows=tuple(_case_row(one) for one in ordered))


def _case_row(one: Json) -> TableRow:
    scores = (_case_score(one.get(arm)) for arm in ARMS)
    return TableRow(cells=(Cell(str(one["case"])), *scores, Cell(str(one.get("input") or ""))))


def _case_score(value: object) -> Cell:
    if isinstance(value, int | float):
        return Cell(f"{value:.3g}", "good" if value >= 1 else "bad" if value <= 0 else "part")
    return Cell("unscored", "none", str(value)) if value else Cell("", "none")


def _change(one: Json) -> float:
    """What a case gained from the initial skill to the trained one; 0 where either has no score."""
    before, after = one.get("initial"), one.get("best")
    if isinstance(before, int | float) and isinstance(after, int | float):
        return after - before
    return 0.0


def usage_table(report: Mapping[str, object]) -> ReportTable:
    """Every stage with its calls, tokens, and dollars where they are known."""
    stages = cast("dict[str, Json]", {**part(report, "usage"), "ahead": part(report, "spare")})
    return ReportTable(
        title="Cost by stage",
        columns=("stage", "calls", "tokens in", "tokens out", "dollars", "for"),
        wide="for",
        rows=tuple(_usage_row(stage, used) for stage, used in stages.items() if used.get("calls")),
    )


def _usage_row(stage: str, used: Json) -> TableRow:
    counts = (f"{cast('int', used[key]):,}" for key in ("calls", "input", "output"))
    cost = f"{used['cost_usd']:.4f}" if used.get("cost_usd") else "-"
    return _row(stage, *counts, cost, STAGES.get(stage, ""))


def _row(*texts: str) -> TableRow:
    return TableRow(cells=tuple(Cell(text) for text in texts))
