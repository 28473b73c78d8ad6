"""Words that are handed through from request to deed are values; what the work is about is not."""

from __future__ import annotations

from metier.learning.clustering.label import deeds_of, label_of, values_in
from metier.text.words import stem
from metier.types import Run, ToolCall

RUNS = [
    (f"{verb} the {package} dependency", f"uv add {package} && pytest -q")
    for verb, package in [
        ("upgrade", "httpx"),
        ("bump", "httpx"),
        ("upgrade", "pillow"),
        ("upgrade", "pydantic"),
        ("bump", "pydantic"),
        ("upgrade", "httpx"),
    ]
]


def test_a_name_that_goes_into_the_command_is_a_value_and_the_subject_is_not() -> None:
    found = values_in(RUNS)
    assert found == {stem(name) for name in ("httpx", "pillow", "pydantic")}


def test_a_word_that_stands_in_every_deed_is_no_value() -> None:
    runs = [("deploy now", "./deploy.sh"), ("ship it", "./deploy.sh"), ("deploy it", "./deploy.sh")]
    assert values_in(runs) == frozenset()


def test_where_nothing_was_done_nobody_can_tell() -> None:
    assert values_in([("write a poem", ""), ("write a haiku", "")]) is None
    assert deeds_of(Run(message="write a poem")) == ""


def test_deeds_are_what_was_asked_of_tools_and_never_what_they_answered() -> None:
    run = Run(message="look", tools=(ToolCall(name="Bash", input="ls src", output="secret plans"),))
    assert deeds_of(run) == "ls src"


def test_a_label_has_no_values_and_says_more_than_a_verb() -> None:
    messages = [message for message, _ in RUNS]
    assert label_of(messages, (), values_in(RUNS)) == "upgrade-dependency"


def test_values_in_front_of_a_label_are_not_put_back_when_it_is_taken() -> None:
    messages = [message for message, _ in RUNS]
    again = label_of(messages, {"upgrade-dependency"}, values_in(RUNS))
    assert again != "upgrade-dependency"
    assert not {"httpx", "pillow", "pydantic"} & set(again.split("-"))
