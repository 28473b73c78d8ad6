"""Here victim and attacker are two people: each test says whose key counts."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def one_person() -> None:
    """Not here."""
