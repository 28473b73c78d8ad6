"""What a skill is worth, as commands say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from metier.store.tables.selection import selections
from metier.types import Candidate, Outcome, Run, Selection, SkillTrace
from metier.types.selections import Assignment
from metier.workspace import Workspace

if TYPE_CHECKING:
    from cli_shell import Shell

DOCUMENT = "---\nname: deploy\ndescription: Ships the shop. Use when a release is ready.\n---\n\n# Deploy\n\nSay it.\n"
NOTHING = {"selected": 0, "used": 0, "succeeded": 0, "failed": 0, "lift": None, "hurts": False}


@pytest.fixture
def skill(shell: Shell) -> str:
    """The hash of the only skill there is."""
    (shell.folder / ".agents/skills/deploy").mkdir(parents=True)
    (shell.folder / ".agents/skills/deploy/SKILL.md").write_text(DOCUMENT, encoding="utf-8")
    shell.trust()
    return str(shell.json("skills", "list")[0]["hash"])


def trial(shell: Shell, content: str, *, good: int, bad: int) -> None:
    """Runs with deploy, good and bad ones, and as many that had it withheld, the other way round."""
    outcomes = [(False, True)] * good + [(False, False)] * bad + [(True, True)] * bad + [(True, False)] * good
    runs: list[Run] = []
    with Workspace.open(shell.folder) as ws, ws.context.store.write() as transaction:
        for number, (out, success) in enumerate(outcomes):
            held = Candidate(skill="deploy", score=0.5, hash=content)
            made = Selection(
                id=f"s{number}",
                workspace=ws.name,
                query=f"task {number}",
                created=ws.context.now(),
                chosen=() if out else ("deploy",),
                chosen_hashes=() if out else (content,),
                withheld=(held,) if out else (),
                session=f"s{number}",
                trials=(Assignment(trial="t", skill="deploy", arm="without" if out else "with"),),
            )
            selections.put(transaction, made)
            used = SkillTrace() if out else SkillTrace(path=("deploy",))
            outcome = Outcome(success=success, by="test")
            runs.append(
                Run(message=f"task {number}", external_id=f"r{number}", selection=made.id, outcome=outcome, skills=used)
            )
    shell.deliver(runs)
    shell.ok("learn")  # sums up how the runs went


def test_a_skill_nobody_selected_has_empty_counts(shell: Shell, skill: str) -> None:
    for row in (shell.json("skills", "list")[0], shell.json("skills", "show", "deploy")[0]):
        assert {key: row[key] for key in NOTHING} == NOTHING
    assert "this version was never given to a session" in shell.ok("skills", "show", "deploy")


def test_what_somebody_tries_out_by_hand_is_given_to_nobody(shell: Shell, skill: str) -> None:
    shell.ok("select", "a release is ready, ships the shop")
    shell.ok("learn")
    assert "this version was never given to a session" in shell.ok("skills", "why", "deploy")
    shell.ok("select", "a release is ready, ships the shop", "--session", "s1", "--agent", "claude-code")
    shell.deliver([Run(message="x", external_id="r1", session="s1")])
    shell.ok("learn")
    assert skill
    assert shell.json("skills", "list")[0]["selected"] == 1
    said = shell.ok("skills", "why", "deploy")
    assert "given once, and how that run went is not known yet; whether a run used it is not known" in said


def test_counts_and_lift_are_in_the_json_and_a_line_says_them(shell: Shell, skill: str) -> None:
    trial(shell, skill, good=30, bad=10)
    row = shell.json("skills", "list")[0]
    assert (row["selected"], row["used"], row["succeeded"], row["failed"], row["hurts"]) == (40, 40, 30, 10, False)
    assert row["lift"]["measured"] is True
    assert 0 < row["lift"]["low"] < row["lift"]["mean"] < row["lift"]["high"]
    shown = shell.json("skills", "show", "deploy")[0]
    assert shown["lift"] == row["lift"]
    assert shown["worth"].startswith("lift +0.")
    said = shell.ok("skills", "show", "deploy")
    assert "given 40 times: 30 of these runs succeeded, 10 failed; used 40 times: 30 succeeded, 10 failed;" in said
    assert "compared 40 runs with it and 40 without" in said


def test_a_skill_that_hurts_is_called_so_wherever_one_looks(shell: Shell, skill: str) -> None:
    trial(shell, skill, good=10, bad=40)
    assert shell.json("skills", "list")[0]["hurts"] is True
    assert "active, hurts" in shell.ok("skills", "list")
    assert "metier skills rollback deploy" in shell.ok("skills", "show", "deploy")
    assert "deploy makes runs worse: lift -0." in shell.run("doctor").out
    assert "deploy makes runs worse: lift -0." in " ".join(shell.json("learn")["notes"])
    assert "deploy makes runs worse: lift -0." in shell.ok("learn")


def test_an_earlier_version_is_shown_with_what_is_known_of_it(shell: Shell, skill: str) -> None:
    trial(shell, skill, good=10, bad=10)
    (shell.folder / ".agents/skills/deploy/SKILL.md").write_text(DOCUMENT + "\nTwice.\n", encoding="utf-8")
    assert shell.json("skills", "show", "deploy")[0]["selected"] == 0
    assert shell.json("skills", "show", "deploy", "--version", "1")[0]["selected"] == 20


def test_a_recorded_run_names_its_selection(shell: Shell, skill: str) -> None:
    trial(shell, skill, good=1, bad=0)
    with Workspace.open(shell.folder) as ws, ws.context.store.read() as transaction:
        assert all(one.run for one in selections.list_all(transaction))
