"""A day's budget holds for every thread and process, a killed one included; a broken store stops the spending."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from waiting import line_of

from metier.context.models.spending import StoreCalls, StoreLedger, StoreMemo, forget_before, spent_today
from metier.models.failures import OverBudget
from metier.models.layers.budget import Budgeted
from metier.models.layers.memo import Memo
from metier.models.layers.record import Call
from metier.models.ledger import Amount, Limits, Reservation
from metier.models.model import Message, Reply, Request
from metier.models.price import FlatPrice, unknown_price
from metier.models.scripted import Scripted, on, says
from metier.models.spec import PerMillion
from metier.store.tables.models import calls
from metier.types import Tokens
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

CHEAP = FlatPrice(PerMillion(input=Decimal(1), output=Decimal(2)))
HELLO = Request(messages=(Message(text="hello"),), max_tokens=64)
NIGHT = datetime(2026, 1, 5, 23, 59, 59, tzinfo=UTC)
ONE = Amount(calls=1, tokens=100, usd=Decimal("0.01"))


def dated(ws: Workspace, moment: datetime) -> Workspace:
    return Workspace(context=replace(ws.context, clock=lambda: moment))


def reserved(ledger: StoreLedger, limits: Limits | None = None) -> Reservation:
    found = ledger.reserve(ONE, limits or Limits())
    assert isinstance(found, Reservation)
    return found


def test_a_budget_begins_anew_at_midnight_utc_by_the_workspaces_clock(ws: Workspace) -> None:
    limits = Limits(calls=1)
    reserved(StoreLedger(dated(ws, NIGHT).context), limits)
    refused = StoreLedger(dated(ws, NIGHT).context).reserve(ONE, limits)
    assert isinstance(refused, OverBudget)
    assert "midnight UTC" in refused.reason
    reserved(StoreLedger(dated(ws, NIGHT + timedelta(seconds=1)).context), limits)


def test_what_was_reserved_before_midnight_is_settled_on_its_own_day(ws: Workspace) -> None:
    before = StoreLedger(dated(ws, NIGHT).context)
    held = reserved(before)
    after = StoreLedger(dated(ws, NIGHT + timedelta(minutes=1)).context)
    after.settle(held, Amount(calls=1, tokens=3))
    assert before.total() == Amount(calls=1, tokens=3)
    assert after.total() == Amount()


def test_threads_together_stay_below_the_limit_and_the_store_agrees_with_what_was_asked(ws: Workspace) -> None:
    model = Scripted(on("hello", says("a b c")))
    paid = Budgeted(model, StoreLedger(ws.context), Limits(calls=20), CHEAP)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: paid.complete(replace(HELLO, sample=n)), range(40)))
    assert sum(isinstance(result, Reply) for result in results) == len(model.requests) == 20
    assert spent_today(ws.context).spent.calls == 20
    assert spent_today(ws.context).pending == 0


def test_an_unknown_price_is_counted_as_unknown_and_not_as_nothing(ws: Workspace) -> None:
    Budgeted(Scripted(on("hello", says("x"))), StoreLedger(ws.context), Limits(), unknown_price).complete(HELLO)
    spent = spent_today(ws.context).spent
    assert (spent.calls, spent.unpriced, spent.cost_usd) == (1, 1, None)


SPEND = """
import sys
from metier.models.ledger import Amount, Limits, Reservation
from metier.context.models.spending import StoreLedger
from metier.workspace import Workspace
from decimal import Decimal
with Workspace.open(sys.argv[1]) as ws:
    ledger, got = StoreLedger(ws.context), 0
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(60):
        held = ledger.reserve(Amount(calls=1, tokens=100, usd=Decimal("0.01")), Limits(usd=Decimal("0.50")))
        if isinstance(held, Reservation):
            got += 1
            ledger.settle(held, Amount(calls=1, tokens=90, usd=Decimal("0.01")))
    print(got, flush=True)
"""


def process(code: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def said(one: subprocess.Popen[str]) -> str:
    return line_of(one, one.stdout).strip()


def test_two_processes_together_never_pass_the_budget_and_use_it_up(ws: Workspace) -> None:
    both = [process(SPEND, ws.root) for _ in range(2)]
    assert [said(one) for one in both] == ["ready", "ready"]
    for one in both:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    got = [int(said(one)) for one in both]
    for one in both:
        one.communicate(timeout=60)
    assert sum(got) == 50
    assert spent_today(ws.context).spent == Amount(calls=50, tokens=4_500, usd=Decimal("0.50"))


KILLED = """
import sys
from metier.models.ledger import Amount, Limits
from metier.context.models.spending import StoreLedger
from metier.workspace import Workspace
ws = Workspace.open(sys.argv[1])
StoreLedger(ws.context).reserve(Amount(calls=1, tokens=700), Limits())
print("reserved", flush=True)
sys.stdin.readline()
"""


def test_what_a_killed_process_had_reserved_counts_as_spent_that_day(ws: Workspace) -> None:
    child = process(KILLED, ws.root)
    assert said(child) == "reserved"
    os.kill(child.pid, signal.SIGKILL)
    child.communicate(timeout=60)
    today = spent_today(ws.context)
    assert (today.spent.tokens, today.pending) == (700, 1)
    refused = StoreLedger(ws.context).reserve(Amount(calls=1, tokens=400), Limits(tokens=1_000))
    assert isinstance(refused, OverBudget)


def test_nothing_is_asked_when_it_cannot_be_written_down(ws: Workspace) -> None:
    model = Scripted(on("hello", says("x")))
    with ws.context.store.write() as transaction:
        transaction.all("DROP TABLE spending")
    result = Budgeted(model, StoreLedger(ws.context), Limits(), CHEAP).complete(HELLO)
    assert isinstance(result, OverBudget)
    assert "cannot be saved" in result.reason
    assert model.requests == []


@pytest.mark.parametrize("table", ["memo", "calls", "reservations"])
def test_a_part_of_the_store_that_fails_loses_a_line_and_raises_nothing(ws: Workspace, table: str) -> None:
    ledger = StoreLedger(ws.context)
    held = reserved(ledger)
    with ws.context.store.write() as transaction:
        transaction.all(f"DROP TABLE {table}")
    ledger.settle(held, Amount(calls=1, tokens=1))
    StoreMemo(ws.context).put("k", b"v")
    assert StoreMemo(ws.context).get("k") == (None if table == "memo" else b"v")
    StoreCalls(ws.context).add(_call())
    assert spent_today_tokens(ws) == (100 if table == "reservations" else 1)  # unsettled: the bound stays


def spent_today_tokens(ws: Workspace) -> int:
    return StoreLedger(ws.context).total().tokens


def _call(reason: str = "") -> Call:
    return Call(
        stage="judge", what="complete", model="m", prompt_hash="h", tokens=Tokens(input=2), cost_usd=None,
        seconds=0.1, outcome="ok", reason=reason,
    )  # fmt: skip


def test_a_call_is_kept_without_anything_a_server_said(ws: Workspace) -> None:
    StoreCalls(ws.context).add(_call("the prompt said: my cat is called Mimi"))
    with ws.context.store.read() as transaction:
        kept = calls.list_since(transaction)
    assert [(one.stage, one.tokens, one.cost_usd) for one in kept] == [("judge", Tokens(input=2), None)]
    assert "Mimi" not in repr(kept)


def test_the_memo_outlives_the_process_and_counts_its_hits(ws: Workspace) -> None:
    model = Scripted(on("hello", says("x")))
    first = Memo(model, StoreMemo(ws.context)).complete(HELLO)
    store = StoreMemo(ws.context)
    assert Memo(model, store).complete(HELLO) == first
    assert (len(model.requests), store.hits) == (1, 1)


def test_old_rows_are_forgotten_and_todays_sum_never(ws: Workspace) -> None:
    old = dated(ws, NIGHT)
    for one in (old, ws):
        reserved(StoreLedger(one.context))
        StoreCalls(one.context).add(_call())
        StoreMemo(one.context).put(one.context.now(), b"v")
    assert forget_before(ws.context, "2026-01-06") == 3
    assert forget_before(ws.context, "9999-01-01") == 2  # today's call and reply, not its sum
    assert spent_today(ws.context).spent == ONE


@pytest.mark.xdist_group("postgresql")
def test_on_postgresql_processes_share_the_budget_as_well(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("METIER_STORE", request.getfixturevalue("new_postgres"))
    with Workspace.open(tmp_path / "home") as ws:
        both = [process(SPEND.replace("range(60)", "range(30)"), ws.root) for _ in range(2)]
        assert [said(one) for one in both] == ["ready", "ready"]
        outs = [one.communicate("go\n", timeout=60)[0] for one in both]
        assert sum(map(int, outs)) == 50
        assert spent_today(ws.context).spent.usd == Decimal("0.50")
