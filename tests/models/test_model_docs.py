"""What docs/models.md shows works."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "models.md"


def test_the_python_of_the_page_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(DOCS), "exec"), {"__name__": "docs_models"})


def test_the_page_names_every_provider_and_every_failure() -> None:
    from metier.models.failures import FAILURES
    from metier.models.spec import KNOWN

    text = DOCS.read_text(encoding="utf-8")
    assert [name for name in KNOWN if f"`{name}:" not in text] == []
    words = [re.sub(r"(?<!^)([A-Z])", r"_\1", one.__name__).lower() for one in FAILURES]
    assert [word for word in words if f"| `{word}` |" not in text] == []
