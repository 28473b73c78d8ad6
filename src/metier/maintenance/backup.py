"""Backup and restore: the whole state as one file, without the redaction key."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import shutil
import tarfile
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from metier import __version__
from metier.config import FILE
from metier.context.audit import note_action
from metier.context.context import find_workspace
from metier.context.temp_folders import temporary_folder
from metier.errors import InputError, RefusedError, StoreError
from metier.folders import refuse_links
from metier.formats.strict_json import load_json
from metier.hooks.places import RECORDS
from metier.hooks.spool import sync_folder
from metier.store.engines import migrate
from metier.store.engines.sqlite import SqliteEngine
from metier.store.tables import meta
from metier.store.tables.library import drafts
from metier.store.tables.runs import runs

if TYPE_CHECKING:
    from collections.abc import Generator

    from metier.context.context import Context
    from metier.store.engines.engine import Transaction

MANIFEST = "manifest.json"
DATABASE = "metier.db"
FOLDERS = ("versions", "objects", "trees")
"""Folders of the state that belong to a backup besides the database."""
BACKUPS = "backups"
LIMIT = 64 * 1024 * 1024
"""Bytes of a manifest."""
ENTRIES = 1_000_000
RATIO, SMALL = 100, 64 * 1024 * 1024
"""A backup unpacks to at most so many times its size, or so many bytes; a database of text takes a tenth of itself."""
NAME = re.compile(r"[^\x00-\x1f\x7f/]{1,255}")
"""What records call a workspace."""


def write_backup(ctx: Context, target: Path) -> int:
    """Write everything but the redaction key to one file; returns its size. An existing file is not touched."""
    if target.exists():
        raise RefusedError(f"{target} already exists. Choose another name.")
    refuse_links(ctx.root, target)
    try:
        with temporary_folder(ctx.state, "backup-") as folder:
            database = folder / DATABASE
            ctx.store.copy_to(database)
            part = folder / "backup.tar.gz"
            _pack(part, {DATABASE: database} | _state_files(ctx), ctx)
            os.link(part, target) if part.stat().st_dev == target.parent.stat().st_dev else _copy(part, target)
        sync_folder(str(target.parent))
    except OSError as error:
        raise StoreError(f"The backup {target} cannot be written: {error.strerror or error}.") from None
    return target.stat().st_size


def restore_backup(ctx: Context, source: Path) -> Path | None:
    """Replace the state by a backup's; what was there is backed up first. Returns where, or None if it was empty."""
    if ctx.config.store:
        raise RefusedError("The store is PostgreSQL: bring it back with pg_restore.")
    with _unpack(source, ctx.state) as (folder, manifest):
        _prepare_database(ctx, folder / DATABASE, str(manifest["workspace"]))
        saved = _save_current(ctx)
        ctx.store.replace_by(folder / DATABASE)
        for name in cast("dict[str, str]", manifest["files"]):
            if name != DATABASE:
                _put(folder / name, ctx.state / name)
    adopt_restored_name(ctx)
    with ctx.store.write() as transaction:
        note_action(transaction, ctx, "restore", source.name, "")
    return saved


def check_backup(source: Path) -> None:
    """Refuse a file that does not begin as a backup does; `restore_backup` looks at the rest of it."""
    with _opened(source) as archive:
        _manifest(archive)


def go_on_without(ctx: Context) -> None:
    """Accept that the database before this one is lost: it is said no more, and the audit log keeps it."""
    if not ctx.lost:
        raise RefusedError("No database was lost here, so there is nothing to go on without.")
    with ctx.store.write() as transaction:
        meta.drop(transaction, meta.LOST)
        note_action(transaction, ctx, "lose database", DATABASE, f"found lost at {ctx.lost}; there is no backup")


def set_database_aside(folder: str) -> Path:
    """Move a damaged database out of the way, keeping it for a person to look at; returns where it is."""
    state = find_workspace(folder, os.environ).state
    aside = state / BACKUPS / f"damaged-{secrets.token_hex(4)}"
    aside.mkdir(mode=0o700, parents=True)
    for file in sorted(state.glob(DATABASE + "*")):
        file.rename(aside / file.name)
    return aside


def _state_files(ctx: Context) -> dict[str, Path]:
    found = {FILE: ctx.state / FILE} if (ctx.state / FILE).is_file() else {}
    for folder in FOLDERS:
        for file in sorted((ctx.state / folder).rglob("*")):
            if file.is_file() and not file.is_symlink():
                found[file.relative_to(ctx.state).as_posix()] = file
    return found


def _pack(part: Path, files: dict[str, Path], ctx: Context) -> None:
    manifest = {
        "metier": __version__,
        "workspace": ctx.name,
        "created": ctx.now(),
        "files": {name: _digest(file) for name, file in files.items()},
    }
    with part.open("wb") as out, tarfile.open(fileobj=out, mode="w:gz", compresslevel=6) as archive:
        data = json.dumps(manifest, indent=1).encode()
        entry = tarfile.TarInfo(MANIFEST)
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
        for name, file in files.items():
            archive.add(file, arcname=name, recursive=False)
        archive.close()
        out.flush()
        os.fsync(out.fileno())
    part.chmod(0o600)


@contextmanager
def _unpack(source: Path, state: Path) -> Generator[tuple[Path, dict[str, object]]]:
    """A backup's files in a folder of their own, each checked against the manifest."""
    with _opened(source) as archive, temporary_folder(state, "restore-") as folder:
        manifest = _manifest(archive)
        wanted = cast("dict[str, str]", manifest["files"])
        room = Room(disk=_free_bytes(state), packed=source.stat().st_size)
        for entry in archive:
            room.take(entry)
            if entry.name in wanted and entry.isfile():
                _extract(archive, entry, folder, wanted[entry.name])
        missing = [name for name in wanted if not (folder / name).is_file()]
        if missing or DATABASE not in wanted:
            raise InputError(f"{source} is incomplete: {', '.join(missing) or DATABASE} is missing.")
        yield folder, manifest


@contextmanager
def _opened(source: Path) -> Generator[tarfile.TarFile]:
    """A file as the archive that it should be, with what goes wrong in words."""
    try:
        with tarfile.open(source, "r:gz") as archive:
            yield archive
    except (tarfile.TarError, EOFError, OSError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{source} cannot be read as a backup: {said or 'it is cut off'}.") from None


@dataclass(slots=True, kw_only=True)
class Room:
    """How much a backup may still unpack to: no more than honest ones do, and never all of the disk."""

    disk: int
    packed: int
    entries: int = 0
    bytes: int = 0

    def take(self, entry: tarfile.TarInfo) -> None:
        """Count one entry; InputError when it is too much."""
        self.entries, self.bytes = self.entries + 1, self.bytes + max(entry.size, 0)
        if self.entries > ENTRIES or self.bytes > max(SMALL, self.packed * RATIO) or self.bytes > self.disk * 0.9:
            raise InputError(f"The backup unpacks to more than it may ({self.bytes:,} bytes, {self.entries} files).")


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def _read_manifest(archive: tarfile.TarFile) -> dict[str, object]:
    """The object in the first file; empty if that is no manifest."""
    entry = archive.next()
    file = archive.extractfile(entry) if entry is not None and entry.name == MANIFEST and entry.size <= LIMIT else None
    try:
        found: object = load_json(file.read()) if file is not None else None
    except ValueError:
        found = None
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _manifest(archive: tarfile.TarFile) -> dict[str, object]:
    manifest = _read_manifest(archive)
    names = manifest.get("files")
    name = manifest.get("workspace")
    if not isinstance(names, dict) or not isinstance(name, str):
        raise InputError("The file is not a Metier backup: it does not start with a manifest.")
    if not NAME.fullmatch(name) or not name.isprintable():
        raise InputError(f"The backup is of a workspace that cannot exist: {name[:80]!r}.")
    for file_name, digest in cast("dict[str, object]", names).items():
        if not _belongs(file_name) or not isinstance(digest, str):
            raise InputError(f"The backup contains a file that does not belong there: {file_name!r}.")
    return manifest


def _belongs(name: str) -> bool:
    """Whether a file of that name may be part of a backup."""
    parts = Path(name).parts
    return name in (FILE, DATABASE) or (len(parts) > 1 and parts[0] in FOLDERS and ".." not in parts)


def _extract(archive: tarfile.TarFile, entry: tarfile.TarInfo, folder: Path, digest: str) -> None:
    target = folder / entry.name
    target.parent.mkdir(parents=True, exist_ok=True)
    content = archive.extractfile(entry)
    with target.open("wb") as out:
        while content is not None and (chunk := content.read(1 << 20)):
            out.write(chunk)
    if _digest(target) != digest:
        raise InputError(f"The backup is damaged: {entry.name} is not what was saved.")


def _prepare_database(ctx: Context, file: Path, workspace: str) -> None:
    """Bring a copy to this version's schema and let it say whose it is; a newer or broken one is refused here."""
    engine = SqliteEngine(file, lock=file.with_name("lock"))
    try:
        migrate.migrate(engine, ctx.now())
        with engine.write() as transaction:
            _take_over(transaction, ctx)
            meta.put(transaction, meta.ADOPTED, workspace)
    finally:
        engine.close()


def _take_over(transaction: Transaction, ctx: Context) -> None:
    """Drop what would be believed without being this person's: other people's yeses, texts ready for hooks, answers."""
    for one in drafts.list_everywhere(transaction):
        if one.approved and not ctx.is_sealed(one.seal, "approval", one.target, one.hash):
            drafts.put(transaction, replace(one, approved="", approver="", seal=""))
    meta.forget_derived(transaction)
    meta.put(transaction, meta.BEGUN, ctx.now())
    meta.drop(transaction, meta.LOST)


def _save_current(ctx: Context) -> Path | None:
    with ctx.store.read() as transaction:
        if not runs.count(transaction):
            return None
    (ctx.state / BACKUPS).mkdir(mode=0o700, exist_ok=True)
    saved = ctx.state / BACKUPS / f"before-restore-{ctx.now().replace(':', '')}.tar.gz"
    write_backup(ctx, saved)
    return saved


def adopt_restored_name(ctx: Context) -> Context:
    """Take the name of the workspace whose backup was restored: its records carry it. Finishes a restore cut short."""
    with ctx.store.read() as transaction:
        name = meta.get(transaction, meta.ADOPTED)
    if not name:
        return ctx
    if name != ctx.name:
        part = ctx.state / f"{RECORDS}.{os.getpid()}-adopted.part"
        part.write_text(name + "\n", encoding="utf-8")
        _put(part, ctx.state / RECORDS)
        ctx.store.workspace = name
        ctx = replace(ctx, name=name)
    with ctx.store.write() as transaction:
        meta.put(transaction, meta.ADOPTED, "")
    return ctx


def _put(source: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with source.open("rb") as file:
        os.fsync(file.fileno())
    source.replace(target)
    sync_folder(str(target.parent))


def _copy(source: Path, target: Path) -> None:
    handle, part = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with source.open("rb") as file, os.fdopen(handle, "wb") as out:
            while chunk := file.read(1 << 20):
                out.write(chunk)
            out.flush()
            os.fsync(out.fileno())
        os.link(part, target)  # never over a file that came meanwhile, never through a link
    finally:
        Path(part).unlink(missing_ok=True)


def _digest(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
