"""What a training is made from and where its result goes: files that cannot be read or written, limits that change."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from secret_samples import KINDS
from train_world import TEXT, cases, ended, order, place, solve, trained

from metier.errors import InputError, StoreError, UsageError
from metier.formats.value_json import dumps
from metier.skills.package import Package
from metier.training.service.inputs import build_order, cases_from, order_again
from metier.training.service.order import TrainLimits
from metier.training.service.ship import train_and_ship, write_package
from metier.training.spec import Spec
from metier.types.trials import Case

if TYPE_CHECKING:
    from pathlib import Path

    from metier.workspace import Workspace

SMALL = Spec.of(epochs=1, batch=12, slow_cases=4)
EVALS = {"evals": [{"id": 1, "prompt": "Sum it up.", "expected_output": "6", "files": ["data.csv"]}]}


@pytest.fixture
def shop(ws: Workspace) -> Workspace:
    """A workspace with the skill in it."""
    place(ws.root)
    return ws


def test_no_field_of_a_case_is_kept_with_a_secret(shop: Workspace) -> None:
    secret = KINDS["github-personal"](Random(5))
    scorer = json.dumps({"kind": "contains", "texts": [f"the token {secret}"]})
    files = ((f"notes/{secret}.md", f"export GITHUB_TOKEN={secret}"),)
    texts = dict.fromkeys(("id", "input", "expected", "origin"), f"it is {secret}")
    case = Case(**texts, scorer=scorer, tags=("plain", secret), files=files)
    [kept] = build_order(shop.library, "adder", cases=(case,)).cases
    assert secret not in dumps(kept)
    assert kept.tags[0] == "plain"
    assert json.loads(kept.scorer)["kind"] == "contains"


def test_of_what_lies_beside_evals_only_the_files_they_name_are_read(tmp_path: Path) -> None:
    (tmp_path / "evals.json").write_text(json.dumps(EVALS), encoding="utf-8")
    (tmp_path / "data.csv").write_text("1,2,3", encoding="utf-8")
    (tmp_path / "large.bin").symlink_to("/dev/full")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    (case,), _ = cases_from(str(tmp_path / "evals.json"), Package(files={"SKILL.md": TEXT.encode()}))
    assert case.files == (("data.csv", "1,2,3"),)


def test_a_limit_that_is_named_on_resuming_leaves_the_others_as_they_were(shop: Workspace) -> None:
    first = trained(shop, order(spec=SMALL, limits=TrainLimits(rollouts=3, calls=50, tokens=90_000)))
    kept = order_again(shop.context, first.training.id, TrainLimits(rollouts=9))
    assert kept.limits == TrainLimits(rollouts=9, calls=50, tokens=90_000)
    assert order_again(shop.context, first.training.id).limits == TrainLimits(rollouts=3, calls=50, tokens=90_000)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 1e300, 0.0, -1.0])
def test_seconds_that_no_clock_can_wait_for_are_refused(wrong: float) -> None:
    with pytest.raises(UsageError, match="seconds for an attempt"):
        order(seconds=wrong)
    with pytest.raises(UsageError, match="answer of the optimiser"):
        order(spec=SMALL.replace(timeout=wrong))


def test_a_package_that_cannot_be_written_leaves_no_part_of_itself(shop: Workspace, tmp_path: Path) -> None:
    done = trained(shop, order(cases=cases(60), spec=SMALL, target=solve))
    best = done.trained.best
    long = Package(files={**best.files, "/".join(["references", *["x" * 200] * 4]): b"too long a path, so far down"})
    deep = tmp_path.joinpath(*["d" * 200] * 16)
    with pytest.raises(InputError, match="The training is saved: run the same command with another --out"):
        write_package(shop.library, replace(done, trained=replace(done.trained, best=long)), str(deep / "out"))
    assert list(deep.iterdir()) == []
    folder = write_package(shop.library, done, str(deep / "out"))
    assert folder is not None
    assert (folder / "SKILL.md").read_bytes() == best.document


def test_a_skill_that_is_removed_meanwhile_is_trained_all_the_same_and_written_beside_the_report(
    shop: Workspace,
) -> None:
    work = train_and_ship(shop.library, order(cases=cases(60), spec=SMALL, target=solve))
    next(work)
    (shop.root / ".agents/skills/adder").rename(shop.root / "moved")
    done, _ = ended(work)
    assert done.result is None
    assert done.package is not None
    assert (done.package / "SKILL.md").read_bytes() == done.trained.best.document


def test_when_nothing_can_be_written_any_more_the_training_says_where_and_how_it_goes_on(shop: Workspace) -> None:
    asked = order(cases=cases(60), spec=SMALL, target=solve)
    done = trained(shop, asked)
    (lock,) = shop.state.glob(f"train-{done.training.id}.lock")
    in_the_way = lock.with_suffix(".journal.0")
    in_the_way.mkdir()
    with pytest.raises(StoreError, match=r"Is a directory\. Nothing is lost: fix this"):
        ended(train_and_ship(shop.library, asked))
    in_the_way.rmdir()
    assert trained(shop, asked).trained == done.trained
