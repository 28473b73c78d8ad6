"""A budget is never exceeded: not by threads, not by failures, not by unknown prices."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.models.failures import Malformed, OverBudget, RateLimited, Refused, TimedOut, Unreachable
from metier.models.layers.budget import Budgeted, most_tokens
from metier.models.ledger import Amount, Limits, MemoryLedger, exceeded_limit
from metier.models.model import Message, Reply, Request, Texts
from metier.models.price import FlatPrice, unknown_price
from metier.models.scripted import Scripted, fails, on, raises, says
from metier.models.spec import PerMillion
from metier.types import Tokens

if TYPE_CHECKING:
    from metier.models.failures import Failure

CHEAP = FlatPrice(PerMillion(input=Decimal(1), output=Decimal(2)))


class Watched:
    """A ledger that remembers the most it ever held."""

    def __init__(self) -> None:
        self.inner = MemoryLedger()
        self.peak = Amount()
        self.lock = threading.Lock()

    def reserve(self, asked: Amount, limits: Limits) -> object:
        result = self.inner.reserve(asked, limits)
        with self.lock:
            total = self.inner.total()
            self.peak = Amount(
                calls=max(self.peak.calls, total.calls),
                tokens=max(self.peak.tokens, total.tokens),
                usd=max(self.peak.usd, total.usd),
            )
        return result

    def settle(self, reservation: object, spent: Amount) -> None:
        self.inner.settle(reservation, spent)  # type: ignore[arg-type]

    def total(self) -> Amount:
        return self.inner.total()


@pytest.mark.parametrize("limits", [Limits(calls=50), Limits(tokens=9_000), Limits(usd=Decimal("0.01"))])
def test_sixty_four_threads_stay_below_every_limit(hello: Request, limits: Limits) -> None:
    ledger = Watched()
    model = Scripted(on("hello", says("a b c")))
    budgeted = Budgeted(model, ledger, limits, CHEAP)  # type: ignore[arg-type]
    with ThreadPoolExecutor(64) as pool:
        results = list(pool.map(lambda n: budgeted.complete(replace(hello, sample=n)), range(2_000)))
    refused = [result for result in results if isinstance(result, OverBudget)]
    assert refused
    assert len(refused) + len(model.requests) == 2_000
    for spent in (ledger.peak, ledger.total()):
        assert spent.calls <= (limits.calls or 10**9)
        assert spent.tokens <= (limits.tokens or 10**9)
        assert spent.usd <= (limits.usd or 10**9)
    assert ledger.total().calls == len(model.requests)


def test_nothing_is_asked_when_it_could_pass_the_limit(hello: Request) -> None:
    model = Scripted(on("hello", says("x")))
    result = Budgeted(model, MemoryLedger(), Limits(calls=0), CHEAP).complete(hello)
    assert result == OverBudget(reason="the budget of 0 calls could be passed (up to 1)")
    assert model.requests == []


def test_what_was_really_used_takes_the_place_of_the_bound(hello: Request) -> None:
    ledger = MemoryLedger()
    model = Scripted(on("hello", says("x", tokens=Tokens(input=10, output=3, cache_read=5))))
    Budgeted(model, ledger, Limits(), CHEAP).complete(hello)
    assert ledger.total() == Amount(calls=1, tokens=18, usd=Decimal("0.000021"))


def test_a_server_that_counts_no_tokens_is_charged_the_bound(hello: Request) -> None:
    ledger = MemoryLedger()
    model = Scripted(on("hello", lambda _: Reply(text="x")))
    Budgeted(model, ledger, Limits(), CHEAP).complete(hello)
    bound = most_tokens(hello)
    assert ledger.total().tokens == bound.input + bound.output


@pytest.mark.parametrize(
    ("failure", "kept"),
    [
        (Unreachable(reason="refused connection"), False),
        (Unreachable(reason="reset", billed=True), True),
        (TimedOut(reason="late", billed=True), True),
        (RateLimited(reason="429"), False),
        (Refused(reason="401"), False),
        (Malformed(reason="no JSON", billed=True), True),
    ],
)
def test_a_failure_that_may_be_billed_keeps_its_reservation(hello: Request, failure: Failure, kept: bool) -> None:
    ledger = MemoryLedger()
    Budgeted(Scripted(on("hello", fails(failure))), ledger, Limits(), CHEAP).complete(hello)
    assert (ledger.total().tokens > 0) is kept


def test_a_malformed_answer_costs_what_the_server_says(hello: Request) -> None:
    ledger = MemoryLedger()
    failure = Malformed(reason="no text", billed=True, tokens=Tokens(input=7, output=1))
    Budgeted(Scripted(on("hello", fails(failure))), ledger, Limits(), CHEAP).complete(hello)
    assert ledger.total().tokens == 8


def test_a_call_that_never_came_back_stays_reserved(hello: Request) -> None:
    ledger = MemoryLedger()
    budgeted = Budgeted(Scripted(on("hello", raises(KeyboardInterrupt()))), ledger, Limits(calls=1), CHEAP)
    with pytest.raises(KeyboardInterrupt):
        budgeted.complete(hello)
    assert isinstance(budgeted.complete(hello), OverBudget)


def test_an_unknown_price_is_said_and_never_zero(hello: Request) -> None:
    ledger = MemoryLedger()
    model = Scripted(on("hello", says("x")))
    Budgeted(model, ledger, Limits(calls=5), unknown_price).complete(hello)
    assert ledger.total().unpriced == 1
    assert ledger.total().cost_usd is None


def test_where_no_price_is_known_a_hundred_calls_stand_for_the_money(hello: Request) -> None:
    budgeted = Budgeted(Scripted(on("hello", says("x"))), MemoryLedger(), Limits(usd=Decimal(100)), unknown_price)
    assert [isinstance(budgeted.complete(hello), OverBudget) for _ in range(102)] == [False] * 100 + [True] * 2
    result = budgeted.complete(hello)
    assert isinstance(result, OverBudget)
    assert "price is unknown" in result.reason


def test_a_limit_on_calls_takes_the_place_of_the_hundred(hello: Request) -> None:
    model = Scripted(on("hello", says("x")))
    budgeted = Budgeted(model, MemoryLedger(), Limits(usd=Decimal(100), calls=120), unknown_price)
    assert [isinstance(budgeted.complete(hello), OverBudget) for _ in range(121)] == [False] * 120 + [True]


def test_a_budget_of_nothing_is_nothing_and_never_no_limit(hello: Request) -> None:
    for price in (unknown_price, CHEAP):
        model = Scripted(on("hello", says("x")))
        assert isinstance(Budgeted(model, MemoryLedger(), Limits(usd=Decimal(0)), price).complete(hello), OverBudget)
        assert model.requests == []


def test_embedding_is_paid_for_as_well() -> None:
    ledger = MemoryLedger()
    budgeted = Budgeted(Scripted(), ledger, Limits(calls=1), CHEAP)
    budgeted.embed(Texts(texts=("one two", "three")))
    assert ledger.total() == Amount(calls=1, tokens=3, usd=Decimal("0.000003"))
    assert isinstance(budgeted.embed(Texts(texts=("four",))), OverBudget)


def test_settling_twice_counts_once() -> None:
    ledger = MemoryLedger()
    reservation = ledger.reserve(Amount(calls=1, tokens=9), Limits())
    assert not isinstance(reservation, OverBudget)
    ledger.settle(reservation, Amount(calls=1, tokens=3))
    ledger.settle(reservation, Amount(calls=1, tokens=3))
    assert ledger.total().tokens == 3


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_bound_is_never_below_the_bytes_that_are_sent(system: str, text: str) -> None:
    request = Request(system=system, messages=(Message(text=text),), max_tokens=10)
    assert most_tokens(request).input >= len((system + text).encode())


amounts = st.builds(Amount, calls=st.integers(0, 9), tokens=st.integers(0, 99), usd=st.decimals(0, 9, places=6))


@given(amounts, amounts, st.integers(0, 9), st.integers(0, 99), st.decimals(0, 9, places=6))
def test_what_fits_passes_no_limit(total: Amount, asked: Amount, calls: int, tokens: int, usd: Decimal) -> None:
    fits = not exceeded_limit(total, asked, Limits(calls=calls, tokens=tokens, usd=usd))
    after = total + asked
    assert fits == (after.calls <= calls and after.tokens <= tokens and after.usd <= usd)
