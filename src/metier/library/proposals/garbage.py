"""Freeing what nobody needs: bytes of changes that never happened, folders that were live a while ago."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.library.versions import journal
from metier.store.tables.library import drafts
from metier.types.reviews import OPEN

if TYPE_CHECKING:
    from metier.library.skills import Library
    from metier.library.versions.version_store import VersionStore


def collect_garbage(library: Library) -> int:
    """Free what no version and no open draft names; returns how many bytes that was."""
    with library.ctx.store.read() as transaction:
        waiting = [draft for draft in drafts.list_everywhere(transaction) if draft.status in OPEN]
    wanted = {name for draft in waiting for name in (draft.parcel, *(file.object for file in draft.files))}
    return sum(_collect(library, store, wanted) for store in library.version_stores() if store.state.is_dir())


def _collect(library: Library, store: VersionStore, wanted: set[str]) -> int:
    mine = [root.real for root in library.roots if root.writable and library.version_store_of(root) is store]
    with store.writing():
        journal.recover(store)
        store.sweep(roots=mine)
        if not journal.is_clean(store) or store.histories.has_damage():
            return 0  # what cannot be read may need any of them
        named = {file.object for version in store.histories.all_versions() for file in version.files}
        return store.objects.drop_all_but(named | wanted)
