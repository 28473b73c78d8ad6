"""`metier cases` in a shell: made, read, decided, exported; a draft is tried on them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from allowing import allow

from metier.library.proposals.hand_in import hand_in_document
from metier.training.cases.read import read_cases
from metier.types import Outcome, Run, ToolCall
from metier.workspace import Workspace

if TYPE_CHECKING:
    from cli_shell import Shell

ABOUT = "Tells the quarterly figures of a department. Use when asked for the quarterly figures of a department."


def asked(number: int) -> Run:
    figure = f"{10_000 + number * 37}.50"
    return Run(
        message=f"give me the quarterly figures of the department {'abcdefghij'[number] * 5}",
        output=f"The figure is {figure} for this quarter.",
        status="completed",
        session=f"s{number}",
        external_id=f"r{number}",
        tools=(ToolCall(name="Bash", input="python ledger.py", output=f"sum {figure}"),),
        outcome=Outcome(success=True, by="test"),
    )


@pytest.fixture
def shop(shell: Shell) -> Shell:
    """A workspace with ten runs that can be checked, and a draft."""
    shell.deliver(asked(number) for number in range(10))
    with Workspace.open(shell.folder) as ws:
        text = f"---\nname: figures\ndescription: {ABOUT}\n---\n\n# Figures\n\nSay THE WAY.\n"
        hand_in_document(ws.library, "figures", text, "how")
    return shell


def test_cases_from_build_to_export(shop: Shell) -> None:
    assert "No cases yet" in shop.ok("cases", "list")
    said = shop.ok("cases", "build")
    assert "10 new cases" in said
    assert "metier cases review" in said
    [first, second, *_] = shop.json("cases", "list")
    assert (first["status"], first["scorer"]["kind"]) == ("proposed", "contains")
    assert "the answer names 1" in shop.ok("cases", "show", first["id"])
    assert f"Undo: metier cases reject {first['id']}" in shop.ok("cases", "accept", first["id"])
    assert f"Undo: metier cases accept {second['id']}" in shop.ok("cases", "reject", second["id"], "--reason", "odd")
    assert [one["id"] for one in shop.json("cases", "list", "--status", "accepted")] == [first["id"]]
    file = shop.folder / "cases.jsonl"
    assert "Wrote 1 cases" in shop.ok("cases", "export", str(file))
    assert [one.id for one in read_cases(file.read_text(encoding="utf-8"))] == [first["id"]]
    assert shop.run("cases", "export", str(file)).code == 1, "nothing is overwritten"
    (shop.folder / "away").symlink_to(shop.folder.parent)
    assert "is a link to" in shop.run("cases", "export", str(shop.folder / "away/cases.jsonl")).err
    assert shop.run("cases", "accept").code == 2
    assert "There is no case" in shop.run("cases", "show", "zzz").err


def test_a_draft_is_tried_with_and_without(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop.folder / "figure_agent.py").write_text(
        "def answer(case, text):\n"
        "    wanted = case.scorer.split('\"texts\":[\"')[1].split('\"')[0]\n"
        "    return wanted if 'THE WAY' in text else 'no idea'\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(shop.folder))
    [draft] = shop.json("drafts", "list")
    words = ("cases", "replay", draft["id"], "--target", "python=figure_agent:answer")
    few = shop.json(*words, code=1)
    assert (few["decision"]["action"], few["cases"]) == ("uninformative", 0)
    shop.ok("cases", "build")
    shop.ok("cases", "accept", "--all")
    assert "metier models allow python" in shop.run(*words).err
    with Workspace.open(shop.folder) as ws:
        allow(ws, "python")
    done = shop.json(*words)
    assert (done["decision"]["action"], done["cases"], done["version"]) == ("accept", 10, None)
    assert all(delta == 1 for delta in done["decision"]["deltas"].values())
    assert "It passes. Ship it: metier drafts apply" in shop.ok(*words)
    notes = json.dumps(shop.json("drafts", "show", draft["id"]))
    assert "replay on python=figure_agent:answer" in notes
