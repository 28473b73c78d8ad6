"""A parcel: one skill with its whole history as one file that anybody can unzip."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from metier.errors import DamagedError, InputError
from metier.formats import value_json
from metier.skills.archives.reader import DEFAULT, ArchiveMember, read_archive
from metier.skills.names import path_problem
from metier.skills.package import SKILL_FILES, Package
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

OURS = ".metier/"
"""Where the history lies in a parcel."""
MAX_HASHED = 4 * 1024 * 1024 * 1024
"""Bytes of all versions together, each counted whole, that are looked at."""
_VERSION = re.compile(r"\.metier/versions/([1-9]\d{0,8})\.json\Z")
_OBJECT = re.compile(r"\.metier/objects/([0-9a-f]{64})\Z")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The first moment a ZIP can name: the same parcel has the same bytes whenever it is packed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """A skill as it came: its newest package, and its history if it brought one."""

    package: Package
    name: str = ""
    """Of the folder it lay in; empty when it lay in none."""
    versions: tuple[Version, ...] = ()
    """The first one first."""
    objects: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """The bytes of every file of every version by their SHA-256."""


class _WrongError(Exception):
    """What is wrong with a history, and where."""


def pack(name: str, versions: Sequence[Version], objects: Mapping[str, bytes]) -> bytes:
    """The parcel of a skill: its newest files below its name, the history beside them; the same bytes each time."""
    if not versions:
        raise InputError(f"{name!r} has no version to pack.")
    if path_problem(name) or "/" in name or name == OURS.rstrip("/"):
        raise InputError(f"{name[:80]!r} cannot be the name of a folder.")
    versions = sorted(versions, key=lambda version: version.number)
    try:
        package = _verified(versions, objects)
    except _WrongError as wrong:
        raise DamagedError(f"{name!r} was not packed: {wrong}") from None
    members = _members(name, package, versions, objects)
    _check_size(name, members)
    packed = _zipped(members, ZIP_DEFLATED)
    size = sum(len(member.content) for member in members)
    return packed if size <= DEFAULT.room_for(len(packed)) else _zipped(members, ZIP_STORED)


def unpack(data: bytes | Path) -> Parcel:
    """A parcel, or any archive of one skill's folder, read in memory; InputError says what cannot be trusted."""
    members = [member for member in read_archive(data) if not _is_litter(member.path)]
    history = [member for member in members if member.path.startswith(OURS)]
    name, package = _package([member for member in members if not member.path.startswith(OURS)])
    versions, objects = _history(history, package)
    if not versions:
        return Parcel(name=name, package=package)
    try:
        newest = _verified(versions, objects)
    except _WrongError as wrong:
        raise InputError(f"The history in the archive is damaged: {wrong}") from None
    if newest.hash() != package.hash():
        raise InputError(f"The files in the archive are not those of its newest version, {versions[-1].number}.")
    wanted = {file.object for version in versions for file in version.files}
    return Parcel(
        name=name,
        package=package,
        versions=versions,
        objects={key: content for key, content in sorted(objects.items()) if key in wanted},
    )


def _members(
    name: str, package: Package, versions: Sequence[Version], objects: Mapping[str, bytes]
) -> list[ArchiveMember]:
    """What goes into a parcel, in order; bytes that are a file of the newest package are there once."""
    plain = {sha256(content).hexdigest() for content in package.files.values()}
    kept = sorted({file.object for version in versions for file in version.files} - plain)
    return [
        *(
            ArchiveMember(f"{name}/{path}", package.files[path], path in package.executable)
            for path in sorted(package.files)
        ),
        *(ArchiveMember(f"{OURS}versions/{one.number}.json", value_json.dumps(one).encode()) for one in versions),
        *(ArchiveMember(f"{OURS}objects/{key}", objects[key]) for key in kept),
    ]


def _check_size(name: str, members: Sequence[ArchiveMember]) -> None:
    """A parcel that nobody could unpack is not packed."""
    size = sum(len(member.content) for member in members)
    if len(members) > DEFAULT.members or size > DEFAULT.unpacked:
        raise InputError(
            f"The history of {name!r} is too large for one file: {len(members):,} members and {size:,} bytes, "
            f"{DEFAULT.members:,} and {DEFAULT.unpacked:,} are allowed. Pack its newest versions only."
        )


def _zipped(members: Sequence[ArchiveMember], how: int) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for member in members:
            info = ZipInfo(member.path, _LONG_AGO)
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | (0o755 if member.executable else 0o644)) << 16
            info.compress_type = how
            archive.writestr(info, member.content)
    return buffer.getvalue()


def _is_litter(path: str) -> bool:
    """Whether it is one of the files that macOS leaves in archives."""
    return path.startswith("__MACOSX/") or path.rpartition("/")[2] == ".DS_Store"


def _package(members: Sequence[ArchiveMember]) -> tuple[str, Package]:
    """The folder's name and the package: the files at the top, or those of the only folder there."""
    name = _top({member.path for member in members})
    start = len(name) + 1 if name else 0
    package = Package(
        files={member.path[start:]: member.content for member in members},
        executable=frozenset(member.path[start:] for member in members if member.executable),
    )
    return name, package


def _top(paths: set[str]) -> str:
    """The folder all files are in; empty when the document is at the top."""
    if not paths.isdisjoint(SKILL_FILES):
        return ""
    tops = {path.partition("/")[0] for path in paths}
    top = tops.pop() if len(tops) == 1 else ""
    if paths.isdisjoint(f"{top}/{document}" for document in SKILL_FILES):
        raise InputError("The archive is not one skill: it needs a SKILL.md at its top, or in its only folder.")
    return top


def _history(members: Sequence[ArchiveMember], package: Package) -> tuple[tuple[Version, ...], dict[str, bytes]]:
    """The versions in order, and all bytes by their names, which are not checked yet."""
    objects = {sha256(content).hexdigest(): content for content in package.files.values()}
    versions: list[Version] = []
    for member in members:
        if match := _OBJECT.match(member.path):
            objects[match[1]] = member.content
        elif match := _VERSION.match(member.path):
            versions.append(_version(member, int(match[1])))
        else:
            raise InputError(f"{member.path[:80]!r} in the archive is no part of a history.")
    return tuple(sorted(versions, key=lambda version: version.number)), objects


def _version(member: ArchiveMember, number: int) -> Version:
    try:
        version = value_json.loads(Version, member.content.decode())
    except ValueError as error:
        why = str(error).splitlines()[0]
        raise InputError(f"{member.path!r} in the archive cannot be read as a version ({why[:120]}).") from None
    if version.number != number or path_problem(version.skill):
        raise InputError(f"{member.path!r} in the archive is not the version it is named after.")
    return version


def _verified(versions: Sequence[Version], objects: Mapping[str, bytes]) -> Package:
    """The newest package, once every byte of every version is what its hash says."""
    for key in sorted({file.object for version in versions for file in version.files}):
        if key not in objects:
            raise _WrongError(f"the bytes {key} are missing.")
        if sha256(objects[key]).hexdigest() != key:
            raise _WrongError(f"the bytes {key} are not those they are named after.")
    hashes: dict[object, str] = {}
    hashed = 0
    for version in versions:
        if version.files not in hashes:
            package = _rebuilt(version, objects)
            hashed += sum(map(len, package.files.values()))
            if hashed > MAX_HASHED:
                raise _WrongError(f"its versions have more than {MAX_HASHED:,} bytes in all.")
            hashes[version.files] = package.hash()
        if hashes[version.files] != version.hash:
            raise _WrongError(f"version {version.number} is not what its hash says.")
    return _rebuilt(versions[-1], objects)


def _rebuilt(version: Version, objects: Mapping[str, bytes]) -> Package:
    files = {file.path: objects[file.object] for file in version.files}
    if len(files) != len(version.files) or any(len(files[file.path]) != file.size for file in version.files):
        raise _WrongError(f"version {version.number} does not describe its files as they are.")
    try:
        return Package(files=files, executable=frozenset(file.path for file in version.files if file.executable))
    except InputError as error:
        raise _WrongError(f"version {version.number}: {error}") from None
