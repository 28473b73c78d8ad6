"""A machine that records runs and notes what was acknowledged, until a file says that it is enough.

python partition_writer.py FOLDER NAME NOTES
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from metier.errors import MetierError
from metier.types import Run
from metier.workspace import Workspace


def main(folder: str, name: str, notes: str) -> None:
    number = 0
    with Workspace.open(folder) as ws, open(notes, "a", encoding="utf-8", buffering=1) as file:
        while not Path(f"{notes}.enough").exists():
            run = Run(message=f"{name}-{number}", external_id=f"{name}-{number}", session=name)
            try:
                how = ws.finish(run).how
            except MetierError:
                how = "refused"
            if how in ("new", "duplicate"):
                file.write(f"{run.external_id}\n")
                number += 1
            else:
                time.sleep(0.2)


if __name__ == "__main__":
    main(*sys.argv[1:])
