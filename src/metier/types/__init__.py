"""The nouns of Metier, in the order data flows through it: read this first.

Every noun is a frozen value. `docs/concepts.md` explains each in a sentence; the same words are used in tables, JSON,
commands and pages. Those of what ships (version, profile) follow in `shipped.py`, those of scored work (case, rollout,
score, decision) in `trials.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# ---- runs: what an agent did ------------------------------------------------------------------------------------

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The skills in the agent's context at one moment, and what put them there."""

    sequence: int
    trigger: str
    skills: tuple[str, ...] = ()


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
    selection: str = ""
    """The id of the selection it got its skills from, where the agent says so."""


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


# ---- learning: from runs to drafts ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a run truly reached its goal; stored once, reused for ever."""

    run: str
    success: bool | None
    reason: str
    judge: str
    """`heuristic`, `verifier`, `person`, or `model:<name>`."""
    prompt_hash: str = ""
    decided: str = ""


PatternStatus = Literal["forming", "ready", "retired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Runs with one reusable meaning."""

    id: str
    workspace: str
    label: str
    summary: str
    runs: tuple[str, ...] = ()
    """Successful runs, oldest first."""
    successes: int = 0
    failures: int = 0
    winning_path: tuple[str, ...] = ()
    late_added: tuple[str, ...] = ()
    trigger: str = ""
    reason: str = ""
    status: PatternStatus = "forming"
    created: str = ""
    updated: str = ""

    @property
    def success_ratio(self) -> float:
        """Successes among all evidence; 0 when there is none."""
        evidence = self.successes + self.failures
        return self.successes / evidence if evidence else 0.0


Severity = Literal["info", "low", "medium", "high", "critical"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Why something may not ship, where, and what to do about it."""

    rule: str
    severity: Severity
    reason: str
    fix: str = ""
    tag: str = ""
    file: str = ""
    line: int = 0
    span: tuple[int, int] = (0, 0)
    """Characters of the file, the first and the one behind the last; (0, 0): the file as a whole."""
    excerpt: str = ""


# ---- edits: bounded changes to text -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """Add text at the end of a file."""

    content: str
    file: str = "SKILL.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertAfter:
    """Add text behind the line that holds the target."""

    target: str
    content: str
    file: str = "SKILL.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    """Put other text in the target's place."""

    target: str
    content: str
    file: str = "SKILL.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """Take the target out."""

    target: str
    file: str = "SKILL.md"


Edit = Append | InsertAfter | Replace | Delete


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """Edits in order, each on the result of the one before, and why."""

    edits: tuple[Edit, ...]
    reasoning: str = ""


DraftKind = Literal["create", "append", "replace", "merge"]
DraftType = Literal["workflow", "shortcut"]
DraftStatus = Literal["candidate", "quarantined", "accepted", "rejected", "superseded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What taught a draft: the runs, their verdicts, the model and prompt that wrote it, the training it comes from."""

    runs: tuple[str, ...] = ()
    model: str = ""
    prompt_hash: str = ""
    training: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One file of a kept package, and the object that holds its bytes."""

    path: str
    object: str
    """SHA-256 of the bytes."""
    size: int
    executable: bool = False
    mode: int = 0
    """Who may read and write it, where that was seen; no part of the package's hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A proposed change to a skill package."""

    id: str
    workspace: str
    target: str
    kind: DraftKind
    type: DraftType
    summary: str
    body: str = ""
    files: tuple[StoredFile, ...] = ()
    """The whole proposed package, where the draft is one and not a text: an import, a trained candidate."""
    parcel: str = ""
    """The object that holds the file it was imported from, with the history that came along."""
    base_hash: str = ""
    """The version the draft was made against; empty for a new skill."""
    hash: str = ""
    """Of the package as it would ship; what a person approves is bound to it."""
    pattern: str = ""
    ratio: float | None = None
    """The pattern's success ratio when the draft was made of it."""
    basis: str = ""
    """Stands for all it was last held against; the same again: there is nothing to look at again."""
    matched: tuple[str, ...] = ()
    provenance: Provenance = Provenance()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    needs_approval: bool = False
    approved: str = ""
    """The hash a person said yes to; worth nothing for any other."""
    approver: str = ""
    status: DraftStatus = "candidate"
    created: str = ""
    updated: str = ""


# ---- selection: skills for a run --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A skill that came into question for a task, with its score."""

    skill: str
    score: float
    hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The skills chosen for a task, and those that were close."""

    id: str
    workspace: str
    query: str
    candidates: tuple[Candidate, ...] = ()
    chosen: tuple[str, ...] = ()
    chosen_hashes: tuple[str, ...] = ()
    """Of the packages that were handed over, one for each of `chosen`."""
    pinned: tuple[str, ...] = ()
    """Those of `chosen` that are in every run, whatever the task."""
    withheld: tuple[Candidate, ...] = ()
    """Would have been chosen, and were left out to see how the run goes without them."""
    withhold_rate: float = 0.0
    """How often a chosen skill was left out at that time; 0: none could be, so the run compares with nothing."""
    explored: tuple[str, ...] = ()
    """Provisional skills that got a chance they had not earned yet."""
    stages: tuple[str, ...] = ()
    agent: str = ""
    session: str = ""
    run: str = ""
    """The run it served, once that is known."""
    created: str = ""
