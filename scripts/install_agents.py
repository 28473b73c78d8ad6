"""Install the coding agents that the tests marked `agents` run, in pinned versions, outside the repository.

    python scripts/install_agents.py

They go into a cache folder (`AGENTS_CACHE`, else `~/.cache/metier-agents`). Where they cannot be installed, one line
says so, the exit code is 0, and those tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

PINNED = {"@anthropic-ai/claude-code": "2.1.325", "@openai/codex": "0.166.0"}
BINARIES = {
    "claude": "@anthropic-ai/claude-code-*/claude",
    "codex": "@openai/codex-*/vendor/*/bin/codex",
}
"""Where npm puts the program itself, which needs no Node.js to run."""
SECONDS = 600


def cache_folder() -> Path:
    """Where the agents are."""
    given = os.environ.get("AGENTS_CACHE")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(given) if given else cache / "metier-agents"


def version_folder(cache: Path) -> Path:
    """The folder of exactly these versions."""
    return cache / "-".join(PINNED.values())


def programs(cache: Path) -> dict[str, Path]:
    """The installed programs by name; empty if not all of them are there."""
    modules = version_folder(cache) / "node_modules"
    found = {name: next(iter(sorted(modules.glob(pattern))), None) for name, pattern in BINARIES.items()}
    return {name: path for name, path in found.items() if path is not None} if all(found.values()) else {}


def install(cache: Path) -> str:
    """Install what is missing; returns why that failed, or an empty text."""
    if programs(cache):
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "there is no npm"
    folder = version_folder(cache)
    part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    part.mkdir(parents=True)
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(part)]
    try:
        wanted = [f"{name}@{version}" for name, version in PINNED.items()]
        done = subprocess.run([*command, *wanted], capture_output=True, text=True, timeout=SECONDS, check=False)
        if done.returncode:
            return f"npm failed: {' '.join(done.stderr.split())[-200:]}"
        if not folder.exists():
            part.rename(folder)
    except subprocess.TimeoutExpired:
        return f"npm took longer than {SECONDS} s"
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return "" if programs(cache) else "npm installed them without their programs for this machine"


def main() -> None:
    """Install, and say what became of it."""
    cache = cache_folder()
    reason = install(cache)
    if reason:
        print(f"SKIPPED: tests with real agents, because Claude Code and Codex cannot be installed: {reason}")
        return
    print(f"Agents: {', '.join(f'{name} {version}' for name, version in PINNED.items())} in {cache}")


if __name__ == "__main__":
    sys.exit(main())
