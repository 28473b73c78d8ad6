"""The page of a training: every text escaped, no script, nothing fetched, and it is HTML."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest

from tacit.training.page import page
from tacit.training.pictures import bars_picture, curve_picture

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
        "rollouts": 1200, "calls": 30, "tokens": 4000, "cost_usd": None, "document": text, "events": [],
    }  # fmt: skip


@pytest.mark.parametrize("text", ["plain", HOSTILE, "<!--", "]]>", "&amp;", "'", "</svg><script>", "𝔘 täglich"])
def test_whatever_a_text_says_the_page_stays_the_same_page(text: str) -> None:
    made, plain = Page(page(report(text))), Page(page(report()))
    assert made.seen == plain.seen
    assert "script" not in made.seen
    assert "img" not in made.seen
    assert [name for name, _ in made.attributes if name.startswith("on")] == []
    assert text in "".join(made.words)


def test_a_page_fetches_nothing_and_forbids_it() -> None:
    made = Page(page(report(HOSTILE)))
    assert [name for name, _ in made.attributes if name in ("src", "href", "xlink:href", "action", "data")] == []
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in made.attributes


def test_what_does_not_beat_a_rewrite_what_stopped_and_an_unknown_price_are_said_plainly() -> None:
    words = "".join(Page(page(report("because"))).words)
    assert "It does not beat a one-shot rewrite of the same skill." in words
    assert "It stopped early: because." in words
    assert "1,200 rollouts and 30 calls, a cost that is not known" in words


def test_what_each_screened_edit_was_worth_is_on_the_page() -> None:
    assert "kept: +5.0 points, 95 % interval -1.0 to +15.0" in "".join(Page(page(report())).words)


def test_a_training_under_way_has_a_page_too() -> None:
    made = Page(page({"run": "9907", "skill": "adder", "status": "running", "events": []}))
    assert "Training of adder" in "".join(made.words)
    assert "svg" not in made.seen


def test_pictures_have_a_title_and_a_point_for_every_candidate() -> None:
    points = report()["curve"]
    picture = curve_picture(points)
    assert picture.count("<circle") == 1
    assert 'role="img" aria-label="' in picture
    assert curve_picture([points[0]]).count("<circle") == 0
    assert bars_picture([], "val") == ""
    assert bars_picture(report()["baselines"], "val").count("<rect") == 4


def test_the_page_of_a_stored_report_is_the_page_of_the_report() -> None:
    assert page(json.loads(json.dumps(report()))) == page(report())
