"""A skill travels with its history as one file; what comes from elsewhere is believed only when it adds up."""

from __future__ import annotations

import gzip
import io
import os
import stat
import struct
import tarfile
import time
import tracemalloc
import zipfile
import zlib
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.errors import DamagedError, InputError, MetierError, NotFoundError
from metier.formats import value_json
from metier.library.versions.objects import files_of
from metier.skills.archives.parcel import pack, unpack
from metier.skills.archives.reader import DEFAULT, read_archive
from metier.skills.package import Package
from metier.types import Provenance
from metier.types.skills import Version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

DOCUMENT = b"---\nname: deploy\ndescription: Deploys the shop.\n---\n\n# Deploy\n"
SCRIPT = b"#!/bin/sh\nexit 0\n"
SKILL = Package(
    files={"SKILL.md": DOCUMENT, "scripts/run.sh": SCRIPT, "empty": b""}, executable=frozenset(("scripts/run.sh",))
)


def history(*packages: Package) -> tuple[list[Version], dict[str, bytes]]:
    versions: list[Version] = []
    objects: dict[str, bytes] = {}
    for number, package in enumerate(packages, 1):
        objects |= {sha256(content).hexdigest(): content for content in package.files.values()}
        versions.append(
            Version(
                skill="deploy",
                root=".agents/skills",
                number=number,
                hash=package.hash(),
                files=files_of(package),
                summary=f"change {number}: é",
                provenance=Provenance(runs=("r1",)),
                gain=0.1 * number,
            )
        )
    return versions, objects


def zipped(files: Mapping[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", how) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return buffer.getvalue()


def tarred(members: Sequence[tuple[tarfile.TarInfo, bytes]], form: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for info, content in members:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def tar_file(path: str, content: bytes = b"", mode: int = 0o644, kind: bytes = tarfile.REGTYPE) -> tuple:
    info = tarfile.TarInfo(path)
    info.mode, info.type = mode, kind
    return info, content


def refused(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        unpack(data)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---- a parcel of our own ----------------------------------------------------------------------------------------


def test_a_skill_comes_back_with_every_byte_of_its_history() -> None:
    first = Package(files={"SKILL.md": b"first\n", "old.bin": bytes(range(256))})
    versions, objects = history(first, SKILL, first, SKILL)
    parcel = unpack(pack("deploy", versions, objects))
    assert (parcel.name, parcel.package, parcel.versions) == ("deploy", SKILL, tuple(versions))
    assert parcel.objects == objects


def test_the_same_skill_makes_the_same_bytes() -> None:
    versions, objects = history(Package(files={"SKILL.md": b"x"}), SKILL)
    backwards = dict(reversed(objects.items()))
    assert pack("deploy", versions, objects) == pack("deploy", versions[::-1], backwards)


def test_anybody_can_unzip_the_newest_files() -> None:
    versions, objects = history(Package(files={"SKILL.md": b"x"}), SKILL)
    with zipfile.ZipFile(io.BytesIO(pack("deploy", versions, objects))) as archive:
        assert archive.testzip() is None
        assert archive.read("deploy/SKILL.md") == DOCUMENT
        modes = {info.filename: stat.S_IMODE(info.external_attr >> 16) for info in archive.infolist()}
        assert (modes["deploy/scripts/run.sh"], modes["deploy/SKILL.md"]) == (0o755, 0o644)
        assert [name for name in archive.namelist() if name.startswith(".metier")] == [
            ".metier/versions/1.json",
            ".metier/versions/2.json",
            f".metier/objects/{sha256(b'x').hexdigest()}",
        ]


def test_bytes_that_compress_well_come_back_too() -> None:
    versions, objects = history(SKILL.with_files({"zeros": bytes(9 * 1024 * 1024)}))
    assert unpack(pack("deploy", versions, objects)).package.files["zeros"] == bytes(9 * 1024 * 1024)


def test_what_does_not_add_up_is_not_packed() -> None:
    versions, objects = history(SKILL)
    key = sha256(SCRIPT).hexdigest()
    with pytest.raises(DamagedError, match=f"bytes {key} are missing"):
        pack("deploy", versions, {name: content for name, content in objects.items() if name != key})
    with pytest.raises(DamagedError, match=f"bytes {key} are not those"):
        pack("deploy", versions, {**objects, key: b"other"})
    with pytest.raises(DamagedError, match="version 1 is not what its hash says"):
        pack("deploy", [replace(versions[0], hash="0" * 64)], objects)
    with pytest.raises(InputError, match="no version"):
        pack("deploy", [], {})
    for name in ("../x", "a/b", ".metier", ""):
        with pytest.raises(InputError, match="name of a folder"):
            pack(name, versions, objects)


def test_a_history_that_nobody_could_unpack_is_not_packed() -> None:
    versions, objects = history(SKILL)
    many = [replace(versions[0], number=number) for number in range(1, DEFAULT.members + 1)]
    with pytest.raises(InputError, match="Pack its newest versions only"):
        pack("deploy", many, objects)


# ---- a parcel that somebody touched -----------------------------------------------------------------------------


def touched(changes: Mapping[str, bytes | None]) -> bytes:
    """A parcel with members changed, added or taken out."""
    versions, objects = history(Package(files={"SKILL.md": b"x"}), SKILL)
    with zipfile.ZipFile(io.BytesIO(pack("deploy", versions, objects))) as archive:
        files: dict[str, bytes | None] = {info.filename: archive.read(info) for info in archive.infolist()}
    return zipped({path: content for path, content in {**files, **changes}.items() if content is not None})


def test_the_first_wrong_hash_is_named() -> None:
    key = sha256(b"x").hexdigest()
    versions, objects = history(Package(files={"SKILL.md": b"x"}), SKILL)
    with zipfile.ZipFile(io.BytesIO(pack("deploy", versions, objects))) as archive:
        second = archive.read(".metier/versions/2.json")
    assert f"bytes {key} are not those" in refused(touched({f".metier/objects/{key}": b"y"}))
    assert f"bytes {key} are missing" in refused(touched({f".metier/objects/{key}": None}))
    wrong = second.replace(versions[1].hash.encode(), b"0" * 64)
    assert "version 2 is not what its hash says" in refused(touched({".metier/versions/2.json": wrong}))
    wrong = second.replace(b'"size":0', b'"size":7')
    assert "version 2 does not describe its files" in refused(touched({".metier/versions/2.json": wrong}))
    wrong = second.replace(b'"path":"empty"', b'"path":"../ex"')
    assert "version 2: '../ex' cannot be a path" in refused(touched({".metier/versions/2.json": wrong}))


def test_files_that_are_not_the_newest_version_are_refused() -> None:
    key = sha256(DOCUMENT).hexdigest()
    changed = {"deploy/SKILL.md": b"other", f".metier/objects/{key}": DOCUMENT}
    assert "not those of its newest version, 2" in refused(touched(changed))
    assert f"bytes {key} are missing" in refused(touched({"deploy/SKILL.md": b"other"}))


def test_a_history_that_cannot_be_read_is_refused() -> None:
    assert "cannot be read as a version" in refused(touched({".metier/versions/2.json": b"{}"}))
    assert "cannot be read as a version" in refused(touched({".metier/versions/2.json": b"[" * 100_000}))
    assert "cannot be read as a version" in refused(touched({".metier/versions/2.json": b"\xff"}))
    assert "no part of a history" in refused(touched({".metier/versions/x.json": b"{}"}))
    assert "no part of a history" in refused(touched({".metier/hooks/run": b"{}"}))
    versions, _ = history(SKILL)
    for wrong in (replace(versions[0], number=3), replace(versions[0], skill="../../x")):
        text = value_json.dumps(wrong).encode()
        assert "not the version it is named after" in refused(touched({".metier/versions/2.json": text}))


# ---- archives of others -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("top", ["", "deploy/", "./", "./deploy/"])
def test_any_archive_of_one_skill_is_read(top: str, tmp_path: Path) -> None:
    files = {f"{top}SKILL.md": DOCUMENT, f"{top}scripts/run.sh": SCRIPT}
    members = [tar_file(path, content, 0o755 if path.endswith(".sh") else 0o644) for path, content in files.items()]
    name = top.strip("./")
    archives = [zipped(files), zipped(files, zipfile.ZIP_STORED)]
    for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        archives += [tarred(members, form), gzip.compress(tarred(members, form))]
    for number, data in enumerate(archives):
        parcel = unpack(data)
        assert (parcel.name, dict(parcel.package.files)) == (name, {"SKILL.md": DOCUMENT, "scripts/run.sh": SCRIPT})
        assert parcel.package.executable == ({"scripts/run.sh"} if number > 1 else set())
        assert (parcel.versions, parcel.objects) == ((), {})
        (tmp_path / "a.skill").write_bytes(data)
        assert unpack(tmp_path / "a.skill") == parcel


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_are_read(form: int) -> None:
    path = f"{'f' * 90}/{'g' * 90}.md"
    data = tarred([tar_file("SKILL.md", DOCUMENT), tar_file(path, b"x"), tar_file("z", b"y")], form)
    assert sorted(unpack(data).package.files) == ["SKILL.md", path, "z"]


def test_what_macos_leaves_is_left_out() -> None:
    data = zipped({"deploy/SKILL.md": DOCUMENT, "__MACOSX/deploy/._SKILL.md": b"x", ".DS_Store": b"", "deploy/a": b""})
    assert sorted(unpack(data).package.files) == ["SKILL.md", "a"]


def test_folders_in_an_archive_are_no_files() -> None:
    data = zipped({"deploy/": b"", "deploy/SKILL.md": DOCUMENT, "deploy/empty/": b""})
    assert list(unpack(data).package.files) == ["SKILL.md"]
    data = tarred([tar_file("./", kind=tarfile.DIRTYPE), tar_file("./SKILL.md", DOCUMENT)])
    assert list(unpack(data).package.files) == ["SKILL.md"]


@pytest.mark.parametrize(
    "files",
    [
        {"README.md": b""},
        {"a/SKILL.md": b"", "b/SKILL.md": b""},
        {"a/SKILL.md": b"", "b/x": b""},
        {"a/SKILL.md": b"", "x": b""},
        {"a/b/SKILL.md": b""},
        {},
    ],
)
def test_what_is_not_one_skill_is_refused(files: dict[str, bytes]) -> None:
    assert "not one skill" in refused(zipped(files))


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    for data in (b"", b"PK", b"hello" * 300, b"\x1f\x8b", b"BZh91AY", b"7z\xbc\xaf", bytes(300)):
        assert refused(data)
    with pytest.raises(NotFoundError, match="There is no file"):
        unpack(tmp_path / "none.zip")
    with pytest.raises(NotFoundError, match="There is no file"):
        unpack(tmp_path)


# ---- hostile archives -------------------------------------------------------------------------------------------

SLIPS = [
    *(
        "../x",
        "a/../../x",
        "/etc/passwd",
        "C:/x",
        "..",
        "a//b",
        "a\\..\\x",
        "x\x01",
        "a/./b",
        f"{'a/' * 65}x",
        "a" * 300,
        ".git/hooks/post-checkout",
        "a/GIT~1",
        "exe\u202egpj.sh",
    ),
]


@pytest.mark.parametrize("path", SLIPS)
def test_no_path_leaves_the_folder(path: str) -> None:
    assert "cannot be a path" in refused(zipped({"SKILL.md": DOCUMENT, path: b"x"}))
    assert "cannot be a path" in refused(tarred([tar_file("SKILL.md", DOCUMENT), tar_file(path, b"x")]))
    assert "cannot be a path" in refused(tarred([tar_file(path, kind=tarfile.DIRTYPE)]))


@pytest.mark.parametrize(("one", "other"), [("a", "A"), ("é", "e\u0301"), ("x", "x/y"), ("ß/a", "SS/b")])
def test_two_names_for_one_place_are_refused(one: str, other: str) -> None:
    assert refused(zipped({"SKILL.md": DOCUMENT, one: b"", other: b""}))
    assert refused(tarred([tar_file("SKILL.md", DOCUMENT), tar_file(one), tar_file(other)]))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_one_name_twice_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for content in (DOCUMENT, b"other"):
            archive.writestr("SKILL.md", content)
    assert "twice" in refused(buffer.getvalue())
    assert "twice" in refused(tarred([tar_file("SKILL.md", DOCUMENT), tar_file("./SKILL.md", b"other")]))
    assert "twice" in refused(tarred([tar_file("SKILL.md", kind=tarfile.DIRTYPE), tar_file("SKILL.md", b"other")]))


def test_links_and_devices_are_refused() -> None:
    for kind in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK):
        info = zipfile.ZipInfo("link")
        info.create_system, info.external_attr = 3, (kind | 0o777) << 16
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("SKILL.md", DOCUMENT)
            archive.writestr(info, "/etc/passwd")
        assert "a skill has only files" in refused(buffer.getvalue())
    for kind in (
        *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE),
        b"7",
        b"S",
        b"Z",
    ):
        for form in (tarfile.USTAR_FORMAT, tarfile.PAX_FORMAT):
            info, content = tar_file("thing", kind=kind)
            info.linkname = "/etc/passwd" * (20 if form == tarfile.PAX_FORMAT else 1)
            assert "a skill has only files" in refused(tarred([tar_file("SKILL.md", DOCUMENT), (info, content)], form))


def test_encrypted_members_are_refused() -> None:
    data = bytearray(zipped({"SKILL.md": DOCUMENT}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refused(bytes(data))


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressions_that_cannot_be_bounded_are_refused(how: int) -> None:
    assert "compressed in a way" in refused(zipped({"SKILL.md": bytes(1_000)}, how))


def test_a_name_with_a_nul_is_refused() -> None:
    data = zipped({"SKILL.md": DOCUMENT, "scripts/run#exe": b"x"}).replace(b"run#exe", b"run\0exe")
    assert "NUL" in refused(data)


def measured(data: bytes) -> str:
    tracemalloc.start()
    begun = time.process_time()
    try:
        said = refused(data)
        assert tracemalloc.get_traced_memory()[1] < 4 * DEFAULT.unpacked
        assert time.process_time() - begun < 3
    finally:
        tracemalloc.stop()
    return said


def test_a_bomb_goes_off_nowhere() -> None:
    zeros = bytes(60 * 1024 * 1024)
    assert "unpacks to too much" in measured(zipped({"SKILL.md": DOCUMENT, "bomb": zeros}))
    inside = tarred([tar_file("SKILL.md", DOCUMENT), tar_file("bomb", zeros)])
    assert "unpacks to too much" in measured(gzip.compress(inside, 9))
    many = {f"bomb{n}": bytes(1024 * 1024) for n in range(40)}
    assert "unpacks to too much" in measured(zipped({"SKILL.md": DOCUMENT, **many}))
    assert "unpacks to too much" in refused(zipped({"SKILL.md": os.urandom(DEFAULT.unpacked + 1)}, zipfile.ZIP_STORED))


def test_a_small_archive_that_swells_is_refused_long_before_the_limit() -> None:
    assert "100 for each of its own" in refused(zipped({"SKILL.md": DOCUMENT, "bomb": bytes(3 * 1024 * 1024)}))


def test_a_header_that_lies_about_its_size_is_refused() -> None:
    data = bytearray(zipped({"SKILL.md": DOCUMENT, "bomb": bytes(50 * 1024 * 1024)}))
    at = data.rindex(b"PK\x01\x02")
    struct.pack_into("<L", data, at + 24, 10)
    assert refused(bytes(data))
    struct.pack_into("<L", data, at + 24, 2**32 - 2)
    assert "too much" in measured(bytes(data))


def overlapping(count: int) -> bytes:
    """Many members that all mean the same compressed bytes."""
    raw = bytes(1024 * 1024)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(raw) + packer.flush()
    sizes = struct.pack("<LLL", zlib.crc32(raw), len(packed), len(raw))
    name = b"SKILL.md"
    local = b"PK\x03\x04" + struct.pack("<HHHHH", 20, 0, 8, 0, 33) + sizes + struct.pack("<HH", len(name), 0) + name
    central = b"".join(
        b"PK\x01\x02"
        + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 33)
        + sizes
        + struct.pack("<HHHHHLL", len(name), 0, 0, 0, 0, 0, 0)
        + name
        for _ in range(count)
    )
    start = len(local) + len(packed)
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, count % 65536, count % 65536, len(central), start, 0)
    return local + packed + central + end


def test_members_that_share_bytes_are_refused() -> None:
    assert "overlaps" in refused(overlapping(2))
    assert "overlaps" in measured(overlapping(900))
    assert unpack(overlapping(1)).package.document == bytes(1024 * 1024)


def test_more_members_than_a_skill_has_are_refused() -> None:
    many = {f"{n}": b"" for n in range(DEFAULT.members + 1)}
    assert "more than 1,000 members" in refused(zipped({"SKILL.md": DOCUMENT, **many}))
    assert "more than 1,000 members" in refused(tarred([tar_file(path) for path in many]))
    assert "more than 1,000 members" in measured(overlapping(300_000))


def test_an_archive_inside_an_archive_is_a_file_like_any_other() -> None:
    inner = zipped({"../x": b"x"})
    assert unpack(zipped({"SKILL.md": DOCUMENT, "a.zip": inner})).package.files["a.zip"] == inner


def test_a_tar_that_goes_backwards_ends() -> None:
    data = bytearray(tarred([tar_file("SKILL.md", DOCUMENT), tar_file("x", b"y")]))
    data[1024 + 124 : 1024 + 136] = b"\xff" * 12
    block = data[1024:1536]
    total = sum(block) - sum(block[148:156]) + 8 * 32
    data[1024 + 148 : 1024 + 156] = b"%06o\0 " % total
    assert "a number in a header is none" in refused(bytes(data))


def test_a_file_with_holes_is_refused() -> None:
    info, content = tar_file("x", b"1\n0\n0\n")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.realsize": "99999999999"}
    assert "no skill needs" in refused(tarred([tar_file("SKILL.md", DOCUMENT), (info, content)]))
    info, content = tar_file("x", b"y")
    info.pax_headers = {"size": "99999999999"}
    assert "no skill needs" in refused(tarred([tar_file("SKILL.md", DOCUMENT), (info, content)]))


# ---- torn and damaged -------------------------------------------------------------------------------------------


def whole() -> dict[str, bytes]:
    versions, objects = history(Package(files={"SKILL.md": b"x"}), SKILL)
    members = [tar_file("deploy/SKILL.md", DOCUMENT), tar_file(f"deploy/{'l' * 120}", SCRIPT)]
    return {
        "parcel": pack("deploy", versions, objects),
        "tar": tarred(members),
        "tar.gz": gzip.compress(tarred(members), mtime=0),
    }


@pytest.mark.parametrize("form", ["parcel", "tar", "tar.gz"])
def test_a_torn_archive_is_refused_wherever_it_was_torn(form: str) -> None:
    data = whole()[form]
    good = unpack(data)
    step = max(1, len(data) // 400)
    for cut in (*range(0, len(data) - 1, step), len(data) - 1):
        try:
            assert unpack(data[:cut]) == good
        except InputError:
            continue
        assert form == "tar"
        assert not data[cut:].strip(b"\0"), "only the padding at the end may be missing"


@given(st.sampled_from(["parcel", "tar", "tar.gz"]), st.data())
@settings(max_examples=100, deadline=None)
def test_a_damaged_archive_is_refused_or_still_adds_up(form: str, data: st.DataObject) -> None:
    broken = bytearray(whole()[form])
    for _ in range(data.draw(st.integers(1, 3))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    try:
        parcel = unpack(bytes(broken))
    except InputError:
        return
    for version in parcel.versions:
        assert all(sha256(parcel.objects[file.object]).hexdigest() == file.object for file in version.files)


@given(st.binary(max_size=2000), st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08"]))
@settings(max_examples=40, deadline=None)
def test_any_bytes_are_read_or_refused(data: bytes, start: bytes) -> None:
    for attempt in (start + data, start + data + b"PK\x05\x06" + bytes(18)):
        try:
            read_archive(attempt)
        except MetierError as error:
            assert isinstance(error, InputError)  # noqa: PT017 - no other kind


PATHS = st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3}){0,2}", fullmatch=True)


@st.composite
def packages(draw: st.DrawFn) -> Package:
    files = draw(st.dictionaries(PATHS, st.binary(max_size=40), max_size=4))
    files = {path: content for path, content in files.items() if not any(one.startswith(f"{path}/") for one in files)}
    executable = draw(st.sets(st.sampled_from(sorted(files)))) if files else set()
    return Package(files={**files, "SKILL.md": draw(st.binary(max_size=60))}, executable=frozenset(executable))


@given(st.lists(packages(), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_every_history_comes_back(states: list[Package]) -> None:
    versions, objects = history(*states)
    parcel = unpack(pack("deploy", versions, objects))
    assert parcel.package == states[-1]
    assert (parcel.versions, dict(parcel.objects)) == (tuple(versions), objects)
