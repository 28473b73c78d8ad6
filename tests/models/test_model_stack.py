"""The layers together: redacted, kept, tried again, paid for, written down."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from loopback import answers, completion

from metier.models.failures import OverBudget, Refused, Unreachable
from metier.models.layers.memo import MemoryStore
from metier.models.layers.record import Call
from metier.models.layers.retry import RetryPolicy
from metier.models.layers.stack import Calls, Layers, build_stack
from metier.models.ledger import Limits, MemoryLedger
from metier.models.model import Message, Reply, Request, Schema, Texts
from metier.models.price import FlatPrice
from metier.models.scripted import Scripted, fails, on, says
from metier.models.spec import PerMillion
from metier.redaction import Redactor
from metier.types import Tokens

CHEAP = FlatPrice(PerMillion(input=Decimal(1), output=Decimal(2)))
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"


def layers(**more: Any) -> Layers:
    given: dict[str, Any] = {"redact": Redactor(b"k").redact, "sleep": lambda _: None, "price": CHEAP}
    return Layers(**(given | more))


def test_no_secret_reaches_the_model_wherever_it_stands(hello: Request) -> None:
    model = Scripted(on("", says("ok")))
    text = f"the token is {SECRET} here"
    shape = Schema(name="x", json=json.dumps({"enum": [text]}))
    request = replace(
        hello, system=text, messages=(Message(text=text), Message(text=text, role="assistant")), schema=shape
    )
    stack = build_stack(model, layers())
    assert isinstance(stack.complete(request), Reply)
    stack.embed(Texts(texts=(text,)))
    assert SECRET not in repr(model.requests) + repr(model.texts)
    assert repr(model.requests).count("REDACTED") == 4


def test_no_secret_reaches_the_memo_or_the_record(hello: Request) -> None:
    memo, sink = MemoryStore(), Calls()
    stack = build_stack(Scripted(on("", says("ok"))), layers(memo=memo, sink=sink))
    stack.complete(replace(hello, system=f"token {SECRET}"))
    assert SECRET not in repr(memo.values) + repr(sink.list)


def test_a_redactor_that_fails_lets_nothing_out(hello: Request) -> None:
    def broken(text: str) -> str:
        raise RuntimeError(text)

    model = Scripted(on("", says("ok")))
    stack = build_stack(model, layers(redact=broken))
    for result in (stack.complete(hello), stack.embed(Texts(texts=("secret words",)))):
        assert isinstance(result, Refused)
        assert "nothing was sent" in result.reason
        assert "secret words" not in result.reason
    assert model.requests == []
    assert model.texts == []


def test_every_attempt_is_written_down(hello: Request) -> None:
    sink, moments = Calls(), iter(float(n) for n in range(100))
    model = Scripted(on("hello", fails(Unreachable(reason="down")), says("a b", tokens=Tokens(input=10, output=2))))
    stack = build_stack(
        model, layers(sink=sink, clock=lambda: next(moments), retry_policy=RetryPolicy(first_pause=0.001))
    )
    stack.complete(replace(hello, stage="judge", timeout=50.0))
    failed, worked = sink.list
    assert (failed.outcome, failed.reason, failed.tokens, failed.cost_usd) == ("unreachable", "down", None, None)
    assert worked == Call(
        stage="judge",
        what="complete",
        model="scripted",
        prompt_hash=failed.prompt_hash,
        tokens=Tokens(input=10, output=2),
        cost_usd=Decimal("0.000014"),
        seconds=1.0,
        outcome="ok",
    )
    assert len(worked.prompt_hash) == 64


def test_a_kept_reply_is_no_call(hello: Request) -> None:
    sink, ledger = Calls(), MemoryLedger()
    stack = build_stack(Scripted(on("hello", says("ok"))), layers(sink=sink, ledger=ledger))
    for _ in range(10):
        stack.complete(hello)
    assert len(sink.list) == 1
    assert ledger.total().calls == 1


def test_what_the_budget_refused_is_no_call(hello: Request) -> None:
    sink = Calls()
    stack = build_stack(Scripted(on("hello", says("ok"))), layers(sink=sink, limits=Limits(calls=1)))
    assert isinstance(stack.complete(hello), Reply)
    assert isinstance(stack.complete(replace(hello, sample=1)), OverBudget)
    assert isinstance(stack.complete(hello), Reply)
    assert len(sink.list) == 1


def test_retries_are_paid_for_one_by_one(hello: Request) -> None:
    lost = fails(Unreachable(reason="reset", billed=True))
    stack = build_stack(
        Scripted(on("hello", lost)), layers(limits=Limits(calls=2), retry_policy=RetryPolicy(first_pause=0.001))
    )
    assert isinstance(stack.complete(hello), OverBudget)


def test_a_second_run_over_the_same_memo_asks_nothing_and_says_the_same(serve: Any, hello: Request) -> None:
    memo = MemoryStore()
    server, model = serve(answers(completion("one")), answers(completion("two")))
    first = [build_stack(model, layers(memo=memo)).complete(replace(hello, sample=n)) for n in (0, 1)]
    again = [build_stack(model, layers(memo=memo)).complete(replace(hello, sample=n)) for n in (0, 1)]
    assert first == again
    assert len(server.seen) == 2


@pytest.mark.parametrize("what", ["complete", "embed"])
def test_every_layer_passes_the_identity_on(what: str) -> None:
    stack = build_stack(Scripted(identity="openai http://x y"), layers())
    assert stack.identity == "openai http://x y"
    assert callable(getattr(stack, what))
