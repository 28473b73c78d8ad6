"""Claude Code as a model: no tools, no hooks, no skills, no session kept, no retries of its own."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, cast

from metier.models.failures import Malformed, RateLimited, Refused, Unreachable, one_line
from metier.models.model import Finish, Reply
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from metier.models.failures import Failure
    from metier.models.model import Request
    from metier.processes import ProcessResult

PROGRAM = "claude"
TITLE = "Claude Code"
FLAGS = (
    *("-p", "--output-format", "json", "--safe-mode", "--tools", "", "--no-session-persistence"),
    *("--strict-mcp-config", "--disable-slash-commands"),
)
FINISHES: dict[str, Finish] = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}
THOUGHTS = 1024
"""Tokens that it may think before it answers: it cannot be told not to."""


def words_of(name: str, system: Path, _work: Path, _environ: Mapping[str, str]) -> tuple[str, ...]:
    """The words after the program's name; the question comes on standard input."""
    model = () if name == "default" else ("--model", name)
    return (*FLAGS, *model, "--system-prompt-file", str(system))


def models_file(_program: str, _environ: Mapping[str, str]) -> str:
    """Claude Code needs no list of models."""
    return ""


def variables(request: Request) -> dict[str, str]:
    """What its environment says beside the person's own."""
    return {
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(request.max_tokens + THOUGHTS),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def read_reply(done: ProcessResult) -> Reply | Failure:
    """The answer in the one object that it prints, with its own figures of tokens and money."""
    try:
        said: object = json.loads(done.output)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        text = one_line((done.errors or done.output).decode("utf-8", "replace"))
        return Unreachable(reason=f"claude ended with code {done.code} and gave no answer: {text or 'it said nothing'}")
    fields = cast("dict[str, object]", said)
    if fields.get("is_error") or not isinstance(fields.get("result"), str):
        return _failure(fields)
    usage = cast("dict[str, object]", fields.get("usage") if isinstance(fields.get("usage"), dict) else {})
    text = str(fields["result"])
    tokens = Tokens(
        input=_count(usage, "input_tokens"),
        output=_count(usage, "output_tokens"),
        cache_read=_count(usage, "cache_read_input_tokens"),
        cache_write=_count(usage, "cache_creation_input_tokens"),
    )
    if not text.strip():
        return Malformed(reason="the answer holds no text", billed=True, tokens=tokens)
    models = fields.get("modelUsage")
    return Reply(
        text=text,
        model=next(iter(cast("dict[str, object]", models)), "") if isinstance(models, dict) else "",
        tokens=tokens,
        finish=FINISHES.get(str(fields.get("stop_reason") or "end_turn"), "other"),
        cost_usd=_money(fields.get("total_cost_usd")),
    )


def _failure(fields: dict[str, object]) -> Failure:
    status = fields.get("api_error_status")
    code = status if isinstance(status, int) else 0
    reason = one_line(str(fields.get("result") or fields.get("subtype") or "claude reports an error"))
    if code == 429:
        return RateLimited(reason=reason)
    if code >= 500:
        return Unreachable(reason=reason)
    return Refused(reason=reason, status=code)


def _count(fields: dict[str, object], name: str) -> int:
    value = fields.get(name)
    return value if isinstance(value, int) and 0 <= value < 2**63 else 0


def _money(value: object) -> Decimal | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    cost = Decimal(str(value))
    return cost if cost.is_finite() and cost >= 0 else None
