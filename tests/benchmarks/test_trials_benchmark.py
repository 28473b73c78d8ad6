"""The benchmark of trials names every figure that is beyond its limit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proof.trials import WORLDS, Row, check

FINE = Row(effect=-0.1, helps=0.05, hurts=0.5, kept=0.09, covered=0.9, runs=10, days=1, lost=1, trials=4_000)


def test_what_is_within_its_limits_is_not_named() -> None:
    assert check(5, WORLDS[0], [FINE, replace(FINE, effect=0.1, helps=0.9, kept=0.91)]) == []


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (replace(FINE, helps=0.051), "5.1% promoted"),
        (replace(FINE, effect=0.0, helps=0.06, kept=1.0), "6.0% promoted"),
        (replace(FINE, covered=0.89), "hold the truth in 89.0%"),
        (replace(FINE, kept=0.11), "regret 0.0110"),
        (replace(FINE, effect=0.2, kept=0.94), "regret 0.0120"),
    ],
)
def test_what_is_beyond_its_limit_is_named(row: Row, why: str) -> None:
    [said] = check(5, WORLDS[0], [row])
    assert why in said
