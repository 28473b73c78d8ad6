"""What a hook must know about the project of a folder: state folder, name, settings, ignore list, redactor."""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import os

from metier.hooks.places import RECORDS, find_project, read_small, user_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Redact = Callable[[str], str]

LOOKED_AT = 100_000
"""Characters of a settings file that is not valid which are looked at."""
SETTINGS = "metier.toml"
KEY = "redact.key"


class UnreadableSettingsError(Exception):
    """A settings file is not valid."""


def workspace_name(state: str) -> str:
    """The name under which the database keeps the records of a project."""
    return read_small(os.path.join(state, RECORDS)).strip()


def root_of(state: str, folder: str) -> str:
    """The top of the project, or of the worktree, that a folder belongs to."""
    found = find_project(folder, os.path.dirname(state))
    return found.root if found else folder


def is_of_another_tree(state: str, folder: str, file: str) -> bool:
    """Whether a file lies in another worktree of the project than a folder does: it may be of another branch."""
    found = find_project(os.path.dirname(file), os.path.dirname(state))
    return found is not None and found.state == state and found.root != root_of(state, folder)


def settings_of(state: str) -> dict[str, object]:
    """The settings for a project, unchecked: the person's for all projects, then those for this one."""
    return _settings_by(_read_settings, state)


def readable_settings_of(state: str) -> dict[str, object]:
    """The same from files that are not valid: what stands on the lines that are."""
    return _settings_by(_readable_part, state)


def _settings_by(read: Callable[[str], dict[str, object]], state: str) -> dict[str, object]:
    return read(os.path.join(settings_folder(), SETTINGS)) | read(os.path.join(state, SETTINGS))


def settings_folder() -> str:
    """Where the person's settings for all projects lie."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "metier")


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
    """Whether the project is switched off, or the folder is on its ignore list."""
    if _is(settings.get("enabled"), "false", "0", "no", "off") or _is(settings.get("paused"), "true", "1", "yes", "on"):
        return True
    patterns = settings.get("ignore")
    return is_ignored(folder, map(str, patterns)) if isinstance(patterns, list) else False


def _is(value: object, *words: str) -> bool:
    return str(value).strip().lower() in words


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
    """The quick redactor with this person's key."""
    from metier.redaction import redact_quick

    with open(os.path.join(user_folder(state), KEY), "rb") as file:
        key = file.read()
    return lambda text: redact_quick(text, key)
