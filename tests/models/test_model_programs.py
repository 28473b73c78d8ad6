"""A coding agent as the model: here a small program of that name, in `tests/agents` the real ones."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from allowing import allow

from metier.config import load
from metier.context.models.access import asker_of
from metier.errors import ConfigError
from metier.models.builder import build
from metier.models.check import check_models
from metier.models.failures import FAILURES, Malformed, RateLimited, Refused, TimedOut, Unreachable
from metier.models.layers.stack import Calls, Layers, build_stack
from metier.models.ledger import UNPRICED_CALLS, Amount, Limits, MemoryLedger
from metier.models.model import Message, Reply, Request, Texts
from metier.models.price import price_of
from metier.models.programs.agent_program import AgentProgram
from metier.models.programs.codex import BARE, models_file
from metier.models.spec import ModelOptions, parse_spec
from metier.processes import MARK
from metier.types import Tokens
from metier.types.questions import NoModel, Question
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

ANSWER = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "ready",
    "stop_reason": "end_turn",
    "total_cost_usd": 0.0123,
    "usage": {"input_tokens": 400, "output_tokens": 9, "cache_read_input_tokens": 50},
    "modelUsage": {"claude-haiku-9": {}},
}
EVENTS = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "ready"}},
    {"type": "turn.completed", "usage": {"input_tokens": 900, "cached_input_tokens": 100, "output_tokens": 9}},
]
PROGRAM = """#!{python} -I
import json, os, sys, time
place = {place!r}
seen = {{"words": sys.argv[1:], "environ": dict(os.environ), "cwd": os.getcwd(), "there": os.listdir("."),
        "said": sys.stdin.read()}}
for at, word in enumerate(sys.argv):
    if word == "--system-prompt-file":
        seen["system"] = open(sys.argv[at + 1]).read()
with open(place + "/seen.jsonl", "a") as file:
    file.write(json.dumps(seen) + "\\n")
{acts}
"""


def wrong(said: str, status: int | None) -> dict[str, object]:
    return ANSWER | {"is_error": True, "result": said, "api_error_status": status}


@dataclass
class Programs:
    """Small programs called like agents, and what they saw."""

    place: Path

    def write(self, name: str, acts: str) -> None:
        file = self.place / name
        file.write_text(PROGRAM.format(python=sys.executable, place=str(self.place), acts=acts))
        file.chmod(0o755)

    def prints(self, name: str, *objects: object, code: int = 0) -> None:
        lines = "\n".join(json.dumps(one) for one in objects)
        self.write(name, f"print({lines!r}); sys.exit({code})")

    def seen(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in (self.place / "seen.jsonl").read_text().splitlines()]

    def environ(self) -> dict[str, str]:
        return {"PATH": f"{self.place}:/usr/bin:/bin", "HOME": str(self.place), "CLAUDECODE": "1", "LANG": "C.UTF-8"}

    def model(self, text: str) -> AgentProgram:
        found = build(parse_spec(text), self.environ())
        assert isinstance(found, AgentProgram)
        return found


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    place = tmp_path / "my tools & co"
    place.mkdir()
    return Programs(place)


def test_claude_code_answers_with_its_own_figures(programs: Programs, hello: Request) -> None:
    programs.prints("claude", ANSWER)
    reply = programs.model("claude-code:haiku").complete(hello)
    assert reply == Reply(
        text="ready",
        model="claude-haiku-9",
        tokens=Tokens(input=400, output=9, cache_read=50),
        cost_usd=Decimal("0.0123"),
    )
    (seen,) = programs.seen()
    assert (seen["said"], seen["system"], seen["there"]) == ("Say hello", "Be brief.", [])
    words = " ".join(seen["words"])  # type: ignore[arg-type]
    for flag in ("--safe-mode", "--tools  --", "--no-session-persistence", "--strict-mcp-config", "--model haiku"):
        assert flag in words
    assert "Say hello" not in words
    environ = seen["environ"]
    assert isinstance(environ, dict)
    assert (environ["METIER_ENABLED"], environ["CLAUDE_CODE_MAX_RETRIES"]) == ("false", "0")
    assert "CLAUDECODE" not in environ
    assert not Path(str(seen["cwd"])).exists()


def test_codex_answers_and_tells_tokens_but_no_cost(programs: Programs, hello: Request) -> None:
    programs.prints("codex", *EVENTS)
    reply = programs.model("codex:default").complete(hello)
    assert reply == Reply(text="ready", tokens=Tokens(input=800, output=9, cache_read=100))
    listed, seen = programs.seen()
    assert listed["words"] == ["debug", "models"]
    words = seen["words"]
    assert isinstance(words, list)
    assert not any("model_catalog_json" in word for word in words), "it showed no list"
    assert {"--ephemeral", "features.hooks=false", "features.shell_tool=false", "read-only"} <= set(words)
    assert "-m" not in words


def test_codex_gets_its_own_list_of_models_without_their_tools_once_for_all_questions(
    programs: Programs, hello: Request
) -> None:
    known = {"slug": "gpt", "tool_mode": "code_mode_only", "use_responses_lite": True, "base_instructions": "long"}
    programs.prints("codex", *EVENTS, {"models": [known]})
    text = models_file(f"{programs.place}/codex", programs.environ())
    assert text == "", "lines of events are no list"
    programs.prints("codex", {"models": [known]})
    (entry,) = json.loads(models_file(f"{programs.place}/codex", programs.environ()))["models"]
    assert entry == known | BARE
    assert entry["use_responses_lite"] is True


def test_a_repair_is_one_text(programs: Programs, hello: Request) -> None:
    programs.prints("claude", ANSWER)
    turns = (*hello.messages, Message(role="assistant", text="bad"), Message(text="Mend it."))
    programs.model("claude-code:haiku").complete(Request(messages=turns))
    assert programs.seen()[0]["said"] == "Say hello\n\nYour earlier answer was:\n\nbad\n\nMend it."


@pytest.mark.parametrize(
    ("name", "printed", "code", "kind", "says"),
    [
        ("claude-code:x", [wrong("Not logged in", None)], 1, Refused, "Not logged in"),
        ("claude-code:x", [wrong("slow down", 429)], 1, RateLimited, "slow"),
        ("claude-code:x", [wrong("overloaded", 529)], 1, Unreachable, "over"),
        ("claude-code:x", [ANSWER | {"result": " "}], 0, Malformed, "no text"),
        ("claude-code:x", ["no object"], 3, Unreachable, "ended with code 3"),
        ("codex:x", [{"type": "turn.failed", "error": {"message": "401 Unauthorized"}}], 1, Refused, "401"),
        ("codex:x", [{"type": "error", "message": "You hit your usage limit"}], 1, RateLimited, "usage limit"),
        ("codex:x", [], 1, Unreachable, "gave no answer"),
        ("codex:x", [EVENTS[2]], 0, Malformed, "no text"),
    ],
)
def test_what_goes_wrong_has_its_word(
    programs: Programs, hello: Request, name: str, printed: list[object], code: int, kind: type, says: str
) -> None:
    programs.prints("claude" if name.startswith("claude") else "codex", *printed, code=code)
    failure = programs.model(name).complete(hello)
    assert isinstance(failure, kind)
    assert isinstance(failure, FAILURES)
    assert says in failure.reason


def test_a_program_that_hangs_is_ended_with_all_that_it_started(programs: Programs) -> None:
    child = "import subprocess; subprocess.Popen(['sleep', '7131']); time.sleep(60)"
    programs.write("claude", child)
    began = time.monotonic()
    failure = programs.model("claude-code:haiku").complete(Request(messages=(Message(text="x"),), timeout=1.0))
    assert isinstance(failure, TimedOut)
    assert failure.billed
    assert time.monotonic() - began < 20
    left = [pid for pid in filter(str.isdigit, os.listdir("/proc")) if b"7131" in _words(pid)]
    assert left == []


def _words(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_two_run_at_a_time_and_the_others_wait_their_turn(programs: Programs) -> None:
    count = "\n".join(
        [
            "running = place + '/running'; os.makedirs(running, exist_ok=True)",
            "mine = running + '/' + str(os.getpid()); open(mine, 'w').close()",
            "with open(place + '/most', 'a') as file: file.write(str(len(os.listdir(running))) + '\\n')",
            "time.sleep(0.2); os.unlink(mine)",
            f"print({json.dumps(ANSWER)!r})",
        ]
    )
    programs.write("claude", count)
    model = programs.model("claude-code:haiku")
    asked = [Request(messages=(Message(text=str(number)),), timeout=10) for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(model.complete, asked))
    assert all(isinstance(reply, Reply) for reply in replies)
    assert max(map(int, (programs.place / "most").read_text().split())) == 2


def test_closing_ends_what_runs(programs: Programs) -> None:
    programs.write("claude", "time.sleep(60)")
    model = programs.model("claude-code:haiku")
    threading.Timer(0.5, model.close).start()
    began = time.monotonic()
    failure = model.complete(Request(messages=(Message(text="x"),), timeout=50))
    assert isinstance(failure, Refused)
    assert time.monotonic() - began < 20


def test_an_agent_that_metier_started_starts_no_other(programs: Programs) -> None:
    programs.prints("claude", ANSWER)
    found = build(parse_spec("claude-code:haiku"), programs.environ() | {MARK: "1-ab"})
    assert isinstance(found, NoModel)
    assert "no further agent" in found.reason


def test_every_process_carries_the_mark_that_ends_recursion(programs: Programs, hello: Request) -> None:
    programs.prints("claude", ANSWER)
    programs.model("claude-code:haiku").complete(hello)
    environ = programs.seen()[0]["environ"]
    assert isinstance(environ, dict)
    assert MARK in environ


def test_a_program_that_is_not_there_is_named_with_a_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = build(parse_spec("claude-code:haiku"), {"PATH": str(tmp_path)})
    assert isinstance(found, NoModel)
    assert ("no `claude` on PATH" in found.reason, "log in" in found.fix) == (True, True)
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "claude").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert isinstance(build(parse_spec("claude-code:haiku"), {"PATH": ".:"}), NoModel), "a project's own is no agent"


@pytest.mark.parametrize("options", [{"url": "http://127.0.0.1:1/v1"}, {"key_variable": "X"}, {"headers": ("A: b",)}])
def test_an_agent_takes_no_address_key_or_headers(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="own login"):
        parse_spec("claude-code:haiku", ModelOptions(**options))  # type: ignore[arg-type]


def test_an_agent_offers_no_vectors(programs: Programs) -> None:
    programs.prints("claude", ANSWER)
    assert isinstance(programs.model("claude-code:haiku").embed(Texts(texts=("x",))), Refused)


def layered(
    programs: Programs, text: str, limits: Limits, calls: Calls
) -> tuple[MemoryLedger, Callable[[Request], object]]:
    spec, ledger = parse_spec(text), MemoryLedger()
    layers = Layers(
        redact=lambda said: said.replace("hunter2", "[secret]"),
        ledger=ledger,
        limits=limits,
        price=price_of(spec, datetime(2026, 1, 5, tzinfo=UTC)),
        extra_tokens=spec.extra_tokens,
        sink=calls,
    )
    return ledger, build_stack(programs.model(text), layers).complete


def test_money_is_reserved_before_and_what_the_program_says_is_paid(programs: Programs, hello: Request) -> None:
    programs.prints("claude", ANSWER)
    calls = Calls()
    ledger, ask = layered(programs, "claude-code:haiku", Limits(usd=Decimal("0.0300")), calls)
    assert isinstance(ask(hello), Reply)
    assert (ledger.total().usd, ledger.total().tokens) == (Decimal("0.0123"), 459)
    assert calls.list[0].cost_usd == Decimal("0.0123")
    assert isinstance(ask(hello), Reply), "the same question is not asked twice"
    assert len(programs.seen()) == 1
    other = Request(messages=(Message(text="x" * 20_000),), max_tokens=64)
    refused = ask(other)
    assert isinstance(refused, FAILURES)
    assert "could be passed" in refused.reason
    assert len(programs.seen()) == 1


def test_a_secret_does_not_reach_the_program(programs: Programs) -> None:
    programs.prints("claude", ANSWER)
    _, ask = layered(programs, "claude-code:haiku", Limits(), Calls())
    ask(Request(messages=(Message(text="the password is hunter2"),)))
    assert programs.seen()[0]["said"] == "the password is [secret]"


def test_without_a_price_a_number_of_calls_stands_for_the_limit_in_dollars(programs: Programs, hello: Request) -> None:
    programs.prints("codex", *EVENTS)
    ledger, ask = layered(programs, "codex:default", Limits(usd=Decimal(1)), Calls())
    ledger.reserve(Amount(calls=UNPRICED_CALLS - 1, unpriced=UNPRICED_CALLS - 1), Limits())
    assert isinstance(ask(hello), Reply)
    refused = ask(Request(messages=(Message(text="another question"),), max_tokens=64))
    assert isinstance(refused, FAILURES)
    assert str(UNPRICED_CALLS) in refused.reason


def test_the_check_says_what_a_call_takes_and_costs(programs: Programs) -> None:
    programs.prints("claude", ANSWER | {"result": '{"word": "seven", "number": 7}'})
    found = {
        one.name: one for one in check_models(parse_spec("claude-code:haiku"), programs.environ(), datetime.now(UTC))
    }
    assert {one.state for one in found.values()} == {"ok"}
    assert "own login" in found["model"].text
    assert "459 tokens, $0.01230" in found["completion"].text


def test_learning_asks_the_agent_that_the_settings_name(programs: Programs, tmp_path: Path) -> None:
    from pydantic import BaseModel

    class Judged(BaseModel):
        good: bool

    programs.prints("claude", ANSWER | {"result": '{"good": true}'})
    (tmp_path / "project").mkdir()
    with Workspace.open(tmp_path / "project", flags={"model": "claude-code:haiku"}) as ws:
        asker = asker_of(allow(ws).context, programs.environ())
        assert not isinstance(asker, NoModel)
        with asker:
            assert asker.ask(Question(stage="judge", prompt="was it good?"), Judged) == Judged(good=True)
            assert (asker.spent().calls, asker.spent().cost_usd) == (1, Decimal("0.0123"))
    assert load(tmp_path / "project", {"model": "claude-code:haiku"}).config.models.model == "claude-code:haiku"
