"""Two hundred runs of recurring work, through the command line in mode apply: a skill for each task, none for noise."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest
import work
from shop import Shop

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = (
    (work.SEED, ""),
    pytest.param(11, "", marks=pytest.mark.slow),
    pytest.param(12, "bump-dependency", marks=pytest.mark.slow),  # its requests could be turns of conversations
)


@pytest.mark.parametrize(("seed", "unclear"), SEEDS)
def test_every_recurring_task_becomes_one_skill_that_names_its_steps(tmp_path: Path, seed: int, unclear: str) -> None:
    made = work.samples(seed)
    truth = {one.run.external_id: one.label for one in made}
    shop = Shop(tmp_path / "shop", METIER_MODE="apply")
    shop.record([one.run for one in made])
    learned = shop.json("learn")
    assert learned["calls"] == 0
    for draft in shop.json("drafts", "list"):
        assert draft["status"] == "candidate", draft["findings"]
        assert shop.run("drafts", "approve", draft["id"], "--reason", "looked at it").returncode == 0
        assert shop.run("drafts", "apply", draft["id"]).returncode == 0
    patterns = shop.json("patterns")
    tasks: dict[str, list[str]] = defaultdict(list)
    for pattern in patterns:
        labels = {truth[one] for one in (*pattern["external_ids"], *pattern["failed_external_ids"])}
        assert len(labels) == 1, pattern["label"]
        tasks[str(labels.pop())].append(pattern["label"])
    assert tasks.keys() == {task.label for task in work.TASKS}, "noise makes no pattern, and every task makes one"
    assert all(len(found) == 1 for found in tasks.values()), tasks
    # what nobody used a tool for teaches no procedure
    for task in [one for one in work.TASKS if one.moves and one.label != unclear]:
        text = (shop.folder / ".agents/skills" / tasks[task.label][0] / "SKILL.md").read_text(encoding="utf-8")
        assert [one for one in task.must if one not in text] == [], task.label
        assert [one for one in task.must_not if one in text] == [], task.label
    folder = str(shop.folder / ".agents/skills")
    assert shop.run("skills", "validate", folder, "--strict").returncode == 0
    assert shop.run("review", folder).returncode == 0
    assert json.loads(shop.run("learn", "--json").stdout)["evidence"] == 0
