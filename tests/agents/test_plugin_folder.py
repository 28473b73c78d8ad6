"""The plugin folder is one that Claude Code takes: its own `claude plugin validate` says so."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agent_model import AgentModel
from real_agents import real_agents

import metier.agents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from real_agents import RealAgents

pytestmark = pytest.mark.agents
FOLDER = Path(metier.agents.__file__).parent / "plugin"


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[RealAgents]:
    with real_agents(tmp_path / "home", AgentModel({})) as found:
        yield found


def test_claude_code_validates_the_plugin_and_its_marketplace(agents: RealAgents) -> None:
    for part in (FOLDER, FOLDER / ".claude-plugin" / "plugin.json"):
        done = subprocess.run(
            [agents.tools / "claude", "plugin", "validate", part],
            env=agents.environ(),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "passed" in (done.stdout + done.stderr).lower()
