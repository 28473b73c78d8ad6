"""Passing failures are asked again: later and later, never sooner than told, never past the time limit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from loopback import answers, completion, resets

from metier.models.failures import Malformed, OverBudget, RateLimited, Refused, TimedOut, Unreachable
from metier.models.layers.retry import Retrying, RetryPolicy
from metier.models.model import Reply, Request, Texts, Vectors
from metier.models.scripted import Act, Scripted, fails, on, says


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def patient(*acts: Act, **settings: Any) -> tuple[Retrying, Scripted, Clock]:
    clock, model = Clock(), Scripted(on("hello", *acts))
    return Retrying(model, RetryPolicy(**settings), clock, clock.sleep), model, clock


DOWN = fails(Unreachable(reason="down"))


def test_a_passing_failure_is_asked_again(hello: Request) -> None:
    retrying, model, clock = patient(DOWN, DOWN, says("up"))
    assert isinstance(retrying.complete(hello), Reply)
    assert len(model.requests) == 3
    assert len(clock.slept) == 2


def test_pauses_double_and_are_spread_by_at_most_half(hello: Request) -> None:
    retrying, _, clock = patient(DOWN, attempts=6, first_pause=1.0, longest_pause=4.0)
    retrying.complete(replace(hello, timeout=1000))
    for pause, whole in zip(clock.slept, [1, 2, 4, 4, 4], strict=True):
        assert whole / 2 <= pause <= whole


def test_the_same_seed_pauses_alike_and_another_does_not(hello: Request) -> None:
    slept: list[list[float]] = []
    for seed in (1, 1, 2):
        retrying, _, clock = patient(DOWN, seed=seed)
        retrying.complete(replace(hello, timeout=1000))
        slept.append(clock.slept)
    assert slept[0] == slept[1] != slept[2]


def test_after_the_last_attempt_the_failure_is_given_back(hello: Request) -> None:
    retrying, model, _ = patient(DOWN, attempts=3)
    assert retrying.complete(replace(hello, timeout=1000)) == Unreachable(reason="down")
    assert len(model.requests) == 3


@pytest.mark.parametrize(
    "failure",
    [Refused(reason="no"), Malformed(reason="?"), OverBudget(reason="spent"), TimedOut(reason="late")],
)
def test_what_will_not_change_is_asked_once(hello: Request, failure: Any) -> None:
    retrying, model, clock = patient(fails(failure))
    assert retrying.complete(hello) == failure
    assert len(model.requests) == 1
    assert clock.slept == []


def test_the_wait_the_server_asks_for_is_kept(hello: Request) -> None:
    retrying, _, clock = patient(fails(RateLimited(reason="429", after=3.0)), says("ok"))
    assert isinstance(retrying.complete(hello), Reply)
    assert sum(clock.slept) >= 3.0


def test_a_wait_beyond_the_time_limit_is_not_waited(hello: Request) -> None:
    limited = RateLimited(reason="429", after=60.0)
    retrying, model, clock = patient(fails(limited), says("ok"))
    assert retrying.complete(replace(hello, timeout=5.0)) == limited
    assert clock.slept == []
    assert len(model.requests) == 1


def test_when_one_is_asked_to_wait_all_wait(hello: Request) -> None:
    retrying, model, clock = patient(fails(RateLimited(reason="429", after=60.0)), says("ok"))
    retrying.complete(replace(hello, timeout=5.0))
    second = retrying.complete(replace(hello, timeout=5.0, sample=1))
    assert isinstance(second, RateLimited)
    assert second.after == pytest.approx(60.0)
    assert len(model.requests) == 1
    assert isinstance(retrying.complete(replace(hello, timeout=90.0, sample=2)), Reply)
    assert clock.slept == [pytest.approx(60.0)]


def test_each_attempt_gets_only_the_time_that_is_left(hello: Request) -> None:
    retrying, model, clock = patient(DOWN)
    retrying.complete(replace(hello, timeout=2.0))
    left = [request.timeout for request in model.requests]
    assert left == sorted(left, reverse=True)
    assert clock.now <= 102.0


def test_embedding_is_asked_again_as_well() -> None:
    class Flaky(Scripted):
        def embed(self, texts: Texts) -> Any:
            return super().embed(texts) if self.texts else (self.texts.append("") or Unreachable(reason="down"))

    clock = Clock()
    assert isinstance(Retrying(Flaky(), RetryPolicy(), clock, clock.sleep).embed(Texts(texts=("a",))), Vectors)


def test_it_works_over_http(serve: Any, hello: Request) -> None:
    acts = [answers({}, 500), resets, answers({}, 429, {"Retry-After": "0"}), answers(completion("up"))]
    server, model = serve(*acts)
    retrying = Retrying(model, RetryPolicy(first_pause=0.01))
    assert isinstance(retrying.complete(hello), Reply)
    assert len(server.seen) == 4


def test_many_threads_through_one_rate_limit_all_get_through(serve: Any, hello: Request) -> None:
    busy = answers({}, 429, {"retry-after-ms": "30"})
    _, model = serve(*[busy] * 8, answers(completion("up")))
    retrying = Retrying(model, RetryPolicy(first_pause=0.01, attempts=12))
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda n: retrying.complete(replace(hello, sample=n)), range(24)))
    assert all(isinstance(reply, Reply) for reply in replies)
