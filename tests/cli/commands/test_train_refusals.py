"""`metier train` and `metier eval` met by bad input: refused in words, before anything is spent, nothing half done."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest
from train_world import TEXT, place, write_cases

from metier.cli.options import sigterm_as_interrupt
from metier.errors import UsageError
from metier.training.targets.callable import function_of
from metier.types.trials import Case

if TYPE_CHECKING:
    from cli_shell import Shell

NOWHERE = "openai:m@http://127.0.0.1:9/v1"
AGENT = """
import sys
from pathlib import Path

def solve(case, skill):
    return case.expected if skill else "no idea"

def leave(case, skill):
    sys.exit(3)

def count(case, skill):
    return 7

def obstruct(case, skill):
    Path("page.html").mkdir(exist_ok=True)
    return "no idea"
"""


@pytest.fixture
def shop(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A workspace with a skill, cases, and agents of different health."""
    place(shell.folder)
    write_cases(shell.folder / "cases.jsonl", 24)
    (shell.folder / "refusal_agents.py").write_text(AGENT, encoding="utf-8")
    monkeypatch.chdir(shell.folder)
    return shell


def refused(shop: Shell, *more: str, skill: str = "adder") -> tuple[int, str]:
    """The exit code and the one line of a training that must not begin."""
    words = ("train", skill, "--cases", "cases.jsonl", "--target", "python=refusal_agents:solve")
    done = shop.run(*words, "--optimiser", NOWHERE, *more)
    assert (done.out, done.err.count("\n")) == ("", 1), done.err
    assert shop.json("train", "list") == []
    return done.code, done.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--budget", "calls=5", "--budget", "calls=9"), "--budget sets calls twice"),
        (("--budget", "calls=1e3"), "must be a whole number, 0 or more"),
        (("--budget", "usd=nan"), "give a number of 0 or more"),
        (("--budget", "seconds=inf"), "give a number of 0 or more"),
        (("--timeout", "nan"), "seconds for an attempt must be above 0 and at most 86,400"),
        (("--timeout", "1e300"), "seconds for an attempt must be above 0 and at most 86,400"),
        (("--spec", "timeout=1e300"), "an answer of the optimiser must be above 0"),
        (("--spec", "timeout=0"), "an answer of the optimiser must be above 0"),
        (("--spec", "timeout=inf"), "--spec timeout must be a number, not 'inf'"),
        (("--spec", "soft_weight=nan"), "--spec soft_weight must be a number, not 'nan'"),
        (("--spec", "epochs=99999999999999999999"), "epochs up to 10,000"),
        (("--spec", "min_edits=5", "--spec", "max_edits=1"), "min_edits (5) is above max_edits (1)"),
    ],
)
def test_limits_that_cannot_hold_are_wrong_usage(shop: Shell, more: tuple[str, ...], said: str) -> None:
    code, line = refused(shop, *more)
    assert code == 2
    assert said in line


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--report", "missing/page.html"), "name a file in a folder that you may write to"),
        (("--report", "."), "name a file in a folder that you may write to"),
        (("--out", "cases.jsonl/skill"), "is not writable"),
        (("--cases", "latin.jsonl"), "latin.jsonl is not UTF-8, first in line 2; save it as UTF-8"),
    ],
)
def test_where_the_result_cannot_go_nothing_is_begun(shop: Shell, more: tuple[str, ...], said: str) -> None:
    (shop.folder / "latin.jsonl").write_bytes(b'{"id": 1}\n{"id": "\xff"}\n')
    code, line = refused(shop, *more)
    assert code == 1
    assert said in line


def test_where_nothing_may_be_spent_no_rollout_is_made(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METIER_BUDGET_USD", "0")
    code, line = refused(shop)
    assert (code, "nothing may be spent (budget_usd is 0). Nothing was started." in line) == (1, True)
    assert "--budget calls=200" in line


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (
            TEXT.encode() + b"\xff\xfe",
            "other cannot be trained. SKILL.md: The file holds bytes that are no UTF-8",
        ),
        (None, "./other is not a skill: there is no SKILL.md in that folder"),
    ],
)
def test_a_skill_whose_text_cannot_be_read_is_not_trained(shop: Shell, document: bytes | None, said: str) -> None:
    (shop.folder / "other").mkdir()
    if document is not None:
        (shop.folder / "other/SKILL.md").write_bytes(document)
    code, line = refused(shop, skill="./other")
    assert code == 1
    assert said in line


def test_a_function_that_ends_the_program_has_failed_at_its_case_no_more(shop: Shell) -> None:
    (shop.folder / "leaving.py").write_text("raise SystemExit(4)", encoding="utf-8")
    with pytest.raises(UsageError, match="it ends the program when it is imported"):
        function_of("leaving:run")
    with pytest.raises(RuntimeError, match=r"it called sys\.exit\(3\)"):
        function_of("refusal_agents:leave")(Case(id="a", input="x"), "")


def test_a_report_that_cannot_be_written_in_the_end_hides_nothing_and_leaves_nothing_half_done(shop: Shell) -> None:
    words = ("--cases", "cases.jsonl", "--target", "python=refusal_agents:obstruct", "--optimiser", NOWHERE)
    done = shop.run("train", "adder", *words, "--budget", "rollouts=2", "--report", "page.html")
    assert done.code == 1
    assert "the budget of 2 rollouts is used up" in done.out
    assert "The page cannot be written to page.html" in done.err
    assert not list(shop.folder.glob(".page*"))


def test_an_evaluation_says_why_rollouts_have_no_score(shop: Shell) -> None:
    (shop.folder / "one.jsonl").write_text(json.dumps({"id": "a", "input": "x", "expected": "1"}), encoding="utf-8")
    words = ("eval", "adder", "--cases", "one.jsonl", "--against", "none")
    done = shop.run(*words, "--target", "python=refusal_agents:count")
    said = " ".join(done.out.split())
    assert "No score with no skill: the function gave int, not a text or an Attempt" in said


def test_an_evaluation_against_the_same_bytes_says_that_they_are(shop: Shell) -> None:
    words = ("eval", "adder", "--cases", "cases.jsonl", "--target", "python=refusal_agents:solve")
    found = shop.json(*words, "--against", "./.agents/skills/adder")
    assert (found["decision"], found["reason"]) == ("uninformative", "both are identical")


def test_where_events_are_streamed_nothing_else_is_said(shop: Shell) -> None:
    words = ("--cases", "cases.jsonl", "--target", "python=refusal_agents:solve", "--optimiser", NOWHERE)
    done = shop.run("train", "adder", *words, "--budget", "rollouts=2", "--events")
    assert [json.loads(line)["kind"] for line in done.err.splitlines()][-2:] == ["stopped", "ended"]
    assert "Continue (nothing is paid for twice): metier train resume" in done.out


def test_sigterm_is_taken_for_ctrl_c_only_while_it_works() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), sigterm_as_interrupt():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before
