"""Learn a skill from runs that keep succeeding: offline, without a model, and with its undo.

python examples/learn_a_skill.py
"""

from __future__ import annotations

import metier

RUNS = [
    metier.Run(
        message=f"bump the dependency {name} to its newest version and fix what breaks",
        output=f"{name} is at its newest version; all tests pass.",
        status="completed",
        external_id=f"learn-{name}",
        session=name,
        tools=(
            metier.ToolCall(name="Bash", input=f"uv add {name}", output="Resolved 96 packages"),
            metier.ToolCall(name="Bash", input="pytest -q", output="424 passed"),
        ),
    )
    for name in ("httpx", "pydantic", "rich", "stripe")
]


def main() -> None:
    """Record the runs, learn from them, ship what passed review, and look at it."""
    with metier.open(".") as ws:
        ws.deliver(RUNS)
        for event in ws.learn(apply=True):
            print(event)
        for pattern in ws.patterns("ready"):
            print(f"{pattern.label}: {pattern.successes} runs, {pattern.success_ratio:.0%} of them went well")
        for skill in ws.skills():
            print(f"{skill.name} v{skill.version} ({skill.status}); undo: metier skills archive {skill.name}")


if __name__ == "__main__":
    main()
