"""Runs are laid side by side in an order that only they themselves decide."""

from __future__ import annotations

import pytest

from metier.learning.procedures.actions import Action
from metier.learning.procedures.steps import align_runs


@pytest.mark.parametrize("names", [f"{number:x}abcdef{number:x}" for number in range(40)])
def test_runs_that_are_equally_typical_keep_their_order_whatever_their_steps_are_called(names: str) -> None:
    common, one, two, three, four, five = (f"{names}-{letter}" for letter in "cuvxyz")
    ways = [(common, one, two), (common, three, four, five), (four, five), (five, two), (two,), (two,), (two,)]
    runs = [tuple(Action(kind="tool", text=text, ok=True, at=at) for at, text in enumerate(way)) for way in ways]
    columns = align_runs([*runs, (), (), ()])
    (shared,) = [column for column in columns if column.members[0][1].text == common]
    assert [number for number, _ in shared.members] == [0, 1]
