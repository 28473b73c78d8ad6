"""Many patches are merged in groups of about the square root of their number."""

from __future__ import annotations

from dataclasses import replace

import pytest
from training_toys import Rules, Teacher, bundle, contents, desk, run, setting, splits

from metier.training.estimate import estimate
from metier.training.proposing.aggregate import Merging, group_size
from metier.training.rollouts.pool import Threads
from metier.training.spec import Spec

ROOT = Spec(root_groups=True)


@pytest.mark.parametrize(("count", "size"), [(2, 8), (8, 8), (9, 3), (16, 4), (17, 5), (40, 7), (100, 10), (101, 11)])
def test_groups_grow_with_the_root_of_what_there_is_once_it_is_more_than_one_group(count: int, size: int) -> None:
    assert group_size(count, ROOT) == size
    assert group_size(count, Spec()) == 8


@pytest.mark.parametrize(("spec", "calls", "largest"), [(ROOT, 11, 10), (Spec(), 13 + 2 + 1, 8)], ids=["root", "fixed"])
def test_a_hundred_patches_are_one_after_two_levels(spec: Spec, calls: int, largest: int) -> None:
    place, model = desk({"edits": [{"op": "append", "content": "m"}]})
    found = Merging(desk=place, setting=setting(), spec=spec).merge([bundle(str(at)) for at in range(100)], [])
    assert contents(found.bundle) == ["m"]
    assert len(model.requests) == calls
    assert max(request.messages[0].text.count('"reasoning"') for request in model.requests) == largest
    assert found.bundle.items[0].level == (2 if spec.root_groups else 3)


def test_a_training_with_many_analysts_learns_the_same_and_ends_the_same_on_threads() -> None:
    spec = Spec(epochs=1, batch=24, minibatch=1, merge_group=4, slow=False, meta=False, root_groups=True)
    model = Teacher()
    first = run(spec, model=model)
    merges = sum(request.stage == "merge" for request in model.asked)
    assert merges == 5 + 1  # 24 in groups of 5, then these
    with Threads(6) as pool:
        again = run(spec, pool=pool, world=Rules(slow=0.001), model=Teacher(slow=0.001))
    assert (again.trained, again.events) == (first.trained, first.events)
    assert estimate(splits(), spec, "x").calls >= len(model.asked)


def test_few_patches_are_merged_as_ever() -> None:
    spec = Spec(epochs=1, batch=12, minibatch=4, slow=False, meta=False)
    assert run(spec).events == run(replace(spec, root_groups=True)).events
