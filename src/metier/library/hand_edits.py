"""What a person did to skills outside of Metier, kept as versions: never overwritten, never lost."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from metier.context.audit import current_user
from metier.errors import MetierError, StoreError
from metier.events import Advanced, Noted
from metier.library.disk.slot import Place
from metier.library.versions import journal
from metier.library.versions.keep import Pile, keep_seen
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from metier.context.context import Context
    from metier.events import Event
    from metier.library.roots import Root
    from metier.library.skills import Found
    from metier.library.versions.shelf import Shelf
    from metier.skills.package import Package

    Keep = Callable[[Path, Package | None, Version], Version]
    """Makes a version of what a person did."""

MANY = 50
"""New skills from which on they are made to last all together."""
STEP = 500
"""Skills kept between two words about progress."""


def noticed(ctx: Context, shelf: Shelf, root: Root, skills: Sequence[str]) -> Generator[Event, None, list[Version]]:
    """Keep what is new about some skills of a root: put there, changed, or removed."""
    made: list[Version] = []
    with shelf.writing():
        if not journal.is_clean(shelf):
            journal.recover(shelf)
        pile = Pile(shelf=shelf, waiting=journal.waiting(shelf))
        keep = pile.add if len(skills) > MANY else partial(keep_seen, shelf)
        for number, skill in enumerate(skills, 1):
            try:
                version = notice(ctx, shelf, root.real, skill, keep)
            except (MetierError, OSError) as error:  # the others are kept all the same
                yield Noted(stage="keep", text=f"What was done to {skill} could not be kept: {error}", level="warning")
                continue
            made += [version] if version else []
            if number % STEP == 0:
                yield from _settled(pile)
                yield Advanced(stage="keep", done=number, total=len(skills))
        yield from _settled(pile)
    return made


def _settled(pile: Pile) -> Generator[Event]:
    try:
        pile.settle()
    except StoreError as error:
        yield Noted(stage="keep", text=f"{error} The next command that writes tries again.", level="warning")


def notice_one(ctx: Context, found: Found) -> Version | None:
    """Keep what is new about one skill before something is done to it."""
    if not found.root.writable or found.place.folder.is_symlink():
        return None
    with found.shelf.writing():
        if not journal.is_clean(found.shelf):
            journal.recover(found.shelf)
        return notice(ctx, found.shelf, found.root.real, found.skill, partial(keep_seen, found.shelf))


def notice(ctx: Context, shelf: Shelf, root: Path, skill: str, keep: Keep) -> Version | None:
    """Compare one skill with its newest version and keep what is new; needs the shelf's `writing`."""
    key = shelf.key(root)
    package = Place(root=root, skill=skill, staging=shelf.staging).live()
    last = shelf.histories.last(key, skill)
    if package is None:
        if last is None or last.out:
            return None
        gone = _by_hand(ctx, replace(last, action="hand-delete", status="deleted", summary="removed by hand"))
        return keep(root, None, replace(gone, hash=last.hash, files=last.files))
    if last is not None and not last.out and package.hash() == last.hash:
        return None
    version = Version(
        skill=skill,
        root=key,
        number=0,
        hash="",
        action="found" if last is None else "hand-edit",
        status="provisional" if last and last.status == "provisional" else "active",
        origin=last.origin if last else "manual",
        summary="found on disk" if last is None else "changed by hand",
    )
    return keep(root, package, _by_hand(ctx, version))


def _by_hand(ctx: Context, version: Version) -> Version:
    plain = Version(skill=version.skill, root=version.root, number=0, hash="")
    return replace(
        plain,
        action=version.action,
        status=version.status,
        origin=version.origin,
        summary=version.summary,
        actor=current_user(),
        created=ctx.now(),
    )
