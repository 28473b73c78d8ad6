"""The slow update: four categories, three policies, one protected region."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from training_toys import TEXT, case, package

from metier.skills.document.regions import MARKERS, with_inner
from metier.training.proposing.prompt import document_of, with_document
from metier.training.proposing.slow_update import (
    category_counts,
    guidance_question,
    pairs_for_policy,
    pairs_of,
    pairs_text,
    strategy_question,
    with_guidance,
)
from metier.types.trials import Rollout, Scored, Unscored

if TYPE_CHECKING:
    from metier.training.spec import Pairing

START, END = MARKERS["slow_update"]
CASES = tuple(case(number, "hidden") for number in range(5))


def rollout(hard: float | None) -> Rollout:
    score = Unscored(reason="closed") if hard is None else Scored(hard=hard, soft=hard)
    return Rollout(case="c", skill_hash="", target="t", score=score, output=f"output {hard}")


BEFORE = [rollout(hard) for hard in (0.0, 1.0, 0.0, 1.0, None)]
AFTER = [rollout(hard) for hard in (1.0, 0.0, 0.0, 1.0, 1.0)]
PAIRS = pairs_of(CASES, BEFORE, AFTER)


def test_a_case_improved_regressed_kept_failing_or_kept_passing() -> None:
    assert [pair.category for pair in PAIRS] == ["improved", "regressed", "persistent_fail", "stable_success"]
    assert dict(category_counts(PAIRS)) == {"improved": 1, "regressed": 1, "persistent_fail": 1, "stable_success": 1}


def test_a_case_without_a_score_is_no_pair() -> None:
    assert CASES[4] not in [pair.case for pair in PAIRS]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("mixed", ["improved", "regressed", "persistent_fail", "stable_success"]),
        ("changed", ["improved", "regressed"]),
        ("unchanged", ["persistent_fail", "stable_success"]),
    ],
)
def test_a_policy_decides_which_pairs_are_looked_at(policy: Pairing, expected: list[str]) -> None:
    assert [pair.category for pair in pairs_for_policy(PAIRS, policy)] == expected


def test_what_regressed_comes_first_and_what_went_well_twice_is_not_told_at_length() -> None:
    text = pairs_text(PAIRS)
    assert text.index("## regressed") < text.index("## persistent_fail") < text.index("## improved")
    assert "output" not in text.split("## stable_success")[1]
    assert "secret answer" not in text


def test_guidance_takes_the_place_of_the_guidance_there_was() -> None:
    once = with_guidance(package(), "Keep calm.")
    assert document_of(once) == f"{TEXT}\n<!-- SLOW_UPDATE_START -->\nKeep calm.\n<!-- SLOW_UPDATE_END -->\n"
    assert document_of(with_guidance(once, "Hurry.")) == document_of(once).replace("Keep calm.", "Hurry.")


@pytest.mark.parametrize(
    "regions",
    [
        f"{START}\nOld.\n{END}\n\n{START}\nOlder.\n{END}\n",
        f"{START}\nOld.\n{END}\n\n{START}\nOlder.\n{END}\n\n{START}\nOldest.\n{END}\n",
        f"{START}\nOld.\n{END}\n{END}\n",
        f"{START}\nOld. {START} Older.\n{END}\n\n{END}\n",
        f"{START}\n\n{START}\nOld.\n{END}\n",
    ],
)
def test_guidance_takes_the_place_of_every_region_there_was(regions: str) -> None:
    document = document_of(with_guidance(with_document(package(), f"{TEXT}\n{regions}"), "Hurry."))
    assert document == f"{TEXT}\n{START}\nHurry.\n{END}\n"


def test_text_between_two_regions_stays() -> None:
    regions = f"{START}\nOld.\n{END}\n\nBetween.\n\n{START}\nOlder.\n{END}\n"
    document = document_of(with_guidance(with_document(package(), f"{TEXT}\n{regions}"), "Hurry."))
    assert document == f"{TEXT}\nBetween.\n\n{START}\nHurry.\n{END}\n"
    assert with_inner(regions, "slow_update", "Hurry.") == f"Between.\n\n{START}\nHurry.\n{END}\n"


def test_the_optimiser_sees_both_skills_the_pairs_and_what_it_wrote_before() -> None:
    before, now = package(), with_guidance(package(), "Keep calm.")
    text = guidance_question(before, now, PAIRS).prompt
    assert text.count("Do it well.") == 2
    assert text.count("Keep calm.") == 2
    assert "output 0.0" in text
    assert "An old note." in strategy_question(before, now, PAIRS, "An old note.").prompt
