"""What is known of a training while it runs: the curve and the steps from its events, as its report will have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.training.report.fields import number, rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metier.training.events import Worth
    from metier.training.report.fields import Json

CHANGES = ("step", "one_shot")
"""Changes that are a step of the curve."""


def with_progress(report: Mapping[str, object]) -> Mapping[str, object]:
    """A report with the curve and the steps that its events tell of, where it has none of its own yet."""
    events = rows(report, "events")
    if "curve" in report or not any(one.get("kind") == "measured" for one in events):
        return report
    decided = [one for one in events if one.get("kind") == "decided"]
    spent = {key: decided[-1].get(key) for key in ("calls", "tokens")} if decided else {}
    return {**report, "curve": _curve(events), "steps": _steps(events), "spent": spent}


def _curve(events: Sequence[Json]) -> list[Json]:
    score = next((number(one.get("hard")) for one in events if one.get("kind") == "measured"), 0.0)
    points: list[Json] = [{"step": 0, "candidate": None, "current": score, "best": score, "action": "start"}]
    for one in events:
        if one.get("kind") == "decided" and one.get("change") in CHANGES:
            keys = ("step", "current", "best", "action")
            points.append({"candidate": one.get("score"), **{key: one.get(key) for key in keys}})
    return points


def _steps(events: Sequence[Json]) -> list[Json]:
    """Each step with what became of its change; the edits that were screened with their effects."""
    found: list[Json] = []
    batch: Json = {}
    effects: list[Json] = []
    for one in events:
        kind = one.get("kind")
        if kind == "rolled_out":
            total = sum(int(number(one.get(key))) for key in ("passed", "failed", "unscored"))
            batch = {"cases": total, "passed": one.get("passed")}
        elif kind == "edited":
            batch["tried"] = len(cast("list[str]", one.get("statuses") or ()))
        elif kind == "screened":
            effects = [_effect(worth) for worth in cast("list[Worth]", one.get("effects") or ())]
        elif kind in ("decided", "skipped") and one.get("change") in CHANGES:
            action = one.get("action") or "skipped"
            outcome = {"action": action, "reason": one.get("reason"), "effects": effects}
            found.append({"step": one.get("step"), **batch, "outcome": outcome})
            batch, effects = {}, []
    return found


def _effect(worth: Worth) -> Json:
    text, effect, low, high, kept = worth
    return {"op": "edit", "content": text, "seen": effect, "interval": [low, high], "kept": kept}
