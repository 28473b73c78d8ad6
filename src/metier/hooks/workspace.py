"""What a hook must know about the workspace of a folder: state folder, name, settings, ignore list, redactor."""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import os

from metier.hooks.identity import is_own_state, read_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Redact = Callable[[str], str]

LOOKED_AT = 100_000
"""Characters of a settings file that is not valid which are looked at."""


class UnreadableSettingsError(Exception):
    """A settings file is not valid."""


def find_state(folder: str, environ: Mapping[str, str]) -> str:
    """The state folder of the workspace that contains a folder; empty if there is none, or if somebody brought it."""
    state = _nearest_state(folder, environ)
    return state if state and is_own_state(state, read_key(environ)) and not _is_linked(state) else ""


def _is_linked(state: str) -> bool:
    """Whether a file that a hook reads or writes is a link."""
    names = ("workspace", "redact.key", "metier.db", "metier.toml", "spool")
    return any(os.path.islink(os.path.join(state, name)) for name in names)


def _nearest_state(folder: str, environ: Mapping[str, str]) -> str:
    folder = os.path.realpath(environ.get("METIER_WORKSPACE") or folder)
    shared = environ.get("METIER_HOME") or str(_readable_part(_user_file(environ)).get("state_dir") or "")
    if shared:
        state = os.path.abspath(os.path.expanduser(shared))
        return state if any(place in _shared_roots(state) for place in parents_of(folder)) else ""
    user = os.path.realpath(os.path.expanduser("~"))
    for place in parents_of(folder):
        state = os.path.join(place, ".metier")
        if (place != user or place == folder) and os.path.isfile(os.path.join(state, "workspace")):
            return "" if os.path.islink(state) else state
    return ""


def workspace_name(state: str, folder: str) -> str:
    """The name under which the database keeps the records of a folder's workspace."""
    roots = _shared_roots(state)
    for place in parents_of(os.path.realpath(os.environ.get("METIER_WORKSPACE") or folder)) if roots else ():
        if place in roots:
            return roots[place].encode("utf-8", "replace").decode()
    with open(os.path.join(state, "workspace"), encoding="utf-8") as file:
        return file.read().strip()


def root_of(state: str, folder: str) -> str:
    """The project's folder that a folder's workspace is about."""
    roots = _shared_roots(state)
    inside = parents_of(os.path.realpath(os.environ.get("METIER_WORKSPACE") or folder)) if roots else []
    return next((place for place in inside if place in roots), os.path.dirname(state))


def parents_of(folder: str) -> list[str]:
    """A folder and every folder above it, the innermost first."""
    found = [folder]
    while os.path.dirname(found[-1]) != found[-1]:
        found.append(os.path.dirname(found[-1]))
    return found


def _shared_roots(state: str) -> dict[str, str]:
    """The workspaces that share a state folder: the real path of each, and the path as it was written."""
    file = os.path.join(state, "workspaces")
    if not os.path.isfile(file):
        return {}
    with open(file, encoding="utf-8", errors="surrogateescape") as lines:
        return {os.path.realpath(line.rstrip("\n")): line.rstrip("\n") for line in lines}


def settings_of(state: str) -> dict[str, object]:
    """The settings for a workspace, unchecked: the user's, the project's, the user's for it; variables override."""
    return _settings_by(_read_settings, state)


def readable_settings_of(state: str) -> dict[str, object]:
    """The same from files that are not valid: what stands on the lines that are."""
    return _settings_by(_readable_part, state)


def _settings_by(read: Callable[[str], dict[str, object]], state: str) -> dict[str, object]:
    user = read(_user_file(os.environ))
    tables, root = user.pop("workspace", {}), os.path.realpath(os.path.dirname(state))
    for path, values in tables.items() if isinstance(tables, dict) else ():
        if os.path.realpath(os.path.expanduser(path)) == root and isinstance(values, dict):
            return user | read(os.path.join(state, "metier.toml")) | values
    return user | read(os.path.join(state, "metier.toml"))


def _user_file(environ: Mapping[str, str]) -> str:
    base = environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "metier", "metier.toml")


def _read_settings(file: str) -> dict[str, object]:
    if not os.path.isfile(file):
        return {}
    import tomllib

    try:
        with open(file, "rb") as source:
            return tomllib.load(source)
    except (OSError, ValueError, RecursionError) as error:
        raise UnreadableSettingsError(f"{file} cannot be read: {error}") from None


def _readable_part(file: str) -> dict[str, object]:
    """The settings of a file; of one that is not valid, those whose lines are, each in its table."""
    try:
        return _read_settings(file)
    except UnreadableSettingsError:
        return _lines_that_hold(_text_of(file))


def _text_of(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as source:
            return source.read(LOOKED_AT)
    except OSError:
        return ""


def _lines_that_hold(text: str) -> dict[str, object]:
    """The settings that are valid by themselves; a list may go over several lines, and a bare word counts as text."""
    found: dict[str, object] = {}
    lines, header, at = text.splitlines(), "", 0
    while at < len(lines):
        begin, at = at, at + 1
        if lines[begin].lstrip().startswith("["):
            header = lines[begin]
            continue
        while lines[begin].count("[") > lines[begin].count("]") and at < len(lines) and "]" not in lines[at - 1]:
            at += 1
        value = _loaded(header, "\n".join(lines[begin:at]))
        if value is None:
            at, value = begin + 1, _loaded(header, _with_quotes(lines[begin]))
        _merge(found, value or {})
    return found


def _loaded(*lines: str) -> dict[str, object] | None:
    import tomllib

    try:
        return tomllib.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return None


def _with_quotes(line: str) -> str:
    name, _, word = line.partition("#")[0].partition("=")
    return f"{name}= '{word.strip()}'"


def _merge(into: dict[str, object], more: Mapping[str, object]) -> None:
    for name, value in more.items():
        known = into.get(name)
        if isinstance(known, dict) and isinstance(value, dict):
            _merge(known, value)
        else:
            into[name] = value


def is_disabled(settings: Mapping[str, object], folder: str) -> bool:
    """Whether the workspace is switched off, or the folder is on its ignore list."""
    switch = os.environ.get("METIER_ENABLED") or str(settings.get("enabled", True))
    paused = str(settings.get("paused", False))
    if switch.strip().lower() in ("false", "0", "no", "off") or paused.lower() in ("true", "1", "yes", "on"):
        return True
    given, default = os.environ.get("METIER_IGNORE"), settings.get("ignore")
    patterns = [part.strip() for part in given.split(",") if part.strip()] if given else default
    if not isinstance(patterns, list) or not patterns:
        return False
    return is_ignored(folder, [str(pattern) for pattern in patterns])


def is_ignored(folder: str, patterns: Iterable[str]) -> bool:
    """Whether a folder, or one above it, matches a pattern of the ignore list; `*` stands for any characters."""
    from fnmatch import fnmatchcase

    path = os.path.normpath(os.path.abspath(os.path.expanduser(folder)))
    for pattern in patterns:
        wanted = os.path.normpath(os.path.expanduser(pattern))
        if not os.path.isabs(wanted):
            wanted = os.path.join("*", wanted)
        if fnmatchcase(path, wanted) or fnmatchcase(path, os.path.join(wanted, "*")):
            return True
    return False


def quick_redactor(state: str) -> Redact:
    """The quick redactor with the key of this state folder."""
    from metier.redaction import redact_quick

    with open(os.path.join(state, "redact.key"), "rb") as file:
        key = file.read()
    return lambda text: redact_quick(text, key)
