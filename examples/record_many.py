"""Record many finished runs at once; delivering them again changes nothing.

python examples/record_many.py
"""

from __future__ import annotations

from collections import Counter

import metier

RUNS = [
    metier.Run(
        message=f"Bump the dependency {name} and fix what breaks",
        output=f"{name} is at its newest version; all tests pass.",
        status="completed",
        external_id=f"bump-{name}",
        session="monday",
        agent="my-agent",
        tools=(metier.ToolCall(name="Bash", input=f"uv add {name}", output="Resolved 96 packages"),),
        skills=metier.SkillTrace(path=("dependency-bump",)),
        tokens=metier.Tokens(input=1200, output=340),
    )
    for name in ("httpx", "pydantic", "rich")
]


def main() -> None:
    """Deliver the runs twice and count what became of them."""
    with metier.open(".") as ws:
        for attempt in ("first time", "again"):
            hows = Counter(delivery.how for delivery in ws.deliver(RUNS))
            print(f"{attempt}: {dict(hows)}")


if __name__ == "__main__":
    main()
