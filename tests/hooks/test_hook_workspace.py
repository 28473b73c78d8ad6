from __future__ import annotations

import pytest

from metier.hooks.workspace import is_ignored


@pytest.mark.parametrize(
    ("folder", "pattern", "ignored"),
    [
        ("/a/private", "/a/private", True),
        ("/a/private/deep/er", "/a/private", True),
        ("/a/private2", "/a/private", False),
        ("/a/private", "/a/private/deeper", False),
        ("/a/../a/private", "/a/private/", True),
        ("/x/secret-plans/y", "*/secret-*", True),
        ("/x/y/node_modules/z", "node_modules", True),
        ("/x/y", "", False),
    ],
)
def test_a_folder_and_all_below_it_can_be_left_out(folder: str, pattern: str, ignored: bool) -> None:
    assert is_ignored(folder, [pattern] if pattern else []) is ignored


def test_the_home_folder_can_be_written_with_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert is_ignored("/home/ann/private/x", ["~/private"])
    assert not is_ignored("/home/bob/private/x", ["~/private"])
