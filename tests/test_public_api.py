"""The public names: what `__all__` promises exists, and nothing else is promised by accident."""

from __future__ import annotations

import inspect

import pytest

import metier


@pytest.mark.parametrize("name", metier.__all__)
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    found = getattr(metier, name)
    assert inspect.getdoc(found)


def test_the_public_names_are_these() -> None:
    assert sorted(metier.__all__) == metier.__all__
    assert metier.__all__ == [
        "ConfigError", "ConflictError", "Delivery", "InputError", "Learned", "MetierError", "NotFoundError", "Outcome",
        "Passage", "Pattern", "Record", "Recording", "RefusedError", "Run", "SkillTrace", "Snapshot", "StoreError",
        "Tokens", "ToolCall", "UsageError", "Verdict", "Workspace", "open",
    ]  # fmt: skip


def test_the_public_methods_of_a_workspace_are_these() -> None:
    found = [name for name, _ in inspect.getmembers(metier.Workspace, callable) if not name.startswith("_")]
    assert found == [
        "adeliver", "aevaluate", "afinish", "alearn", "approve", "archive", "aselect", "atrain", "close", "deliver",
        "drafts", "evaluate", "finish", "history", "index", "index_skills", "ingest", "learn", "lessons", "mark",
        "open", "patterns", "pin", "problems", "read_waiting", "record", "record_hand_edits", "reject", "restore",
        "rollback", "run", "runs", "search", "select", "skills", "tidy", "train", "trust_skills",
        "verdict",
    ]  # fmt: skip


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = metier.nonsense
    assert "open" in dir(metier)


def test_the_version_is_the_packages() -> None:
    from importlib.metadata import version

    assert metier.__version__ == version("metier")
