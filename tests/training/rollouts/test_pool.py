from __future__ import annotations

import threading
import time

import pytest

from metier.training.rollouts.pool import Dropped, InOrder, Threads


def test_results_are_read_in_the_order_of_the_reader_not_of_the_threads() -> None:
    with Threads(4) as pool:
        pending = [pool.submit(lambda at=at: (time.sleep(0.02 if at == 0 else 0), at)[1]) for at in range(8)]
        assert [one.result() for one in pending] == list(range(8))


def test_more_urgent_work_goes_first_and_equal_work_in_the_order_it_came() -> None:
    began: list[str] = []
    hold = threading.Event()
    with Threads(1) as pool:
        first = pool.submit(hold.wait)
        pending = [
            pool.submit(lambda name=name: began.append(name), urgency=urgency)
            for name, urgency in (("later", 5), ("a", 0), ("b", 0), ("soon", -1))
        ]
        hold.set()
        for one in (first, *pending):
            one.result()
    assert began == ["soon", "a", "b", "later"]


@pytest.mark.parametrize("kind", ["threads", "in order"])
def test_what_the_work_raises_is_raised_where_its_result_is_read(kind: str) -> None:
    def work() -> None:
        raise KeyError("lost")

    pool = Threads(2) if kind == "threads" else InOrder()
    pending = pool.submit(work)
    with pytest.raises(KeyError, match="lost"):
        pending.result()
    if isinstance(pool, Threads):
        pool.close()


def test_what_has_not_begun_when_the_pool_is_closed_is_dropped() -> None:
    hold, begun = threading.Event(), threading.Event()
    pool = Threads(1)

    def first() -> str:
        begun.set()
        hold.wait(60)
        return "done"

    one, other = pool.submit(first), pool.submit(lambda: "never")
    begun.wait(60)
    threading.Timer(0.02, hold.set).start()
    pool.close()
    assert one.result() == "done"
    with pytest.raises(Dropped):
        other.result()
    with pytest.raises(Dropped):
        pool.submit(lambda: "too late").result()


def test_a_worker_says_when_it_has_nothing_to_do() -> None:
    idle = threading.Event()
    with Threads(1, idle=idle.set) as pool:
        idle.wait(1)
        idle.clear()
        pool.submit(lambda: None).result()
        assert idle.wait(1)
