"""Where agents and Metier keep a person's files, by the environment."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from metier.hooks.places import USER, state_home

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folders of one person."""

    home: Path
    settings: Path
    """Metier's settings: `~/.config/metier`."""
    state: Path
    """Where all state lies: `~/.local/state/metier`."""
    data: Path
    """Metier's own files: `~/.local/share/metier`."""
    claude: Path
    codex: Path
    copilot: Path
    opencode: Path
    search: str
    """The PATH on which programs are looked for."""

    @property
    def plugin(self) -> Path:
        """The copy of the plugin that agents load."""
        return self.data / "plugin"

    @property
    def launcher(self) -> Path:
        """The program that agents start."""
        return self.plugin / "bin" / "metier-hook"

    @property
    def python_note(self) -> Path:
        """The file that tells the launcher which Python has Metier."""
        return self.state / USER / "python"

    @property
    def place_note(self) -> Path:
        """The file beside the launcher that says where state, settings and home are: no environment decides that."""
        return self.launcher.with_name("place")

    @property
    def manifest(self) -> Path:
        """The list of everything that `metier connect` wrote."""
        return self.data / "connected.json"

    def program(self, name: str) -> str:
        """The path of a program, or empty if it is not installed."""
        return shutil.which(name, path=self.search) or ""

    def short(self, path: Path) -> str:
        """A path as people write it: `~/…` inside the home folder."""
        return f"~/{path.relative_to(self.home)}" if path.is_relative_to(self.home) else str(path)


def places_of(environ: Mapping[str, str]) -> Places:
    """The folders that an environment names."""
    home = Path(environ.get("HOME") or "~").expanduser()
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    return Places(
        home=home,
        settings=config / "metier",
        state=Path(environ.get("METIER_HOME") or state_home({**environ, "HOME": str(home)})).expanduser().absolute(),
        data=Path(environ.get("XDG_DATA_HOME") or home / ".local/share") / "metier",
        claude=Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude"),
        codex=Path(environ.get("CODEX_HOME") or home / ".codex"),
        copilot=Path(environ.get("COPILOT_HOME") or home / ".copilot"),
        opencode=config / "opencode",
        search=environ.get("PATH", ""),
    )
