"""Sample runs of one chore that keeps coming up, and of the weeks after a skill was learned from it."""

from __future__ import annotations

from typing import NamedTuple

from metier.types import Run, ToolCall

AUDIT = "pip-audit"
"""What the agent does as well, later on."""


class Bump(NamedTuple):
    """One time the chore was done."""

    day: str
    request: str
    package: str
    repair: str = ""
    """What had to be repaired, if anything broke."""


FIRST = (
    Bump(
        "03-16",
        "bump the dependency httpx to 0.28",
        "httpx==0.28.1",
        "harbor/clients/mail.py: proxy= instead of proxies=",
    ),
    Bump("03-17", "please bump the dependency rich to 14", "rich==14.0.0"),
    Bump(
        "03-18",
        "bump the dependency sqlalchemy to 2.1, all tests must pass",
        "sqlalchemy==2.1.0",
        "harbor/models/order.py: Mapped[str | None]",
    ),
    Bump(
        "03-20",
        "can you bump the dependency stripe to 12?",
        "stripe==12.0.1",
        "harbor/payments/intents.py: StripeClient(api_key)",
    ),
)
LATER = (
    Bump("03-24", "bump the dependency pydantic to 2.12", "pydantic==2.12.0"),
    Bump("03-26", "please bump the dependency uvicorn to 0.35", "uvicorn==0.35.0"),
    Bump("03-27", "bump the dependency jinja2 to 3.2", "jinja2==3.2.0"),
)


def first() -> list[Run]:
    """The chore as it was done at first: four times with success, once given up."""
    return [*(_run(bump) for bump in FIRST), _failed_run()]


def later() -> list[Run]:
    """The chore after that, with one more step."""
    return [_run(bump, audit=True) for bump in LATER]


def _run(bump: Bump, *, audit: bool = False) -> Run:
    name, _, version = bump.package.partition("==")
    tools = [_bash(f"uv add '{bump.package}'", f"Resolved 96 packages in 1.1s\n + {bump.package}")]
    if bump.repair:
        tools += [
            _bash("pytest -q", "2 failed, 422 passed in 70.12s", ok=False),
            ToolCall(name="Edit", input=bump.repair, output="2 replacements"),
        ]
    tools.append(_bash("pytest -q", "424 passed in 69.80s"))
    if audit:
        tools.append(_bash(AUDIT, "No known vulnerabilities found"))
    tools.append(_bash(f"git commit -am 'Bump {name} to {version}'", "2 files changed"))
    return _run_of(bump, tuple(tools), f"{name} is at {version}, the whole suite passes, and it is committed.")


def _failed_run() -> Run:
    bump = Bump("03-19", "bump the dependency celery to 5.6", "celery==5.6.0")
    tools = (
        _bash("uv add 'celery==5.6.0'", "No solution found: kombu<5.5 is required", ok=False),
        _bash("pytest -q", "31 failed, 393 passed", ok=False),
    )
    return _run_of(bump, tools, "", status="aborted")


def _run_of(bump: Bump, tools: tuple[ToolCall, ...], output: str, status: str = "completed") -> Run:
    return Run(
        message=bump.request,
        output=output,
        status=status,
        external_id=f"bump-{bump.package.partition('==')[0]}",
        session=f"bump-{bump.day}",
        source="demo",
        agent="claude-code",
        model="claude-sonnet-4-5",
        tools=tools,
        started=f"2026-{bump.day}T09:05:00Z",
    )


def _bash(command: str, output: str, *, ok: bool = True) -> ToolCall:
    return ToolCall(name="Bash", input=command, output=output, ok=ok, error=None if ok else "exit code 1")
