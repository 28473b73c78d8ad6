"""What a training found, in a word, a reason and a few sentences: the top of the page and of the terminal view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.models.price import SCRIPTED
from metier.training.report.fields import count, number, part, percent, points, rows, score_text

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS = {"accept": "Confirmed", "reject": "Not confirmed", "uninformative": "Not proven"}
SPLITS = {
    "val": "the search chose by these cases, so this flatters the result",
    "test": "the search never saw these cases; they are measured once, and decide nothing",
}
"""What a score on a split can tell."""
NO_BETTER_THAN_ONE_SHOT = (
    "It does not beat a one-shot rewrite of the same skill: one call to the optimiser would have been as good."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a training found."""

    word: str
    reason: str
    action: str = ""
    """What the last gate decided; empty if it did not, or had nothing to decide about."""
    notes: tuple[str, ...] = ()
    """What else the reader must know: what so many cases can tell, how far an unfinished training got."""
    facts: tuple[tuple[str, str], ...] = ()
    """What was trained, with what and when."""


def summary_of(report: Mapping[str, object]) -> Summary:
    """What a training found, from its report."""
    word, reason = verdict(report)
    rival = NO_BETTER_THAN_ONE_SHOT if report.get("beats_one_shot") is False else ""
    search = found.text if (found := search_of(report)) else ""
    notes = (search, str(report.get("power") or ""), rival, progress_of(report))
    return Summary(
        word=word,
        reason=reason,
        action=str(part(report, "decision").get("action")) if word in WORDS.values() else "",
        notes=tuple(note for note in notes if note),
        facts=tuple((name, str(value)) for name, value in _facts(report) if value),
    )


def verdict(report: Mapping[str, object]) -> tuple[str, str]:
    """What a training found in a word or two, and why."""
    decision, stopped = part(report, "decision"), str(report.get("stopped") or "")
    if not decision:
        return "Running or interrupted", "run the same command again to continue"
    if stopped:
        return "Stopped", stopped
    reason = str(decision["reason"])
    if "skill_hash" in report and report["skill_hash"] == report.get("base_hash"):
        return "Nothing better was found", reason
    return WORDS.get(str(decision["action"]), str(decision["action"])), reason


@dataclass(frozen=True, slots=True)
class TrainingFigure:
    """A figure of a training, named for what it is."""

    name: str
    value: str
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFigures:
    """What a finished training tried, and the val scores it saw: those that chose, and those measured again."""

    steps: int
    accepted: int
    lines: int
    """Lines that the trained text has more."""
    first: float
    best: float
    again: float

    @property
    def steps_text(self) -> str:
        """The counts."""
        return f"{count(self.steps, 'step')}, {self.accepted} accepted, {count(self.lines, 'line')} added"

    @property
    def scores_text(self) -> str:
        """The scores."""
        return (
            f"{percent(self.first)} at first, at best {percent(self.best)} while searching,"
            f" {percent(self.again)} measured again"
        )

    @property
    def text(self) -> str:
        """All of it in a sentence."""
        return f"{self.steps_text}. On val {self.scores_text}."


def search_of(report: Mapping[str, object]) -> SearchFigures | None:
    """What a training tried; None: it is not finished, accepted nothing, or measured nothing again at its end."""
    curve = rows(report, "curve")
    accepted = sum(str(one["action"]).startswith("accept") for one in curve[1:])
    again = {(str(one["arm"]), str(one["split"])): one.get("score") for one in rows(report, "baselines")}
    if is_unfinished(report) or not accepted or again.get(("best", "val")) is None:
        return None
    return SearchFigures(
        steps=len(curve) - 1,
        accepted=accepted,
        lines=len(rows(report, "attribution")),
        first=number(curve[0]["best"]),
        best=number(curve[-1]["best"]),
        again=number(again["best", "val"]),
    )


def fresh_result(report: Mapping[str, object]) -> TrainingFigure | None:
    """The one result: the gain on cases that nothing had looked at. None: the last gate measured nothing."""
    receipt = part(part(report, "decision"), "receipt")
    gain = receipt.get("gain", part(report, "scores").get("confirm"))
    if gain is None:
        return None
    cases = f"{count(receipt['cases'], 'fresh case')}" if "cases" in receipt else "fresh cases"
    about = f"on {cases} that nothing had looked at before"
    return TrainingFigure("gain", proven_points(report) or "not proven", about)


def proven_points(report: Mapping[str, object]) -> str:
    """What fresh cases said, in points, where they said anything; empty: they could not tell."""
    gain = part(part(report, "decision"), "receipt").get("gain", part(report, "scores").get("confirm"))
    is_told = part(report, "decision").get("action") != "uninformative"
    return f"{points(gain)} points" if gain is not None and is_told else ""


def other_figures(report: Mapping[str, object]) -> tuple[TrainingFigure, ...]:
    """The figures that are no result by themselves, each with what it can tell."""
    by_place = {(str(one["arm"]), str(one["split"])): one.get("score") for one in rows(report, "baselines")}
    found = [
        TrainingFigure(f"on {split}", f"{score_text(before)} → {score_text(after)}", about)
        for split, about in SPLITS.items()
        if (after := by_place.get(("best", split))) is not None
        and (before := by_place.get(("initial", split))) is not None
    ]
    better = report.get("beats_one_shot")
    if better is not None:
        words = "better than" if better else "not better than"
        found.append(TrainingFigure("one-shot", words, "a rewrite of the skill by one question to the optimiser"))
    return tuple(found)


def progress_of(report: Mapping[str, object]) -> str:
    """How far an unfinished training got; empty if it is finished, or has not judged anything yet."""
    judged = [one for one in rows(report, "events") if one.get("kind") == "decided"]
    if not is_unfinished(report) or not judged:
        return ""
    step, best = judged[-1]["step"], judged[-1]["best"]
    return f"So far: step {step}, best score {best:.3f} on val; the best skill so far is saved."


def is_unfinished(report: Mapping[str, object]) -> bool:
    """Whether a training can continue."""
    return bool(report.get("stopped")) or not part(report, "decision")


def resume_command(report: Mapping[str, object]) -> str:
    """The command that continues a training; with twice the budget if that was used up."""
    limits = part(report, "limits") if "budget" in str(report.get("stopped")) else {}
    more = "".join(f" --budget {name}={_double(value)}" for name, value in limits.items() if value)
    return f"metier train resume {str(report['run'])[:8]}{more}"


def total_cost(report: Mapping[str, object]) -> str:
    """What a training cost in all, and why the stages may add up to something else."""
    cost = report.get("cost_usd")
    price = "at an unknown price" if cost is None else f"for ${number(cost):.4f}"
    is_scripted = str(report.get("optimiser")).startswith(SCRIPTED)
    price = "at no price: no model was asked" if is_scripted else price
    call = "scripted answer" if is_scripted else "model call"
    nouns = (("rollouts", "rollout"), ("calls", call), ("tokens", "token"))
    counts = ", ".join(count(report.get(key) or 0, noun) for key, noun in nouns)
    apart = part(report, "decision").get("receipt") and "confirm" not in part(report, "usage")
    return (
        f"Paid in total, including earlier starts of this training: {counts}, {price}. "
        "The stages also count answers that were known already, from this training or another, and cost nothing"
        f"{', and leave out the rollouts of the last gate' if apart else ''}."
    )


def _double(value: object) -> str:
    return str(2 * value) if isinstance(value, int) else f"{2 * float(str(value)):g}"


def _facts(report: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    spec = part(report, "spec")
    return (
        ("training", report.get("run")),
        ("target", report.get("target")),
        ("optimiser", report.get("optimiser") or "the setting `model`"),
        ("preset", spec.get("preset")),
        ("seed", spec.get("seed")),
        ("started", _time(report.get("created"))),
        ("last change", _time(report.get("updated"))),
    )


def _time(value: object) -> str:
    return str(value or "")[:19].replace("T", " ")
