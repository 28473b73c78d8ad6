"""Which case is for what: decided once, the same for ever."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.errors import InputError, UsageError
from metier.training.cases.splits import PARTS, Shares, Splits, by_hash, by_ratio
from metier.types.trials import Case


def cases(count: int, **more: object) -> list[Case]:
    return [Case(id=f"c{number}", input=f"task {number}", **more) for number in range(count)]  # type: ignore[arg-type]


def sides(splits: Splits) -> dict[str, str]:
    return {case.id: part for part in PARTS for case in getattr(splits, part)}


def sizes(splits: Splits) -> tuple[int, ...]:
    return tuple(len(getattr(splits, part)) for part in PARTS)


@settings(max_examples=40)
@given(st.integers(60, 120), st.integers(0, 5))
def test_a_case_never_changes_sides_when_others_come(count: int, seed: int) -> None:
    few, many = sides(by_hash(cases(50), seed=seed)), sides(by_hash(cases(count)[::-1], seed=seed))
    assert len(few) == 50
    assert few.items() <= many.items()


def test_hashing_comes_near_to_the_shares() -> None:
    train, val, test, confirm = sizes(by_hash(cases(4000)))
    assert max(abs(train - 1600), abs(val - 1200), abs(test - 600), abs(confirm - 600)) < 120


@settings(max_examples=40)
@given(st.integers(4, 200), st.lists(st.integers(1, 9), min_size=4, max_size=4), st.integers(0, 9))
def test_a_ratio_is_kept_to_the_case(count: int, given: list[int], seed: int) -> None:
    shares = Shares(**dict(zip(PARTS, map(float, given), strict=True)))
    try:
        made = by_ratio(cases(count), shares, seed)
    except InputError:
        assert min(given[0], given[1]) * count < sum(given)
        return
    assert sum(sizes(made)) == count
    for part, one in zip(PARTS, given, strict=True):
        assert abs(len(getattr(made, part)) - count * one / sum(given)) < 1
    assert sides(made) == sides(by_ratio(cases(count)[::-1], shares, seed))


@pytest.mark.parametrize(
    ("count", "shares", "expected"),
    [
        (25, (0.7, 0.2, 0.1, 0), (18, 5, 2, 0)),  # 17.5, 5, 2.5
        (28, (0.45, 0.35, 0.2, 0), (13, 10, 5, 0)),  # 12.6, 9.8, 5.6
        (10, (0.4, 0.3, 0.15, 0.15), (4, 3, 2, 1)),  # 4, 3, 1.5, 1.5
        (110, (0.65, 0.55, 0.8, 0.2), (33, 27, 40, 10)),  # 32.5, 27.5, 40, 10
    ],
)
def test_of_equal_remainders_the_first_part_gets_one_more(
    count: int, shares: tuple[float, ...], expected: tuple[int, ...]
) -> None:
    assert sizes(by_ratio(cases(count), Shares(**dict(zip(PARTS, shares, strict=True))))) == expected


def test_another_seed_is_another_split() -> None:
    assert sides(by_ratio(cases(40))) != sides(by_ratio(cases(40), seed=1))
    assert sides(by_hash(cases(40))) != sides(by_hash(cases(40), seed=1))


def test_given_sides_stand_and_test_is_shared_with_confirm() -> None:
    given = [
        *(Case(id=f"t{n}", input=f"t{n}", split="train") for n in range(3)),
        *(Case(id=f"v{n}", input=f"v{n}", split="val") for n in range(2)),
        *(Case(id=f"x{n}", input=f"x{n}", split="test") for n in range(10)),
    ]
    for split in (by_hash, by_ratio):
        made = split(given)
        assert [case.id for case in made.train] == ["t0", "t1", "t2"]
        assert [case.id for case in made.val] == ["v0", "v1"]
        assert {case.id for case in (*made.test, *made.confirm)} == {f"x{n}" for n in range(10)}
    assert sizes(by_ratio(given)) == (3, 2, 5, 5)
    assert sizes(by_ratio(given, Shares(confirm=0))) == (3, 2, 10, 0)
    assert sizes(by_ratio(given, Shares(test=0, confirm=0))) == (3, 2, 10, 0)


def test_cases_keep_the_order_they_came_in() -> None:
    made = by_hash(cases(200))
    for part in PARTS:
        numbers = [int(case.id[1:]) for case in getattr(made, part)]
        assert numbers == sorted(numbers)


@pytest.mark.parametrize(("split", "said"), [("train", "to choose by"), ("val", "to learn from"), ("test", "to learn")])
def test_without_train_or_val_it_says_what_to_do(split: str, said: str) -> None:
    with pytest.raises(InputError, match=f"is left {said}.*mark some with"):
        by_hash(cases(3, split=split))


def test_no_cases_at_all_are_no_split() -> None:
    with pytest.raises(InputError, match="None of the 0 cases"):
        by_ratio([])


def test_the_same_task_on_two_sides_is_refused() -> None:
    same = [*cases(40), *(Case(id=f"d{n}", input="task 0") for n in range(20))]
    with pytest.raises(InputError, match="ask the same but are in different splits"):
        by_hash(same)


@pytest.mark.parametrize("given", [{"train": 0.0}, {"val": 0.0}, {"test": -0.1}, {"confirm": float("nan")}])
def test_impossible_shares_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="both train and val need one above 0"):
        Shares(**given)
