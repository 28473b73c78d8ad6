"""What a training came to, in a word and a reason: the head of its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.training.report.page_html import part, rows, text

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS = {"accept": "Confirmed", "reject": "Not confirmed", "uninformative": "Not proven"}
RIVAL = "It does not beat a one-shot rewrite of the same skill: one question would have done as well."


def verdict(report: Mapping[str, object]) -> tuple[str, str]:
    """What a training came to, and why."""
    decision, stopped = part(report, "decision"), str(report.get("stopped") or "")
    if not decision:
        return "Under way, or killed", "the same command again goes on where it was"
    if stopped:
        return "Stopped", stopped
    reason = str(decision["reason"])
    if found_nothing(report):
        return "Nothing better was found", reason
    return WORDS.get(str(decision["action"]), str(decision["action"])), reason


def found_nothing(report: Mapping[str, object]) -> bool:
    """Whether a training ended with the skill that it began with."""
    return "skill_hash" in report and report["skill_hash"] == report.get("base_hash")


def reached(report: Mapping[str, object]) -> str:
    """How far a training got that is not at its end; empty if it is, or got nowhere."""
    if part(report, "decision") and not report.get("stopped"):
        return ""
    decided = [one for one in rows(report, "events") if one.get("kind") == "decided"]
    if not decided:
        return ""
    step, best = decided[-1]["step"], decided[-1]["best"]
    return f"So far: step {step}, best {best:.3f} on val; the best so far is kept."


def resume_line(report: Mapping[str, object]) -> str:
    """The command that goes on with a training; one that ran out of its budget gets twice as much."""
    limits = part(report, "limits") if "budget" in str(report.get("stopped")) else {}
    more = "".join(f" --budget {name}={_twice(value)}" for name, value in limits.items() if value)
    return f"metier train resume {str(report['run'])[:8]}{more}"


def _twice(value: object) -> str:
    return f"{2 * float(str(value)):g}" if not isinstance(value, int) else str(2 * value)


def head(report: Mapping[str, object]) -> str:
    """The verdict, what so many cases can tell, and what it was about."""
    word, reason = verdict(report)
    action = text(part(report, "decision").get("action")) if word in WORDS.values() else ""
    more = [
        str(report.get("power") or ""),
        RIVAL if report.get("beats_one_shot") is False else "",
        reached(report),
        f"Go on, paying for nothing twice: {resume_line(report)}" if unfinished(report) else "",
    ]
    said = "".join(f"<p>{text(one)}</p>" for one in more if one)
    listed = "".join(f"<dt>{name}</dt><dd>{text(value)}</dd>" for name, value in _facts(report) if value)
    return f'<p class="verdict {action}"><strong>{text(word)}:</strong> {text(reason)}</p>{said}<dl>{listed}</dl>'


def unfinished(report: Mapping[str, object]) -> bool:
    """Whether a training can go on."""
    return bool(report.get("stopped")) or not part(report, "decision")


def _facts(report: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    spec = part(report, "spec")
    return (
        ("training", report.get("run")),
        ("target", report.get("target")),
        ("optimiser", report.get("optimiser") or "the setting `model`"),
        ("preset", spec.get("preset")),
        ("seed", spec.get("seed")),
        ("begun", _time(report.get("created"))),
        ("last change", _time(report.get("updated"))),
    )


def _time(value: object) -> str:
    return str(value or "")[:19].replace("T", " ")
