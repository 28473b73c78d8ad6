"""CPU time over bare Python of `import metier`, the spool hook, the MCP server until it is ready, and a CLI command.

The peer is bare Python, the limits are in `LIMITS`.

python benchmarks/agents/startup.py
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 15
LIMITS = {"import metier": 60, "spool a run": 25, "spool a reference": 25, "MCP initialize": 150}

INITIALIZE = '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}\n'


def cpu_ms(command: list[str], stdin: str = "", folder: str = ".", rounds: int = ROUNDS) -> float:
    """The least CPU time of several calls, in milliseconds: the rest is the machine's noise."""
    best = float("inf")
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, input=stdin.encode(), cwd=folder, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best * 1000


def main() -> int:
    for name in ("METIER_HOME", "XDG_STATE_HOME"):
        os.environ.pop(name, None)
    python = sys.executable
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = home
        metier = str(Path(python).with_name("metier"))
        subprocess.run([metier, "init", "--no-connect"], cwd=folder, check=True, capture_output=True)
        transcript = Path(folder) / "session.jsonl"
        transcript.write_text('{"type": "user"}\n')
        run = json.dumps({"message": "fix it, the password is hunter2-Xy7", "cwd": folder, "output": "done " * 50})
        reference = json.dumps({"session_id": "s", "transcript_path": str(transcript), "cwd": folder})
        bare = cpu_ms([python, "-c", "pass"])
        spool = [python, "-m", "metier.hooks.record"]
        found = {
            "import metier": cpu_ms([python, "-c", "import metier"]) - bare,
            "spool a run": cpu_ms(spool, run, folder) - bare,
            "spool a reference": cpu_ms(spool, reference, folder) - bare,
            "MCP initialize": cpu_ms([python, "-I", "-m", "metier", "mcp"], INITIALIZE, folder) - bare,
            "metier runs list": cpu_ms([metier, "runs", "list", "--json"], "", folder) - bare,
        }
    print(f"bare python: {bare:.0f} ms CPU")
    ok = True
    for name, cost in found.items():
        limit = LIMITS.get(name)
        ok &= limit is None or cost <= limit
        print(f"{name}: {cost:.0f} ms CPU over it" + (f" (limit {limit}: {cost / limit:.2f} of it)" if limit else ""))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
