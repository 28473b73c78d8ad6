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
    shared = environ.get("METIER_HOME") or str(_read_settings(_user_file(environ)).get("state_dir") or "")
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
    user = _read_settings(_user_file(os.environ))
    tables, root = user.pop("workspace", {}), os.path.realpath(os.path.dirname(state))
    for path, values in tables.items() if isinstance(tables, dict) else ():
        if os.path.realpath(os.path.expanduser(path)) == root and isinstance(values, dict):
            return user | _read_settings(os.path.join(state, "metier.toml")) | values
    return user | _read_settings(os.path.join(state, "metier.toml"))


def _user_file(environ: Mapping[str, str]) -> str:
    base = environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "metier", "metier.toml")


def _read_settings(file: str) -> dict[str, object]:
    if not os.path.isfile(file):
        return {}
    import tomllib

    with open(file, "rb") as source:
        return tomllib.load(source)


def is_disabled(state: str, folder: str) -> bool:
    """Whether the workspace is switched off, or the folder is on its ignore list."""
    settings = settings_of(state)
    switch = os.environ.get("METIER_ENABLED") or str(settings.get("enabled", True))
    if switch.strip().lower() in ("false", "0", "no", "off") or settings.get("paused") is True:
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
