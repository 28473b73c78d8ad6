"""Trainings in the store, on both engines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from scoping import in_workspace

from metier.errors import NotFoundError
from metier.store.tables.training import trainings
from metier.store.tables.training.trainings import Training

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine

ONE = Training(
    id="9907b73f5997a66f",
    workspace="shop",
    skill="adder",
    base_hash="ce5a",
    spec="{}",
    target="chat",
    optimiser="",
    order='["c1"]',
    created="2026-01-05T12:00:00Z",
    updated="2026-01-05T12:00:00Z",
)
START = bytes(range(256))


def test_a_training_comes_back_as_it_was_with_the_package_it_began_with(engine: Engine) -> None:
    with engine.write() as transaction:
        trainings.put(transaction, ONE, START)
    with engine.read() as transaction:
        assert trainings.find(in_workspace(transaction, "shop"), ONE.id) == ONE
        assert trainings.get(in_workspace(transaction, "shop"), "9907") == ONE
        assert trainings.start_of(in_workspace(transaction, "shop"), ONE.id) == START
        assert trainings.report_of(in_workspace(transaction, "shop"), ONE.id) == ""
        assert trainings.find(transaction, "other") is None


def test_begun_again_it_keeps_its_report_until_another_is_written(engine: Engine) -> None:
    done = replace(ONE, status="finished", updated="2026-01-06T12:00:00Z")
    with engine.write() as transaction:
        trainings.put(transaction, ONE, START)
        trainings.save(in_workspace(transaction, "shop"), done, '{"rejected": []}')
        trainings.put(transaction, ONE, START)
    with engine.read() as transaction:
        assert trainings.report_of(in_workspace(transaction, "shop"), ONE.id) == '{"rejected": []}'
        assert trainings.get(in_workspace(transaction, "shop"), ONE.id).status == "running"
        assert trainings.reports(in_workspace(transaction, "shop"), "adder") == []


def test_they_are_listed_by_workspace_the_newest_first_and_reports_oldest_first(engine: Engine) -> None:
    late = replace(ONE, id="9907ffff", status="finished", updated="2026-01-07T12:00:00Z")
    early = replace(late, id="1111", updated="2026-01-06T12:00:00Z")
    with engine.write() as transaction:
        for at, one in enumerate((early, late, replace(late, id="x", workspace="other"))):
            trainings.put(transaction, one, START)
            trainings.save(in_workspace(transaction, one.workspace), one, str(at))
    with engine.read() as transaction:
        assert [one.id for one in trainings.list_newest(in_workspace(transaction, "shop"))] == ["9907ffff", "1111"]
        assert trainings.reports(in_workspace(transaction, "shop"), "adder") == ["0", "1"]
        assert trainings.list_newest(in_workspace(transaction, "shop"), 1) == [late]


def test_an_id_that_means_none_or_several_is_refused(engine: Engine) -> None:
    with engine.write() as transaction:
        trainings.put(transaction, ONE, START)
        trainings.put(transaction, replace(ONE, id="9907ffff"), START)
    with engine.read() as transaction:
        with pytest.raises(NotFoundError, match="More than one"):
            trainings.get(in_workspace(transaction, "shop"), "9907")
        for said in ("zz", "%", "_", ""):
            with pytest.raises(NotFoundError, match=f"no training '{said}'"):
                trainings.get(in_workspace(transaction, "shop"), said)


def test_a_look_at_the_same_fresh_cases_is_counted_once_for_each_training(engine: Engine) -> None:
    def begun(name: str) -> Training:
        training = Training(id=name, workspace="w", skill="s", base_hash="h", spec="{}", target="t", optimiser="o")
        with engine.write() as transaction:
            trainings.put(transaction, training, b"")
            return training

    def look(training: Training, *fresh: str) -> int:
        with engine.write() as transaction:
            return trainings.count_look(transaction, trainings.find(transaction, training.id) or training, fresh).look

    one, two, three = begun("one"), begun("two"), begun("three")
    assert [look(one, "a", "b"), look(two, "b", "c"), look(one, "a", "b"), look(three, "x")] == [1, 2, 1, 1]
