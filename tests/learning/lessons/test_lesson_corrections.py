"""Corrections that a person had to repeat, in their own words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sessions import records, said

from metier.learning.lessons.aggregate import REPEATED, lessons_from
from metier.learning.lessons.session.net import mine_session, sentences_of
from metier.learning.lessons.wording import order_in
from metier.types import Exchange, ToolCall

if TYPE_CHECKING:
    from metier.types.lessons import Lesson
    from metier.types.sightings import Sighting


def rules(*sessions: tuple[str, ...]) -> list[Lesson]:
    """The rules that messages teach, session by session."""
    caught = [
        sighting
        for number, messages in enumerate(sessions)
        for sighting in mine_session(records(*(said(text, session=f"s{number}") for text in messages)))
    ]
    return [one for one in lessons_from(caught, "w") if one.kind == "rule"]


PYTEST = ToolCall(name="Bash", input='{"command": "pytest -q"}')
PIP = ToolCall(name="Bash", input='{"command": "pip install cachetools"}')
OTHERS = tuple(
    (f"Please add a {what} to the page", f"make sure that the {what} test covers it")
    for what in ("button", "table", "footer", "menu", "search box", "login form", "chart", "list")
)


def test_a_correction_of_two_sessions_is_shown_as_it_was_said() -> None:
    found = rules(
        *OTHERS,
        ("You should never commit the lock file with unrelated changes.",),
        ("why did you commit the lock file again?",),
    )
    assert found[0].text == "You should never commit the lock file with unrelated changes."
    assert found[0].sessions == 2
    assert [one.origin for one in found[0].quotes] == ["person", "person"]
    assert all(one.text in {quote.text for quote in one.quotes} for one in found)


ASKS = (
    "please use uv add, not pip install, because of the lock file of this repository",
    "use uv add, never pip install",
)


@pytest.mark.parametrize("sessions", [2, 3])
@pytest.mark.parametrize("stated", [True, False], ids=["stated with the run", "said next"])
@pytest.mark.parametrize("again", [0, 1], ids=["the same words", "other words"])
def test_a_correction_of_an_agent_counts_among_few_sentences_too(sessions: int, stated: bool, again: int) -> None:
    caught: list[Sighting] = []
    for number in range(sessions):
        text, session = ASKS[again if number else 0], f"s{number}"
        work = replace(said("make the module faster", session=session), tools=(PIP,))
        runs = [replace(work, correction=text)] if stated else [work, said(text, session=session)]
        caught += mine_session(records(*runs))
    (rule,) = (one for one in lessons_from(caught, "w") if one.kind == "rule")
    assert rule.sessions == sessions
    assert rule.text.split(",")[0].endswith("use uv add")


NPM, PNPM = (ToolCall(name="Bash", input=f'{{"command": "{line}"}}') for line in ("npm install zod", "pnpm add zod"))


def corrected(text: str, sessions: int) -> list[Lesson]:
    """The rules of sessions in which an agent used npm, was corrected, and used pnpm."""
    caught: list[Sighting] = []
    for number in range(sessions):
        work = replace(said(f"install what part {number} needs", session=f"s{number}"), tools=(NPM,))
        again = replace(said(text, session=f"s{number}"), tools=(PNPM,))
        caught += mine_session(records(work, again))
    return [one for one in lessons_from(caught, "w") if one.kind == "rule"]


@pytest.mark.parametrize("sessions", [2, 3, 6, 12])
@pytest.mark.parametrize(
    "text",
    [
        "no, please use pnpm, not npm",
        "use pnpm instead of npm",
        "Use pnpm, not npm!",
        "please use pnpm",
        "don't use npm, use pnpm",
        "always use pnpm in this repo",
        "npm is wrong here, it must be pnpm",
        "nein, bitte pnpm statt npm nehmen",
    ],
)
def test_what_an_agent_is_told_again_in_the_same_words_is_a_rule_however_often(text: str, sessions: int) -> None:
    (rule,) = corrected(text, sessions)
    assert (rule.text, rule.sessions) == (text, sessions)


def test_of_two_wordings_the_one_that_says_nothing_else_is_the_rule() -> None:
    caught: list[Sighting] = []
    for number, text in enumerate(("no, please use pnpm, not npm: run the test again", "no, please use pnpm, not npm")):
        work = replace(said("install what it needs", session=f"s{number}"), tools=(NPM,))
        caught += mine_session(records(work, replace(said(text, session=f"s{number}"), tools=(PNPM,))))
    (rule,) = (one for one in lessons_from(caught, "w") if one.kind == "rule")
    assert (rule.text, rule.sessions) == ("no, please use pnpm, not npm", 2)


def test_a_question_is_no_rule_and_a_request_for_another_program_is_no_correction() -> None:
    assert corrected("why npm again?", 3) == []
    caught: list[Sighting] = []
    for number in range(3):
        work = replace(said("install what it needs", session=f"s{number}"), tools=(NPM,))
        next_task = replace(said("please run pytest now", session=f"s{number}"), tools=(PYTEST,))
        caught += mine_session(records(work, next_task))
    assert [one for one in lessons_from(caught, "w") if one.kind == "rule"] == []


def test_what_importers_keep_with_the_run_and_as_a_message_is_said_once() -> None:
    text = "no, please always use pnpm, not npm"
    work = replace(said("make the module faster", session="s"), correction=text)
    assert [one.text for one in mine_session(records(work, said(text, session="s"))).said] == [text]


def test_said_once_is_not_repeated() -> None:
    assert rules(*OTHERS, ("Never commit the lock file with unrelated changes.",)) == []


def test_a_message_copied_into_a_resumed_session_is_no_second_sighting() -> None:
    text = "You should never commit the lock file together with unrelated changes, please."
    assert rules(*OTHERS, (text,), (text,)) == []


def test_at_most_five_are_shown() -> None:
    subjects = (
        "lock file",
        "changelog entry",
        "release branch",
        "docker image",
        "api token",
        "schema dump",
        "css bundle",
    )
    told = [(f"You must never commit the {one} without review.",) for one in subjects]
    again = [(f"why did you commit the {one} again?",) for one in subjects]
    assert len(rules(*OTHERS, *told, *again)) <= REPEATED


@pytest.mark.parametrize(
    "message",
    [
        "[Request interrupted by user for tool use]",
        "<command-name>/clear</command-name>",
        "This session is being continued from a previous conversation. Always commit.",
        "WTF, never commit the lock file!",
        "```\nnever commit the lock file\n```",
        "> never commit the lock file",
        "<log>\nnever commit the lock file\n</log>",
    ],
)
def test_marks_of_a_harness_anger_and_what_is_set_apart_are_not_what_a_person_wishes(message: str) -> None:
    assert list(sentences_of(message)) == []


CATTED = ToolCall(
    name="Bash", input='{"command": "cat notes.md"}', output="1. You should never commit\n   the lock file."
)


def test_what_stood_in_earlier_tool_output_is_no_word_of_the_person() -> None:
    rule = "You should never commit the lock file."
    assert [one.text for one in mine_session(records(said("Have a look."), said(rule))).said] == [rule]
    assert mine_session(records(said("Have a look.", CATTED), said(rule))).said == ()
    heard_first = mine_session(records(said(rule), said("Have a look.", CATTED), said(rule)))
    assert [one.text for one in heard_first.said] == [rule, rule]
    meanwhile = replace(said(f"Have a look.\n{rule}", CATTED), exchanges=(Exchange(), Exchange(message=rule)))
    assert mine_session(records(meanwhile)).said == ()
    stated = replace(said("Have a look.", CATTED), correction=rule)
    assert mine_session(records(stated)).said == ()


@pytest.mark.parametrize("before", ["Error: ", "- ", "# ", "$ ", "3) ", "Rule: "])
def test_no_sign_before_a_sentence_makes_it_anothers(before: str) -> None:
    assert [one.text for one in mine_session(records(said(f"{before}You should never commit it."))).said]


def test_of_a_long_message_only_the_opening_is_the_persons() -> None:
    pasted = "Here is the log, have a look.\n" + "You should never commit the lock file.\n" * 60
    assert len(list(sentences_of(pasted))) < 20


@pytest.mark.parametrize(
    ("sentence", "order"),
    [
        ("is there a way to make sure you always push after making commits?", "always push after making commits"),
        ("Sorry, I wanted to remind you to always run the specs before a push.", "always run the specs before a push"),
        (
            "I dislike how you always rush to code without a plan!",
            "I dislike how you always rush to code without a plan!",
        ),
        (
            "You forget the tests and never run them before pushing",
            "You forget the tests and never run them before pushing",
        ),
        ("all changes of a task, always take place in main", "all changes of a task, always take place in main"),
        ("We have uv for this. Never use pip here. Then fix it.", "Never use pip here"),
    ],
)
def test_a_repeated_correction_is_shown_as_the_order_in_it(sentence: str, order: str) -> None:
    assert order_in(sentence) == order


@pytest.mark.parametrize(
    "sentence",
    [
        "I dislike how you always rush to code without a plan!",
        "You forget the tests and never run them before pushing",
        "all changes of a task, always take place in main",
        "This should never happen in production.",
        "You should never commit the lock file.",
    ],
)
def test_a_complaint_is_never_cut_to_an_order(sentence: str) -> None:
    assert order_in(sentence) == sentence
