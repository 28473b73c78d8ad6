"""A training never spends more than it may, whatever its threads do, and a kill gives nothing back."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, TypeVar

import pytest

from metier.context.models.spending import spent_today
from metier.maintenance.retention import erase_removed_text
from metier.models.failures import OverBudget
from metier.models.layers.budget import Budgeted
from metier.models.layers.memo import Memo
from metier.models.ledger import Amount, Limits, Reservation
from metier.models.model import Message, Reply, Request
from metier.models.price import FlatPrice
from metier.models.scripted import Scripted, on, says
from metier.models.spec import PerMillion
from metier.store.engines.batched_writes import BatchedWrites
from metier.store.tables.models import memo as memo_rows
from metier.training.rollouts.rollout import BudgetSpent
from metier.training.service.budget import StopSignal, StoredReplies, StoredRollouts
from metier.training.service.journal import journal_of
from metier.training.service.ledger import BLOCKS, LOW, TrainingLedger
from metier.types import Tokens
from metier.types.trials import Rollout, Scored, Unscored

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.store.engines.engine import Transaction
    from metier.workspace import Workspace

T = TypeVar("T")
PRICE = FlatPrice(PerMillion(input=Decimal(1), output=Decimal(2)))


def open_now() -> StopSignal:
    return StopSignal(clock=time.monotonic)


def ledger(ws: Workspace, grouped: BatchedWrites, *, daily: Limits | None = None) -> TrainingLedger:
    return TrainingLedger(ws.context, grouped, "train:a", daily or Limits(), open_now())


def rollout(score: Scored | Unscored) -> Rollout:
    return Rollout(case="c", skill_hash="", target="t", score=score)


@pytest.mark.parametrize("most", [1, 2, 23, 24, 25, 50])
def test_no_more_calls_are_made_than_allowed_with_many_threads(ws: Workspace, most: int) -> None:
    grouped = BatchedWrites(ws.context.store)
    bare = Scripted(on(".", says({"ok": 1}, tokens=Tokens(input=3, output=3))))
    paid = Budgeted(bare, ledger(ws, grouped), Limits(calls=most), PRICE)
    with ThreadPoolExecutor(24) as pool:
        asked = [Request(messages=(Message(text=f"question {at}"),), max_tokens=8) for at in range(most + 30)]
        found = list(pool.map(paid.complete, asked))
    assert sum(isinstance(one, Reply) for one in found) == most
    grouped.flush()
    assert ledger(ws, grouped).total().calls == most
    assert spent_today(ws.context).spent.calls == most


def test_a_limit_on_tokens_waits_for_what_calls_under_way_give_back(ws: Workspace) -> None:
    grouped = BatchedWrites(ws.context.store)
    bare = Scripted(on(".", says({"ok": 1}, tokens=Tokens(input=5, output=5))))
    limits = Limits(tokens=400)
    paid = Budgeted(bare, ledger(ws, grouped), limits, PRICE)
    with ThreadPoolExecutor(8) as pool:
        asked = [Request(messages=(Message(text=f"q{at}"),), max_tokens=100) for at in range(40)]
        found = list(pool.map(paid.complete, asked))
    made = sum(isinstance(one, Reply) for one in found)
    assert made >= 20  # bounds of about 150 tokens would allow two at a time, settled ones take 10
    assert ledger(ws, grouped).total().tokens <= 400


def test_the_days_limit_holds_for_a_training_too(ws: Workspace) -> None:
    grouped = BatchedWrites(ws.context.store)
    found = ledger(ws, grouped, daily=Limits(calls=1))
    assert isinstance(found.reserve(Amount(calls=1), Limits()), Reservation)
    grouped.flush()
    again = ledger(ws, grouped, daily=Limits(calls=1)).reserve(Amount(calls=1), Limits())
    assert isinstance(again, OverBudget)
    assert "midnight" in again.reason


def test_what_was_reserved_by_a_killed_process_counts(ws: Workspace) -> None:
    grouped = BatchedWrites(ws.context.store)
    assert isinstance(ledger(ws, grouped).reserve(Amount(calls=1), Limits(calls=1)), Reservation)
    assert isinstance(ledger(ws, BatchedWrites(ws.context.store)).reserve(Amount(calls=1), Limits(calls=1)), OverBudget)


def test_what_a_killed_process_got_and_had_not_committed_is_in_the_store_when_its_training_goes_on(
    ws: Workspace,
) -> None:
    asked = Request(messages=(Message(text="one"),))
    with suppress(KeyboardInterrupt), journal_of(ws.context, "train:a") as journal:
        killed = BatchedWrites(ws.context.store, journal=journal)
        Memo(Scripted(on(".", says({"ok": 1}))), StoredReplies(ws.context, killed)).complete(asked)
        StoredRollouts(ws.context, killed, "train:a", None, open_now()).put(
            "rollout:1", rollout(Scored(hard=1, soft=1))
        )
        journal.add([b'["memo", "half a li'], journal.part)
        raise KeyboardInterrupt
    other = Memo(Scripted(), StoredReplies(ws.context, BatchedWrites(ws.context.store)))
    assert not isinstance(other.complete(asked), Reply)
    with journal_of(ws.context, "train:a") as journal:
        assert not list(journal.left())
    again = Memo(Scripted(), StoredReplies(ws.context, BatchedWrites(ws.context.store)))
    assert isinstance(again.complete(asked), Reply)
    assert StoredRollouts(ws.context, BatchedWrites(ws.context.store), "train:b", None, open_now()).get("rollout:1")
    assert not list(ws.state.glob("*.journal.*"))


def test_what_a_killed_training_left_goes_when_runs_are_removed_for_good(ws: Workspace) -> None:
    with suppress(KeyboardInterrupt), journal_of(ws.context, "train:a") as journal:
        grouped = BatchedWrites(ws.context.store, journal=journal)
        StoredReplies(ws.context, grouped).put("reply:1", b"the words of a run")
        grouped.noted()
        raise KeyboardInterrupt
    assert list(ws.state.glob("*.journal.*"))
    erase_removed_text(ws.context)
    assert not list(ws.state.glob("*.journal.*"))


def test_what_is_committed_leaves_the_journal(ws: Workspace) -> None:
    with journal_of(ws.context, "train:a") as journal:
        grouped = BatchedWrites(ws.context.store, journal=journal)
        StoredReplies(ws.context, grouped).put("reply:1", b"x")
        assert not list(journal.left())
        grouped.noted()
        assert len(list(journal.left())) == 1
        grouped.settle()
        assert not list(journal.left())
        StoredReplies(ws.context, grouped).put("reply:2", b"y")
        assert isinstance(ledger(ws, grouped).reserve(Amount(calls=1), Limits()), Reservation)
        StoredReplies(ws.context, grouped).put("reply:3", b"z")
        grouped.noted()
        assert len(list(journal.left())) == 1
        grouped.flush()
    with ws.context.store.read() as transaction:
        assert [memo_rows.get(transaction, f"reply:{at}") for at in (1, 2, 3)] == [b"x", b"y", b"z"]


def test_a_block_of_calls_is_reserved_where_there_is_room_and_given_back_at_the_end(ws: Workspace) -> None:
    grouped = BatchedWrites(ws.context.store)
    found = ledger(ws, grouped)
    made = [found.reserve(Amount(calls=1), Limits(calls=10_000)) for _ in range(3)]
    assert all(isinstance(one, Reservation) for one in made)
    assert found.total().calls == BLOCKS[0]
    found.give_back()
    grouped.flush()
    assert found.total().calls == 3
    assert spent_today(ws.context).spent.calls == 3


def test_another_block_is_reserved_before_the_first_is_used_up(ws: Workspace) -> None:
    grouped = BatchedWrites(ws.context.store)
    found = ledger(ws, grouped)
    for _ in range(BLOCKS[0] - LOW):
        found.reserve(Amount(calls=1), Limits())
    found.keep_up()
    assert found.total().calls == BLOCKS[0]  # there is plenty yet
    found.reserve(Amount(calls=1), Limits())
    found.keep_up()
    assert found.total().calls == 2 * BLOCKS[0]
    for _ in range(2 * BLOCKS[0] - (BLOCKS[0] - LOW + 1)):
        found.reserve(Amount(calls=1), Limits())
    assert found.total().calls == 2 * BLOCKS[0]  # nobody had to ask for more
    found.give_back()
    grouped.flush()
    assert found.total().calls == 2 * BLOCKS[0]


def test_nothing_is_reserved_ahead_once_what_is_left_was_given_back(ws: Workspace) -> None:
    grouped = BatchedWrites(ws.context.store)
    found = ledger(ws, grouped)
    for _ in range(BLOCKS[0] - LOW + 1):
        found.reserve(Amount(calls=1), Limits())
    found.give_back()
    found.keep_up()
    grouped.flush()
    assert found.total().calls == BLOCKS[0] - LOW + 1


class Interrupted(BatchedWrites):
    """Writes after whose first commit something else comes before its caller goes on."""

    between: Callable[[], object] | None = None

    def now(self, work: Callable[[Transaction], T]) -> T:
        result, between = super().now(work), self.between
        self.between = None
        if between is not None:
            between()
        return result


def test_a_block_is_not_lost_when_another_is_reserved_before_its_caller_is_back(ws: Workspace) -> None:
    grouped = Interrupted(ws.context.store)
    found = ledger(ws, grouped)
    grouped.between = lambda: found.reserve(Amount(calls=1), Limits())
    found.reserve(Amount(calls=1), Limits())
    assert found.total().calls == 2 * BLOCKS[0]
    found.give_back()
    grouped.flush()
    assert found.total().calls == 2


def test_a_rollout_that_nothing_was_spent_on_is_taken_back(ws: Workspace) -> None:
    grouped = BatchedWrites(ws.context.store)
    keeper = StoredRollouts(ws.context, grouped, "train:a", 1, open_now())
    assert keeper.begin() is None
    assert isinstance(keeper.begin(), BudgetSpent)
    keeper.undo()
    assert keeper.begin() is None
    grouped.flush()
    assert keeper.made() == 1


def test_no_other_block_is_reserved_near_a_limit(ws: Workspace) -> None:
    grouped = BatchedWrites(ws.context.store)
    found, limits = ledger(ws, grouped), Limits(calls=BLOCKS[0] * 51)
    for _ in range(BLOCKS[0] - LOW + 1):
        found.reserve(Amount(calls=1), limits)
    found.keep_up()
    assert BLOCKS[0] < found.total().calls < 2 * BLOCKS[0]  # a smaller one


def test_near_a_limit_calls_are_reserved_one_by_one(ws: Workspace) -> None:
    grouped = BatchedWrites(ws.context.store)
    found = ledger(ws, grouped)
    assert isinstance(found.reserve(Amount(calls=1), Limits(calls=299)), Reservation)
    assert found.total().calls == 1


def test_rollouts_are_counted_over_all_runs_of_a_training(ws: Workspace) -> None:
    grouped = BatchedWrites(ws.context.store)
    keeper = StoredRollouts(ws.context, grouped, "train:a", 3, open_now())
    assert [keeper.begin() for _ in range(2)] == [None, None]
    again = StoredRollouts(ws.context, BatchedWrites(ws.context.store), "train:a", 3, open_now())
    assert again.begin() is None
    assert isinstance(again.begin(), BudgetSpent)
    assert again.made() == 3
    assert StoredRollouts(ws.context, grouped, "train:b", 3, open_now()).begin() is None


def test_an_unscored_rollout_is_kept_for_its_own_training_only(ws: Workspace) -> None:
    grouped = BatchedWrites(ws.context.store)
    keeper = StoredRollouts(ws.context, grouped, "train:a", None, open_now())
    keeper.put("rollout:1", rollout(Unscored(reason="no connection")))
    keeper.put("rollout:2", rollout(Scored(hard=1, soft=1)))
    grouped.flush()
    again = StoredRollouts(ws.context, grouped, "train:a", None, open_now())
    other = StoredRollouts(ws.context, grouped, "train:b", None, open_now())
    assert again.get("rollout:1") == rollout(Unscored(reason="no connection"))
    assert other.get("rollout:1") is None
    assert other.get("rollout:2") == rollout(Scored(hard=1, soft=1))


def test_nothing_new_is_begun_once_the_time_is_over(ws: Workspace) -> None:
    closing = StopSignal(clock=lambda: 10.0, deadline=9.0)
    grouped = BatchedWrites(ws.context.store)
    assert isinstance(StoredRollouts(ws.context, grouped, "train:a", None, closing).begin(), BudgetSpent)
    found = TrainingLedger(ws.context, grouped, "train:a", Limits(), closing).reserve(Amount(calls=1), Limits())
    assert isinstance(found, OverBudget)
    assert "time" in found.reason
