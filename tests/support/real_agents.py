"""Real coding agents in a home of their own, with a scripted model behind them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import forked
import pytest
from install_agents import cache_folder, further_programs, programs
from terminal import DECIDING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_model import AgentModel

SECONDS = 60
KEY = "sk-ant-scripted-0123456789abcdefghij"


@dataclass
class RealAgents:
    """Claude Code and Codex with one home and one model."""

    home: Path
    tools: Path
    model: AgentModel

    def environ(self) -> dict[str, str]:
        """What the agents find around them: no setting of this machine, no updates, no reports."""
        return {
            "HOME": str(self.home),
            "PATH": f"{self.tools}:/usr/local/bin:/usr/bin:/bin",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": KEY,
            "OPENAI_API_KEY": "scripted",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
            "IS_SANDBOX": "1",
        }

    def metier(self, folder: Path, *words: str, code: int = 0) -> str:
        """A command of Metier, as the person types it; one that decides at a terminal."""
        if words[:2] in DECIDING:
            done = forked.typed(*words, cwd=folder, env=self.environ())
            assert done.returncode == code, done.stdout + done.stderr
            return done.stdout + done.stderr
        done = subprocess.run(
            [sys.executable, "-m", "metier", *words],
            cwd=folder,
            env=self.environ(),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def claude(self, folder: Path, prompt: str, *words: str) -> str:
        """`claude -p`."""
        return self.run(folder, "claude", "-p", "--dangerously-skip-permissions", *words, prompt)

    def codex(self, folder: Path, prompt: str, *words: str, trusted: bool = True, **more: str) -> str:
        """`codex exec`, with hooks that count as trusted unless told otherwise."""
        trust = ("--dangerously-bypass-hook-trust",) if trusted else ()
        command = ("codex", "exec", *trust, "--skip-git-repo-check", *self.codex_words(), *words, prompt)
        return self.run(folder, *command, **more)

    def copilot(self, folder: Path, prompt: str, *words: str) -> str:
        """`copilot -p`."""
        return self.run(folder, "copilot", "-s", "--allow-all-tools", *words, "-p", prompt, **self.copilot_environ())

    def copilot_environ(self) -> dict[str, str]:
        """What leads Copilot CLI to the scripted model."""
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{self.model.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "scripted",
            "COPILOT_PROVIDER_WIRE_API": "responses",
            "COPILOT_MODEL": "gpt-5",
            "COPILOT_AUTO_UPDATE": "false",
        }

    def codex_words(self) -> tuple[str, ...]:
        """The options that lead Codex to the scripted model."""
        address = f'{{name="scripted",base_url="{self.model.url}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}}'
        settings = ('model_provider="scripted"', f"model_providers.scripted={address}", "analytics.enabled=false")
        pairs = [word for setting in settings for word in ("-c", setting)]
        return (*pairs, "--dangerously-bypass-approvals-and-sandbox", "-m", "gpt-5-codex")

    def run(self, folder: Path, *command: str, **more: str) -> str:
        """A program with the agents' environment, and more variables."""
        done = subprocess.run(
            command,
            cwd=folder,
            env=self.environ() | more,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def settle_claude(self, folder: Path) -> None:
        """Answer the questions that Claude Code asks at its first start in a terminal."""
        settings = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(folder): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        }
        (self.home / ".claude.json").write_text(json.dumps(settings))

    @contextmanager
    def terminal(self, folder: Path, *command: str, **more: str) -> Iterator[Terminal]:
        """A program in a terminal, under tmux."""
        screen = Terminal(name=f"t{uuid.uuid4().hex[:8]}", socket=str(self.home / "tmux"))
        words = [f"{name}={value}" for name, value in (self.environ() | more).items()]
        screen.tmux(
            "new-session",
            "-d",
            "-x",
            "150",
            "-y",
            "50",
            "-c",
            str(folder),
            "-s",
            screen.name,
            "env",
            "-i",
            *words,
            *command,
        )
        try:
            yield screen
        finally:
            screen.tmux("kill-server", check=False)


@dataclass
class Terminal:
    """A terminal that a test types into and reads from."""

    name: str
    socket: str

    def tmux(self, *words: str, check: bool = True) -> str:
        command = ["tmux", "-S", self.socket, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-t", self.name, check=False)

    def wait_for(self, text: str, seconds: float = 30) -> str:
        """The screen once a text is on it."""
        end = time.monotonic() + seconds
        while text not in (shown := self.screen()):
            assert time.monotonic() < end, f"no {text!r} on the screen:\n{shown}"
            time.sleep(0.1)
        return shown

    def wait_until_gone(self, text: str, seconds: float = 30) -> None:
        """Wait until a text is no longer on the screen."""
        end = time.monotonic() + seconds
        while text in (shown := self.screen()):
            assert time.monotonic() < end, f"{text!r} is still on the screen:\n{shown}"
            time.sleep(0.1)

    def press(self, key: str) -> None:
        self.tmux("send-keys", "-t", self.name, key)

    def ask(self, text: str, answer: str) -> None:
        """Type a request and wait for the answer; a program that is still starting needs a second Enter."""
        self.tmux("send-keys", "-t", self.name, "-l", text)
        self.wait_for(text[:40])
        for _ in range(8):
            time.sleep(0.7)
            self.press("Enter")
            end = time.monotonic() + 5
            while time.monotonic() < end:
                if answer in self.screen():
                    return
                time.sleep(0.1)
        raise AssertionError(f"no {answer!r} on the screen:\n{self.screen()}")


@contextmanager
def real_agents(home: Path, model: AgentModel) -> Iterator[RealAgents]:
    """The agents, or a skipped test where they are not installed."""
    found = programs(cache_folder_of_person())
    if not found:
        pytest.skip("Claude Code and Codex are not installed: python scripts/install_agents.py")
    tools = home.parent / "tools"
    tools.mkdir(exist_ok=True)
    for name, path in found.items():
        (tools / name).symlink_to(path)
    (home / ".claude").mkdir(exist_ok=True)
    (home / ".codex").mkdir(exist_ok=True)
    with model:
        yield RealAgents(home=home, tools=tools, model=model)


@contextmanager
def real_copilot(home: Path, model: AgentModel) -> Iterator[RealAgents]:
    """Copilot CLI alone, or a skipped test where it is not installed."""
    found = further_programs(cache_folder_of_person())
    if not found:
        pytest.skip("Copilot CLI is not installed: python scripts/install_agents.py")
    tools = home.parent / "tools"
    tools.mkdir()
    for name, path in found.items():
        (tools / name).symlink_to(path)
    (home / ".copilot").mkdir()
    with model:
        yield RealAgents(home=home, tools=tools, model=model)


def cache_folder_of_person() -> Path:
    """The cache of the person who runs the tests, whose HOME the tests have replaced."""
    import pwd

    if os.environ.get("AGENTS_CACHE") or os.environ.get("XDG_CACHE_HOME"):
        return cache_folder()
    return Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache" / "metier-agents"


def has_tmux() -> bool:
    return shutil.which("tmux") is not None
