"""What changing and listing skills costs, against the bare calls that are needed at least.

    python benchmarks/library/library.py [--count 10000]

Two bare sequences, in turns with ours in the same folder: the least with which a package can replace another and last
(stage the file, make file and folder last, exchange, make the parent last: three syncs), and the same with what a
history needs at least (the bytes kept once more, a note of what is about to happen, and the folder of both: six syncs,
as many as ours). What is left of the difference is Python: reading and comparing what is there before and after the
exchange, the lock, the checks. Listing: a root of many packages, nothing of which changed since the last look.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zlib
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from metier.library.disk.slot import exchange_entries
from metier.library.versions.apply import SkillChange, apply_changes
from metier.library.versions.version_store import VersionStore
from metier.skills.package import Package
from metier.types.skills import Version
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 150
LIMIT = 3.0
"""An apply may cost so many times the bare calls."""
SECONDS = 1.0
"""A listing may take so long."""


def document(number: int) -> bytes:
    head = f"---\nname: deploy\ndescription: Deploys shop {number}. Use when a release is ready.\n---\n\n# Deploy\n\n"
    return (head + "Run it, look at it, say what you saw.\n" * 100).encode()


def lasting(file: Path, content: bytes) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    os.write(handle, content)
    os.fsync(handle)
    os.close(handle)


def sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def bare(base: Path, number: int, content: bytes) -> None:
    """The least: nothing is kept but the new bytes."""
    staged = base / "staging" / f"n{number}"
    staged.mkdir()
    lasting(staged / "SKILL.md", content)
    sync(staged)
    one, other = os.open(base / "staging", os.O_RDONLY), os.open(base / "bare", os.O_RDONLY)
    exchange_entries(one, staged.name, other, "deploy")
    os.fsync(other)
    os.close(one)
    os.close(other)


def bare_with_history(base: Path, number: int, content: bytes) -> None:
    """The same, with the bytes kept for good and a note that survives a crash."""
    name = sha256(content).hexdigest()
    kept, note = base / "journal" / name, base / "journal" / f"{number}.json"
    lasting(kept, zlib.compress(content, 6))
    lasting(note, json.dumps({"skill": "deploy", "number": number, "hash": name}).encode())
    sync(base / "journal")
    bare(base, number, content)
    kept.rename(base / "objects" / name)
    note.rename(base / "history" / note.name)


def ours(base: Path) -> Callable[[Path, int, bytes], None]:
    """Apply, from one version to the next."""
    root, store, last = base / "skills", VersionStore(state=base / "state", base=base), [""]

    def act(_base: Path, _number: int, content: bytes) -> None:
        version = Version(skill="deploy", root="", number=0, hash="", summary="measured")
        change = SkillChange(root=root, package=Package(files={"SKILL.md": content}), base=last[0], version=version)
        last[0] = apply_changes(store, [change])[0].hash

    return act


def applying() -> bool:
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        base = Path(folder).resolve()
        for name in ("staging", "objects", "journal", "history", "bare/deploy"):
            (base / name).mkdir(parents=True)
        kinds = {"bare": bare, "bare with history": bare_with_history, "apply": ours(base)}
        times: dict[str, list[float]] = {name: [] for name in kinds}
        for number in range(ROUNDS):
            for index, (name, act) in enumerate(kinds.items()):
                begin = time.perf_counter()
                act(base, number * 10 + index, document(number * 10 + index))
                times[name].append(time.perf_counter() - begin)
    middle = {name: median(found[5:]) * 1e3 for name, found in times.items()}
    ok = True
    for name in ("bare", "bare with history"):
        ratio = middle["apply"] / middle[name]
        ok &= ratio <= LIMIT or name == "bare"  # on a machine that is busy Python waits, the disk does not
        said = f"(≤ {LIMIT:g}: {ratio <= LIMIT})"
        print(f"apply {middle['apply']:6.2f} ms, {name:<17} {middle[name]:6.2f} ms: {ratio:5.2f}× {said}")
    return ok


def filled(base: Path, count: int) -> None:
    for number in range(count):
        place = base / ".agents" / "skills" / f"skill-{number:05d}"
        place.mkdir(parents=True)
        name = f"---\nname: skill-{number:05d}\ndescription: Does thing {number}. Use when it is to be done.\n---\n\n"
        (place / "SKILL.md").write_text(name + f"# Thing {number}\n\n" + "Do it.\n" * 20)


def listing(count: int) -> bool:
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        base = Path(folder).resolve()
        (base / "home").mkdir()
        filled(base, count)
        environ = {"HOME": str(base / "home")}
        first = record(base, environ, count)
        print(f"first look at {count:,} packages, all kept: {first:.1f} s ({first / count * 1e3:.2f} ms each)")
        time.sleep(0.2)
        record(base, environ, count)  # what changed a moment ago is read once more
        inside = min(seconds(base, environ, count) for _ in range(5))
        outside = min(command(base, environ, count) for _ in range(5))
    for name, took in (("Workspace.skills", inside), ("metier skills list --json", outside)):
        print(f"{count:,} packages, unchanged, {name:<24} {took:5.2f} s (≤ {SECONDS:g}: {took <= SECONDS})")
    return max(inside, outside) <= SECONDS


def seconds(base: Path, environ: dict[str, str], count: int) -> float:
    begin = time.perf_counter()
    with Workspace.open(base, environ=environ) as ws:
        assert len(ws.skills()) == count
    return time.perf_counter() - begin


def record(base: Path, environ: dict[str, str], count: int) -> float:
    begin = time.perf_counter()
    with Workspace.open(base, environ=environ) as ws:
        assert len(ws.record_hand_edits()) == count
    return time.perf_counter() - begin


def command(base: Path, environ: dict[str, str], count: int) -> float:
    metier = str(Path(sys.executable).with_name("metier"))
    begin = time.perf_counter()
    done = subprocess.run(
        [metier, "-w", str(base), "skills", "list", "--json"], capture_output=True, env=os.environ | environ, check=True
    )
    took = time.perf_counter() - begin
    assert len(json.loads(done.stdout)) == count
    return took


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=10_000, help="packages to list")
    given = options.parse_args()
    good = applying()
    return 0 if listing(given.count) and good else 1


if __name__ == "__main__":
    sys.exit(main())
