"""Each content rule finds what it is for, and leaves what only looks like it."""

from __future__ import annotations

import pytest
from attack_samples import SAMPLES, Samples
from intent_samples import INTENT
from meaning_samples import MEANING
from plain_samples import PLAIN
from program_samples import PROGRAM
from setup_samples import SETUP

from metier.review.matching.re2 import compile_pattern
from metier.review.matching.scan import scan
from metier.review.rules.catalogue import CONTENT, TAGS, all_rules
from metier.review.text.views import ReviewedText

RULES = {rule.id: rule for rule in CONTENT}
ALL = (*SAMPLES, *PLAIN, *MEANING, *PROGRAM, *INTENT, *SETUP)
BAD = [(one, text) for one in ALL for text in one.bad]
GOOD = [(one, text) for one in ALL for text in one.good]


def _found(samples: Samples, text: str) -> bool:
    path = "scripts/run.sh" if samples.where == "script" else "SKILL.md"
    return bool(scan(ReviewedText(path, text, script=samples.where == "script"), (RULES[samples.rule],)))


@pytest.mark.parametrize(("samples", "text"), BAD, ids=[f"{one.rule}-{text[:24]!a}" for one, text in BAD])
def test_a_rule_finds_what_it_is_for(samples: Samples, text: str) -> None:
    assert _found(samples, text)


@pytest.mark.parametrize(("samples", "text"), GOOD, ids=[f"{one.rule}-{text[:24]!a}" for one, text in GOOD])
def test_a_rule_leaves_honest_look_alikes(samples: Samples, text: str) -> None:
    assert not _found(samples, text)


def test_every_rule_has_three_samples_of_each_kind() -> None:
    counted = {one.rule: (len(one.bad), len(one.good)) for one in ALL}
    assert counted.keys() == RULES.keys()
    assert all(bad >= 3 and good >= 3 for bad, good in counted.values())


def test_every_rule_says_what_is_wrong_and_what_to_do() -> None:
    for rule in all_rules().values():
        assert rule.reason.endswith("."), rule.id
        assert rule.fix.endswith("."), rule.id
        assert rule.tag in TAGS, rule.id


def test_every_pattern_is_one_the_linear_engine_takes() -> None:
    for rule in CONTENT:
        for pattern in (*rule.patterns, *rule.together, *rule.unless, rule.known):
            assert compile_pattern(pattern), rule.id
