"""Drafts of a pass are kept many at a time, and none of them is lost or doubled over another."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import TYPE_CHECKING

from learn_world import REPORTS, TESTS, all_drafts, learned, task

from metier.errors import MetierError
from metier.events import Advanced, Began
from metier.learning.learn import SELDOM, learn, rare_garbage_collection
from metier.learning.patterns import Generate
from metier.learning.stages.draft_all import Written, save_drafts
from metier.store.tables import audit
from metier.types import Draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.workspace import Workspace


def made(ws: Workspace, name: str, earlier: Sequence[Draft] = ()) -> Written:
    draft = Draft(id=name, workspace=ws.name, target=name, kind="create", type="workflow", summary=f"About {name}")
    return Written(draft, Generate(reason="new"), earlier)


def noted(ws: Workspace) -> list[str]:
    with ws.context.store.read() as transaction:
        return [one.subject.strip() for one in audit.list_all(transaction) if one.action == "draft"]


def test_drafts_are_kept_together_in_their_order(ws: Workspace) -> None:
    written = [made(ws, name) for name in ("one", "two", "three")]
    assert save_drafts(ws.context, written) == [one.draft for one in written]
    assert [one.id for one in all_drafts(ws)] == ["one", "two", "three"] == noted(ws)


def test_a_draft_that_cannot_be_kept_takes_none_of_the_others_with_it(ws: Workspace) -> None:
    gone = made(ws, "gone").draft  # said to be open, and not there
    first, second, third = save_drafts(ws.context, [made(ws, "one"), made(ws, "two", [gone]), made(ws, "three")])
    assert isinstance(second, MetierError)
    assert "'gone'" in str(second)
    assert isinstance(first, Draft)
    assert isinstance(third, Draft)
    assert [one.id for one in all_drafts(ws)] == ["one", "three"] == noted(ws)


def test_a_draft_that_breaks_the_store_takes_none_of_the_others_with_it(ws: Workspace) -> None:
    broken = made(ws, "two")
    broken = broken._replace(draft=replace(broken.draft, summary="half a character \ud800"))
    _, second, _ = save_drafts(ws.context, [made(ws, "one"), broken, made(ws, "three")])
    assert isinstance(second, Exception)
    assert [one.id for one in all_drafts(ws)] == ["one", "three"] == noted(ws)


def test_an_open_draft_is_superseded_in_the_same_moment(ws: Workspace) -> None:
    (old,) = save_drafts(ws.context, [made(ws, "one")])
    assert isinstance(old, Draft)
    save_drafts(ws.context, [made(ws, "two", [old]), made(ws, "three")])
    assert {one.id: one.status for one in all_drafts(ws)} == {
        "one": "superseded",
        "two": "candidate",
        "three": "candidate",
    }


def test_a_pass_that_is_broken_off_is_made_up_for_and_doubles_nothing(ws: Workspace) -> None:
    ws.deliver([*task(TESTS, 0, 3), *task(REPORTS, 0, 3)])
    events = learn(ws.library)
    assert any(isinstance(event, Began) and event.stage == "draft" for event in events)
    events.close()
    assert all_drafts(ws) == []
    events = learn(ws.library)
    assert any(isinstance(event, Advanced) and event.stage == "draft" for event in events)
    events.close()
    kept = [one.id for one in all_drafts(ws)]
    learned(ws)
    assert len(kept) == 2
    assert [one.id for one in all_drafts(ws)] == kept
    assert sorted(subject.split()[0] for subject in noted(ws)) == sorted(kept)


def test_garbage_is_looked_for_as_before_after_a_pass_and_after_one_broken_off(ws: Workspace) -> None:
    before = gc.get_threshold()
    ws.deliver(task(TESTS))
    events = learn(ws.library)
    next(events)
    assert gc.get_threshold() == SELDOM
    events.close()
    assert gc.get_threshold() == before
    learned(ws)
    assert gc.get_threshold() == before


def test_whoever_looks_for_garbage_more_seldom_is_left_alone() -> None:
    before = gc.get_threshold()
    try:
        for own in ((0, 10, 10), (SELDOM[0] + 1, 5, 5)):
            gc.set_threshold(*own)
            with rare_garbage_collection():
                assert gc.get_threshold() == own
            assert gc.get_threshold() == own
    finally:
        gc.set_threshold(*before)
