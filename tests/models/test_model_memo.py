"""Nothing is paid for twice, and what comes back is the same bytes."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from metier.models.failures import TimedOut, Unreachable
from metier.models.layers.memo import BATCH, Memo, MemoryStore
from metier.models.memo_keys import reply_key
from metier.models.model import Message, Reply, Request, Schema, Texts, Vectors
from metier.models.scripted import Scripted, fails, on, raises, says

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.models.failures import Failure


class Slow:
    """A model that answers when it is let go."""

    def __init__(self, answer: Callable[[Request], Reply | Failure]) -> None:
        self.answer = answer
        self.asked = 0
        self.began = threading.Event()
        self.go = threading.Event()
        self.identity = "slow"

    def complete(self, request: Request) -> Reply | Failure:
        self.asked += 1
        self.began.set()
        assert self.go.wait(10)
        return self.answer(request)

    def embed(self, texts: Texts) -> Vectors | Failure:
        raise NotImplementedError


def test_the_same_request_is_asked_once(hello: Request) -> None:
    inner = Scripted(on("hello", says("one"), says("two")))
    memo = Memo(inner, MemoryStore())
    first = memo.complete(hello)
    assert memo.complete(hello) == first
    assert memo.complete(replace(hello, timeout=1.0, stage="other")) == first
    assert len(inner.requests) == 1


def test_a_reply_is_the_same_from_another_process(hello: Request) -> None:
    store = MemoryStore()
    first = Memo(Scripted(on("hello", says("ünï ✓ \n\0", finish="length"))), store).complete(hello)
    later = Scripted()
    assert Memo(later, store).complete(hello) == first
    assert later.requests == []


@pytest.mark.parametrize(
    "change",
    [
        {"system": "Be long."},
        {"messages": (Message(text="Say hello", role="assistant"),)},
        {"temperature": 0.2},
        {"max_tokens": 65},
        {"sample": 1},
        {"schema": Schema(name="a", json="{}")},
    ],
)
def test_whatever_determines_the_reply_is_in_the_key(hello: Request, change: dict[str, object]) -> None:
    assert reply_key("m", hello) != reply_key("m", replace(hello, **change))  # type: ignore[arg-type]
    assert reply_key("m", hello) != reply_key("n", hello)


def test_words_cannot_move_between_parts_of_the_key(hello: Request) -> None:
    one = replace(hello, messages=(Message(text="a"), Message(text="b")))
    other = replace(hello, messages=(Message(text="ab"),))
    assert reply_key("m", one) != reply_key("m", other)


def test_failures_are_not_kept(hello: Request) -> None:
    inner = Scripted(on("hello", fails(Unreachable(reason="down")), says("up")))
    memo = Memo(inner, MemoryStore())
    assert memo.complete(hello) == Unreachable(reason="down")
    assert isinstance(memo.complete(hello), Reply)


@pytest.mark.parametrize(
    "damage", [b"", b"\xff", b"[]", b'[2,"x","m",null,"stop"]', b'[1,7,"m",null,"stop"]', b"[" * 9999]
)
def test_a_damaged_entry_is_asked_again(hello: Request, damage: bytes) -> None:
    store = MemoryStore()
    store.values[reply_key("scripted", hello)] = damage
    reply = Memo(Scripted(on("hello", says("fresh"))), store).complete(hello)
    assert isinstance(reply, Reply)
    assert reply.text == "fresh"


def test_equal_calls_at_the_same_time_are_one_call(hello: Request) -> None:
    inner = Slow(lambda _: Reply(text="one"))
    memo = Memo(inner, MemoryStore())
    with ThreadPoolExecutor(16) as pool:
        waiting = [pool.submit(memo.complete, hello) for _ in range(16)]
        assert inner.began.wait(10)
        inner.go.set()
        assert {future.result() for future in waiting} == {Reply(text="one")}
    assert inner.asked == 1


def test_many_rounds_of_equal_calls_never_pay_twice(hello: Request) -> None:
    inner = Scripted(on("hello", says("x")))
    memo = Memo(inner, MemoryStore())
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda n: memo.complete(replace(hello, sample=n // 16)), range(16 * 100)))
    assert len(inner.requests) == 100


def test_those_who_wait_share_an_outage(hello: Request) -> None:
    inner = Slow(lambda _: Unreachable(reason="down"))
    memo = Memo(inner, MemoryStore())
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(memo.complete, hello)
        assert inner.began.wait(10)
        others = [pool.submit(memo.complete, hello) for _ in range(3)]
        inner.go.set()
        results = {future.result() for future in (first, *others)}
    assert results == {Unreachable(reason="down")}


def test_who_has_more_time_asks_again_after_another_ran_out_of_it(hello: Request) -> None:
    answers: list[Reply | Failure] = [TimedOut(reason="late"), Reply(text="in time")]
    inner = Slow(lambda _: answers.pop(0))
    memo = Memo(inner, MemoryStore())
    with ThreadPoolExecutor(2) as pool:
        hasty = pool.submit(memo.complete, replace(hello, timeout=0.01))
        assert inner.began.wait(10)
        patient = pool.submit(memo.complete, replace(hello, timeout=30.0))
        inner.go.set()
        assert hasty.result() == TimedOut(reason="late")
        assert patient.result() == Reply(text="in time")


def test_who_waits_for_another_waits_no_longer_than_allowed(hello: Request) -> None:
    inner = Slow(lambda _: Reply(text="one"))
    memo = Memo(inner, MemoryStore())
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(memo.complete, hello)
        assert inner.began.wait(10)
        assert isinstance(memo.complete(replace(hello, timeout=0.05)), TimedOut)
        inner.go.set()
        assert isinstance(first.result(), Reply)


def test_an_exception_frees_those_who_wait(hello: Request) -> None:
    memo = Memo(Scripted(on("hello", raises(RuntimeError("bug")), says("fine"))), MemoryStore())
    with pytest.raises(RuntimeError, match="bug"):
        memo.complete(hello)
    assert isinstance(memo.complete(hello), Reply)


def test_only_new_texts_are_embedded_and_each_once() -> None:
    inner = Scripted()
    memo = Memo(inner, MemoryStore())
    first = memo.embed(Texts(texts=("a", "b", "a")))
    second = memo.embed(Texts(texts=("b", "c")))
    assert isinstance(first, Vectors)
    assert isinstance(second, Vectors)
    assert first.vectors[0] == first.vectors[2]
    assert second.vectors[0] == first.vectors[1]
    assert inner.texts == ["a", "b", "c"]


def test_what_was_embedded_before_an_outage_is_kept() -> None:
    texts = tuple(str(n) for n in range(BATCH + 1))
    store = MemoryStore()
    working = Scripted()

    class Failing(Scripted):
        def embed(self, texts: Texts) -> Vectors | Failure:
            return working.embed(texts) if not working.texts else Unreachable(reason="down")

    assert Memo(Failing(), store).embed(Texts(texts=texts)) == Unreachable(reason="down")
    later = Scripted()
    assert isinstance(Memo(later, store).embed(Texts(texts=texts)), Vectors)
    assert later.texts == [str(BATCH)]
