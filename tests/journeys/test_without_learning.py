"""Without `learning` and `training` Metier still records, imports, reviews, versions and selects."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from package_copy import copy_package

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENT = """---
name: deploy
description: Deploys the web shop to the servers. Use when someone asks to deploy or release.
---

# Deploy

Run `make deploy`.
"""
RUN = {"message": "fix the flaky login test", "status": "completed", "output": "It waits for the cookie now."}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with a skill, beside a copy of the package that has neither `learning` nor `training`."""
    package = copy_package(tmp_path)
    for stage in ("learning", "training"):
        shutil.rmtree(package / stage)
    skill = tmp_path / "shop/.agents/skills/deploy/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(DOCUMENT)
    return tmp_path / "shop"


def run(shop: Path, *words: str, given: str = "") -> str:
    environ = {**os.environ, "PYTHONPATH": str(shop.parent), "HOME": str(shop.parent)}
    command = [sys.executable, "-m", "metier", *words]
    done = subprocess.run(command, cwd=shop, env=environ, input=given, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_stage_but_learning_and_training_works_without_them(shop: Path) -> None:
    run(shop, "init")
    recorded = json.loads(run(shop, "record", "--json", given=json.dumps(RUN)))
    assert recorded["recorded"] == 1
    (shop / "past.jsonl").write_text(json.dumps({**RUN, "message": "fix the broken search test"}) + "\n")
    assert json.loads(run(shop, "import", "jsonl", "past.jsonl", "--json"))["new"] == 1
    assert len(json.loads(run(shop, "runs", "list", "--json"))) == 2
    review = json.loads(run(shop, "review", ".agents/skills/deploy", "--json"))
    assert [one["status"] for one in review["packages"]] == ["candidate"]
    (shop / "patch.json").write_text(json.dumps({"edits": [{"op": "append", "content": "Check the logs."}]}))
    run(shop, "skills", "edit", ".agents/skills/deploy/SKILL.md", "--patch", "patch.json")
    assert "Check the logs." in (shop / ".agents/skills/deploy/SKILL.md").read_text()
    environ = {**os.environ, "PYTHONPATH": str(shop.parent), "HOME": str(shop.parent)}
    back = "import metier\nwith metier.open('.') as ws: ws.rollback('deploy')"
    subprocess.run([sys.executable, "-c", back], cwd=shop, env=environ, check=True, timeout=60)
    assert (shop / ".agents/skills/deploy/SKILL.md").read_text() == DOCUMENT
    assert len(json.loads(run(shop, "skills", "history", "deploy", "--json"))) == 3
    chosen = json.loads(run(shop, "select", "deploy the web shop please", "--json"))
    assert [one["name"] for one in chosen["skills"]] == ["deploy"]
    assert json.loads(run(shop, "drafts", "list", "--json")) == []
    assert "problem" not in run(shop, "doctor")
