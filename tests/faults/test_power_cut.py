"""A power cut: what was acknowledged before the disk's content was copied is there when the copy is mounted."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from sweep import adopt, environ_of, names, need_root, spool, worker
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow
ROUNDS = 8
SIZE = "96M"


def _call(*words: object) -> str:
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True, timeout=60).stdout.strip()


@contextmanager
def _device(image: Path) -> Iterator[str]:
    """A block device on an image file; direct, so that the file holds what the device was told to write."""
    try:
        device = _call("losetup", "--find", "--show", "--direct-io=on", image)
    except subprocess.CalledProcessError:
        pytest.skip("no loop device with direct I/O can be had here")
    try:
        yield device
    finally:
        _call("losetup", "--detach", device)


@contextmanager
def _mounted(image: Path, folder: Path) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    with _device(image) as device:
        _call("mount", device, folder)
        try:
            yield folder
        finally:
            _call("umount", folder)


def _copied(image: Path, copy: Path) -> Path:
    """The disk at one instant: copied until two copies in a row are the same."""
    before = ""
    for _ in range(20):
        _call("cp", "--sparse=always", image, copy)
        with copy.open("rb") as file:
            now = hashlib.file_digest(file, "sha256").hexdigest()
        if now == before:
            return copy
        before = now
    pytest.fail("the disk never stood still")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """An image file and where it is mounted."""
    need_root()
    if not (shutil.which("mkfs.ext4") and shutil.which("losetup")):
        pytest.skip("mkfs.ext4 or losetup is not installed")
    image = tmp_path / "disk.img"
    _call("truncate", "--size", SIZE, image)
    _call("mkfs.ext4", "-q", "-F", image)
    with _mounted(image, tmp_path / "disk") as folder:
        (folder / "ws").mkdir()
        yield image, folder / "ws"


def test_what_was_acknowledged_before_a_power_cut_is_there_after_it(disk: tuple[Path, Path], tmp_path: Path) -> None:
    image, folder = disk
    chance = random.Random(5)
    acks = tmp_path / "acks"
    with acks.open("wb") as out:
        writer = subprocess.Popen(worker("record", folder, "run"), stdout=out, env=environ_of(folder))
    try:
        hooks: set[str] = set()
        synced: list[bool] = []
        until(lambda: acks.stat().st_size, "the first run")
        for number in range(ROUNDS):
            time.sleep(chance.uniform(0.3, 1.5))
            assert spool(folder, {"id": f"hook-{number}", "message": "from a hook"}).code == 0
            hooks.add(f"hook-{number}")
            (folder.parent / f"control{number}").write_text("never synced")
            acknowledged = set(acks.read_text().split()) | hooks
            os.kill(writer.pid, signal.SIGSTOP)
            copy = _copied(image, tmp_path / "copy.img")
            os.kill(writer.pid, signal.SIGCONT)
            with _mounted(copy, tmp_path / "copy") as again:
                control = again / f"control{number}"
                synced.append(control.exists() and control.read_text() == "never synced")
                assert len(acknowledged) > number
                assert acknowledged <= names(adopt(again / "ws"))  # it lies at another place now
        assert not all(synced), "the copies show what was never written: they prove nothing"
    finally:
        writer.kill()
        writer.wait(60)
