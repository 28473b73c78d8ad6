"""Values go to JSON text and back, and a text that is no such value says what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from metier.formats.value_json import dumps, loads
from metier.types.trials import Rollout, Scored, Unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    count: int
    share: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    name: str
    kind: Literal["big", "small"] = "small"
    parts: tuple[Inner, ...] = ()
    pair: tuple[str, float] = ("", 0.0)
    gain: float | None = None
    inner: Inner | None = None
    on: bool = False


FULL = Outer(
    name="Zoë “said”\n",
    kind="big",
    parts=(Inner(count=1, share=0.1), Inner(count=-2, share=1e-7)),
    pair=("x", 3.0),
    gain=0.25,
    inner=Inner(count=3),
    on=True,
)


@pytest.mark.parametrize("value", [FULL, Outer(name="")])
def test_a_value_comes_back_as_it_was(value: Outer) -> None:
    assert loads(Outer, dumps(value)) == value


def test_the_text_is_short_and_in_the_order_of_the_fields() -> None:
    assert dumps(Inner(count=1, share=0.5)) == '{"count":1,"share":0.5}'
    assert "Zoë" in dumps(FULL)


def test_of_two_types_the_one_whose_fields_are_there_is_taken() -> None:
    for score in (Scored(hard=1.0, soft=0.5), Unscored(reason="no answer")):
        rollout = Rollout(case="c", skill_hash="h", target="t", output="", score=score)
        assert loads(Rollout, dumps(rollout)).score == score


def test_fields_of_a_later_version_are_passed_over() -> None:
    assert loads(Inner, '{"count": 1, "later": [1]}') == Inner(count=1)


def test_a_whole_number_is_a_number_with_a_point_too() -> None:
    assert loads(Inner, '{"count": 1, "share": 2}') == Inner(count=1, share=2.0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "Inner was expected, not list"),
        ("{}", "missing 1 required"),
        ('{"count": "1"}', "count: int was expected, not str"),
        ('{"count": true}', "count: int was expected, not bool"),
        ('{"count": 1, "share": null}', "share: float was expected, not NoneType"),
        ("{", "Expecting"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_another_text_says_what_is_wrong_with_it(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        loads(Inner, text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"name": "n", "kind": "huge"}', "kind: one of its words"),
        ('{"name": "n", "kind": ["big"]}', "kind: one of its words"),
        ('{"name": "n", "parts": [{"count": 1.5}]}', "parts: count: int was expected, not float"),
        ('{"name": "n", "parts": {}}', "parts: a list was expected, not dict"),
        ('{"name": "n", "pair": ["x"]}', "pair: a list of 2 was expected"),
        ('{"name": "n", "gain": "much"}', "gain: float was expected, not str"),
    ],
)
def test_the_field_is_named(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        loads(Outer, text)
