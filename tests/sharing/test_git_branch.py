"""Sharing by git: a branch with what was approved and the evidence in its text; the checkout stays as it is."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sharing_world import RULE, make_project, open_machine

from metier.errors import InputError, NotFoundError, RefusedError
from metier.sharing.git_branch import make_branch
from metier.store.tables.learning import lessons
from metier.types.lessons import Quote

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def repository(folder: Path) -> None:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "ada@example.org")
    (folder / "readme.txt").write_text("hello\n", encoding="utf-8")
    (folder / ".gitignore").write_text(".metier\n.agents\n", encoding="utf-8")
    git(folder, "add", "readme.txt", ".gitignore")
    git(folder, "commit", "-q", "-m", "first")


def test_the_branch_holds_what_was_approved_with_its_evidence_and_nothing_else_changes(tmp_path: Path) -> None:
    ws = make_project(tmp_path / "project")
    repository(ws.root)
    (ws.root / "readme.txt").write_text("changed\n", encoding="utf-8")
    hook = ws.root / ".git/hooks/reference-transaction"
    hook.write_text("#!/bin/sh\ntouch ../hook-ran\n", encoding="utf-8")
    hook.chmod(0o755)
    before = git(ws.root, "status", "--porcelain"), git(ws.root, "rev-parse", "HEAD")
    made = make_branch(ws.library, "metier/first")
    assert (git(ws.root, "status", "--porcelain"), git(ws.root, "rev-parse", "HEAD")) == before
    assert not (ws.root.parent / "hook-ran").exists()
    assert made.skills == ("write-notes",)
    files = git(ws.root, "ls-tree", "-r", "--name-only", "metier/first").split()
    assert files == [".agents/lessons.md", ".agents/skills/write-notes/SKILL.md", ".gitignore", "readme.txt"]
    assert git(ws.root, "show", "metier/first:readme.txt") == "hello\n"
    page = git(ws.root, "show", "metier/first:.agents/lessons.md")
    assert "Stage only the files you changed" in page
    text = git(ws.root, "log", "-1", "--format=%B", "metier/first")
    assert "no, not git add . again" in text
    assert "Skill write-notes, version 1" in text
    assert "approved by" in text
    assert "Weak proposal" not in page + text
    with pytest.raises(RefusedError, match="there already"):
        make_branch(ws.library, "metier/first")
    with pytest.raises(InputError, match="cannot be the name"):
        make_branch(ws.library, "a..b")
    git(ws.root, "checkout", "-q", "-f", "metier/first")
    with pytest.raises(RefusedError, match="already"):
        make_branch(ws.library)
    ws.close()


def test_a_secret_is_refused_also_beside_one_that_was_taken_out(tmp_path: Path) -> None:
    ws = make_project(tmp_path / "project")
    repository(ws.root)
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    beside = Quote(run="r", origin="person", text=f"not [REDACTED:github-token:0a1b2c3d], use {secret}")
    with ws.context.store.write() as transaction:
        approved = next(one for one in lessons.list_all(transaction) if one.id == RULE)
        lessons.put(transaction, [replace(approved, quotes=(beside,))])
    with pytest.raises(RefusedError, match="looks like a secret"):
        make_branch(ws.library, "metier/first")


def test_without_a_repository_a_commit_or_anything_approved_it_says_so(tmp_path: Path) -> None:
    ws = open_machine(tmp_path / "project")
    with pytest.raises(InputError, match="git repository"):
        make_branch(ws.library)
    repository(ws.root)
    with pytest.raises(NotFoundError, match="Nothing is approved"):
        make_branch(ws.library)
    ws.close()
