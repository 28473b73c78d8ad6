"""The targets that need no file system: a chat model, a raw model, a function."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from metier.errors import UsageError
from metier.models.failures import Malformed, OverBudget, RateLimited, Refused, TimedOut, Unreachable
from metier.models.price import FlatPrice
from metier.models.scripted import Scripted, fails, on, says
from metier.models.spec import PerMillion
from metier.skills.package import Package
from metier.training.targets.callable import CallableTarget
from metier.training.targets.chat import ChatTarget
from metier.training.targets.completion import CompletionTarget
from metier.training.targets.target import Attempt, Broken
from metier.types import Tokens
from metier.types.trials import Case

CASE = Case(id="c", input="What is it?", files=(("a.txt", "data\n"),))
SKILL = Package(
    files={
        "SKILL.md": b"---\nname: s\n---\nBe $brief.\n",
        "references/r.md": b"More.",
        "evals/evals.json": b"secret answers",
        "logo.png": b"\xff",
    }
)


def test_a_chat_model_is_shown_the_skill_and_asked_the_case() -> None:
    model = Scripted(on("rollout", says("42", tokens=Tokens(input=10, output=2))))
    price = FlatPrice(PerMillion(input=Decimal(1), output=Decimal(5)))
    attempt = ChatTarget(model=model, system="You are an agent.", price=price).run(CASE, SKILL, 3)
    assert isinstance(attempt, Attempt)
    assert (attempt.output, attempt.tokens, attempt.cost_usd) == ("42", Tokens(input=10, output=2), 0.00002)
    (request,) = model.requests
    assert request.system.startswith("You are an agent.\n\nYou have a skill")
    assert "<skill>\n---\nname: s\n---\nBe $brief.\n</skill>" in request.system
    assert "More." not in request.system
    assert request.messages[0].text == 'What is it?\n\n<file path="a.txt">\ndata\n</file>'
    assert request.sample == 3


def test_without_a_skill_nothing_is_said_of_one() -> None:
    model = Scripted(otherwise=says("x"))
    ChatTarget(model=model, system="You are an agent.").run(CASE, None, 0)
    assert model.requests[0].system == "You are an agent."


def test_other_text_files_are_shown_on_request_but_never_the_evals() -> None:
    model = Scripted(otherwise=says("x"))
    ChatTarget(model=model, files=True).run(CASE, SKILL, 0)
    assert '<file path="references/r.md">\nMore.\n</file>' in model.requests[0].system
    assert "secret answers" not in model.requests[0].system


def test_a_reply_that_was_cut_off_says_so_in_its_trace() -> None:
    attempt = ChatTarget(model=Scripted(otherwise=says("x", finish="length"))).run(CASE, None, 0)
    assert isinstance(attempt, Attempt)
    assert "cut off" in attempt.trace


@pytest.mark.parametrize(
    ("failure", "again", "spent"),
    [
        (Unreachable(reason="r"), True, False),
        (TimedOut(reason="r"), True, False),
        (RateLimited(reason="r"), True, False),
        (Malformed(reason="r"), True, False),
        (Refused(reason="r"), False, False),
        (OverBudget(reason="r"), False, True),
    ],
)
def test_a_model_that_fails_is_a_broken_world(failure: Unreachable, again: bool, spent: bool) -> None:
    model = Scripted(otherwise=fails(failure))
    expected = Broken(reason="r", again=again, spent=spent)
    assert ChatTarget(model=model).run(CASE, None, 0) == expected
    assert CompletionTarget(model=model).run(CASE, None, 0) == expected


def test_a_raw_model_gets_the_skill_first_so_that_its_prefix_is_the_same_for_all_cases() -> None:
    model = Scripted(otherwise=says("yes"))
    target = CompletionTarget(
        model=model, grammar='root ::= "yes"', stop=("\n",), template="<s>{skill}</s>\nQ: {input}\nA:"
    )
    other = replace(CASE, input="{skill} $x", files=())
    assert [target.run(case, SKILL, 1) for case in (CASE, other)]
    first, second = model.requests
    assert first.system == second.system == "<s>---\nname: s\n---\nBe $brief.</s>\nQ: "
    assert second.messages[0].text == "{skill} $x\nA:"
    assert (second.grammar, second.stop, second.sample) == ('root ::= "yes"', ("\n",), 1)


def test_a_raw_prompt_without_a_skill_begins_with_the_case() -> None:
    model = Scripted(otherwise=says("x"))
    CompletionTarget(model=model).run(replace(CASE, files=()), None, 0)
    request = model.requests[0]
    assert request.system + request.messages[0].text == "What is it?\n\n"


@pytest.mark.parametrize("template", ["{input}", "{skill}", "{input} {skill}"])
def test_a_template_needs_the_skill_before_the_input(template: str) -> None:
    with pytest.raises(UsageError, match="must contain"):
        CompletionTarget(model=Scripted(), template=template)


def test_whatever_shapes_attempts_is_in_the_identity() -> None:
    chat = ChatTarget(model=Scripted())
    raw = CompletionTarget(model=Scripted())
    for target, changes in (
        (
            chat,
            (
                {"temperature": 1.0},
                {"system": "x"},
                {"max_tokens": 1},
                {"files": True},
                {"model": Scripted(identity="m")},
            ),
        ),
        (raw, ({"grammar": "g"}, {"stop": ("x",)}, {"template": "{skill}{input}"}, {"temperature": 0.5})),
    ):
        found = {target.identity, *(replace(target, **change).identity for change in changes)}  # type: ignore[arg-type]
        assert len(found) == len(changes) + 1
    assert replace(chat, seconds=1.0).identity == chat.identity


def agent(case: Case, skill: str) -> str:
    return f"{case.id}: {len(skill)}"


def test_a_function_is_called_with_the_case_and_the_skills_text() -> None:
    target = CallableTarget(function=agent)
    attempt = target.run(CASE, SKILL, 0)
    assert isinstance(attempt, Attempt)
    assert attempt.output == f"c: {len(SKILL.document.strip())}"
    assert target.identity.endswith(".agent")
    assert replace(target, name="mine v2").identity == "python mine v2"
    assert CallableTarget(function=lambda *_: Attempt(output="a", tools=("t",))).run(CASE, None, 0) == Attempt(
        output="a", tools=("t",)
    )


def test_a_function_that_raises_or_gives_nonsense_is_a_broken_world() -> None:
    def raising(_: Case, __: str) -> str:
        raise RuntimeError("boom")

    assert CallableTarget(function=raising).run(CASE, None, 0) == Broken(
        reason="the function raised RuntimeError: boom"
    )
    nonsense = CallableTarget(function=lambda *_: 3).run(CASE, None, 0)  # type: ignore[arg-type,return-value]
    assert nonsense == Broken(reason="the function gave int, not a text or an Attempt", again=False)
