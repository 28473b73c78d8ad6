"""How a person sees in which way a step's change was proposed."""

from __future__ import annotations

from rich.console import Console

from metier.cli.views.train import page, verdict

Json = dict[str, object]


def step(number: int, proposer: str = "patch") -> Json:
    outcome = {"change": "step", "action": "reject", "reason": "no better", "effect": -0.01}
    return {"step": number, "proposer": proposer, "edits": [], "outcome": outcome}


def report(*steps: Json, **more: object) -> Json:
    decision = {"action": "accept", "reason": "it helps"}
    return {"skill": "adder", "decision": decision, "best_step": 0, "base_hash": "a", "steps": list(steps), **more}


def names(told: Json) -> list[str]:
    """What stands in the first column of the steps, on a page of 80 columns."""
    console = Console(width=80)
    with console.capture() as shown:
        for part in page(told, width=80):
            console.print(part)
    lines = [line for line in shown.get().splitlines() if "no better" in line]
    assert max(map(len, lines)) <= 80
    return [line.split("reject")[0].strip() for line in lines]


def test_steps_are_named_by_their_way_where_that_is_not_usual() -> None:
    steps = (step(0, proposer="full_rewrite"), step(1), step(2, proposer="rewrite"))
    assert names(report(*steps, skill_hash="b")) == ["one-shot", "1", "2 rewrite"]


def test_a_report_of_before_there_were_several_ways_is_shown_as_ever() -> None:
    old = {key: value for key, value in step(3).items() if key != "proposer"}
    assert names(report(old, skill_hash="b")) == ["3"]


def test_an_accepted_first_rewrite_is_something_better_than_nothing() -> None:
    assert verdict(report(skill_hash="b")) == "adder: Confirmed: it helps."
    assert verdict(report(skill_hash="a")) == "adder: Nothing better was found: it helps."
