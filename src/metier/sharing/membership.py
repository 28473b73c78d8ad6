"""Which server this workspace joined, its pinned key, and what came from it; sealed by the person who joined."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from metier.context.state_folder import create_file
from metier.errors import ConfigError, NotFoundError, StoreError
from metier.formats.value_json import dumps, loads
from metier.library.disk.atomic_files import replace_file

if TYPE_CHECKING:
    from metier.context.context import Context
    from metier.types.lessons import LessonScope

FILE = "sync.json"
JoinScope = Literal["project", "team", "person"]
TAKES: dict[str, frozenset[LessonScope]] = {
    "project": frozenset({"project", "team", "person"}),
    "team": frozenset({"team", "person"}),
    "person": frozenset({"person"}),
}
"""What a workspace takes, by how it belongs: the same project, another one of the team, or only the same person's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """A workspace's place at a server."""

    url: str
    key: str
    """The server's public key, as it was when the person joined."""
    token: str = field(repr=False)
    scope: JoinScope = "project"
    number: int = 0
    """Of the newest manifest that was taken."""
    synced: str = ""
    skills: tuple[tuple[str, str], ...] = ()
    """What came from it: each skill and its hash."""
    lessons: tuple[tuple[str, str], ...] = ()
    seal: str = ""

    @property
    def host(self) -> str:
        """The server's name, for people."""
        return self.url.partition("://")[2]


def read_membership(ctx: Context) -> Membership:
    """What was joined; one without this person's seal came with somebody else's files and is not used."""
    file = ctx.state / FILE
    try:
        found = loads(Membership, file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFoundError("This workspace has joined no server. Join one: metier sync join https://NAME") from None
    except (OSError, ValueError):
        raise StoreError(f"{file} cannot be read. Join again: metier sync join https://NAME") from None
    if not ctx.is_sealed(found.seal, *_parts(found)):
        raise ConfigError(
            f"{file} was not written by you. Look at it, remove it, and join: metier sync join https://NAME"
        )
    return found


def write_membership(ctx: Context, membership: Membership) -> None:
    """Keep it, for its owner alone, in one step."""
    sealed = replace(membership, seal=ctx.seal(*_parts(membership)))
    file = ctx.state / FILE
    try:
        if not file.exists():
            create_file(file, b"")  # 0600: it holds the token
        replace_file(file, dumps(sealed).encode())
    except OSError as error:
        raise StoreError(f"{file} cannot be written: {error.strerror}.") from None


def remove_membership(ctx: Context) -> Membership:
    """Leave the server; what came from it stays."""
    found = read_membership(ctx)
    (ctx.state / FILE).unlink(missing_ok=True)
    return found


def _parts(found: Membership) -> tuple[str, str]:
    return "sync", dumps(replace(found, seal=""))
