"""What the doctor says of a store that cannot be written: that it cannot be written, not that it is damaged."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell, bumps
from states import state_of

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    """A workspace whose owner, who is not root, may not write its state folder; root may write everywhere."""
    with tempfile.TemporaryDirectory(prefix="home") as folder:
        home, is_root = Path(folder), os.geteuid() == 0
        monkeypatch.setenv("HOME", folder)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
        (home / "shop").mkdir()
        shell = Shell(home / "shop", monkeypatch, capsys)
        shell.deliver([])
        shell.json("doctor")  # everything is imported now: somebody else may not read this Python
        shell.deliver(bumps())  # whoever writes last folds the log away
        state = state_of(home / "shop")
        state.chmod(0o500)
        if is_root:
            for one in (home, *home.rglob("*")):
                os.chown(one, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, 0)
        try:
            yield shell
        finally:
            if is_root:
                os.setresuid(0, 0, 0)
            state.chmod(0o700)


def test_a_store_without_the_right_to_write_is_not_called_damaged(shop: Shell) -> None:
    found = shop.json("doctor", code=1)
    problems = [one for one in found if one["state"] == "problem"]
    assert [(one["name"], "chmod u+w" in one["fix"]) for one in problems] == [("permissions", True)]
    assert [one["text"].partition(",")[0] for one in found if one["name"] == "store"] == [f"{len(bumps())} runs"]


def test_on_a_disk_that_is_read_only_the_doctor_does_not_speak_of_permissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(tmp_path, monkeypatch, capsys)
    shell.deliver(bumps())
    state = state_of(tmp_path)
    try:
        for command in (["mount", "--bind", str(state), str(state)], ["mount", "-o", "remount,bind,ro", str(state)]):
            if subprocess.run(command, check=False, capture_output=True, timeout=60).returncode:
                pytest.skip("needs the right to mount")
        found = shell.json("doctor", code=1)
    finally:
        subprocess.run(["umount", str(state)], check=False, capture_output=True, timeout=60)
    ((name, text, fix),) = [(one["name"], one["text"], one["fix"]) for one in found if one["state"] == "problem"]
    assert (name, "read-only" in text, "chmod" in fix) == ("disk", True, False)
