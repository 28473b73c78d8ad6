"""CPU time of one question to Claude Code and to Codex as the model, against a model on loopback that answers at once.

python benchmarks/agents/agent_as_model.py        (needs the agents: python scripts/install_agents.py)
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(HERE / "tests/support"), str(HERE / "scripts")]

from agent_model import AgentModel, Step  # noqa: E402
from install_agents import cache_folder, programs  # noqa: E402

from metier.models.builder import build  # noqa: E402
from metier.models.model import Message, Reply, Request  # noqa: E402
from metier.models.spec import parse_spec  # noqa: E402
from metier.types.questions import NoModel  # noqa: E402

ROUNDS = 4
LIMIT = 1.5
"""Seconds of CPU a question."""
MODELS = ("claude-code:haiku", "codex:default", "codex:gpt-5-codex")


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(text: str, environ: dict[str, str], model: AgentModel) -> tuple[float, int]:
    """The median CPU seconds of a question, and the bytes of its request."""
    asked = build(parse_spec(text), environ)
    assert not isinstance(asked, NoModel), asked
    seconds: list[float] = []
    with asked:
        for number in range(ROUNDS):
            model.requests.clear()
            before = cpu()
            reply = asked.complete(Request(messages=(Message(text=f"question {number}"),), timeout=60))
            seconds.append(cpu() - before)
            assert isinstance(reply, Reply), reply
    return sorted(seconds)[ROUNDS // 2], len(json.dumps(model.requests[-1]))


def main() -> int:
    found = programs(cache_folder())
    if not found:
        print("SKIPPED: the agents are not installed: python scripts/install_agents.py")
        return 0
    ok = True
    with tempfile.TemporaryDirectory() as place, AgentModel({"question": [Step("ready")]}) as model:
        for name, path in found.items():
            Path(place, name).symlink_to(path)
        Path(place, ".codex").mkdir()
        server = f'name="s"\nbase_url="{model.url}/v1"\nwire_api="responses"\nenv_key="OPENAI_API_KEY"\n'
        Path(place, ".codex/config.toml").write_text(f'model_provider="s"\n[model_providers.s]\n{server}')
        environ = {"HOME": place, "PATH": f"{place}:{os.defpath}", "OPENAI_API_KEY": "none"}
        environ |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none"}
        for text in MODELS:
            seconds, size = measure(text, environ, model)
            ok &= seconds <= LIMIT
            print(f"{text}: {seconds:.2f} s CPU a question (limit {LIMIT}), {size:,} bytes of request")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
