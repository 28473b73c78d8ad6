"""Record one run of your own agent in the workspace of the current folder, while it happens.

python examples/record_a_run.py
"""

from __future__ import annotations

import subprocess
import sys

import metier


def python_version() -> str:
    """The one tool of a very small agent."""
    return subprocess.run([sys.executable, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Ask the agent something; the run is kept even if the block raises."""
    with metier.open(".") as ws:
        with ws.record("which Python is this?", session="example", agent="tiny-agent") as run:
            version = python_version()
            run.tool("Bash", input="python --version", output=version)
            run.answer(f"This machine runs {version}.")
            run.outcome("Python" in version, by="verifier", reason="the answer names a Python")
        if run.delivery is not None:
            print(f"{run.delivery.how}: run {run.delivery.id[:8]}")
        for record in ws.search("which Python"):
            print(record.id[:8], record.summary, record.success)


if __name__ == "__main__":
    main()
