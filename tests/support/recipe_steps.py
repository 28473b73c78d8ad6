"""Run in a copy of the package: use every part that the recipes of docs/extend.md added, and print the results."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from loopback import Loopback, answers
from training_toys import Rules, run

from metier.cli.app import app
from metier.models import Message, Request, build, parse_spec
from metier.training import spec_of
from metier.workspace import Workspace

SKILL = "---\nname: letters\ndescription: Writes letters. Use to write to people.\n---\n\n# Letters\n\nBe kind.\n"


def metier(*words: str) -> Any:
    """What a command prints as JSON."""
    said = io.StringIO()
    with redirect_stdout(said):
        app([*words, "--json"], standalone_mode=False)
    return json.loads(said.getvalue())


def scores() -> Any:
    """Two cases, scored by the new scorer on answers of the new target."""
    Workspace.open(".").close()
    Path("answers").mkdir()
    for name, answer in (("letter", "Dear Ada, …"), ("note", "Hi!")):
        Path(f"answers/{name}.txt").write_text(answer, encoding="utf-8")
    scorer = {"kind": "starts-with", "text": "Dear"}
    cases = [{"id": name, "input": "Write to Ada.", "scorer": scorer} for name in ("letter", "note")]
    Path("cases.jsonl").write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    skill = Path(".agents/skills/letters/SKILL.md")
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL, encoding="utf-8")
    words = ("letters", "--cases", "cases.jsonl", "--target", "answers=answers", "--against", "none")
    return metier("eval", *words)


def reply() -> dict[str, str]:
    """What a server answers over the new provider's own protocol."""
    with Loopback(answers({"choices": [{"text": "42"}], "model": "tiny"})) as server:
        model = build(parse_spec(f"acme:tiny@{server.url}"), {})
        text = getattr(model.complete(Request(messages=(Message(text="6 x 7 ="),))), "text", "")
        return {"path": server.seen[0].path, "text": text}


def reasons() -> list[str]:
    """Why the new gate accepted and rejected, in a whole training."""
    ran = run(spec_of("classic", gate="cautious", epochs=1), world=Rules())
    return [event.reason for event in ran.events if event.kind == "decided"]


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"scores": scores(), "runs": metier("count"), "reply": reply(), "reasons": reasons()}))
