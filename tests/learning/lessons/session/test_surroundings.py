"""Signals around a message that hold in any language."""

from __future__ import annotations

import json

import pytest
from sessions import ran, records, said

from metier.learning.lessons.session.net import said_in, surrounding_cues
from metier.types import ToolCall


def edit(old: str, new: str) -> ToolCall:
    return ToolCall(name="Edit", input=json.dumps({"file_path": "a.py", "old_string": old, "new_string": new}))


@pytest.mark.parametrize(
    "answer",
    [
        "You're right, I'll use uv.",
        "Du hast recht.",
        "Tienes razón, perdón.",
        "Вы правы.",
        "你说得对，抱歉。",
        "申し訳ありません。",
    ],
)
def test_an_apology_says_that_the_message_before_it_corrects(answer: str) -> None:
    session = records(said("lägg till paketet"), said("inte så, kör `uv add`", answer=answer))
    assert surrounding_cues(session, 1) == ("apology",)
    assert surrounding_cues(session, 0) == ()
    assert [one.cues for one in said_in(session, "s")] == [("apology",)]


def test_a_message_after_a_stop_may_correct() -> None:
    session = records(said("[Request interrupted by user]"), said("kör `uv add` i stället"))
    assert surrounding_cues(session, 1) == ("interrupted",)


def test_the_same_request_in_other_words_may_correct_and_a_copy_does_not() -> None:
    first = "dodaj stronę logowania z testami integracyjnymi"
    assert surrounding_cues(records(said(first), said(f"{first} dla panelu")), 1) == ("asked again",)
    assert surrounding_cues(records(said(first), said(first)), 1) == ()
    assert surrounding_cues(records(said(first), said("napisz dokumentację kompilacji projektu")), 1) == ()


@pytest.mark.parametrize(
    "call", [ran("git checkout -- a.py"), ran("cd x && git restore a.py"), ran("git revert HEAD"), edit("new", "old")]
)
def test_what_is_taken_back_at_once_was_wrong(call: ToolCall) -> None:
    session = records(said("ändra koden", edit("old", "new")), said("ta bort ändringen", call))
    assert surrounding_cues(session, 1) == ("reverted",)


@pytest.mark.parametrize("call", [ran("git checkout -b next"), ran("git status"), edit("old", "newer"), ran("ls")])
def test_other_work_takes_nothing_back(call: ToolCall) -> None:
    session = records(said("ändra koden", edit("old", "new")), said("nästa del", call))
    assert surrounding_cues(session, 1) == ()
