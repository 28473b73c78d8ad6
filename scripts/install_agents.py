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
FURTHER = {"@github/copilot": "1.0.102"}
"""In a folder of its own: the tests of the first two run without it."""
BINARIES = {
    "claude": "@anthropic-ai/claude-code-*/claude",
    "codex": "@openai/codex-*/vendor/*/bin/codex",
}
FURTHER_BINARIES = {"copilot": "@github/copilot-*/copilot"}
"""Where npm puts the program itself, which needs no Node.js to run."""
SECONDS = 600


def cache_folder() -> Path:
    """Where the agents are."""
    given = os.environ.get("AGENTS_CACHE")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(given) if given else cache / "metier-agents"


def version_folder(cache: Path, wanted: dict[str, str]) -> Path:
    """The folder of exactly these versions."""
    return cache / "-".join(wanted.values())


def programs(cache: Path) -> dict[str, Path]:
    """Claude Code and Codex by name; empty if not both are there."""
    return _found(version_folder(cache, PINNED), BINARIES)


def further_programs(cache: Path) -> dict[str, Path]:
    """The other agents by name; empty if not all of them are there."""
    return _found(version_folder(cache, FURTHER), FURTHER_BINARIES)


def _found(folder: Path, binaries: dict[str, str]) -> dict[str, Path]:
    modules = folder / "node_modules"
    found = {name: next(iter(sorted(modules.glob(pattern))), None) for name, pattern in binaries.items()}
    return {name: path for name, path in found.items() if path is not None} if all(found.values()) else {}


def install(cache: Path, packages: dict[str, str], binaries: dict[str, str]) -> str:
    """Install what is missing; returns why that failed, or an empty text."""
    folder = version_folder(cache, packages)
    if _found(folder, binaries):
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "there is no npm"
    part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    part.mkdir(parents=True)
    command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(part)]
    try:
        wanted = [f"{name}@{version}" for name, version in packages.items()]
        done = subprocess.run([*command, *wanted], capture_output=True, text=True, timeout=SECONDS, check=False)
        if done.returncode:
            return f"npm failed: {' '.join(done.stderr.split())[-200:]}"
        if not folder.exists():
            part.rename(folder)
    except subprocess.TimeoutExpired:
        return f"npm took longer than {SECONDS} s"
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return "" if _found(folder, binaries) else "npm installed them without their programs for this machine"


def main() -> None:
    """Install, and say what became of it."""
    cache = cache_folder()
    for titles, packages, binaries in (
        ("Claude Code and Codex", PINNED, BINARIES),
        ("Copilot CLI", FURTHER, FURTHER_BINARIES),
    ):
        reason = install(cache, packages, binaries)
        if reason:
            print(f"SKIPPED: tests with real agents, because {titles} cannot be installed: {reason}")
        else:
            print(f"Agents: {', '.join(f'{name} {version}' for name, version in packages.items())} in {cache}")


if __name__ == "__main__":
    sys.exit(main())
