"""Calls, spending and the memo: what goes in comes back exactly, and old rows can go."""

from __future__ import annotations

import itertools
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoping import in_workspace

from metier.store.engines.migrate import known_migrations, migrate
from metier.store.engines.sqlite import SqliteEngine
from metier.store.tables.models import calls, ledger, memo
from metier.store.tables.models.ledger import SpentSum
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.store.engines.engine import Engine

ENTRY = calls.CallEntry(
    happened="2026-01-05T12:00:00Z",
    workspace="w",
    stage="judge",
    what="complete",
    model="openai http://x m",
    prompt_hash="ab",
    tokens=Tokens(input=7, output=3, cache_read=2),
    cost_usd=Decimal("0.000000075"),
    seconds=0.25,
    outcome="ok",
)
DAY, NEXT = "2026-01-05", "2026-01-06"
BOUND = SpentSum(calls=1, tokens=900, usd=Decimal("0.3"))
REAL = SpentSum(calls=1, tokens=40, usd=Decimal("0.0001"))


def test_a_call_comes_back_as_it_was_and_unknown_stays_unknown(engine: Engine) -> None:
    unknown = replace(ENTRY, tokens=None, cost_usd=None, outcome="timed_out")
    with engine.write() as transaction:
        calls.add(transaction, ENTRY)
        calls.add(transaction, unknown)
        calls.add(transaction, replace(ENTRY, workspace="other"))
    with engine.read() as transaction:
        assert calls.list_since(transaction) == [ENTRY, unknown]
        assert calls.list_since(transaction, limit=1) == [unknown]
        assert calls.list_since(transaction, since="2026-01-06") == []


def test_what_is_reserved_counts_as_spent_until_it_is_settled(engine: Engine) -> None:
    with engine.write() as transaction:
        ledger.reserve(transaction, "w", DAY, "one", BOUND)
        ledger.reserve(transaction, "w", DAY, "two", BOUND)
        assert ledger.total(transaction, "w", DAY) == SpentSum(calls=2, tokens=1_800, usd=Decimal("0.6"))
        ledger.settle(transaction, "one", REAL)
        assert ledger.total(transaction, "w", DAY) == SpentSum(calls=2, tokens=940, usd=Decimal("0.3001"))
        assert ledger.pending(transaction, "w", DAY) == 1


def test_settling_twice_or_what_was_never_reserved_changes_nothing(engine: Engine) -> None:
    with engine.write() as transaction:
        ledger.reserve(transaction, "w", DAY, "one", BOUND)
        for _ in range(2):
            ledger.settle(transaction, "one", REAL)
        ledger.settle(transaction, "never", REAL)
        assert ledger.total(transaction, "w", DAY) == REAL


def test_days_and_workspaces_have_sums_of_their_own(engine: Engine) -> None:
    with engine.write() as transaction:
        ledger.reserve(transaction, "w", DAY, "late", BOUND)
        ledger.reserve(transaction, "w", NEXT, "early", BOUND)
        ledger.reserve(transaction, "other", DAY, "theirs", BOUND)
        ledger.settle(transaction, "late", REAL)  # after midnight: it still belongs to the day it was reserved on
        assert ledger.total(transaction, "w", DAY) == REAL
        assert ledger.total(transaction, "w", NEXT) == BOUND
        assert ledger.total(transaction, "other", DAY) == BOUND
        assert ledger.total(transaction, "nobody", DAY) == SpentSum()


def test_old_rows_go_and_newer_ones_and_other_workspaces_stay(engine: Engine) -> None:
    with engine.write() as transaction:
        for workspace in ("w", "other"):
            calls.add(transaction, replace(ENTRY, workspace=workspace))
            ledger.reserve(transaction, workspace, DAY, f"{workspace}1", BOUND)
            memo.put(in_workspace(transaction, workspace), f"{workspace}1", b"old", "2026-01-05T12:00:00Z")
        calls.add(transaction, replace(ENTRY, happened="2026-01-06T00:00:00Z"))
        ledger.reserve(transaction, "w", NEXT, "w2", BOUND)
        memo.put(transaction, "w2", b"new", "2026-01-06T00:00:00Z")
        for dropped in (
            calls.drop_before(transaction, NEXT),
            ledger.drop_before(transaction, "w", NEXT),
            memo.drop_before(transaction, NEXT),
        ):
            assert dropped == 1
        assert [one.happened for one in calls.list_since(transaction)] == ["2026-01-06T00:00:00Z"]
        assert (ledger.total(transaction, "w", DAY), ledger.pending(transaction, "w", DAY)) == (SpentSum(), 0)
        assert (memo.get(transaction, "w1"), memo.get(transaction, "w2")) == (None, b"new")
        assert len(calls.list_since(in_workspace(transaction, "other"))) == 1
        assert ledger.total(transaction, "other", DAY) == BOUND
        assert memo.clear(transaction) == 1
        assert (memo.get(transaction, "w2"), memo.get(transaction, "other1")) == (None, b"old")


def test_a_kept_reply_is_any_bytes_and_the_first_one_stays(engine: Engine) -> None:
    with engine.write() as transaction:
        memo.put(transaction, "k", b"\x00\xff", "now")
        memo.put(transaction, "k", b"second", "later")
        assert memo.get(transaction, "k") == b"\x00\xff"


def test_what_an_earlier_version_kept_is_still_there_after_the_migration(bare_engine: Engine) -> None:
    migrate(bare_engine, "then", [step for step in known_migrations() if step.number < 4])
    with bare_engine.write() as transaction:
        transaction.all("INSERT INTO memo (key, value, stored) VALUES (?, ?, ?)", ("k", b"v", "then"))
    migrate(bare_engine, "now")
    with bare_engine.read() as transaction:
        assert memo.get(transaction, "k") == b"v"


amounts = st.builds(SpentSum, calls=st.integers(0, 9), tokens=st.integers(0, 99), usd=st.decimals(0, 9, places=12))
numbers = itertools.count()


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteEngine]:
    """One database for all examples of a property."""
    folder = tmp_path_factory.mktemp("ledger")
    engine = SqliteEngine(folder / "metier.db", lock=folder / "lock")
    migrate(engine, "now")
    yield engine
    engine.close()


@given(st.lists(st.tuples(amounts, amounts, st.booleans()), max_size=12))
@settings(max_examples=50, deadline=None)
def test_the_sum_is_exactly_what_was_settled_and_what_never_was(
    lasting: SqliteEngine, steps: list[tuple[SpentSum, SpentSum, bool]]
) -> None:
    name = f"w{next(numbers)}"
    with lasting.write() as transaction:
        for number, (asked, spent, settled) in enumerate(steps):
            ledger.reserve(transaction, name, DAY, f"{name} {number}", asked)
            if settled:
                ledger.settle(transaction, f"{name} {number}", spent)
        found = ledger.total(transaction, name, DAY)
    counted = [spent if settled else asked for asked, spent, settled in steps]
    assert found.usd == sum((one.usd for one in counted), Decimal(0))
    assert (found.calls, found.tokens) == (sum(one.calls for one in counted), sum(one.tokens for one in counted))
