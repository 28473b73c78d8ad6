"""Codex as a model: no commands, no hooks, no project files, no session kept."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, cast

from metier.formats.strict_json import json_objects
from metier.models.failures import Malformed, RateLimited, Refused, Unreachable, one_line
from metier.models.model import Reply
from metier.processes import Failed, ProcessLimits, folder, run
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from metier.models.failures import Failure
    from metier.models.model import Request
    from metier.processes import ProcessResult

PLAIN = re.compile(r"[A-Za-z0-9_-]+")
"""Codex allows no other names of servers."""
MODELS = "models.json"
"""The name of the file with the list of models."""
LIST_SECONDS = 20.0
BARE: dict[str, object] = {
    "tool_mode": "direct",
    "multi_agent_version": None,
    "experimental_supported_tools": [],
    "apply_patch_tool_type": None,
    "model_messages": None,
    "base_instructions": "",
}
"""What an entry of that list says when a model is only to answer."""
PROGRAM = "codex"
TITLE = "Codex"
OFF = (
    *("hooks", "apps", "plugins", "multi_agent", "goals", "image_generation", "shell_tool", "unified_exec"),
    *("memories", "tool_suggest", "view_image", "browser_use", "computer_use", "in_app_browser", "sleep_tool"),
    "unbounded_connection_retries",
)
"""What it could do besides answering; a name that it does not know is no error in this form."""
SETTINGS = (
    *('web_search="disabled"', "project_doc_max_bytes=0", "include_permissions_instructions=false"),
    *("include_environment_context=false", "skills.include_instructions=false"),
    *("include_collaboration_mode_instructions=false", "tools.experimental_request_user_input.enabled=false"),
    *(f"features.{name}=false" for name in OFF),
)


def words_of(name: str, system: Path, work: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The words after the program's name; the question comes on standard input."""
    settings = (f"model_instructions_file={json.dumps(str(system))}", *SETTINGS, *_servers_off(environ))
    if (models := system.with_name(MODELS)).is_file():
        settings = (*settings, f"model_catalog_json={json.dumps(str(models))}")
    model = () if name == "default" else ("-m", name)
    return (
        *("exec", "--json", "--ephemeral", "--skip-git-repo-check", "--ignore-rules", "-s", "read-only"),
        *("-C", str(work), *(word for one in settings for word in ("-c", one)), *model, "-"),
    )


def models_file(program: str, environ: Mapping[str, str]) -> str:
    """Codex's own list of models without the tools and texts that each brings along; empty if it has none to show.

    What is in a request is decided by a model's entry there, and no setting changes that.
    """
    with folder() as place:
        done = run((program, "debug", "models"), place, environ, ProcessLimits(seconds=LIST_SECONDS))
    if isinstance(done, Failed) or done.code:
        return ""
    try:
        models = cast("list[dict[str, object]]", json.loads(done.output)["models"])
        return json.dumps({"models": [one | BARE for one in models]})
    except (ValueError, KeyError, TypeError):
        return ""


def _servers_off(environ: Mapping[str, str]) -> Iterator[str]:
    """The person's MCP servers, each switched off: an empty table in their place would change nothing."""
    home = Path(environ.get("CODEX_HOME") or Path(environ.get("HOME") or "~").expanduser() / ".codex")
    try:
        servers = tomllib.loads((home / "config.toml").read_text(encoding="utf-8"))["mcp_servers"]
        names = [str(name) for name in servers if PLAIN.fullmatch(name)]
    except (OSError, ValueError, KeyError, TypeError):
        return
    yield from (f"mcp_servers.{name}.enabled=false" for name in names)


def variables(_: Request) -> dict[str, str]:
    """What its environment says beside the person's own."""
    return {}


def read_reply(done: ProcessResult) -> Reply | Failure:
    """The last message among the events that it prints, and the tokens of the turn; it tells no cost."""
    text, problem, tokens = "", "", None
    for event in json_objects(done.output.decode("utf-8", "replace")):
        item, usage = _inside(event, "item"), _inside(event, "usage")
        if event.get("type") == "item.completed" and item.get("type") == "agent_message":
            text = str(item.get("text") or "")
        elif event.get("type") == "turn.completed":
            cached = _count(usage, "cached_input_tokens")
            fresh = max(0, _count(usage, "input_tokens") - cached)
            tokens = Tokens(input=fresh, output=_count(usage, "output_tokens"), cache_read=cached)
        elif event.get("type") in ("turn.failed", "error"):
            problem = str((_inside(event, "error") or event).get("message") or "the turn failed")
    if tokens is None:
        return _failure(problem or done.errors.decode("utf-8", "replace"), done.code)
    if not text.strip():
        return Malformed(reason="the answer holds no text", billed=True, tokens=tokens)
    return Reply(text=text, tokens=tokens)


def _failure(said: str, code: int) -> Failure:
    reason = one_line(said) or f"codex ended with code {code} and gave no answer"
    if "429" in said or "usage limit" in said:
        return RateLimited(reason=reason)
    if "401" in said or "not logged in" in said.lower():
        return Refused(reason=reason, status=401)
    return Unreachable(reason=reason)


def _inside(fields: dict[str, object], key: str) -> dict[str, object]:
    value = fields.get(key)
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _count(fields: dict[str, object], name: str) -> int:
    value = fields.get(name)
    return value if isinstance(value, int) and 0 <= value < 2**63 else 0
