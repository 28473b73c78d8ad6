"""Evidence through whole passes: judged once, counted as it is by now, looked at again when it changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from learn_world import (
    ALONE,
    REPORTS,
    TESTS,
    all_patterns,
    everything,
    failed,
    learned,
    opened,
    task,
)

from metier.learning.clustering.clusterer import NearnessClusterer
from metier.learning.judge import HeuristicJudge
from metier.learning.judge_by_model import ModelJudge
from metier.learning.learn import learn
from metier.learning.stages.gather import gather
from metier.learning.stages.group import group
from metier.learning.trace import trail
from metier.maintenance.retention import remove_runs
from metier.runs.verdicts import mark_run
from metier.types import Outcome, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path
    from typing import TypeVar

    from metier.events import Event
    from metier.types import Pattern
    from metier.types.questions import Question
    from metier.workspace import Workspace

    T = TypeVar("T")


class Judge:
    """An asker that finds every run good, and does something while it is asked."""

    name = "judge"

    def __init__(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        self.asked = 0
        self.meanwhile = meanwhile

    def ask(self, question: Question, kind: type[T]) -> T:
        self.asked += 1
        if self.asked == 1:
            self.meanwhile()
        return kind.model_validate({"success": True, "reason": "fine"})  # type: ignore[attr-defined]


def done(steps: Generator[Event, None, T]) -> T:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def the_pattern(ws: Workspace) -> Pattern:
    (found,) = all_patterns(ws)
    return found


def counts(ws: Workspace) -> tuple[int, int]:
    found = the_pattern(ws)
    return found.successes, found.failures


def ids(ws: Workspace) -> list[str]:
    """The runs, oldest first."""
    return [one.id for one in reversed(ws.runs(limit=1000))]


def test_ten_runs_cost_ten_verdicts_however_they_arrive(ws: Workspace) -> None:
    judge = Judge()
    for number in range(10):
        ws.deliver(task(TESTS, number, 1))
        done(gather(ws.context, ModelJudge(judge), save=True))
    assert judge.asked == 10


def test_a_verdict_outlives_everything_else_that_was_learned(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    learned(ws)
    first = everything(ws)["verdicts"]
    assert len(first) == 2  # type: ignore[arg-type]
    learned(ws)
    assert everything(ws)["verdicts"] == first


def test_what_was_stated_from_outside_is_not_judged(ws: Workspace) -> None:
    stated = Outcome(success=True, by="verifier")
    ws.deliver([*task(TESTS, outcome=stated, output=""), *failed(task(TESTS, 2, 1))])
    learned(ws)
    assert counts(ws) == (2, 1)
    assert everything(ws)["verdicts"] == {}


def test_runs_that_are_no_evidence_say_why_and_are_not_looked_at_again(ws: Workspace) -> None:
    ws.deliver(
        [
            *task(TESTS, 0, 1, status=None),
            *task(TESTS, 1, 1, output="  "),
            *task(TESTS, 2, 1, output="heartbeat_ok"),
        ]
    )
    result = learned(ws)
    assert [one.reason for one in result.rejected] == [
        "success unknown",
        "claimed success without a final output",
        "heartbeat answer",
    ]
    assert [trail(ws.context, run).went for run in ids(ws)] == ["rejected"] * 3
    assert learned(ws).rejected == ()


def test_a_failure_without_an_answer_counts(ws: Workspace) -> None:
    ws.deliver([*task(TESTS), *failed(task(TESTS, 2, 1))])
    learned(ws)
    assert counts(ws) == (2, 1)


@pytest.mark.parametrize(("word", "then"), [("bad", (2, 1)), ("good", (3, 0))])
def test_a_persons_verdict_moves_a_run_to_where_it_belongs(ws: Workspace, word: str, then: tuple[int, int]) -> None:
    made = task(TESTS, count=3)
    ws.deliver(made if word == "bad" else [*made[:2], *failed(made[2:])])
    learned(ws)
    mark_run(ws.context, ids(ws)[2], word)  # type: ignore[arg-type]
    learned(ws)
    assert counts(ws) == then
    assert len(the_pattern(ws).runs) == then[0]


def test_a_person_may_call_a_run_good_that_has_no_answer(ws: Workspace) -> None:
    ws.deliver([*task(TESTS, 0, 1), *task(TESTS, 1, 1, output="", status=None)])
    learned(ws)
    assert all_patterns(ws) == []
    mark_run(ws.context, ids(ws)[1], "good")
    assert learned(ws).evidence == 1
    assert counts(ws) == (2, 0)


def test_a_persons_word_taken_back_leaves_the_run_as_it_was(ws: Workspace) -> None:
    ws.deliver(task(TESTS, count=3))
    learned(ws)
    mark_run(ws.context, ids(ws)[0], "bad")
    learned(ws)
    assert counts(ws) == (2, 1)
    mark_run(ws.context, ids(ws)[0], "unset")
    learned(ws)
    assert counts(ws) == (3, 0)


def test_a_run_that_grew_leaves_its_old_place_and_joins_anew(ws: Workspace) -> None:
    made = task(TESTS, count=3)
    ws.deliver(made)
    learned(ws)
    grown = replace(made[0], status="error", output="")
    assert [one.how for one in ws.deliver([grown])] == ["updated"]
    learned(ws)
    assert counts(ws) == (2, 1)
    ws.deliver([replace(made[0], output="Done after all.")])
    learned(ws)
    assert counts(ws) == (3, 0)
    assert sorted(the_pattern(ws).runs) == sorted(ids(ws))


def test_a_run_that_grew_is_judged_as_it_is_by_now(ws: Workspace) -> None:
    made = task(TESTS, count=1)
    ws.deliver(made)
    judge = Judge()
    done(gather(ws.context, ModelJudge(judge), save=True))
    ws.deliver([replace(made[0], output="More was done.")])
    done(gather(ws.context, ModelJudge(judge), save=True))
    assert judge.asked == 2


def test_a_removed_run_does_not_count_any_more(ws: Workspace) -> None:
    ws.deliver([*task(TESTS, count=3), *failed(task(TESTS, 3, 1))])
    learned(ws)
    list(remove_runs(ws.context, [ids(ws)[3]], "test"))
    learned(ws)
    assert counts(ws) == (3, 0)
    list(remove_runs(ws.context, ids(ws)[:2], "test"))
    learned(ws)
    assert counts(ws) == (1, 0)
    assert the_pattern(ws).status == "forming"


def test_a_pattern_whose_runs_were_all_removed_begins_again_under_its_name(ws: Workspace) -> None:
    ws.deliver(task(TESTS))
    learned(ws)
    before = the_pattern(ws)
    list(remove_runs(ws.context, ids(ws), "test"))
    learned(ws)
    assert counts(ws) == (0, 0)
    ws.deliver([replace(one, external_id=f"x{number}") for number, one in enumerate(task(TESTS))])
    learned(ws)
    assert the_pattern(ws).id == before.id
    assert counts(ws) == (2, 0)


def test_nothing_of_a_removed_run_stays_in_what_tells_patterns_apart(ws: Workspace) -> None:
    odd = replace(task(TESTS, 2, 1)[0], message="Fix the flaky login test of zanzibar")
    ws.deliver([*task(TESTS), odd])
    learned(ws)
    with ws.context.store.read() as transaction:
        assert "zanzibar" in str(transaction.all("SELECT body FROM clusters"))
    list(remove_runs(ws.context, [ids(ws)[2]], "test"))
    learned(ws)
    with ws.context.store.read() as transaction:
        assert "zanzibar" not in str(transaction.all("SELECT body FROM clusters"))


def test_a_run_that_changes_while_it_is_judged_is_the_next_passes(ws: Workspace) -> None:
    made = task(TESTS)
    ws.deliver(made)
    grown = replace(made[0], output="Another answer.")
    gathered = done(gather(ws.context, ModelJudge(Judge(lambda: ws.deliver([grown]))), save=True))
    assert [one.id for one in gathered.records] == [ids(ws)[1]]
    assert ws.verdict(ids(ws)[0]) is None
    learned(ws)
    assert counts(ws) == (2, 0)


def test_a_run_that_is_marked_while_it_is_judged_keeps_the_persons_word(ws: Workspace) -> None:
    ws.deliver(task(TESTS, count=3))
    judge = Judge(lambda: mark_run(ws.context, ids(ws)[0], "bad"))
    gathered = done(gather(ws.context, ModelJudge(judge), save=True))
    assert ids(ws)[0] not in gathered.success
    learned(ws)
    assert counts(ws) == (2, 1)


def test_a_run_rejected_while_a_person_speaks_on_it_is_looked_at_again(ws: Workspace) -> None:
    ws.deliver([*task(TESTS, 0, 1), *task(TESTS, 1, 1, status=None)])
    done(gather(ws.context, ModelJudge(Judge(lambda: mark_run(ws.context, ids(ws)[1], "good"))), save=True))
    learned(ws)
    assert counts(ws) == (2, 0)


@pytest.mark.parametrize("how", ["grows", "marked", "removed"])
def test_a_run_that_changes_between_judging_and_grouping_is_looked_at_again(ws: Workspace, how: str) -> None:
    from metier.models.embedder import StaticEmbedder

    made = task(TESTS, count=3)
    ws.deliver(made)
    gathered = done(gather(ws.context, HeuristicJudge(), save=True))
    if how == "grows":
        ws.deliver([replace(made[0], status="error", output="")])
    elif how == "marked":
        mark_run(ws.context, ids(ws)[0], "bad")
    else:
        list(remove_runs(ws.context, [ids(ws)[0]], "test"))
    grouped = done(group(ws.context, gathered, StaticEmbedder(), NearnessClusterer(StaticEmbedder()), save=True))
    assert [one.successes for one in grouped.new] == [2]
    learned(ws)
    assert counts(ws) == ((2, 0) if how == "removed" else (2, 1))


def test_a_waiting_run_that_is_marked_while_it_is_grouped_is_looked_at_again(ws: Workspace) -> None:
    ws.deliver(task(TESTS, count=1))
    learned(ws)
    ws.deliver(task(TESTS, 1, 2))
    steps = learn(ws.library)
    for event in steps:
        if getattr(event, "stage", "") == "group":  # it has not read yet what waits; from now on all is read and saved
            mark_run(ws.context, ids(ws)[0], "bad")
            break
    done(steps)
    learned(ws)
    assert counts(ws) == (2, 1)


def test_evidence_of_other_workspaces_is_not_seen(tmp_path: Path) -> None:
    with opened(tmp_path / "one") as one, opened(tmp_path / "two") as two:
        one.deliver(task(TESTS, 0, 1))
        two.deliver(task(TESTS, 1, 1))
        learned(one)
        learned(two)
        assert all_patterns(one) == all_patterns(two) == []


def test_hundreds_of_runs_are_read_in_parts_and_all_are_seen(ws: Workspace) -> None:
    ws.deliver(Run(message=f"{ALONE[n % 3]} {n}", status="error", external_id=str(n)) for n in range(510))
    assert learned(ws).evidence == 510
    ws.deliver(task(REPORTS))
    assert learned(ws).evidence == 2
