"""A pass with a judge, a clusterer and a drafter of the caller's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from learn_world import REPORTS, TESTS, all_drafts, all_patterns, task

import metier.learning
from metier.learning import Clustering, NothingNew, Proposal, RunGroup
from metier.store.tables.runs import verdicts
from metier.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.learning import KnownSkill, Lessons, NewEvidence
    from metier.types import Pattern, Record
    from metier.workspace import Workspace


class Strict:
    """A judge that believes no report and says nothing about the first run of a pass."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def judge(self, records: Sequence[Record]) -> Iterator[Verdict]:
        self.seen += [record.id for record in records]
        for record in records[1:]:
            good = "report" not in record.run.message
            yield Verdict(run=record.id, success=good, reason="looked at it", judge="strict")


class Together:
    """A clusterer that puts everything together, with a run that does not exist."""

    def cluster(self, evidence: NewEvidence) -> Clustering:
        runs = tuple(record.id for record in evidence.records)
        waiting = tuple(request.id for request in evidence.waiting)
        return Clustering(groups=(RunGroup(runs=(*runs, *waiting, "nobody"), label="All Work", reason="all the same"),))


class Short:
    """A drafter with one sentence, or none."""

    name = "short"

    def __init__(self, body: str = "Run `pytest -x` first.") -> None:
        self.body = body
        self.asked = 0

    def draft(self, pattern: Pattern, lessons: Lessons, recalled: Sequence[KnownSkill]) -> Proposal | NothingNew:
        self.asked += 1
        assert (lessons.successes, recalled) != ((), None)
        if not self.body:
            return NothingNew(reason="nothing to say")
        return Proposal(
            target=pattern.label, kind="create", type="workflow", summary="One sentence", body=f"# All\n\n{self.body}\n"
        )


def test_the_callers_parts_judge_group_and_draft(ws: Workspace) -> None:
    ws.deliver([*task(TESTS, count=4), *task(REPORTS, count=1)])
    done = ws.learn(judge=Strict(), clusterer=Together(), drafter=Short()).result
    (pattern,) = all_patterns(ws)
    assert (pattern.label, pattern.successes, pattern.failures) == ("all-work", 3, 1)
    assert [one.where for one in done.rejected] == ["unknown"]
    assert "Dropped 1 unknown or repeated runs from groups." in done.notes
    (draft,) = all_drafts(ws)
    assert (draft.provenance.model, done.drafter, done.calls) == ("short", "short", 0)
    assert "Run `pytest -x` first." in draft.body


def test_a_verdict_is_kept_and_a_run_without_one_is_judged_again(ws: Workspace) -> None:
    ws.deliver(task(TESTS, count=3))
    judge = Strict()
    ws.learn(judge=judge)
    ws.learn(judge=judge)
    assert len(judge.seen) == 4
    with ws.context.store.read() as transaction:
        found = verdicts.get_many(transaction, judge.seen)
    assert {one.judge for one in found.values()} == {"strict"}
    assert all(one.decided for one in found.values())


def test_a_label_that_a_pattern_has_is_that_pattern(ws: Workspace) -> None:
    for first in (0, 2):
        ws.deliver(task(TESTS, first=first))
        ws.learn(clusterer=Together())
    (pattern,) = all_patterns(ws)
    assert (pattern.label, pattern.successes) == ("all-work", 4)


def test_a_drafter_without_a_draft_is_not_asked_again_about_the_same(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    drafter = Short("")
    done = ws.learn(clusterer=Together(), drafter=drafter).result
    assert [(one.what, one.reason) for one in done.taken] == [("left", "nothing to say")]
    ws.learn(drafter=drafter)
    assert drafter.asked == 1


def test_a_dry_run_with_the_callers_parts_writes_nothing(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    done = ws.learn(clusterer=Together(), drafter=Short(), dry_run=True).result
    assert [one.label for one in done.new] == ["all-work"]
    assert (all_patterns(ws), all_drafts(ws)) == ([], [])


@pytest.mark.parametrize("name", metier.learning.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(metier.learning, name).__name__ == name
    assert name in dir(metier.learning)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="Learner"):
        metier.learning.Learner  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue]
