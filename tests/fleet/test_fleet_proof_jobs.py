"""Judging and replays as jobs: what workers find is what a person would have found alone, and is paid once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from allowing import allow
from cli_shell import Shell
from learn_world import TESTS, task
from loopback import Loopback, answers

from metier.library.proposals.drafts import get_open_draft
from metier.library.proposals.hand_in import hand_in_document
from metier.proof.replay.cases import build_cases, decide_case, list_cases
from metier.store.tables.runs import verdicts
from metier.types import Outcome, Run, ToolCall
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from loopback import Handler

    from metier.types.trials import Case

pytestmark = pytest.mark.xdist_group("postgresql")
ABOUT = "Builds the figures of a department. Use when somebody asks for the figures of a department."
DOCUMENT = f"---\nname: figures\ndescription: {ABOUT}\n---\n\n# Figures\n\nSECRET WAY: read the ledger.\n"


def judge(handler: Handler) -> None:
    """A model that believes all but the third task."""
    said = {"success": TESTS[2] not in handler.asked.body.decode(), "reason": "seen"}
    choice = {"message": {"role": "assistant", "content": json.dumps(said)}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    answers({"id": "1", "model": "m", "choices": [choice], "usage": usage})(handler)


def judged(server: Loopback) -> int:
    """How often somebody asked how a run went."""
    return sum(b"final_answer" in one.body for one in server.seen)


def test_workers_judge_what_waits_and_learning_asks_about_nothing_twice(
    new_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    monkeypatch.setenv("METIER_MODEL", "openai:some-model")
    monkeypatch.setenv("METIER_STORE", new_postgres)
    with Loopback(judge) as server:
        monkeypatch.setenv("METIER_MODEL_URL", server.url)
        (tmp_path / "shop").mkdir()
        with Workspace.open(tmp_path / "shop") as ws:
            allow(ws).deliver(task(TESTS, 0, 5))
        shell = Shell(tmp_path / "shop", monkeypatch, capsys)
        assert shell.json("fleet", "judge")["handed_in"] == 1
        shell.ok("worker", "--once")
        assert judged(server) == 5
        with Workspace.open(tmp_path / "shop") as ws:
            ids = [run.id for run in ws.runs()]
            with ws.context.store.read() as transaction:
                known = verdicts.get_many(transaction, ids)
        assert sorted(one.success is True for one in known.values()) == [False, True, True, True, True]
        assert "No run waits" in shell.ok("fleet", "judge")
        shell.run("learn")  # this model can do nothing but judge
        assert judged(server) == 5
        ended = shell.json("fleet", "status")["ended"]
        assert [(one["kind"], one["text"]) for one in ended] == [("judge", "5 verdicts by openai:some-model")]


def figures(number: int) -> Run:
    """A run whose answer names a figure that a tool had reported."""
    figure = f"{10_000 + number * 37}.50"
    return Run(
        message=f"give me the figures of the department {number}",
        output=f"The figure is {figure} for this quarter, all told and checked.",
        status="completed",
        session=f"s{number}",
        external_id=f"r{number}",
        tools=(ToolCall(name="Bash", input="python ledger.py", output=f"sum {figure}"),),
        outcome=Outcome(success=True, by="test"),
    )


def find_figure(case: Case, text: str) -> str:
    """An agent that finds the figure only with the skill."""
    wanted = case.scorer.split('"texts":["')[1].split('"')[0]
    return f"It is {wanted}." if "SECRET WAY" in text else "I do not know."


def test_a_worker_replays_a_draft_and_notes_the_decision(
    new_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("METIER_STORE", new_postgres)
    (tmp_path / "shop").mkdir()
    with Workspace.open(tmp_path / "shop") as ws:
        allow(ws, "python").deliver(figures(number) for number in range(10))
        build_cases(ws.context)
        for one in list_cases(ws.context, "proposed"):
            decide_case(ws.context, one.id, "accepted")
        draft = hand_in_document(ws.library, "figures", DOCUMENT, "how the figures are made")
    shell = Shell(tmp_path / "shop", monkeypatch, capsys)
    target = f"python={__name__}:find_figure"
    assert "Handed in a replay" in shell.ok("fleet", "replay", draft.id[:8], "--target", target)
    assert "waits already" in shell.ok("fleet", "replay", draft.id, "--target", target)
    shell.ok("worker", "--once", "--allow-commands")
    (ended,) = shell.json("fleet", "status")["ended"]
    assert ended["text"].startswith("accept: replay on python=")
    with Workspace.open(tmp_path / "shop") as ws:
        assert "(accept)" in get_open_draft(ws.library, draft.id).notes[-1]
