"""The same task gone well and gone wrong: analysts see it first, and what differs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from training_toys import Rules, Teacher, case, run, setting

from metier.training.contrast import difference
from metier.training.proposing.prompt import Seen
from metier.training.proposing.reflect import Sorting, question
from metier.training.rollouts.pool import Threads
from metier.training.spec import Spec
from metier.types.trials import Rollout, Scored

if TYPE_CHECKING:
    from metier.skills.package import Package
    from metier.training.rollouts.rollout import Spent
    from metier.types.trials import Case

SPEC = Spec(epochs=1, batch=12, minibatch=4, samples=2, contrast=True, schedule="constant", max_edits=2)


def rollout(number: int, *, passed: bool, trace: str = "", output: str = "done") -> Rollout:
    score = Scored(hard=float(passed), soft=float(passed))
    return Rollout(case=f"c{number}", skill_hash="h", target="t", score=score, sample=0, output=output, trace=trace)


def seen(number: int, *outcomes: bool) -> Seen:
    return Seen(case=case(number), rollouts=tuple(rollout(number, passed=one) for one in outcomes))


def sorted_into(*cases: Seen, contrast: bool) -> list[tuple[str, list[str]]]:
    sorting = Sorting(3, contrast=contrast)
    made = [one for each in cases if (one := sorting.add(each))]
    made = sorted([*made, *sorting.rest()], key=lambda one: one.rank)
    return [(one.source, [each.case.id for each in one.cases]) for one in made]


BATCH = (
    *(seen(number, False, False) for number in range(3)),
    *(seen(number, True, False) for number in range(3, 7)),
    seen(7, True, True),
    seen(8, False, False),
)


def test_mixed_cases_come_first_and_nobody_else_is_asked_for_them() -> None:
    assert sorted_into(*BATCH, contrast=True) == [
        ("failure", ["c3", "c4", "c5"]),
        ("failure", ["c6", "c8"]),
        ("failure", ["c0", "c1", "c2"]),
        ("success", ["c7"]),
    ]
    assert sorted_into(*BATCH, contrast=False) == [
        ("failure", ["c0", "c1", "c2"]),
        ("failure", ["c3", "c4", "c5"]),
        ("failure", ["c6", "c8"]),
        ("success", ["c7"]),
    ]


def test_what_was_left_over_of_both_is_cut_to_size() -> None:
    mixed, failed = [seen(number, True, False) for number in (0, 1)], [seen(number, False) for number in (2, 3)]
    assert sorted_into(*failed, *mixed, contrast=True) == [("failure", ["c0", "c1", "c2"]), ("failure", ["c3"])]


def test_the_analyst_is_told_which_attempt_passed_and_what_it_did_otherwise() -> None:
    wrong = rollout(1, passed=False, trace="read the file\nguessed the sum", output="12")
    well = rollout(1, passed=True, trace="read the file\nran the script", output="14")
    sorting = Sorting(8, contrast=True)
    sorting.add(Seen(case=case(1), rollouts=(wrong, well)))
    (minibatch,) = sorting.rest()
    text = question(minibatch, setting(), SPEC).prompt
    assert "attempt 1: FAIL (hard 0.00, soft 0.00)" in text
    assert "attempt 2: PASS (hard 1.00, soft 1.00)" in text
    told = text.split("attempt 2 passed and attempt 1 failed; the lines that differ:\n")[1]
    assert told.startswith(
        "--- went wrong\n+++ went well\n@@ -1,3 +1,3 @@\n read the file\n-guessed the sum\n-12\n+ran the script\n+14\n"
    )
    plain = question(minibatch, setting(), replace(SPEC, contrast=False)).prompt
    assert "look for what made the difference" in plain
    assert "the lines that differ" not in plain


def test_attempts_with_the_same_words_say_so_and_long_ones_are_bounded() -> None:
    same = seen(1, False, True)
    assert difference(*same.rollouts) == ""
    sorting = Sorting(8, contrast=True)
    sorting.add(same)
    assert (
        "attempt 2 passed and attempt 1 failed, with the same words"
        in question(sorting.rest()[0], setting(), SPEC).prompt
    )
    long = (rollout(1, passed=one, trace="\n".join(f"{one} {n}" for n in range(20_000))) for one in (True, False))
    assert len(difference(*long).splitlines()) < 1_000


class Moody(Rules):
    """Every third case goes well in the second attempt whatever the skill says."""

    def roll(self, case: Case, skill: Package | None, sample: int) -> Rollout | Spent:
        made = super().roll(case, skill, sample)
        if isinstance(made, Rollout) and case.id.startswith("train") and sample and int(case.id[5:]) % 3 == 0:
            return replace(made, score=Scored(hard=1.0, soft=1.0), output=f"{made.output}, twice")
        return made


def test_in_a_whole_training_contrasts_reach_the_analysts_before_other_failures() -> None:
    model = Teacher()
    first = run(SPEC, world=Moody(), model=model)
    texts = [request.messages[0].text for request in model.asked if request.stage == "reflect"]
    assert any("the lines that differ:" in text for text in texts)
    mixed = [text.count("look for what made the difference") for text in texts if "went wrong at least once" in text]
    assert max(mixed) == 4
    with Threads(5) as pool:
        again = run(SPEC, world=Moody(slow=0.001), model=Teacher(slow=0.001), pool=pool)
    assert (again.trained, again.events) == (first.trained, first.events)


def test_with_one_sample_there_is_nothing_to_contrast_and_nothing_changes() -> None:
    spec = replace(SPEC, samples=1)
    asked: list[list[str]] = []
    for contrast in (True, False):
        model = Teacher()
        run(replace(spec, contrast=contrast), model=model)
        asked.append([request.messages[0].text for request in model.asked])
    assert asked[0] == asked[1]
