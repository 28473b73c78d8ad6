"""A second opinion on skills under review: it may add findings, never take one away.

In ~/.config/metier/metier.toml:  second_opinions = ["python examples/second_opinion.py"]
It is given the skill's folder and prints a list of findings; 20 s, 512 MiB, none of your environment.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

FORBIDDEN = re.compile(r"\b(prod-db-1|customers\.csv)\b")
"""What no skill of ours may ever name."""


def findings(folder: Path) -> list[dict[str, object]]:
    """One finding for each line that names what it may not."""
    return [
        {
            "rule": "house-names",
            "severity": "high",
            "file": file.relative_to(folder).as_posix(),
            "line": number,
            "reason": f"It names {found[0]}, which no skill may touch.",
        }
        for file in sorted(folder.rglob("*.md"))
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if (found := FORBIDDEN.search(line))
    ]


if __name__ == "__main__":
    print(json.dumps(findings(Path(sys.argv[-1])) if len(sys.argv) > 1 else []))
