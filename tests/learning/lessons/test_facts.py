"""How a project is built, tested and run, from the commands that keep working."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sessions import failed, ran, records, said

from metier.learning.lessons.aggregate import lessons_from
from metier.learning.lessons.facts import role_of
from metier.learning.lessons.session.net import mine_session
from metier.learning.lessons.vetting import written_where

if TYPE_CHECKING:
    from metier.types import ToolCall
    from metier.types.lessons import Lesson


def facts(*sessions: tuple[ToolCall, ...]) -> list[Lesson]:
    """The facts that sessions teach."""
    caught = [
        sighting
        for number, calls in enumerate(sessions)
        for sighting in mine_session(records(said("do it", *calls, session=f"s{number}")))
    ]
    return [one for one in lessons_from(caught, "w") if one.kind == "fact"]


def test_a_command_that_works_in_two_sessions_is_a_fact_without_its_files() -> None:
    found = facts(
        (ran("mix test test/a_test.exs"), ran("mix credo --strict lib/a.ex")),
        (ran("cd app && mix test 2>&1 | tail -5"), ran("mix credo --strict")),
    )
    assert {one.text for one in found} == {"Run the tests with `mix test`.", "Lint with `mix credo --strict`."}
    assert all(one.sessions == 2 for one in found)


def test_a_command_that_never_worked_or_worked_once_is_none() -> None:
    assert facts((ran("npm test"),), (failed("npm test", "error: no script"),)) == []


def test_what_enters_the_environment_stays_with_the_command() -> None:
    calls = (ran("source .venv/bin/activate && pytest -q tests/test_a.py"),)
    (fact,) = facts(calls, calls)
    assert fact.text == "Run the tests with `source .venv/bin/activate && pytest`."


def test_a_program_that_failed_outside_its_environment_is_named_with_it() -> None:
    plain = (ran("pytest -q tests/test_a.py"),)
    broken = (failed("pytest", "zsh: command not found: pytest"), ran("source .venv/bin/activate && pytest"))
    (fact,) = facts(plain, plain, plain, broken, broken)
    assert fact.text == "Run the tests with `source .venv/bin/activate && pytest`."


def test_a_place_on_one_machine_is_no_part_of_a_command() -> None:
    calls = (ran("source /home/ada/venv/bin/activate && pytest -q"),)
    assert facts(calls, calls)[0].text == "Run the tests with `pytest`."


def test_of_two_commands_for_one_purpose_the_one_with_more_sessions_counts() -> None:
    old, new = (ran("npm run test:unit"),), (ran("npm test"),)
    (fact,) = facts(old, old, new, new, new)
    assert fact.text == "Run the tests with `npm test`."


@pytest.mark.parametrize(
    ("command", "role"),
    [
        ("cargo clippy --all-targets", "lint"),
        ("go test ./...", "test"),
        ("npx tsc --noEmit", "types"),
        ("pytest --cov=app", "coverage"),
        ("ruff format .", "format"),
        ("make build", "build"),
        ("pnpm install", "install"),
        ("git status", ""),
        ("bd sync --from-main", ""),
        ("minsky session start --task", ""),
        ("act connect black", ""),
        ("uv run pytest", "test"),
        ("npm run test:unit", "test"),
        ("python manage.py test", "test"),
    ],
)
def test_what_a_command_is_for(command: str, role: str) -> None:
    assert role_of(command) == role


def test_adding_a_package_does_not_set_the_project_up() -> None:
    calls = (ran("npm install left-pad"), ran("pip install pandas -q"))
    assert facts(calls, calls) == []
    setup = (ran("npm ci"),)
    assert [one.text for one in facts(*[setup] * 5)] == ["Install what the project needs with `npm ci`."]


def test_the_plain_command_of_a_tool_is_worth_a_line_only_where_it_is_used_often() -> None:
    calls = (ran("mix deps.get"), ran("mix format"))
    assert facts(calls, calls, calls, calls) == []
    assert len(facts(calls, calls, calls, calls, calls)) == 2
    (special,) = facts(*[(ran("mix format --migrate"),)] * 2)
    assert special.text == "Format code with `mix format --migrate`."


def test_what_the_project_says_already_is_found_with_its_line() -> None:
    (fact,) = facts((ran("npm test"),), (ran("npm test"),))
    assert written_where(fact, {"README.md": "# App\n\nRun `npm test`.\n"}) == "README.md:3"
    assert written_where(fact, {"README.md": "# App\n"}) == ""


def test_the_name_of_a_script_is_kept_whole() -> None:
    runs = [said("go", ran("npm run test:unit -- src/a.test.ts"), session=name) for name in "ab"]
    assert [one.text for one in lessons_from(mine_session(records(*runs)), "w")] == [
        "Run the tests with `npm run test:unit`."
    ]


def test_what_was_run_as_a_whole_comes_before_what_was_run_on_a_part() -> None:
    parts = [(ran(f"go test ./pkg/{name}"),) for name in "abcd"]
    wholes = [(ran("go test ./..."),), (ran("go test ./... -v"),)]
    assert [one.text for one in facts(*parts, *wholes)] == ["Run the tests with `go test ./...`."]


def test_a_command_that_always_got_a_file_says_so() -> None:
    assert [one.text for one in facts(*[(ran(f"gofmt -w {name}.go"),) for name in "abc"])] == [
        "Format code with `gofmt -w PATH`."
    ]
    mixed = facts((ran("pytest tests/a.py"),), (ran("pytest tests/b.py"),), (ran("pytest"),))
    assert [one.text for one in mixed] == ["Run the tests with `pytest`."]
    filtered = facts((ran("pytest -k slow"),), (ran("pytest -k fast"),))
    assert [one.text for one in filtered] == ["Run the tests with `pytest`."]


def test_a_command_that_another_one_replaced_is_no_fact_any_more() -> None:
    old = [replace(said("go", ran("python -m pytest"), session=name), started="2026-01-01T10:00:00Z") for name in "ab"]
    new = [replace(said("go", ran("pytest"), session=name), started="2026-03-01T10:00:00Z") for name in "cd"]
    beside = [replace(said("go", ran("npm test"), session=name), started="2026-02-01T10:00:00Z") for name in "ad"]
    again = [replace(said("go", ran("npm test"), session="e"), started="2026-04-01T10:00:00Z")]
    found = [one.text for one in lessons_from(mine_session(records(*old, *beside, *new, *again)), "w")]
    assert found == ["Run the tests with `npm test`.", "Run the tests with `pytest`."]
