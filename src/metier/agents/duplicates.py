"""Hooks of Metier that somebody wired by hand, or installed in another way: with ours beside them, all runs twice."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from metier.agents.changes import RemoveText
from metier.agents.plan import codex_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from metier.agents.places import Places

MARKS = ("metier.hooks.", "metier.runs.", "metier-spool", "metier-hook")
"""What stands in the command of such a hook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """Something that does what the connected hooks do."""

    path: Path
    what: str
    """What is there, for a person."""
    fix: str = ""
    """The command that removes it; empty: Metier can take the hook out of the file."""


def find_duplicates(places: Places, project: Path | None = None) -> list[Duplicate]:
    """The duplicates in a person's settings, and in those of a project."""
    files = [places.claude / "settings.json", places.claude / "settings.local.json"]
    if project is not None and project != places.home:
        files += [project / ".claude/settings.json", project / ".claude/settings.local.json"]
    found = [one for file in files for one in _in_hooks(file, {})]
    found += list(_in_hooks(places.codex / "hooks.json", codex_groups(places)))
    return [*found, *_installed_plugins(places)]


def without_duplicates(text: str, own: Mapping[str, Any]) -> str:
    """A settings file without hooks of Metier, except those that connecting wrote."""
    document = cast("dict[str, Any]", json.loads(text))
    hooks = cast("dict[str, Any]", document["hooks"])
    for event, groups in list(hooks.items()):
        kept = [left for group in groups if (left := _without_own_handlers(group, own.get(event))) is not None]
        hooks[event] = kept
        if not kept:
            del hooks[event]
    if not hooks:
        del document["hooks"]
    return json.dumps(document, indent=_indent_of(text), ensure_ascii=False) + "\n"


def removals_of(places: Places, duplicates: list[Duplicate]) -> list[RemoveText]:
    """The changes that take hand-made hooks out of their files."""
    own = {places.codex / "hooks.json": codex_groups(places)}
    found: list[RemoveText] = []
    for path in dict.fromkeys(one.path for one in duplicates if not one.fix):
        before = path.read_text(encoding="utf-8")
        found.append(RemoveText(path=path, before=before, after=without_duplicates(before, own.get(path, {}))))
    return found


def _without_own_handlers(group: Any, own: Any) -> Any | None:
    """A group without hooks of Metier; None if nothing is left of it. What connecting wrote stays."""
    if group == own or not _is_ours(group):
        return group
    others = [one for one in group["hooks"] if not _is_own_handler(one)]
    return {**group, "hooks": others} if others else None


def _is_ours(group: Any) -> bool:
    return isinstance(group, dict) and any(_is_own_handler(one) for one in cast("Any", group).get("hooks") or ())


def _is_own_handler(handler: Any) -> bool:
    command = str(cast("Any", handler).get("command") or "") if isinstance(handler, dict) else ""
    return any(mark in command for mark in MARKS)


def _in_hooks(file: Path, own: Mapping[str, Any]) -> Iterator[Duplicate]:
    try:
        hooks = json.loads(file.read_text(encoding="utf-8"))["hooks"]
        rows = [(event, group) for event, groups in hooks.items() for group in groups if group != own.get(event)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
    for event, group in rows:
        if _is_ours(group):
            command = next(str(one["command"]) for one in group["hooks"] if _is_own_handler(one))
            yield Duplicate(path=file, what=f"a hook for {event}: {command}")


def _installed_plugins(places: Places) -> Iterator[Duplicate]:
    """The plugin from a marketplace, in Claude Code or in Codex."""
    file = places.claude / "settings.json"
    try:
        enabled = json.loads(file.read_text(encoding="utf-8"))["enabledPlugins"]
        names = [name for name, is_on in enabled.items() if is_on and str(name).startswith("metier@")]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        names = []
    for name in names:
        yield Duplicate(path=file, what=f"the plugin {name}", fix=f"claude plugin uninstall {name}")
    config = places.codex / "config.toml"
    try:
        plugins = cast("dict[str, Any]", _toml(config).get("plugins") or {})
        names = [name for name in plugins if name.startswith("metier@")]
    except (OSError, ValueError, TypeError):
        return
    for name in names:
        yield Duplicate(path=config, what=f"the plugin {name}", fix=f"codex plugin remove {name}")


def _toml(file: Path) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(file.read_text(encoding="utf-8"))


def _indent_of(text: str) -> int | str:
    """The indentation of a JSON file."""
    for line in text.splitlines()[1:]:
        blank = line[: len(line) - len(line.lstrip())]
        if blank:
            return "\t" if blank[0] == "\t" else len(blank)
    return 2
