"""Claude Code and Codex themselves, with a scripted model: what was learned reaches them, and work is recorded."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from agent_model import AgentModel, Step, ToolCall, shell
from homes import picture
from real_agents import RealAgents, real_agents
from selection_shop import FLAKY, stocked
from states import state_of

from metier.hooks.notes import Note, write_notes
from metier.selection.worth.outcomes import update_worths
from metier.store.tables.runs import transcripts
from metier.store.tables.selection import selections
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.agents

SKILL = "flaky-tests"
SCRIPT = {
    FLAKY: [shell("echo fifty runs", "I run it fifty times."), shell("false"), Step("The login test is stable now.")],
    "what time": [Step("Noon.")],
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def agents(home: Path) -> Iterator[RealAgents]:
    with real_agents(home, AgentModel(SCRIPT)) as found:
        yield found


@pytest.fixture
def project(tmp_path: Path, agents: RealAgents) -> Path:
    """A project with spaces and signs in its name, whose agents are connected and in which skills were learned."""
    folder = tmp_path / "my proj & co"
    folder.mkdir()
    agents.metier(folder, "init", "--yes")
    with stocked(Workspace.open(folder)) as ws:
        for _ in ws.index_skills():
            pass
    return folder


def ask(agents: RealAgents, agent: str, folder: Path, prompt: str = FLAKY, *words: str) -> str:
    return (agents.claude if agent == "claude" else agents.codex)(folder, prompt, *words)


def spooled(project: Path) -> list[dict[str, Any]]:
    return [json.loads(file.read_text()) for file in sorted((state_of(project) / "spool").glob("*.json"))]


AGENT = pytest.mark.parametrize("agent", ["claude", "codex"])


@AGENT
def test_a_learned_skill_is_in_the_request_and_only_for_a_prompt_that_it_fits(
    agents: RealAgents, project: Path, agent: str
) -> None:
    inner = project / "src" / "deep"
    inner.mkdir(parents=True)
    for folder in (project, inner):
        agents.model.requests.clear()
        ask(agents, agent, folder)
        first = agents.model.texts()[0]
        assert "Reference material from the skill library" in first
        assert SKILL in first
    agents.model.requests.clear()
    ask(agents, agent, project, "what time is it?")
    assert "Reference material" not in agents.model.texts()[0]


@AGENT
def test_nothing_happens_outside_a_workspace(agents: RealAgents, project: Path, tmp_path: Path, agent: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    before = picture(project)
    ask(agents, agent, elsewhere)
    assert "Reference material" not in "".join(agents.model.texts())
    assert list(elsewhere.iterdir()) == []
    assert picture(project) == before


@AGENT
def test_a_run_that_a_program_started_is_recorded_with_its_tools_and_tokens_if_that_is_wanted(
    agents: RealAgents, project: Path, agent: str
) -> None:
    ask(agents, agent, project)
    assert json.loads(agents.metier(project, "runs", "list", "--json")) == []
    (state_of(project) / "metier.toml").write_text("record_headless = true\n")
    ask(agents, agent, project)
    rows = json.loads(agents.metier(project, "runs", "list", "--json"))
    assert [row["message"] for row in rows] == [FLAKY]
    shown = json.loads(agents.metier(project, "runs", "show", rows[0]["id"], "--json"))["run"]
    assert [tool["ok"] for tool in shown["tools"]] == [True, False]
    assert "fifty runs" in shown["tools"][0]["output"]
    assert shown["output"] == "The login test is stable now."
    assert shown["tokens"]["output"] == 7 * 3
    assert shown["tokens"]["input"] > 1000
    assert shown["skills"]["given"] == [SKILL]
    assert f"skills given: {SKILL}" in agents.metier(project, "runs", "show", rows[0]["id"])
    agents.metier(project, "learn", "--dry-run")
    with Workspace.open(project) as ws:
        update_worths(ws.context)
        with ws.context.store.read() as transaction:
            [linked] = [one for one in selections.list_all(transaction) if one.run]
    assert linked.run == rows[0]["id"]
    assert linked.agent == ("claude-code" if agent == "claude" else "codex")
    assert "given " in agents.metier(project, "skills", "show", SKILL)


@AGENT
def test_without_metier_the_agent_works_as_before(agents: RealAgents, project: Path, agent: str) -> None:
    (agents.home / ".local/state/metier/user/python").write_text("/gone/python\n-I\n")
    said = ask(agents, agent, project)
    assert "The login test is stable now." in said
    assert "hook error" not in said.lower()
    assert spooled(project) == []


@AGENT
def test_a_hostile_project_cannot_run_its_code(agents: RealAgents, project: Path, tmp_path: Path, agent: str) -> None:
    trap = f"open({str(tmp_path / 'executed')!r}, 'w').close()"
    for name in ("json", "os", "metier", "sqlite3", "sitecustomize"):
        (project / f"{name}.py").write_text(trap)
    (project / ".env").write_text("PYTHONPATH=.\nMETIER_HOME=/\n")
    (project / "link").symlink_to("/etc")
    ask(agents, agent, project)
    assert SKILL in agents.model.texts()[0]
    assert not (tmp_path / "executed").exists()


@AGENT
def test_six_sessions_at_once_leave_six_references_and_no_error(agents: RealAgents, project: Path, agent: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: ask(agents, agent, project), range(6)))
    with Workspace.open(project) as ws, ws.context.store.read() as transaction:  # what hooks spooled is taken in
        assert len({file.session for file in transcripts.waiting(transaction)}) == 6
        assert len({one.session for one in selections.list_all(transaction)}) == 6
    assert not (state_of(project) / "spool/errors.log").exists()


@AGENT
def test_standing_notes_denials_and_fixes_reach_the_model(agents: RealAgents, project: Path, agent: str) -> None:
    agents.model.script = {
        "DO IT": [
            shell("echo secret-word && touch made-it"),
            shell("echo kaputt-42 >&2; exit 3"),
            Step("done"),
        ]
    }
    notes = [
        Note("start", "STANDING: use uv."),
        Note("before", "Do not touch that file.", "touch made-it", denies=True),
        Note("after", "FIX: start the database.", "kaputt-42"),
    ]
    write_notes(str(state_of(project)), notes)
    ask(agents, agent, project, "DO IT")
    texts = agents.model.texts()
    assert "STANDING: use uv." in texts[0]
    assert not (project / "made-it").exists()
    assert "Do not touch that file." in texts[1]
    assert "FIX" not in texts[1]
    assert "FIX: start the database." in texts[2]


@AGENT
def test_a_rule_goes_by_the_folder_in_which_the_session_began(
    agents: RealAgents, project: Path, tmp_path: Path, agent: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    write_notes(str(state_of(project)), [Note("before", "Do not touch that file.", "made-it", denies=True)])
    for began, went in ((project, elsewhere), (elsewhere, project)):
        calls = [shell(f"cd '{went}'"), shell(f"touch '{went}/made-it'")]
        agents.model.script = {"DO IT": [*calls, Step("done")]}
        ask(agents, agent, began, "DO IT", *((f"--add-dir={went}",) if agent == "claude" else ()))
    assert not (elsewhere / "made-it").exists()
    assert (project / "made-it").exists()


def test_codex_reads_standing_notes_again_after_it_compacted_its_context(agents: RealAgents, project: Path) -> None:
    agents.model.script = {
        "SUMMARY": [Step("done")],
        "CHECKPOINT": [Step("SUMMARY of the work")],
        "DO IT": [Step("thinking", shell("echo one").calls, 0, 90_000)],
    }
    write_notes(str(state_of(project)), [Note("start", "STANDING: use uv.")])
    agents.codex(project, "DO IT", "-c", "model_auto_compact_token_limit=50000")
    last = agents.model.texts()[-1]
    assert "SUMMARY of the work" in last
    assert last.count("STANDING: use uv.") == 1


def test_codex_runs_no_hook_that_the_person_did_not_trust(agents: RealAgents, project: Path) -> None:
    agents.codex(project, FLAKY, trusted=False)
    assert "Reference material" not in agents.model.texts()[0]
    assert spooled(project) == []


@AGENT
def test_large_tool_calls_pass_the_hooks(agents: RealAgents, project: Path, agent: str) -> None:
    write_notes(str(state_of(project)), [Note("before", "x", "no-such-word")])
    big = "x" * 60_000
    write = ToolCall(("Write",), {"file_path": str(project / "big.txt"), "content": big * 5})
    agents.model.script = {"DO IT": [Step("", (write, *shell(f"printf %s {big} > big.txt").calls[1:])), Step("done")]}
    assert "done" in ask(agents, agent, project, "DO IT")
    assert len((project / "big.txt").read_text()) >= 60_000
