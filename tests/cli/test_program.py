"""What a person is told to type next works where they are: installed, from a clone, or by `uvx`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import forked
import pytest

from metier.cli import program


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


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("uvx"), reason="needs uvx")
def test_under_uvx_the_next_command_is_one_of_uvx(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    done = forked.run(
        ["uvx", "--from", str(root), "metier", "checkup", str(tmp_path)],
        env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    assert f"uvx --from {root} metier demo" in done.stderr
