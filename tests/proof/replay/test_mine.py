"""From runs to cases: what a run shows of its success is what an attempt is held to; what shows nothing is no case."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from metier.proof.replay.kept_files import kept_files
from metier.proof.replay.mine import NoCase, case_of
from metier.proof.replay.sides import with_sides
from metier.runs.derive import record_of
from metier.training.scoring.registry import judge_of
from metier.types import Record, Run, ToolCall
from metier.types.trials import Case

NOW = "2026-01-05T12:00:00.000000Z"
READ = ToolCall(
    name="Read",
    input='{"file_path": "/home/me/shop/src/cart.py"}',
    output="     1→def total(items):\n     2→    return 0\n",
    origin="file",
)
SEEN = replace(READ, input='{"file_path": "/home/me/shop/tests/test_cart.py"}', output="def test_total(): ...\n")
EDIT = ToolCall(name="Edit", input='{"file_path": "/home/me/shop/src/cart.py", "new_string": "x"}', output="ok")
TESTS = ToolCall(name="Bash", input="pytest -q tests/test_cart.py", output="3 passed")


def run(*tools: ToolCall, **more: object) -> Run:
    given: dict[str, object] = {"message": "make the total of the cart right", "output": "It adds up now."}
    return Run(**(given | {"status": "completed", "session": "s", "tools": tools} | more))  # type: ignore[arg-type]


def record(made: Run) -> Record:
    return record_of(made, "w", NOW)


def scorers(made: Run, *, success: bool = True, rubric: bool = False) -> list[dict[str, object]]:
    case = case_of(record(made), success=success, rubric=rubric)
    assert isinstance(case, Case), case
    judge_of(case)  # it can be scored
    scorer = json.loads(case.scorer)
    return scorer["of"] if scorer["kind"] == "all" else [scorer]


def test_a_check_that_passed_and_the_files_it_needs_make_a_case() -> None:
    made = run(READ, SEEN, EDIT, TESTS, external_id="r1")
    case = case_of(record(made), success=True)
    assert isinstance(case, Case)
    assert dict(case.files)["src/cart.py"] == "def total(items):\n    return 0\n"
    assert scorers(made) == [{"kind": "command", "command": ["pytest", "-q", "tests/test_cart.py"]}]
    assert case.is_from_run
    assert case.origin == f"run:{record(made).id}"


def test_a_failed_run_with_a_check_is_a_case_to_train_on() -> None:
    made = run(READ, SEEN, replace(TESTS, ok=False, output="1 failed"), status="error", output="The tests still fail.")
    case = case_of(record(made), success=False)
    assert isinstance(case, Case)
    assert case.tags == ("failed",)
    assert scorers(made, success=False) == [{"kind": "command", "command": ["pytest", "-q", "tests/test_cart.py"]}]


SHELLS = ("pytest -q && rm -rf build", "make test | tee log", "pytest $(cat which)", "rm -rf tests")


@pytest.mark.parametrize("line", SHELLS)
def test_a_check_that_a_shell_would_have_to_read_or_that_deletes_is_none(line: str) -> None:
    found = case_of(record(run(READ, SEEN, EDIT, replace(TESTS, input=line))), success=True)
    assert isinstance(found, NoCase)


def test_a_check_on_a_file_that_was_not_kept_is_none() -> None:
    assert isinstance(case_of(record(run(READ, EDIT, TESTS)), success=True), NoCase)


def test_tools_of_the_project_shapes_and_facts_are_asked_for() -> None:
    looked = ToolCall(name="mcp__crm__find_customer", input='{"id": 4711}', output="balance 1250.50 in accounts/eu.csv")
    told = "# Balance\n\nIt is 1250.50, see accounts/eu.csv.\n\n# Next\n\nNothing."
    found = scorers(run(looked, message="what does customer 4711 owe us?", output=told))
    assert found == [
        {"kind": "tool-called", "tools": ["mcp__crm__find_customer"]},
        {"kind": "section", "titles": ["Balance", "Next"]},
        {"kind": "contains", "texts": ["1250.50", "accounts/eu.csv"]},
    ]


def test_what_the_request_gives_away_or_no_tool_said_is_no_fact() -> None:
    looked = ToolCall(name="Bash", input="cat notes", output="4711 and accounts/eu.csv")
    made = run(looked, message="is 4711 in accounts/eu.csv?", output="Yes, 4711 is in accounts/eu.csv, worth 99999.")
    assert isinstance(case_of(record(made), success=True), NoCase)


@pytest.mark.parametrize(("answer", "kind"), [("42.5", "exact"), ("src/cart.py", "exact"), ('{"a": 1}', "regex")])
def test_one_value_and_a_document_have_a_shape(answer: str, kind: str) -> None:
    assert [one["kind"] for one in scorers(run(output=answer))][:1] == [kind]


@pytest.mark.parametrize(
    ("made", "success", "reason"),
    [
        (run(), None, "nobody knows"),
        (run(status="error", output="API Error: 529 overloaded"), False, "could not be reached"),
        (run(message="ok"), True, "a reply"),
        (run(message="x" * 5_000), True, "too long"),
        (run(output="Done."), True, "nothing that could be checked"),
    ],
)
def test_what_cannot_be_checked_is_no_case_and_says_why(made: Run, success: bool | None, reason: str) -> None:
    found = case_of(record(made), success=success)
    assert isinstance(found, NoCase)
    assert reason in found.reason


def test_a_rubric_is_for_those_who_ask_and_holds_the_correction() -> None:
    made = run(output="Done.", correction="No, prices are in cents!")
    [scorer] = scorers(made, success=False, rubric=True)
    assert scorer["kind"] == "rubric"
    assert "prices are in cents" in str(scorer["criteria"])


def test_a_file_that_was_read_in_part_or_after_it_was_changed_is_not_kept() -> None:
    part = replace(READ, input='{"file_path": "/home/me/shop/src/cart.py", "offset": 10}')
    assert kept_files(run(part)) == ()
    assert kept_files(run(EDIT, READ)) == ()
    large = replace(READ, output="x" * 100_000)
    assert kept_files(run(large)) == ()


def test_near_duplicates_share_a_side_and_nobody_changes_sides() -> None:
    asks = [f"build the monthly revenue report for {month}" for month in ("May", "June", "July", "March")]
    first = with_sides([Case(id=f"c{at}", input=text) for at, text in enumerate(asks)], [])
    assert len({one.split for one in first}) == 1
    others = [Case(id=f"d{at}", input=f"{word} the {word} of {word}") for at, word in enumerate("abcdefgh" * 4)]
    more = with_sides([*others, Case(id="z", input="build the monthly revenue report for April")], first)
    assert next(one for one in more if one.id == "z").split == first[0].split
    assert with_sides(others, first) == with_sides(others, [*first])
