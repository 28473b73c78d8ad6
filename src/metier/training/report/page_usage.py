"""What a training took, stage by stage, on its page and in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.training.report.page_html import Row, count, part, table, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STAGES = {
    "rollout": "batches of train cases",
    "gate": "candidates on val cases",
    "compare": "two epochs compared",
    "baseline": "baselines and the best",
    "confirm": "the last gate, fresh cases",
    "reflect": "analysts look at rollouts",
    "merge": "proposals become one",
    "rank": "the most useful edits",
    "budget": "how many edits to make",
    "rewrite": "rewriting by suggestions",
    "one_shot": "the one-shot rewrite",
    "slow": "slow update's guidance",
    "meta": "the optimiser's own notes",
    "appendix": "reminders made fewer",
    "score": "rubrics",
    "ahead": "begun early, not needed",
}
HEADS = ("stage", "calls", "tokens in", "tokens out", "dollars", "for")


def usage_rows(report: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    """Every stage with its calls, tokens, dollars where they are known, and what it is for."""
    stages = cast("dict[str, Row]", {**part(report, "usage"), "ahead": part(report, "spare")})
    for stage, used in stages.items():
        if used.get("calls"):
            counts = (f"{cast('int', used[key]):,}" for key in ("calls", "input", "output"))
            cost = f"{used['cost_usd']:.4f}" if used.get("cost_usd") else "-"
            yield stage, *counts, cost, STAGES.get(stage, "")


def total(report: Mapping[str, object]) -> str:
    """What was paid for in all, and why the stages may add up to something else."""
    cost = report.get("cost_usd")
    price = "at an unknown price" if cost is None else f"for ${cast('float', cost):.4f}"
    rollouts, calls, tokens = (cast("int", report.get(key) or 0) for key in ("rollouts", "calls", "tokens"))
    counts = (count(rollouts, "rollout"), f"{count(calls, 'call')} of models", count(tokens, "token"))
    apart = part(report, "decision").get("receipt") and "confirm" not in part(report, "usage")
    gate = "; the last gate's rollouts are in no stage" if apart else ""
    return (
        f"Paid for in all, this run and those before it: {', '.join(counts)}, {price}. "
        f"Stages count what was used, also if an earlier training had paid for it{gate}."
    )


def usage_table(report: Mapping[str, object]) -> str:
    """All of it; empty where nothing is known yet."""
    if "rollouts" not in report:
        return ""
    cells = ("".join(f"<td>{text(cell)}</td>" for cell in row) for row in usage_rows(report))
    return f"<p>{text(total(report))}</p>" + table(HEADS, "".join(f"<tr>{row}</tr>" for row in cells))
