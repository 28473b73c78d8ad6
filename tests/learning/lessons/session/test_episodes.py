"""Replies and corrections belong to the task that they answer."""

from __future__ import annotations

import pytest
from sessions import records, said

from metier.learning.judge import rejection
from metier.learning.lessons.session.episodes import episodes_of, is_reply


@pytest.mark.parametrize("message", ["ok", "Yes, continue.", "push", "go ahead", "2", "thanks!", "weiter", "好的"])
def test_a_reply_is_no_task(message: str) -> None:
    assert is_reply(message)


@pytest.mark.parametrize(
    "message", ["fix the login test", "push the docs to the new branch of the fork", "no tests yet?"]
)
def test_a_request_is_none(message: str) -> None:
    assert not is_reply(message)


def test_a_session_is_parted_into_tasks_with_what_was_said_about_them() -> None:
    session = records(
        said("fix the login test"),
        said("no, that's wrong, use the fixture"),
        said("ok"),
        said("now write the release notes"),
        said("great, thanks"),
    )
    first, second = episodes_of(session)
    assert [len(one.runs) for one in (first, second)] == [3, 2]
    assert (first.outcome, second.outcome) == ("corrected", "good")
    assert episodes_of([]) == []


def test_a_pattern_is_never_formed_from_replies() -> None:
    (reply, task) = records(said("ok, continue"), said("fix the login test"))
    assert rejection(reply, "w") == "a reply: it belongs to the task before it"
    assert rejection(task, "w") is None
