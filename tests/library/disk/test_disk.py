from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from metier.errors import InputError
from metier.library.disk.packages import packages_in, read_package

if TYPE_CHECKING:
    from pathlib import Path

    from metier.workspace import Workspace

GOOD = b"---\nname: deploy\ndescription: Deploys the shop. Use when a release is ready.\n---\n\n# Deploy\n\nRun it.\n"


def skill(root: Path, name: str, document: bytes = GOOD) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_bytes(document)
    return folder


def test_a_folder_is_read_whole_with_its_executable_files(tmp_path: Path) -> None:
    folder = skill(tmp_path, "deploy")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "run.sh").write_bytes(b"#!/bin/sh\n")
    (folder / "scripts" / "run.sh").chmod(0o755)
    package = read_package(folder)
    assert sorted(package.files) == ["SKILL.md", "scripts/run.sh"]
    assert package.executable == {"scripts/run.sh"}
    assert package.name == "deploy"


def test_skills_are_found_in_a_folder_of_them_and_by_their_document(tmp_path: Path) -> None:
    first, second = skill(tmp_path / "root", "deploy"), skill(tmp_path / "root" / "more", "test")
    assert packages_in(tmp_path / "root") == [first, second]
    assert packages_in(first / "SKILL.md") == [first]
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="contains no skill"):
        packages_in(tmp_path / "none")
    with pytest.raises(InputError, match="neither a skill's folder"):
        packages_in(tmp_path / "missing")


def test_a_link_is_never_followed_out_of_a_package(tmp_path: Path) -> None:
    folder = skill(tmp_path, "deploy")
    (tmp_path / "secret").write_text("x")
    (folder / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(InputError, match="is a link"):
        read_package(folder)
    (folder / "link").unlink()
    (folder / "folder").symlink_to(tmp_path)
    with pytest.raises(InputError, match="is a link"):
        read_package(folder)


@pytest.mark.parametrize("path", [".git/hooks/post-checkout", "GIT~1/config", "exe\u202egpj.sh"])
def test_a_skill_with_a_path_that_could_do_harm_is_listed_with_its_problem_and_not_handed_out(
    path: str, ws: Workspace
) -> None:
    file = skill(ws.root / ".agents/skills", "deploy") / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("x")
    [found] = ws.record_hand_edits()
    assert "cannot be a path in a skill package" in found.problem
    assert not ws.select("deploy the shop, a release is ready", model=False)


def validate(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "metier", "skills", "validate", *words], capture_output=True, text=True, timeout=60
    )


def test_the_command_says_what_is_wrong_on_which_line(tmp_path: Path) -> None:
    skill(tmp_path, "deploy")
    assert validate(str(tmp_path)).returncode == 0
    assert validate(str(tmp_path), "--strict").returncode == 0
    skill(tmp_path, "broken", b"---\nname: other\ndescription: \n---\n")
    done = validate(str(tmp_path), "--json")
    assert done.returncode == 1
    broken, good = json.loads(done.stdout)
    assert (good["verdict"], good["name"]) == ("ok", "deploy")
    assert broken["verdict"] != "ok"
    assert any(finding["line"] == 3 for finding in broken["findings"])
    missing = validate(str(tmp_path / "nowhere"))
    assert (missing.returncode, len(missing.stderr.splitlines())) == (1, 1)
