"""A package is one value with one hash, and no package holds a path that could do harm."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.errors import InputError
from metier.skills import package as package_module
from metier.skills.names import MAX_ENTRIES, check_paths
from metier.skills.package import MAX_FILE_BYTES, Package

DOCUMENT = b"---\nname: pdf\ndescription: Fills forms.\n---\n# PDF\n"
good_paths = st.from_regex(r"[a-z]{1,6}(/[a-z]{1,6}){0,3}\.md", fullmatch=True)


def test_the_hash_is_made_of_path_bit_length_and_bytes_in_order() -> None:
    package = Package(files={"scripts/a.py": b"run", "SKILL.md": DOCUMENT}, executable=frozenset({"scripts/a.py"}))
    expected = b"SKILL.md\x000\x00%d\x00%sscripts/a.py\x001\x003\x00run" % (len(DOCUMENT), DOCUMENT)
    assert package.hash() == sha256(expected).hexdigest()


def test_paths_are_sorted_by_their_bytes() -> None:
    high, low = "\U0001f980.md", "\uff5e.md"
    expected = b"".join(b"%s\x000\x000\x00" % path.encode() for path in (low, high))
    assert Package(files={high: b"", low: b""}).hash() == sha256(expected).hexdigest()


@settings(deadline=None)
@given(st.dictionaries(good_paths, st.binary(max_size=20), max_size=5))
def test_the_hash_tells_every_byte_and_bit_but_not_the_order(files: dict[str, bytes]) -> None:
    package = Package(files=files)
    assert package.hash() == Package(files=dict(reversed(files.items()))).hash()
    for path, content in files.items():
        assert package.with_files({path: content + b"x"}).hash() != package.hash()
        assert package.without_files([path]).hash() != package.hash()
        assert Package(files=files, executable=frozenset({path})).hash() != package.hash()


def test_a_package_says_its_name_description_and_body() -> None:
    package = Package(files={"SKILL.md": DOCUMENT})
    assert (package.name, package.description, package.body) == ("pdf", "Fills forms.", b"# PDF\n")


@pytest.mark.parametrize("name", ["SKILL.md", "Skill.md", "skill.md"])
def test_the_document_may_be_written_in_three_ways(name: str) -> None:
    package = Package(files={name: DOCUMENT, "sub/SKILL.md": b""})
    assert package.skill_file == name
    assert package.resolve("SKILL.md") == name
    assert package.resolve("sub/SKILL.md") == "sub/SKILL.md"
    assert package.resolve("nowhere.md") is None


def test_a_package_without_a_document_still_is_a_package() -> None:
    package = Package(files={"notes.md": b"x"})
    assert package.skill_file is None
    assert (package.name, package.description, package.body) == ("", "", b"")


def test_what_was_handed_in_can_change_without_changing_the_package() -> None:
    files = {"SKILL.md": DOCUMENT}
    package = Package(files=files)
    files["SKILL.md"] = b""
    assert package.document == DOCUMENT


HOSTILE = {
    "": "empty",
    "/etc/passwd": "absolute",
    "C:/x": "absolute",
    "../x": "'..'",
    "a/../x": "'..'",
    "a//b": "empty",
    "a/": "empty",
    "./a": "'.'",
    "a\\b": "backslash",
    "a\0b": "control",
    "a\nb": "control",
    "a/" * 64 + "a": "levels",
    "x" * 256: "too long",
    ("y" * 200 + "/") * 6 + "y": "too long",
    "\udcff": "UTF-8",
    ".git/hooks/post-checkout": "git",
    "a/.GIT/config": "git",
    "a/.git": "git",
    ".git /config": "git",
    ".git. ./config": "git",
    ".git::$INDEX_ALLOCATION/config": "git",
    "GIT~1/config": "git",
    ".g\u200cit/config": "git",
    "exe\u202egpj.sh": "shown",
    "a\u2066b\u2069": "shown",
    "a\x9bb": "control",
    "a\u2028b": "shown",
    "a\U000e0041": "shown",
}


@pytest.mark.parametrize(("path", "why"), HOSTILE.items())
def test_a_hostile_path_is_refused_and_told_why(path: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        Package(files={"SKILL.md": DOCUMENT, path: b"x"})


FINE = [".gitignore", ".github/x.yml", "git/hooks/x", "x.git/a", "digit~1", "نامه\u200cها.md", "🧑\u200d🚀.md"]


@pytest.mark.parametrize("path", FINE)
def test_a_path_that_only_looks_a_little_like_it_is_fine(path: str) -> None:
    assert Package(files={path: b"x"}).files == {path: b"x"}


@pytest.mark.parametrize(
    "paths",
    [("SKILL.md", "skill.md"), ("a/x", "A/y"), ("caf\u00e9", "cafe\u0301"), ("\u017f", "s"), ("a", "a/b")],
)
def test_two_paths_that_are_one_on_some_disk_are_refused(paths: tuple[str, str]) -> None:
    with pytest.raises(InputError):
        check_paths(paths)


def test_folders_count_as_entries() -> None:
    check_paths(f"f{number}" for number in range(MAX_ENTRIES))
    with pytest.raises(InputError, match="10,000"):
        check_paths(f"d{number}/f" for number in range(MAX_ENTRIES // 2 + 1))


def test_more_bytes_than_allowed_are_refused() -> None:
    large = b"x" * MAX_FILE_BYTES
    Package(files={"a": large})
    with pytest.raises(InputError, match="a file may have"):
        Package(files={"a": large + b"x"})
    with pytest.raises(InputError, match=f"{package_module.MAX_BYTES:,}"):
        Package(files=dict.fromkeys(("a", "b", "c", "d", "e"), large))


def test_only_a_file_of_the_package_can_be_executable() -> None:
    with pytest.raises(InputError, match="executable"):
        Package(files={"SKILL.md": DOCUMENT}, executable=frozenset({"x"}))
    package = Package(files={"SKILL.md": DOCUMENT, "x": b""}, executable=frozenset({"x"}))
    assert package.without_files(["x"]).executable == frozenset()
