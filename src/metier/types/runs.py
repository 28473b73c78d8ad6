"""Runs: what an agent did, how it ended, and whether it reached its goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Origin = Literal["person", "operator", "model", "action", "tool", "web", "file"]
"""Where a piece of text came from. Only person, operator and action (what the agent did) may teach a skill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of text that was in front of the agent, with its origin."""

    origin: Origin
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool execution: what was asked of the tool and what came back."""

    name: str
    ok: bool = True
    input: str = ""
    """The arguments, as text: an action of the agent."""
    output: str = ""
    """What the tool answered; untrusted text of the origin below."""
    error: str | None = None
    origin: Origin = "tool"
    """The origin of `output`: tool, web or file, by the tool's name."""
    skills: tuple[str, ...] = ()
    """Skills this execution read or followed."""
    said: str = ""
    """What the agent said just before it made this call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSkill:
    """The exact body of a skill that the agent was shown during a run."""

    name: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTrace:
    """Which skills were there, tried, shown and followed to the end; *loaded* is not *used*."""

    active: tuple[str, ...] = ()
    attempted: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    """The final successful path, when the agent knows it."""
    shown: tuple[ShownSkill, ...] = ()
    given: tuple[str, ...] = ()
    """Skills that Metier handed over for this request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The skills in the agent's context at one moment, and what put them there."""

    sequence: int
    trigger: str
    skills: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A message of the person, what the agent did just before it, and what it first said to it."""

    message: str = ""
    """Written while the agent was at work; empty: the request that began the run."""
    before: str = ""
    """The tool call or the text before it; empty for the request: there it is the end of the run before."""
    reply: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens of one run, each counted once; `input` holds what was neither read from nor written to a cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An explicit statement on success, from outside the agent; it is never judged again."""

    success: bool
    by: str
    """Who says so: `verifier`, `test`, `person`."""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One request to an agent and everything until the next one."""

    message: str
    """What the person asked."""
    output: str = ""
    """The agent's final answer."""
    status: str | None = None
    """How it ended: `completed`, `error`, `aborted`; any other word is a failure, none at all is unknown."""
    external_id: str | None = None
    """The id the source gave it, or that of its first record."""
    session: str = ""
    source: str = "api"
    """What delivered it: `api`, `cli`, `spool`, or a capture source such as `claude-code`."""
    agent: str = ""
    model: str = ""
    tools: tuple[ToolCall, ...] = ()
    context: tuple[Passage, ...] = ()
    skills: SkillTrace = SkillTrace()
    snapshots: tuple[Snapshot, ...] = ()
    tokens: Tokens = Tokens()
    cost_usd: float | None = None
    started: str | None = None
    """ISO 8601, as is `ended`."""
    ended: str | None = None
    outcome: Outcome | None = None
    correction: str | None = None
    """What the person said next to put this run right, if they did."""
    exchanges: tuple[Exchange, ...] = ()
    """The person's messages with what surrounds them, where that is more than the message and the final answer."""
    selection: str = ""
    """The id of the selection it got its skills from, where the agent says so."""

    @property
    def is_heartbeat(self) -> bool:
        """Whether the session only says that the agent is alive."""
        return self.session.strip().casefold() == "heartbeat"


def session_names(runs: Sequence[Run]) -> list[str]:
    """The session of each run, for counting; a run that names none is a session of its own."""
    return [run.session or f"\0{number}" for number, run in enumerate(runs)]


LearningState = Literal["new", "clustered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A run as the store keeps it, with what the hot path derived from it."""

    id: str
    """Stable: the same run delivered again gets the same one."""
    run: Run
    sequence: int
    """Order of arrival; the clock plays no part in it."""
    workspace: str
    revision: int
    """1 at first; one more each time the same run arrived with more content."""
    summary: str
    success: bool | None
    """Claimed by status or stated by an outcome; None: nobody knows."""
    used: tuple[str, ...]
    """The skills that did the work."""
    state: LearningState
    recorded: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What became of a run that was handed in."""

    how: Literal["new", "updated", "duplicate", "skipped", "refused"]
    id: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()
    """What was put right on the way, such as a skill name that cannot be one."""

    @property
    def kept(self) -> bool:
        """Whether the run is in the store now."""
        return self.how in ("new", "updated", "duplicate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a run truly reached its goal; stored once, reused for ever."""

    run: str
    success: bool | None
    reason: str
    judge: str
    """`heuristic`, `verifier`, `person`, `agent`, or `model:<name>`."""
    prompt_hash: str = ""
    decided: str = ""
