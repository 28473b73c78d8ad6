"""The same verbs for async code: the work is done in a thread, and the event loop goes on meanwhile."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from learn_world import TESTS, task
from selection_shop import FLAKY, stocked
from train_world import QUICK, Optimiser, cases, place, solve
from waiting import join

import metier
from metier.async_calls import AsyncWork, in_thread
from metier.errors import InputError
from metier.learning import Learned
from metier.training.scoring.scorer import Means
from metier.training.scoring.scorers import Scorers
from metier.training.targets.callable import CallableTarget
from metier.training.targets.target import Attempt, Broken
from metier.types.trials import Scored

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from metier.types.trials import Case


def test_selecting_is_awaited_and_gives_what_select_gives(tmp_path: Path) -> None:
    async def several(ws: metier.Workspace) -> list[tuple[str, ...]]:
        found = await asyncio.gather(*(ws.aselect(FLAKY, model=False) for _ in range(8)))
        return [selected.names for selected in found]

    with metier.open(tmp_path) as ws:
        stocked(ws)
        expected = ws.select(FLAKY, model=False).names
        assert expected == ("flaky-tests",)
        assert asyncio.run(several(ws)) == [expected] * 8


def test_the_event_loop_goes_on_while_a_verb_works() -> None:
    began, go_on = threading.Event(), threading.Event()

    class Slow:
        def work(self, answer: int) -> int:
            began.set()
            assert go_on.wait(10)
            return answer

        awork = in_thread(work)

    async def both() -> int:
        working = asyncio.create_task(Slow().awork(42))
        assert await asyncio.to_thread(began.wait, 10)
        go_on.set()  # by the event loop, while the work waits for it
        return await working

    assert asyncio.run(both()) == 42


def test_recording_in_async_code_keeps_the_run_and_links_its_selection(tmp_path: Path) -> None:
    async def agent(ws: metier.Workspace, number: int) -> str:
        async with ws.record(f"{FLAKY} ({number})", agent="mine") as run:
            selected = await ws.aselect(FLAKY, model=False)
            await asyncio.sleep(0)
            run.answer("done")
        assert run.delivery
        assert run.run.selection == selected.id
        return run.delivery.how

    async def fail(ws: metier.Workspace) -> None:
        async with ws.record("breaks"):
            raise RuntimeError("no")

    async def together(ws: metier.Workspace) -> list[str]:
        return await asyncio.gather(*(agent(ws, number) for number in range(4)))

    with metier.open(tmp_path) as ws:
        stocked(ws)
        assert asyncio.run(together(ws)) == ["updated"] * 4
        with pytest.raises(RuntimeError, match="no"):
            asyncio.run(fail(ws))
        assert sorted(record.run.status or "" for record in ws.runs()) == ["completed"] * 4 + ["error"]


def test_delivering_and_learning_are_awaited(tmp_path: Path) -> None:
    async def whole(ws: metier.Workspace) -> tuple[list[str], Learned, Learned | None]:
        await ws.adeliver(task(TESTS, count=6))
        assert (await ws.afinish(metier.Run(message="one more"))).how == "new"
        learning = ws.alearn()
        said = [type(event).__name__ async for event in learning]
        return said, await ws.alearn(), learning.result

    with metier.open(tmp_path) as ws:
        said, again, first = asyncio.run(whole(ws))
        assert said
        assert isinstance(first, Learned)
        assert isinstance(again, Learned)
        assert len(ws.patterns()) == 1


def test_long_work_runs_in_one_thread_and_is_closed_when_nobody_listens_any_more() -> None:
    threads: set[int] = set()
    closed = threading.Event()

    def steps() -> Generator[int, None, str]:
        try:
            for number in range(3):
                threads.add(threading.get_ident())
                yield number
        finally:
            closed.set()
        return "all"

    async def listen() -> tuple[list[int], str]:
        work = AsyncWork(steps)
        seen = [number async for number in work]
        assert work.result == "all"
        return seen, await AsyncWork(steps)

    async def stop_early() -> None:
        numbers = aiter(AsyncWork(steps))
        assert await anext(numbers) == 0
        closed.clear()
        await numbers.aclose()

    assert asyncio.run(listen()) == ([0, 1, 2], "all")
    assert len(threads) == 2  # one for each piece of work
    asyncio.run(stop_early())
    assert closed.is_set()


def test_what_goes_wrong_is_raised_where_it_is_awaited(tmp_path: Path) -> None:
    async def train(ws: metier.Workspace) -> None:
        await ws.atrain("adder", cases=())

    place(tmp_path)
    with metier.open(tmp_path) as ws, pytest.raises(InputError, match="no cases"):
        asyncio.run(train(ws))


async def answer(case: Case, skill: str) -> str:
    await asyncio.sleep(0)
    return solve(case, skill)


def test_an_async_target_is_awaited_and_never_scored_as_its_coroutine(tmp_path: Path) -> None:
    async def train(ws: metier.Workspace) -> tuple[float, float]:
        finished = await ws.atrain(
            "adder", cases=cases(60), target=answer, optimiser=Optimiser(), spec=QUICK.replace(epochs=1), workers=4
        )
        scores = {one.arm: one.scores.mean().hard for one in finished.trained.baselines if one.scores}
        evaluated = await ws.aevaluate("adder", against="none", cases=cases(60), target=answer, workers=4)
        assert all(isinstance(one.score, Scored) for one in (*evaluated.mine, *evaluated.theirs))
        return scores["initial"], scores["best"]

    place(tmp_path)
    with metier.open(tmp_path) as ws:
        initial, best = asyncio.run(train(ws))
    assert 0 < initial < best


def test_all_attempts_of_an_async_target_share_one_event_loop() -> None:
    loops: set[int] = set()
    together = 0
    most = 0

    async def run(case: Case, skill: str) -> Attempt:
        nonlocal together, most
        del skill
        loops.add(id(asyncio.get_running_loop()))
        together += 1
        most = max(most, together)
        deadline = time.monotonic() + 10
        while most < 4 and time.monotonic() < deadline:
            await asyncio.sleep(0.001)
        together -= 1
        return Attempt(output=case.expected)

    target = CallableTarget(function=run)
    found: list[Attempt | Broken] = []
    threads = [threading.Thread(target=lambda one=one: found.append(target.run(one, None, 0))) for one in cases(4)]
    for thread in threads:
        thread.start()
    join(threads)
    assert sorted(one.output for one in found if isinstance(one, Attempt)) == ["1", "2", "3", "4"]
    assert (len(loops), most) == (1, 4)


def test_an_async_target_that_raises_or_gives_nonsense_is_a_broken_world() -> None:
    async def raises(case: Case, skill: str) -> str:
        raise ValueError(f"{case.id} {skill}")

    async def nonsense(case: Case, skill: str) -> object:
        del case, skill
        return 7

    one = cases(1)[0]
    assert "ValueError" in getattr(CallableTarget(function=raises).run(one, None, 0), "reason", "")
    broken = CallableTarget(function=nonsense).run(one, None, 0)  # pyright: ignore[reportArgumentType]
    assert "int" in getattr(broken, "reason", "")


def test_an_async_target_that_ends_the_program_has_failed_at_its_case_alone() -> None:
    async def leaves(case: Case, skill: str) -> str:
        if skill == "" and case.id == "c0":
            sys.exit(3)
        return "here"

    target, (first, second) = CallableTarget(function=leaves), cases(2)
    assert "sys.exit(3)" in getattr(target.run(first, None, 0), "reason", "")
    assert getattr(target.run(second, None, 0), "output", "") == "here"


def test_a_target_object_with_an_async_run_is_awaited(tmp_path: Path) -> None:
    class Mine:
        identity = "mine"

        async def run(self, case: Case, skill: object, sample: int) -> Attempt:
            await asyncio.sleep(0)
            return Attempt(output=case.expected if skill else f"no skill, {sample}")

    place(tmp_path)
    with metier.open(tmp_path) as ws:
        found = ws.evaluate("adder", against="none", cases=cases(4), target=Mine())  # pyright: ignore[reportArgumentType]
    assert found.target == "mine"
    assert [one.output for one in found.mine] == ["1", "2", "3", "4"]
    assert {one.output for one in found.theirs} == {"no skill, 0"}


def test_a_scorer_that_is_a_coroutine_function_is_awaited() -> None:
    async def near(case: Case, attempt: Attempt) -> float:
        await asyncio.sleep(0)
        return 1.0 if attempt.output == case.expected else 0.25

    one = replace(cases(1)[0], scorer='{"kind": "python", "name": "near"}')
    scorers = Scorers(Means(functions={"near": near}))
    assert scorers.score(one, Attempt(output="1")) == Scored(hard=1.0, soft=1.0)
    assert scorers.score(one, Attempt(output="7")) == Scored(hard=0.25, soft=0.25)
