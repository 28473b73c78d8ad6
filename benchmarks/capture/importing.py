"""`metier import` end to end: parse, redact, store, index. Limits: at least 3 MB/s on one core, 150 MB of memory.

python benchmarks/capture/importing.py [MEGABYTES]
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from parsing import claude_lines

SPEED, MEMORY = 3.0, 150.0
SHARED = Path(__file__).parents[3] / "shared" / "data" / "transcripts"


def run(folder: str, *words: str) -> tuple[dict[str, object], float, float, float]:
    """One command: its JSON, wall and CPU seconds, and the largest memory of it in MB."""
    command = [str(Path(sys.executable).with_name("metier")), *words, "--json"]
    child = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=sys.stdout);"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(used.ru_maxrss, used.ru_utime + used.ru_stime, file=sys.stderr); sys.exit(done.returncode)"
    )
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", child, *command], cwd=folder, capture_output=True, text=True, check=True
    )
    memory, cpu = done.stderr.split()[-2:]
    return json.loads(done.stdout), time.perf_counter() - began, float(cpu), float(memory) / 1024


def main() -> int:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    ok = True
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        file = Path(folder) / "big.jsonl"
        with file.open("wb") as out:
            out.writelines(claude_lines(megabytes, turns=True))
        size = file.stat().st_size / 2**20
        report, _, cpu, memory = run(folder, "import", "claude-code", str(file))
        speed = size / cpu
        ok &= speed >= SPEED and memory <= MEMORY
        print(
            f"{size:.0f} MB session, {report['runs']} runs: {speed:.1f} MB/s of CPU ({speed / SPEED:.1f}× the limit),"
        )
        print(f"  {memory:.0f} MB of memory ({memory / MEMORY:.2f} of the limit)")
        again, wall, cpu, _ = run(folder, "import", "claude-code", str(file))
        print(f"the same file again: {again['new']} new runs, {wall:.2f} s")
        if SHARED.is_dir():
            report, _, cpu, _ = run(folder, "import", "claude-code", str(SHARED / "claude-code"))
            size = sum(one.stat().st_size for one in (SHARED / "claude-code").rglob("*.jsonl")) / 2**20
            print(f"real sessions, {size:.1f} MB: {report['runs']} runs in {cpu:.2f} s of CPU with start-up")
    print(f"(this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB)")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
