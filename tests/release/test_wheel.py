"""What is released: wheel and sdist, and the first hour from the wheel alone, on every Python that is there."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from newcomer import Newcomer, plain_environment

import metier

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
SECONDS = 600
VERSIONS = ("3.11", "3.12", "3.13")
UV = [sys.executable, "-m", "uv"]


def done(*words: object, **more: Any) -> subprocess.CompletedProcess[str]:
    found = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=SECONDS, **more)
    assert found.returncode == 0, found.stderr
    return found


def python_of(version: str) -> str:
    """A Python of a version that starts; empty: there is none on this machine."""
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)  # tests have a home of their own
    others = sorted((home / ".pyenv" / "versions").glob(f"{version}*/bin/python"))
    for one in (shutil.which(f"python{version}"), *map(str, others)):
        if one and not subprocess.run([one, "-c", ""], capture_output=True, timeout=SECONDS).returncode:
            return one
    return ""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    done(*UV, "build", "--quiet", "--out-dir", folder, cwd=ROOT)
    return folder


def test_the_sdist_holds_what_the_wheel_is_built_from_and_nothing_private(built: Path) -> None:
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as sdist:
        names = [name.partition("/")[2] for name in sdist.getnames()]
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "src/metier/__init__.py"} <= set(names)
    assert [name for name in names if name.startswith((".venv", ".metier", "site/", "tests/"))] == []


def test_the_wheel_holds_every_file_of_the_package(built: Path) -> None:
    (file,) = built.glob("*.whl")
    assert file.name == f"metier-{metier.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(file) as wheel:
        shipped = {name for name in wheel.namelist() if name.startswith("metier/")}
    there = {
        str(one.relative_to(ROOT / "src"))
        for one in (ROOT / "src/metier").rglob("*")
        if one.is_file() and "__pycache__" not in one.parts
    }
    assert shipped == there


@pytest.mark.parametrize("version", VERSIONS)
def test_the_first_hour_from_the_wheel_alone(built: Path, version: str, tmp_path: Path) -> None:
    python = python_of(version)
    if not python:
        pytest.skip(f"there is no Python {version} on this machine")
    place = tmp_path / "venv"
    (wheel,) = built.glob("*.whl")
    done(*UV, "venv", "--quiet", "--python", python, place)
    done(*UV, "pip", "install", "--quiet", "--python", place / "bin/python", wheel)
    program = str(place / "bin" / "metier")
    environ = plain_environment(tmp_path)
    assert done(program, "--version", env=environ).stdout.strip() == f"metier {metier.__version__}"

    def run(words: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program, *words[1:]], capture_output=True, text=True, timeout=SECONDS, **more)

    folder = tmp_path / "shop"
    folder.mkdir()
    Newcomer(run, str(place / "bin" / "python"), folder, environ).walk([program])
