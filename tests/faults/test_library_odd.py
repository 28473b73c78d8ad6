"""What a look at the library from outside found broken; a test that is marked still fails, for the reason it names."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import library_worker
import pytest
from library_worker import NAMES, ROOT, change, live, opened, package, version_store_of
from sweep import METIER, Ended, adopt, clear_line, run

from metier.library.versions.apply import apply_changes

if TYPE_CHECKING:
    from pathlib import Path

PATCH = json.dumps({"reasoning": "a test", "edits": [{"op": "append", "content": "One line more."}]})


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A workspace with three skills that were looked at."""
    folder = tmp_path / "old"
    (folder / "home").mkdir(parents=True)
    library_worker.put(str(folder), "old", *NAMES)
    library_worker.look(str(folder))
    return folder


def _metier(folder: Path, *words: str, given: str = "") -> Ended:
    return run([METIER, "-w", str(folder), "skills", *words], given, HOME=str(folder / "home"))


def _actions(folder: Path, name: str) -> list[str]:
    return [one.action for one in version_store_of(folder).histories.history_of(ROOT, name).versions]


def test_an_edit_is_not_written_through_a_package_that_is_a_link(old: Path) -> None:
    canary = old / "canary"
    shutil.copytree(old / ROOT / "deploy", canary)
    (old / ROOT / "linked").symlink_to(canary)
    before = (canary / "SKILL.md").read_bytes()
    ended = _metier(old, "edit", str(old / ROOT / "linked" / "SKILL.md"), "--patch", "-", given=PATCH)
    assert (canary / "SKILL.md").read_bytes() == before
    assert ended.code == 1


def test_a_name_that_only_looks_like_a_skill_changes_nothing(old: Path) -> None:
    ended = _metier(old, "archive", "dеploy")  # its second letter is Cyrillic
    assert live(old, "deploy")
    assert ended.code == 1


def test_a_damaged_history_stands_in_no_other_skills_way(old: Path) -> None:
    store = version_store_of(old)
    last = store.histories.last(ROOT, "build")
    assert last
    for file in last.files:
        (store.objects.folder / file.object).write_bytes(b"damaged")
    for name in ("build", "test"):
        shutil.rmtree(old / ROOT / name)
    library_worker.look(str(old))
    assert _actions(old, "test") == ["apply", "hand-delete"]


def test_the_history_of_a_skill_that_cannot_be_read_can_be_shown(old: Path) -> None:
    (old / ROOT / "deploy" / "link").symlink_to("/etc/hostname")
    told = _metier(old, "history", "deploy", "--json")
    assert told.code == 0, told.err
    assert [row["hash"] for row in json.loads(told.out)] == [package("deploy", "old").hash()]


def test_a_skill_archived_by_a_process_that_died_is_listed_after_the_workspace_moved(old: Path) -> None:
    out = change(old, "deploy", package("deploy", "old"), live(old, "deploy"))
    version = replace(out.version, action="archive", status="archived")
    apply_changes(
        version_store_of(old), [replace(out, version=version)]
    )  # and no word to the database: it was killed there
    moved = adopt(old.rename(old.with_name("moved")))
    with opened(str(moved)) as ws:
        assert {one.name: one.status for one in ws.skills()}.get("deploy") == "archived"


def test_a_name_with_a_line_break_is_still_one_line(old: Path) -> None:
    clear_line(_metier(old, "archive", "--", "a\nb\x1b[31m"))


def test_a_private_file_is_private_still_after_archive_and_restore(old: Path) -> None:
    file = old / ROOT / "deploy" / "references" / "more.md"
    file.chmod(0o600)
    for verb in ("archive", "restore"):
        library_worker.do(str(old), verb, "deploy")
    assert file.stat().st_mode & 0o777 == 0o600
