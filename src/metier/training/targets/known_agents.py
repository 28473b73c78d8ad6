"""The command lines of well-known agents without a person in front of them.

A task goes to standard input where the agent reads it there: a text that begins with a dash, or is very long, is no
argument. Each may edit files in the throw-away folder; none may run whatever it likes unless its own sandbox holds it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from metier.errors import UsageError
from metier.models.programs.codex import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.training.targets.agent_output import Format

QUIET = (("METIER_ENABLED", "false"),)
BRIEF = "brief.md"
PORTABLE = ".agents/skills"
"""Where most agents look for a project's skills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAgent:
    """How an agent is started for one task."""

    words: tuple[str, ...]
    skills: str = PORTABLE
    """The folder of a project in which it looks for skills."""
    keys: tuple[str, ...] = ()
    """The variables its keys stand in, passed on where they are set."""
    settings: tuple[str, ...] = ()
    """Further variables that are passed on, such as that of its address."""
    prints: Format = "text"
    login: tuple[str, ...] = ()
    """Files below the person's home that hold its login, copied into the throw-away home only when asked for."""
    variables: tuple[tuple[str, str], ...] = QUIET
    """What its environment says: no recording of its own, no updates, few retries."""
    files: tuple[tuple[str, str], ...] = ()
    """Files in its throw-away home; those of the person's login take their place."""
    small: tuple[str, ...] = ()
    """Options that make the call before the first attempt a small one."""
    address: str = ""
    """The variable of an address that it does not read itself, and is given as options:"""
    address_options: Callable[[str, str], tuple[str, ...]] | None = None

    def words_with(self, extra: tuple[str, ...]) -> tuple[str, ...]:
        """The command with further options, right behind its name."""
        named = next((at for at, word in enumerate(self.words) if word.startswith(("-", "{"))), len(self.words))
        return (*self.words[:named], *extra, *self.words[named:])


def codex_address(address: str, key: str) -> tuple[str, ...]:
    """Codex's options for another address; it takes none from the environment. `key`: the variable of the key."""
    fields = {"name": "metier", "base_url": address, "wire_api": "responses"} | ({"env_key": key} if key else {})
    told = [f"{name}={json.dumps(value)}" for name, value in fields.items()]
    table = ",".join([*told, "request_max_retries=1", "stream_max_retries=1"])
    return ("-c", 'model_provider="metier"', "-c", f"model_providers.metier={{{table}}}")


GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"maxAttempts": 2, "enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}
"""With an address in its environment, Gemini CLI does not find out by itself that a key is all there is."""
AGENTS: dict[str, KnownAgent] = {
    "claude-code": KnownAgent(
        words=(
            *("claude", "-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"),
            *("--permission-mode", "acceptEdits", "--allowedTools", "Skill"),
        ),
        skills=".claude/skills",
        keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        settings=("ANTHROPIC_BASE_URL",),
        prints="claude",
        login=(".claude/.credentials.json", ".claude.json"),
        variables=(
            *QUIET,
            ("CLAUDE_CODE_MAX_RETRIES", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ),
        small=("--tools", "", "--strict-mcp-config", "--disable-slash-commands", "--system-prompt", "Be brief."),
    ),
    "codex": KnownAgent(
        words=(
            *("codex", "exec", "--json", "--ephemeral", "--skip-git-repo-check", "--sandbox", "workspace-write"),
            *("-c", "check_for_update_on_startup=false"),
            *("-c", "features.unbounded_connection_retries=false", "-"),
        ),
        keys=("CODEX_API_KEY", "OPENAI_API_KEY"),
        prints="codex",
        login=(".codex/auth.json", ".codex/config.toml"),
        files=((f".codex/{BRIEF}", "Be brief."),),
        small=tuple(
            word for setting in (*SETTINGS, f'model_instructions_file="~/.codex/{BRIEF}"') for word in ("-c", setting)
        ),
        address="OPENAI_BASE_URL",
        address_options=codex_address,
    ),
    "gemini": KnownAgent(
        words=(
            "gemini",
            "--output-format",
            "stream-json",
            "--approval-mode",
            "auto_edit",
            "--allowed-tools=activate_skill",
        ),
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        settings=("GOOGLE_GEMINI_BASE_URL", "GEMINI_CLI_TRUST_WORKSPACE"),
        prints="gemini",
        login=(".gemini/oauth_creds.json", ".gemini/google_accounts.json", ".gemini/settings.json"),
        files=((".gemini/settings.json", json.dumps(GEMINI_SETTINGS)),),
    ),
    "copilot": KnownAgent(
        words=("copilot", "-s", "--no-ask-user", "--allow-tool=write", "-p", "{task}"),
        keys=("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"),
        settings=("COPILOT_OFFLINE", "COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_TYPE", "COPILOT_MODEL"),
        variables=(*QUIET, ("COPILOT_AUTO_UPDATE", "false")),
    ),
    "cursor": KnownAgent(
        words=("cursor-agent", "-p", "--trust", "--sandbox", "enabled", "--output-format", "text", "{task}"),
        keys=("CURSOR_API_KEY",),
    ),
    "opencode": KnownAgent(
        words=("opencode", "run", "{task}"),
        keys=(
            *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"),
            "OPENCODE_CONFIG_CONTENT",
        ),
        variables=(*QUIET, ("OPENCODE_DISABLE_AUTOUPDATE", "1")),
    ),
}


def known_agent(name: str) -> KnownAgent:
    """The agent of that name; an error names the nearest."""
    if name in AGENTS:
        return AGENTS[name]
    near = get_close_matches(name, AGENTS, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(AGENTS)};"
    raise UsageError(f"No agent '{name}' is known: {hint} Any other can be given as a command.")
