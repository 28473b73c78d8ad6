"""A newcomer's first hour, without a dead end: demo, dashboard, init, record, learn, select, train, roll back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import forked
from newcomer import Newcomer, plain_environment

if TYPE_CHECKING:
    from pathlib import Path


def test_a_newcomer_gets_from_the_demo_to_a_trained_skill_and_back(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    one = Newcomer(forked.run, sys.executable, folder, plain_environment(tmp_path))
    one.walk([sys.executable, "-m", "metier"])
