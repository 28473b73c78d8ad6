"""Train a skill's text behind a gate of held-out cases: offline, with an agent and a model that are functions.

python examples/train_a_skill.py
"""

from __future__ import annotations

from pathlib import Path

import metier
from metier.models import Scripted, on, says
from metier.training import Case

SKILL = "---\nname: units\ndescription: Answers with numbers. Use when a length is asked.\n---\n\nAnswer briefly.\n"
CASES = [Case(id=f"c{n}", input=f"{n} metres in cm?", expected=f"{100 * n} cm") for n in range(120)]


def my_agent(case: Case, skill: str) -> str:
    """Stands for your agent: it forgets the unit unless the skill reminds it."""
    return case.expected if "behind the number" in skill or case.id.endswith("7") else case.expected.removesuffix(" cm")


def main() -> None:
    """Train, look at what was found, and say how to ship it."""
    folder = Path(".agents/skills/units")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    rule = says({"edits": [{"op": "append", "content": "Write the unit behind the number."}], "reasoning": "it lacks"})
    model = Scripted(on(lambda request: request.stage in ("reflect", "merge"), rule))
    with metier.open(".") as ws:
        for event in ws.train("units", cases=CASES, target=my_agent, optimiser=model):
            if event.kind in ("decided", "confirmed"):
                print(event.line())
        before = ws.evaluate("units", "none", cases=CASES, target=my_agent).confirmation.receipt.gain
        print(f"The skill of today gains {before:+.2f} over none. See the new one: metier drafts list")


if __name__ == "__main__":
    main()
