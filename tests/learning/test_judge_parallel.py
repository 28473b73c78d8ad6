"""Judging with several threads: the same verdicts in the same order, one call each, and an outage ends it soon."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import judge_all, judging

from metier.learning.judge_by_model import JudgeAnswer
from metier.runs.derive import record_of
from metier.types import Run
from metier.types.questions import NoAnswer, Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.types import Record, Verdict

DOWN = NoAnswer(reason="connection refused")
ODD = NoAnswer(reason="not usable", answered=True)
GOOD = JudgeAnswer(success=True, reason="done")


def records(count: int) -> list[Record]:
    runs = [Run(message=f"fix bug {number}", output="Fixed.", status="completed") for number in range(count)]
    return [record_of(replace(run, external_id=str(at)), "here", "then") for at, run in enumerate(runs)]


@dataclass
class Busy:
    """An asker whose answer depends on the question alone, however long it takes."""

    answer: Callable[[str], JudgeAnswer | NoAnswer]
    pause: Callable[[str], float] = lambda _: 0.0
    name: str = "busy"
    asked: list[str] = field(default_factory=list[str])
    together: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, question: Question, kind: type[JudgeAnswer]) -> JudgeAnswer | NoAnswer:
        with self.lock:
            self.asked.append(question.prompt)
            self.together += 1
            self.most = max(self.most, self.together)
        time.sleep(self.pause(question.prompt))
        with self.lock:
            self.together -= 1
        return self.answer(question.prompt)


def number_in(prompt: str) -> int:
    return int(prompt.split("fix bug ")[1].split('"', maxsplit=1)[0])


@pytest.mark.parametrize("threads", [1, 3, 8])
def test_every_run_is_asked_about_once_and_verdicts_come_in_order(threads: int) -> None:
    runs = records(20)
    asker = Busy(lambda _: GOOD, pause=lambda prompt: 0.003 * (20 - number_in(prompt)) % 0.01)
    found = list(judging(runs, {}, "now", asker, threads))
    assert [one.run for one in found] == [run.id for run in runs]
    assert len(asker.asked) == len(set(asker.asked)) == 20
    assert asker.most <= threads


def test_threads_work_at_the_same_time() -> None:
    asker = Busy(lambda _: GOOD, pause=lambda _: 0.05)
    judge_all(records(16), {}, "now", asker, threads=8)
    assert asker.most > 2


def test_more_threads_than_sensible_are_not_started() -> None:
    asker = Busy(lambda _: GOOD, pause=lambda _: 0.01)
    judge_all(records(40), {}, "now", asker, threads=1_000)
    assert asker.most <= 8


def test_the_same_run_given_twice_is_asked_about_once() -> None:
    asker = Busy(lambda _: GOOD)
    assert len(list(judging(records(3) * 2, {}, "now", asker))) == 3


@pytest.mark.parametrize("threads", [1, 4])
def test_an_outage_ends_the_asking_after_three_and_leaves_the_rest_unknown(threads: int) -> None:
    asker = Busy(lambda _: DOWN)
    found = judge_all(records(200), {}, "now", asker, threads=threads)
    assert len(asker.asked) == 3 + threads - 1
    assert set(found.success.values()) == {None}
    assert (len(found.open), found.new) == (200, ())
    assert found.open[0].reason == "connection refused"
    assert found.open[-1].reason == "not asked: 3 runs in a row got no answer (connection refused)"
    assert [one.prompt_hash == "" for one in found.open[-2:]] == [True, True]


def test_answers_that_cannot_be_used_are_no_outage() -> None:
    asker = Busy(lambda _: ODD)
    assert len(list(judging(records(12), {}, "now", asker, 2))) == 12
    assert len(asker.asked) == 12


def test_two_silences_and_an_answer_go_on() -> None:
    asker = Busy(lambda prompt: GOOD if number_in(prompt) % 3 == 2 else DOWN)
    found = list(judging(records(12), {}, "now", asker))
    assert [one.success for one in found] == [None, None, True] * 4


def test_a_verdict_is_there_before_the_next_run_is_asked_about() -> None:
    asker = Busy(lambda _: GOOD)
    verdicts = judging(records(5), {}, "now", asker)
    next(verdicts)
    assert len(asker.asked) == 1


def test_who_stops_listening_stops_the_asking() -> None:
    asker = Busy(lambda _: GOOD)
    verdicts = judging(records(50), {}, "now", asker, 4)
    next(verdicts)
    verdicts.close()
    assert len(asker.asked) <= 8


kinds = st.lists(st.sampled_from(["good", "odd", "down"]), max_size=14)


@given(kinds, st.integers(1, 5), st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_how_fast_threads_are_makes_no_difference(how: list[str], threads: int, seed: int) -> None:
    answers = {"good": GOOD, "odd": ODD, "down": DOWN}

    def run(pause: Callable[[str], float]) -> tuple[list[Verdict], set[str]]:
        asker = Busy(lambda prompt: answers[how[number_in(prompt)]], pause)
        return list(judging(records(len(how)), {}, "now", asker, threads)), set(asker.asked)

    assert run(lambda _: 0.0) == run(lambda prompt: (number_in(prompt) * (seed + 3) % 5) / 2_000)
