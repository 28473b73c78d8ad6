"""What a person is told to type next works where they are: installed, from a clone, or by `uvx`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

from metier.cli import program

if TYPE_CHECKING:
    import pytest


def test_an_environment_of_uvx_is_told_from_others() -> None:
    assert program.is_uvx("/home/ada/.cache/uv/archive-v0/Ng7nejWHU74P")
    assert not program.is_uvx("/home/ada/shop/.venv")
    assert program.install_words() == ""


def test_where_the_command_is_on_the_path_its_name_is_enough_and_else_its_file_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    assert program.program_words() == "metier"
    monkeypatch.setenv("PATH", "/nonexistent")
    assert program.program_words() == str(Path(sys.argv[0]).absolute())


def test_in_an_environment_of_uvx_the_next_command_is_one_of_uvx(tmp_path: Path) -> None:
    made = tmp_path / "archive-v0" / "env"
    venv.create(made, symlinks=True)
    environ = {"PATH": f"{made / 'bin'}:/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [str(made / "bin" / "python"), "-m", "metier", "checkup", str(tmp_path)]
    done = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert re.search(r"uvx --from \S+ metier demo", done.stderr)
