"""Every rule finds its own examples and leaves those that only look alike."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pytest

from metier.review.layers.content import content_evidence
from metier.review.matching.likeness import LIKE
from metier.review.matching.looks import LOOKS
from metier.review.matching.re2 import compile_pattern
from metier.review.rules.catalogue import TAGS, all_rules, content_rules
from metier.skills.package import Package

if TYPE_CHECKING:
    from metier.review.rules.rule import Rule

ELSEWHERE = (
    *("hidden-padding", "says-otherwise", "many-signs", "order-rather-like-attack", "program-like-attack"),
    "program-rather-like-attack",
)
"""Rules whose examples take a whole package, or more space than a line of data; they have tests of their own."""
HOSTILE = [(rule, text) for rule in content_rules() for text in rule.hostile]
HARMLESS = [(rule, text) for rule in content_rules() for text in rule.harmless]


def example(rule: Rule, text: str) -> Package:
    """A package that holds an example where the rule looks."""
    about = text if "description" in rule.reads else "Helps with daily work."
    script = rule.file == "script" or any("@unnamed" in way.all for way in rule.ways)
    body = "Run it." if script or "description" in rule.reads else text
    document = f"---\nname: daily-helper\ndescription: {about!r}\n---\n\n{body}\n"
    files = {"scripts/run.py": text.encode()} if script else {}
    return Package(files={"SKILL.md": document.encode(), **files})


def rules_in(package: Package) -> set[str]:
    return {one.rule.id for one in content_evidence(package) if one.share == 1}


@pytest.mark.parametrize(("rule", "text"), HOSTILE, ids=[f"{rule.id}-{text[:24]!a}" for rule, text in HOSTILE])
def test_a_rule_finds_what_it_is_for(rule: Rule, text: str) -> None:
    assert rule.id in rules_in(example(rule, text))


@pytest.mark.parametrize(("rule", "text"), HARMLESS, ids=[f"{rule.id}-{text[:24]!a}" for rule, text in HARMLESS])
def test_a_rule_leaves_what_only_looks_like_it(rule: Rule, text: str) -> None:
    assert rule.id not in rules_in(example(rule, text))


def test_every_rule_has_examples_of_both_kinds() -> None:
    without = [rule.id for rule in content_rules() if not (rule.hostile and rule.harmless)]
    new = [one for one in without if one not in ELSEWHERE]
    assert new == [], f"{new}: give it hostile and harmless examples, or a test of its own and a place in ELSEWHERE"
    assert without == list(ELSEWHERE), "a rule of ELSEWHERE has examples now: take it out"


def test_every_rule_says_what_is_wrong_and_what_to_do() -> None:
    for rule in all_rules().values():
        assert rule.reason.endswith("."), rule.id
        assert rule.fix.endswith("."), rule.id
        assert rule.tag in TAGS, f"{rule.id}: tag is one of {', '.join(TAGS)}"


def test_every_rule_counts_or_asks_and_looks_at_something() -> None:
    for rule in content_rules():
        assert bool(rule.weight) != bool(rule.asks), rule.id
        assert rule.ways or rule.look in (*LOOKS, *chain(*LIKE.values())), rule.id


def test_every_pattern_is_one_the_linear_engine_takes() -> None:
    for rule in content_rules():
        for way in rule.ways:
            for part in (*way.all, way.unless):
                assert compile_pattern(part.removeprefix("@stranger").removeprefix("@stray").removeprefix("|")), rule.id
            assert way.within in ("sentence", "sentences", "line", "file", "package") or int(way.within) > 0
