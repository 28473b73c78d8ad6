"""Every process of these tests belongs to one person."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def one_person(no_settings_of_this_machine: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
