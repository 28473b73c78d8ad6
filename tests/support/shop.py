"""A workspace of its own, and the command line in it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import forked

from metier.formats.run_json import dump_run

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence
    from pathlib import Path

    from metier.types import Run


class Shop:
    """A workspace, and the command line in it."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        folder.mkdir()
        self.environ = {"HOME": str(folder.parent / "home"), "PATH": os.environ["PATH"], "NO_COLOR": "1", **settings}

    def run(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return forked.metier(*words, cwd=self.folder, env=self.environ, given=given)

    def json(self, *words: str, code: int = 0) -> Any:
        done = self.run(*words, "--json")
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    def record(self, runs: Sequence[Run]) -> None:
        done = self.run("record", "-", given="\n".join(json.dumps(dump_run(one)) for one in runs))
        assert done.returncode == 0, done.stderr
