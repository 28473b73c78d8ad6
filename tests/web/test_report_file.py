"""The report of a training as a file: every text escaped, no script, nothing fetched, and it is HTML."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest

from metier.text.visible import visible
from metier.training.report.fields import rows
from metier.training.report.pictures import bars_picture, curve_picture
from metier.training.report.so_far import with_progress
from metier.training.report.summary import resume_command, verdict
from metier.training.report.tables import scores_table, steps_table, usage_table
from metier.web.training_report import report_file as page

HOSTILE = "</pre></title><script>alert('x')</script><img src=x onerror=alert(1)>\"' & \u202e\x00"
VOID = {"meta", "br", "img", "hr", "input", "link", "rect", "line", "polyline", "circle"}
"""Elements without an end, and those of pictures that end in themselves."""


class Page(HTMLParser):
    """What a browser would see of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def report(text: str = "plain") -> dict[str, Any]:
    """A report in which every text is the same one."""
    outcome: dict[str, Any] = {
        "change": "step",
        "action": text,
        "reason": text,
        "score": 0.5,
        "effect": 0.125,
        "deltas": {text: 1.0},
    }
    edits = [
        {"op": text, "target": text, "content": text, "source": text, "support_count": 3, "status": text},
        {"title": text, "instruction": text, "source": text, "support_count": 1, "status": ""},
        {"new_skill": text, "source": text, "support_count": 1, "status": ""},
    ]
    measured = {"effect": 0.05, "seen": 0.07, "interval": [-0.01, 0.15], "z": 1.2, "kept": True}
    outcome["effects"] = [{**edits[0], **measured}]
    step = {"step": 1, "epoch": 1, "cases": 8, "passed": 5, "failed": 3, "unscored": 0, "budget": 4, "edits": edits}
    arms = ("no_skill", "initial", "one_shot", "best")
    scored = [
        {"arm": arm, "split": split, "score": 0.5, "hard": 0.5, "soft": 0.5, "interval": [0.2, 0.8], "scored": 9}
        for arm in arms
        for split in ("val", "test")
    ]
    case = {"case": text, "split": text, "input": text, "no_skill": 0, "initial": 0.5, "one_shot": text, "best": 1}
    return {
        "run": text, "skill": text, "target": text, "optimiser": text, "status": text, "updated": text, "stopped": text,
        "spec": {"preset": text, "seed": text}, "power": text, "beats_one_shot": False,
        "decision": {"action": text, "reason": text, "receipt": None},
        "baselines": [*scored, {"arm": text, "split": text, "score": None, "reason": text}],
        "curve": [
            {"step": 0, "candidate": None, "current": 0.5, "best": 0.5, "action": "start"},
            {"step": 1, "candidate": 0.75, "current": 0.75, "best": 0.75, "action": text},
        ],
        "steps": [{**step, "outcome": outcome}],
        "epochs": [{"epoch": 1, "compared": {text: 3}, "guidance": text, "outcome": outcome, "strategy": text}],
        "cases": [case],
        "usage": {text: {"calls": 3, "input": 1000, "output": 20, "cost_usd": 0.5}},
        "rollouts": 1200, "calls": 30, "tokens": 4000, "cost_usd": None, "events": [],
        "document": text.replace("\x00", ""),
    }  # fmt: skip


@pytest.mark.parametrize("text", ["plain", HOSTILE, "<!--", "]]>", "&amp;", "'", "</svg><script>", "𝔘 täglich"])
def test_whatever_a_text_says_the_page_stays_the_same_page(text: str) -> None:
    made, plain = Page(page(report(text))), Page(page(report()))
    assert made.seen == plain.seen
    assert "script" not in made.seen
    assert "img" not in made.seen
    assert [name for name, _ in made.attributes if name.startswith("on")] == []
    assert visible(text) in "".join(made.words)


def test_a_page_fetches_nothing_and_forbids_it() -> None:
    made = Page(page(report(HOSTILE)))
    assert [name for name, _ in made.attributes if name in ("src", "href", "xlink:href", "action", "data")] == []
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in made.attributes


def test_what_does_not_beat_a_rewrite_what_stopped_and_an_unknown_price_are_said_plainly() -> None:
    words = "".join(Page(page(report("because"))).words)
    assert "It does not beat a one-shot rewrite of the same skill: one call" in words
    assert "Stopped because" in words
    assert "1,200 rollouts, 30 model calls, 4,000 tokens, at an unknown price." in words


def test_what_each_screened_edit_was_worth_is_on_the_page() -> None:
    assert "kept: +7.0 points (95 % interval -1.0 to +15.0), shrunk to +5.0" in "".join(Page(page(report())).words)


def test_a_training_under_way_has_a_page_too() -> None:
    made = Page(page({"run": "9907", "skill": "adder", "status": "running", "events": []}))
    assert "Training of adder" in "".join(made.words)
    assert "svg" not in made.seen


def test_the_one_result_comes_first_and_the_text_as_a_difference_before_the_other_figures() -> None:
    receipt = {"cases": 40, "gain": 0.275}
    decision = {"action": "accept", "reason": "because", "receipt": receipt}
    whole = {**report(), "stopped": "", "skill_hash": "b", "base_hash": "a", "decision": decision}
    words = "".join(Page(page({**whole, "document": "# A\n\nNew line.\n"}, b"# A\n\nOld line.\n")).words)
    parts = (
        "+27.5 points on 40 fresh cases",
        "Confirmed",
        "-Old line.",
        "+New line.",
        "Other figures",
        "0.500 → 0.500",
    )
    places = [words.replace("−", "-").index(one) for one in parts]
    assert places == sorted(places)
    assert "so this flatters the result" in words


def test_a_picture_has_a_point_for_every_candidate_in_lines_and_in_columns() -> None:
    points = report()["curve"]
    picture = curve_picture(points)
    assert [(one.title, one.accepted) for one in picture.dots] == [("step 1: 0.750, plain", True)]
    assert picture.values["accepted"] == [None, 0.75]
    assert picture.values["rejected"] == [None, None]
    assert curve_picture([points[0]]).dots == ()
    assert bars_picture([], "val") is None
    bars = bars_picture(report()["baselines"], "val")
    assert bars
    assert [one.name for one in bars.bars] == ["no skill", "initial skill", "one-shot rewrite", "trained skill"]


def test_steps_below_the_curve_have_their_own_numbers_and_a_dropped_candidate_is_a_dot_too() -> None:
    start, last = report()["curve"]
    scores = {"candidate": None, "estimate": 0.25, "current": 0.5, "best": 0.5}
    found = curve_picture([start, {"step": 0, "action": "reject", **scores}, last])
    assert next((one.title, one.accepted) for one in found.dots) == ("one-shot: about 0.250, rejected", False)
    assert [name for _, name in found.labels] == ["start", "one-shot", "1"]


def test_a_training_that_runs_has_its_curve_and_its_steps_from_its_events() -> None:
    events: list[dict[str, Any]] = [
        {"kind": "measured", "arm": "initial", "split": "val", "hard": 0.25, "soft": 0.25, "scored": 8},
        {"kind": "rolled_out", "step": 1, "passed": 5, "failed": 3, "unscored": 0},
        {"kind": "edited", "step": 1, "skill_hash": "a", "statuses": ["applied_append", "applied_append"]},
        {"kind": "screened", "step": 1, "bar": 1.0, "effects": [["append: Look first.", 0.1, -0.1, 0.3, True]]},
        {"kind": "decided", "step": 1, "change": "step", "action": "accept_new_best", "reason": "better", "score": 0.5,
         "current": 0.5, "best": 0.5, "calls": 40, "tokens": 900},
        {"kind": "decided", "step": 1, "change": "slow", "action": "reject", "reason": "no", "score": 0.4,
         "current": 0.5, "best": 0.5, "calls": 60, "tokens": 1200},
    ]  # fmt: skip
    under_way = with_progress({"run": "9907", "skill": "adder", "status": "running", "events": events})
    assert curve_picture(rows(under_way, "curve")).values["best"] == [0.25, 0.5]
    words = "".join(Page(page(under_way)).words)
    for text in ("Running or interrupted", "60 rollouts and questions, 1,200 tokens", "better", "Look first."):
        assert text in words, text
    assert "5 of 8 train cases passed." in words
    assert "shrunk" not in words
    assert with_progress(report()) == report()


def test_what_waits_is_not_called_skipped_and_a_screening_says_what_fresh_attempts_said() -> None:
    whole = report()
    (one,) = whole["steps"]
    waits = {"change": "step", "action": "skipped", "reason": "3 of 15 edits wait", "waits": True}
    chosen = {**one["outcome"], "action": "accept_new_best", "reason": "1 of 4 edits stand out", "effect": -0.05}
    whole["steps"] = [{**one, "step": 0, "outcome": waits}, {**one, "outcome": chosen}]
    table = steps_table(whole)
    assert [row.texts for row in table.rows] == [
        ("one-shot", "waits", "", "3", "3 of 15 edits wait"),
        ("1", "accept new best", "(-5.0)", "3", "1 of 4 edits stand out"),
    ]
    words = "".join(Page(page(whole)).words)
    assert "5 of 8 train cases passed." in words
    assert "In brackets: the result of fresh rollouts after screening." in words


def test_a_skill_without_a_score_says_why() -> None:
    missing = [{"arm": "one_shot", "split": split, "score": None, "reason": "no answer"} for split in ("val", "test")]
    (row,) = scores_table({"baselines": missing}).rows
    assert row.texts == ("one-shot rewrite (no answer)", "-", "", "-", "", "")


def test_a_best_score_that_falls_is_explained() -> None:
    whole = report()
    assert "was measured again" not in page(whole)
    whole["curve"][1]["best"] = 0.25
    assert "was measured again" in page(whole)


def test_the_head_says_what_came_of_it_in_every_case() -> None:
    ended = {**report(), "stopped": "", "skill_hash": "b", "base_hash": "a"}
    ended["decision"] = {"action": "accept", "reason": "+8 points"}
    assert verdict(ended) == ("Confirmed", "+8 points")
    assert verdict({**ended, "skill_hash": "a"})[0] == "Nothing better was found"
    assert verdict({**ended, "stopped": "it was interrupted"}) == ("Stopped", "it was interrupted")
    assert verdict({"run": "9907", "skill": "adder"})[0] == "Running or interrupted"


def test_a_training_that_ran_out_of_its_budget_is_told_how_to_go_on_with_twice_as_much() -> None:
    limits = {"calls": 400, "usd": "2.5", "seconds": None}
    stopped = {"run": "9907b73f00", "stopped": "the budget of 400 calls is used up", "limits": limits}
    assert resume_command(stopped) == "metier train resume 9907b73f --budget calls=800 --budget usd=5"
    assert resume_command({**stopped, "stopped": "it was interrupted"}) == "metier train resume 9907b73f"


def test_the_cases_that_changed_come_first_and_are_counted() -> None:
    arms = {"no_skill": 0, "one_shot": 0}
    scores = {"same": (1, 1), "better": (0, 1), "worse": (1, 0)}
    rows = [{"case": name, "split": "val", "initial": a, "best": b, **arms} for name, (a, b) in scores.items()]
    words = "".join(Page(page({**report(), "cases": rows})).words)
    assert "val: 3 cases; trained skill against initial skill: 1 better, 1 worse, 1 the same" in words
    assert words.index("worse0") < words.index("better0") < words.index("same0")


def test_what_was_begun_early_is_a_stage_and_an_unknown_price_is_no_zero() -> None:
    spare = {"calls": 7, "input": 10, "output": 2, "cost_usd": 0.0}
    found = [row.texts for row in usage_table({**report(), "spare": spare}).rows]
    assert ("ahead", "7", "10", "2", "-", "started early, not needed") in found


def test_the_page_of_a_stored_report_is_the_page_of_the_report() -> None:
    assert page(json.loads(json.dumps(report()))) == page(report())
