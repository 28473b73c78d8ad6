"""The model that ships for tests: by rule, in sequence, failing, hanging, raising."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from metier.models.failures import Refused, TimedOut, Unreachable
from metier.models.model import Reply, Texts, Vectors
from metier.models.scripted import Scripted, fails, hangs, on, raises, says

if TYPE_CHECKING:
    from metier.models.model import Request


def test_the_first_rule_that_matches_answers(hello: Request) -> None:
    model = Scripted(on("judge", says("a")), on("hello", says("b")), on("", says("c")))
    texts = [model.complete(replace(hello, stage=stage)).text for stage in ("judge", "draft")]  # type: ignore[union-attr]
    assert texts == ["a", "b"]


def test_answers_come_in_sequence_and_the_last_one_stays(hello: Request) -> None:
    model = Scripted(on("hello", says("1"), fails(Unreachable(reason="x")), says({"n": 2})))
    results = [model.complete(hello) for _ in range(4)]
    assert [getattr(result, "text", "failed") for result in results] == ["1", "failed", '{"n": 2}', '{"n": 2}']


def test_a_function_may_choose(hello: Request) -> None:
    model = Scripted(on(lambda request: request.sample == 1, says("one")))
    assert isinstance(model.complete(hello), Refused)
    assert isinstance(model.complete(replace(hello, sample=1)), Reply)


def test_hanging_takes_the_whole_time_and_no_more(hello: Request) -> None:
    slept: list[float] = []
    result = Scripted(on("hello", hangs(slept.append))).complete(replace(hello, timeout=7.0))
    assert isinstance(result, TimedOut)
    assert slept == [7.0]


def test_an_exception_comes_through(hello: Request) -> None:
    with pytest.raises(ZeroDivisionError):
        Scripted(on("hello", raises(ZeroDivisionError()))).complete(hello)


def test_a_rule_without_an_answer_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        on("x")


def test_equal_texts_have_equal_vectors_and_others_do_not() -> None:
    result = Scripted().embed(Texts(texts=("a", "b", "a")))
    assert isinstance(result, Vectors)
    assert result.vectors[0] == result.vectors[2] != result.vectors[1]
    chosen = Scripted(vector=lambda text: (float(len(text)),)).embed(Texts(texts=("abc",)))
    assert isinstance(chosen, Vectors)
    assert chosen.vectors == ((3.0,),)
