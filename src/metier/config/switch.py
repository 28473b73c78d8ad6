"""Whether Metier is switched off in a workspace: what did it, how a person goes on, and the switch itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from metier.config import FILE, user_file
from metier.config.files import change_file, read_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.config import Settings

EFFECT = "agents are told nothing and nothing is learned"


def off_text(settings: Settings) -> str:
    """What a person is told where Metier is switched off, and how to go on; empty: it is on."""
    if settings.config.enabled:
        return ""
    back = _way_back(settings)
    return f"Paused: {EFFECT}. Go on: {back}" if back else f"Switched off: {EFFECT}. {_where(settings)}"


def off_reason(settings: Settings) -> str:
    """The same in a few words, as the reason for something that was not done."""
    back = _way_back(settings)
    return f"Metier is paused (go on: {back})" if back else "recording is switched off (enabled = false)"


def pause(environ: Mapping[str, str], state: Path | None) -> None:
    """Switch one workspace off by its state folder, or all of them (None)."""
    change_file(_file(environ, state), "paused", True)  # noqa: FBT003 - the value of a setting


def resume(environ: Mapping[str, str], state: Path | None) -> None:
    """Take out what `pause` wrote."""
    if read_file(_file(environ, state)).get("paused") is True:
        change_file(_file(environ, state), "paused", None)


def _file(environ: Mapping[str, str], state: Path | None) -> Path:
    return state / FILE if state else user_file(environ)


def _way_back(settings: Settings) -> str:
    """The command that undoes a pause; empty: a setting switches Metier off that was made by hand."""
    if not settings.config.paused:
        return ""
    source = settings.sources["paused"]
    if source in ("flag", "METIER_PAUSED"):
        return "leave --set paused out" if source == "flag" else "unset METIER_PAUSED"
    everywhere = Path(source).parent.name == "metier"
    return "metier resume --everywhere" if everywhere else "metier resume"


def _where(settings: Settings) -> str:
    source = settings.sources["enabled"]
    place = {"flag": "--set", "METIER_ENABLED": "the variable METIER_ENABLED"}.get(source, source)
    return f"enabled = false is set by {place}."
