"""From recorded runs to a skill and back, through the command line, as a person would do it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from learn_world import ALONE, TESTS, failed, task, with_steps
from shop import Shop

from metier.types import Run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "shop")


def test_runs_become_a_draft_and_a_skill(shop: Shop) -> None:
    shop.record([*task(TESTS, 0, 3), *failed(task(TESTS, 3, 1))])
    (draft,) = shop.json("learn")["drafts"]
    applied = shop.run("drafts", "apply", draft["id"])
    assert applied.returncode == 0, applied.stderr
    text = (shop.folder / ".agents/skills" / draft["target"] / "SKILL.md").read_text()
    assert "pytest tests/test_login.py -x" in text
    assert draft["pattern"] not in text


@pytest.mark.slow
def test_a_skill_gets_better_and_can_be_taken_back(shop: Shop) -> None:
    alone = [Run(message=one, output="Done.", status="completed") for one in ALONE]
    shop.record([*task(TESTS, 0, 3), *failed(task(TESTS, 3, 1)), *alone])
    first = shop.json("learn")
    assert (first["evidence"], first["patterns"], first["applied"]) == (7, {"new": 1, "extended": 0}, [])
    (draft,) = first["drafts"]
    assert draft["status"] == "candidate"
    assert shop.json("learn")["drafts"] == []
    applied = shop.run("drafts", "apply", draft["id"])
    assert applied.returncode == 0, applied.stderr
    file = shop.folder / ".agents/skills" / draft["target"] / "SKILL.md"
    text = file.read_text()
    shop.record(with_steps(task(TESTS, 4, 3), "python tools/freeze_clock.py --all"))
    learned = shop.json("learn", "--apply")
    assert learned["applied"] == [], "no case proves it, so it waits for a yes"
    (more,) = learned["drafts"]
    assert (more["target"], more["status"]) == (draft["target"], "candidate")
    assert shop.run("drafts", "apply", more["id"]).returncode == 0
    assert "freeze_clock" in file.read_text()
    assert shop.run("skills", "rollback", draft["target"]).returncode == 0
    assert file.read_text() == text


@pytest.mark.slow
def test_a_pass_can_be_explained_run_by_run(shop: Shop) -> None:
    shop.record([*task(TESTS, 0, 2), *task(TESTS, 2, 1, status=None)])
    told = shop.json("learn", "--explain")
    assert [one["reason"] for one in told["rejected"]] == ["success unknown"]
    assert len(told["runs"]) == 3


@pytest.mark.slow
def test_a_rejected_draft_stays_rejected(shop: Shop) -> None:
    shop.record(task(TESTS, 0, 2))
    (draft,) = shop.json("learn")["drafts"]
    assert shop.run("drafts", "reject", draft["id"], "--reason", "not wanted").returncode == 0
    assert shop.json("learn")["drafts"] == []
    assert shop.json("drafts", "list") == []


@pytest.mark.slow
def test_a_root_that_cannot_be_written_is_said_and_can_be_tried_again(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", METIER_MODE="apply")
    (shop.folder / ".agents").write_text("in the way")
    shop.record(task(TESTS, 0, 2))
    done = shop.run("learn")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    (draft,) = shop.json("drafts", "list")
    assert [one["rule"] for one in draft["findings"]] == ["apply-failed"]
    (shop.folder / ".agents").unlink()
    assert shop.run("drafts", "apply", draft["id"]).returncode == 0
    assert (shop.folder / ".agents/skills" / draft["target"] / "SKILL.md").is_file()


@pytest.mark.slow
def test_where_nothing_is_recorded_learning_says_so_in_one_line(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop")
    shop.record(task(TESTS, 0, 1))
    shop.environ["METIER_ENABLED"] = "false"
    done = shop.run("learn")
    assert (done.returncode != 0, done.stdout, done.stderr.count("\n")) == (True, "", 1)
    assert "Learning is off in this folder" in done.stderr
