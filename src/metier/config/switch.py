"""Whether Metier is switched off in a workspace: what did it, how a person goes on, and the switch itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.config import user_file
from metier.config.files import change_file, read_user_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from metier.config import Settings

HERE = " [workspace]"
"""How the source of a setting ends that stands in the person's own file, for one workspace."""
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


def pause(environ: Mapping[str, str], workspace: Path | None) -> None:
    """Switch one workspace off, or all of them (None), in the person's own file, where no project can change it."""
    change_file(user_file(environ), "paused", True, workspace)  # noqa: FBT003 - the value of a setting


def resume(environ: Mapping[str, str], workspace: Path | None) -> None:
    """Take out what `pause` wrote, also as releases before wrote it for one workspace (`enabled = false`)."""
    file = user_file(environ)
    everywhere, here = read_user_file(file, workspace)
    given = everywhere if workspace is None else here
    for name in ("paused", "enabled") if workspace else ("paused",):
        if given.get(name) is (name == "paused"):
            change_file(file, name, None, workspace)


def _way_back(settings: Settings) -> str:
    """The command that undoes a pause; empty: a setting switches Metier off that somebody made by hand."""
    paused, enabled = settings.sources["paused"], settings.sources["enabled"]
    if not settings.config.paused:
        return "metier resume" if enabled.endswith(HERE) else ""
    if paused in ("flag", "METIER_PAUSED"):
        return "leave --set paused out" if paused == "flag" else "unset METIER_PAUSED"
    return "metier resume" if paused.endswith(HERE) else "metier resume --everywhere"


def _where(settings: Settings) -> str:
    source = settings.sources["enabled"]
    place = {"flag": "--set", "METIER_ENABLED": "the variable METIER_ENABLED"}.get(source, source)
    return f"enabled = false is set by {place}."
