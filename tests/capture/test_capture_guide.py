"""The template in the guide is a source that works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from capture_samples import dump, parse, reasons, runs

GUIDE = Path(__file__).parents[2] / "docs" / "capture.md"


def test_the_template_reads_its_log() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    scope: dict[str, Any] = {"__name__": __name__}
    exec(compile(code, "capture.md", "exec", dont_inherit=True), scope)
    log = [{"who": "user", "said": "hi", "at": "2026-01-01T00:00:00Z"}, {"who": "bot", "said": "hello"}]
    found = parse(scope["Chatter"](), dump(log) + b"{broken\n")
    (run,) = runs(found)
    assert (run.message, run.output, run.status, run.started) == ("hi", "hello", "completed", "2026-01-01T00:00:00Z")
    assert reasons(found) == ["not JSON: Expecting property name enclosed in double quotes at character 1"]
