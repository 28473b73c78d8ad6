"""Where state lies: one folder a project in the user's state home, and how a project is known again.

A checkout is known by a random id in its git folder, where git never checks files out; any other folder by its real
path. Nothing else in a project is looked at. Worktrees share the state of their repository, once both sides agree.
"""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

USER = "user"
"""Beside the projects: what is this person's own."""
BOUND = "project"
"""The file in a state folder that says whose it is: `git` or `path`, and a folder."""
RECORDS = "workspace"
"""The file in a state folder with the name that its records carry."""
ID_FILE = "metier-id"
"""In a git folder: the name of the state folder."""
BY_PATH, MARK = "at", "=metier"
"""Below the state home: a tree like the disk's, with the name of the state folder of each project without git."""
SMALL = 4096
"""Bytes of the small files that are read here."""
NAME_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
SESSION_FOLDERS = {"claude-code": "CLAUDE_PROJECT_DIR", "copilot": "COPILOT_PROJECT_DIR"}
"""Where agents say in which folder their session began."""


class Project:
    """A folder that has state: its top, its state folder, and what it is known by."""

    __slots__ = ("bearer", "kind", "root", "state", "twin")

    def __init__(self, root: str, state: str, kind: str, bearer: str, twin: str = "") -> None:
        self.root, self.state, self.kind = root, state, kind
        self.bearer = bearer  # the git folder that holds the id, or the project's own folder
        self.twin = twin  # what this project is a copy of; then its state is not used here

    @property
    def is_main(self) -> bool:
        """Whether this is no further worktree of a repository."""
        return self.kind == "path" or self.bearer == os.path.join(self.root, ".git")


def state_home(environ: Mapping[str, str]) -> str:
    """Where this person's state lies by their environment; empty: there is no home folder."""
    home = environ.get("HOME", "")
    if given := environ.get("XDG_STATE_HOME", ""):
        return os.path.join(os.path.abspath(given), "metier")
    if not home:
        return ""
    own = ("Library", "Application Support") if sys.platform == "darwin" else (".local", "state")
    return os.path.join(os.path.abspath(home), *own, "metier")


def home_of_hook(arguments: Sequence[str], environ: Mapping[str, str]) -> str:
    """The state home of a hook: what the launcher says, whose place `init` fixed; started by hand, the usual one."""
    return next((one for one in arguments[1:] if one.startswith("/")), "") or state_home(environ)


def session_folder(agent: str, environ: Mapping[str, str], given: str) -> str:
    """The folder in which an agent's session began; a call may be made from another one."""
    return environ.get(SESSION_FOLDERS.get(agent, ""), "") or given or os.getcwd()


def user_folder(state: str) -> str:
    """The person's own folder, beside a project's state."""
    return os.path.join(os.path.dirname(state), USER)


def problem_of(home: str, root: str = "") -> str:
    """Why a state home must not be used, as the end of a sentence; empty: it may be, or is not there yet."""
    if problem := _problem_itself(home):
        return problem
    if os.path.lexists(os.path.join(home, ".git")):
        return "it is a git checkout"
    for place in parents_of(os.path.realpath(home))[1:]:
        if os.path.lexists(os.path.join(place, ".git")):
            if root == place:
                return f"it lies in the project that it would serve, {place}"
            if _is_tracked(os.path.join(place, ".git"), os.path.relpath(os.path.realpath(home), place)):
                return f"the git checkout {place} tracks files in it"
    return ""


def _problem_itself(home: str) -> str:
    if os.path.islink(home):
        return "it is a link"
    try:
        found = os.lstat(home)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if not stat.S_ISDIR(found.st_mode):
        return "it is not a folder"
    if not is_mine(found):
        return "it belongs to another user"
    return "others can write it" if found.st_mode & 0o022 else ""


def _is_tracked(git: str, folder: str) -> bool:
    """Whether a checkout has files below a folder; an index that cannot be searched counts as one that has."""
    file = os.path.join(git, "index")
    if not os.path.isdir(git):
        return True
    if not os.path.isfile(file):
        return False
    with open(file, "rb") as source:
        index = source.read()
    searchable = index[4:8] in (b"\0\0\0\2", b"\0\0\0\3") and b"\0link\0" not in index
    return not searchable or os.fsencode(folder) + b"/" in index


def find_project(folder: str, home: str) -> Project | None:
    """The project that a folder belongs to; the home folder counts only when asked for itself."""
    folder = os.path.realpath(folder)
    own = os.path.realpath(os.path.expanduser("~"))
    for place in parents_of(folder):
        found = project_at(place, home)
        if found is not None and (place == folder or place != own):
            return found
        if os.path.lexists(os.path.join(place, ".git")):
            return None
    return None


def project_at(place: str, home: str) -> Project | None:
    """The project whose top a folder is."""
    common = common_git_folder(place)
    state = _state_named(read_small(os.path.join(common, ID_FILE)), home) if common else ""
    if state:
        kind, bearer = bound_to(state)
        name = os.path.basename(state)
        is_copy = (kind, bearer) != ("git", common) and read_small(os.path.join(bearer, ID_FILE)).strip() == name
        return Project(place, state, "git", common, bearer if is_copy and kind == "git" else "")
    state = _state_named(read_small(mark_of(place, home)), home)
    return Project(place, state, "path", place) if state and bound_to(state) == ("path", place) else None


def mark_of(place: str, home: str) -> str:
    """The file that names the state folder of a project without git."""
    return os.path.join(home, BY_PATH, place.lstrip("/"), MARK)


def bound_to(state: str) -> tuple[str, str]:
    """What a state folder belongs to: `git` and a git folder, or `path` and a folder."""
    kind, _, bearer = read_small(os.path.join(state, BOUND)).partition("\n")
    return kind, bearer.removesuffix("\n")


def common_git_folder(place: str) -> str:
    """The git folder of a checkout, shared by its worktrees; empty: there is none, or it is not this user's.

    A file `.git` counts only if the repository that it names lists this worktree at this place.
    """
    git = os.path.join(place, ".git")
    try:
        found = os.lstat(git)
        if not is_mine(found):
            return ""
        if stat.S_ISDIR(found.st_mode):
            return git
        label, _, inner = read_small(git).strip().partition("gitdir: ")
        if label or not inner:
            return ""
        inner = os.path.realpath(os.path.join(place, inner))
        common = os.path.dirname(os.path.dirname(inner))
        back = read_small(os.path.join(inner, "gitdir")).strip()
        shared = read_small(os.path.join(inner, "commondir")).strip()
        agrees = (
            os.path.basename(os.path.dirname(inner)) == "worktrees"
            and back
            and os.path.realpath(os.path.join(inner, back)) == os.path.realpath(git)
            and shared
            and os.path.realpath(os.path.join(inner, shared)) == common
            and is_mine(os.lstat(inner))
            and is_mine(os.lstat(common))
        )
    except (OSError, ValueError):
        return ""
    return common if agrees else ""


def is_mine(found: os.stat_result) -> bool:
    """Whether a file is this user's."""
    return found.st_uid == os.geteuid()


def _state_named(name: str, home: str) -> str:
    """The state folder of that name; empty: there is none that is this user's."""
    name = name.strip()
    if not name or name == USER or not NAME_SIGNS.issuperset(name):
        return ""
    state = os.path.join(home, name)
    try:
        found = os.lstat(state)
    except OSError:
        return ""
    private = stat.S_ISDIR(found.st_mode) and is_mine(found) and not found.st_mode & 0o022
    return state if private and os.path.isfile(os.path.join(state, RECORDS)) else ""


def read_small(file: str) -> str:
    """The beginning of a small file of this user's; empty: it is none. It follows no link and waits for nothing."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        found = os.fstat(handle)
        usable = is_mine(found) and stat.S_ISREG(found.st_mode)
        return os.fsdecode(os.read(handle, SMALL)) if usable else ""
    except OSError:
        return ""
    finally:
        os.close(handle)


def parents_of(folder: str) -> list[str]:
    """A folder and every folder above it, the innermost first."""
    found = [folder]
    while os.path.dirname(found[-1]) != found[-1]:
        found.append(os.path.dirname(found[-1]))
    return found
