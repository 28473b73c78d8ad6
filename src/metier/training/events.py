"""What a training run yields while it goes on: a closed union, each with a line for people."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal

from metier.text.counts import plural
from metier.training.report.words import pairs_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.types.trials import Action, Split

Change = Literal["step", "slow", "appendix", "one_shot"]
"""What a gate was asked about: a step's edits, an epoch's guidance, a step's reminders, the one-shot rewrite."""
CHANGES = {"step": "edits", "slow": "slow update", "appendix": "reminders", "one_shot": "one-shot rewrite"}
Arm = Literal["initial", "no_skill", "one_shot", "best", "candidate"]
ARMS: Mapping[str, str] = {
    "initial": "initial skill",
    "no_skill": "no skill",
    "one_shot": "one-shot rewrite",
    "best": "best skill",
    "candidate": "candidate",
}
Worth = tuple[str, float, float, float, bool]
"""An edit in short, its effect, the interval's ends, whether it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckingAgent:
    """The agent that is the target is tried once before anything else."""

    program: str
    kind: Literal["checking"] = "checking"

    def line(self) -> str:
        """For people."""
        return f"trying {self.program} with one small call first"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingBegan:
    """The run knows what is ahead of it."""

    train: int
    val: int
    test: int
    steps: int
    kind: Literal["began"] = "began"

    def line(self) -> str:
        """For people."""
        return f"{self.steps} steps on {self.train} train, {self.val} val and {self.test} test cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A skill has its score on a whole split."""

    arm: Arm
    split: Split
    skill_hash: str
    hard: float
    soft: float
    scored: int
    unscored: int = 0
    kind: Literal["measured"] = "measured"

    def line(self) -> str:
        """For people."""
        left = f", {self.unscored} unscored" if self.unscored else ""
        score = f"{self.hard:.3f}" + ("" if self.soft == self.hard else f" hard, {self.soft:.3f} soft")
        return f"{ARMS[self.arm]} on {self.split}: {score} ({self.scored} cases{left})"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBegan:
    """A step takes up its batch."""

    step: int
    steps: int
    epoch: int
    cases: int
    kind: Literal["step_began"] = "step_began"

    def line(self) -> str:
        """For people."""
        return f"step {self.step} of {self.steps} (epoch {self.epoch}): {self.cases} cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutsAdvanced:
    """A tenth more of some rollouts is there."""

    step: int
    """0: they belong to no step."""
    stage: str
    """`rollout`, `gate`, `compare` or `baseline`."""
    done: int
    total: int
    kind: Literal["advanced"] = "advanced"

    def line(self) -> str:
        """For people."""
        return f"step {self.step}: {self.stage} {self.done} of {self.total}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledOut:
    """The batch was tried under the current skill."""

    step: int
    failed: int
    passed: int
    unscored: int
    kind: Literal["rolled_out"] = "rolled_out"

    def line(self) -> str:
        """For people."""
        return f"step {self.step}: {self.passed} passed, {self.failed} failed, {self.unscored} unscored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflected:
    """The analysts have answered."""

    step: int
    calls: int
    failed_calls: int
    edits: int
    notes: int
    kind: Literal["reflected"] = "reflected"

    def line(self) -> str:
        """For people."""
        lost = f" ({self.failed_calls} without an answer)" if self.failed_calls else ""
        calls, edits, notes = (
            f"{number} {noun}{'' if number == 1 else 's'}"
            for number, noun in ((self.calls, "analyst call"), (self.edits, "edit"), (self.notes, "note"))
        )
        return f"step {self.step}: {calls}{lost} proposed {edits}, {notes}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalsChosen:
    """The proposals were merged and cut to the budget."""

    step: int
    proposed: int
    merged: int
    budget: int | None
    """None: a full rewrite has none."""
    kept: int
    kind: Literal["chosen"] = "chosen"

    def line(self) -> str:
        """For people."""
        budget = "no budget" if self.budget is None else f"budget {self.budget}"
        proposals = plural(self.proposed, "proposal")
        return f"step {self.step}: {proposals} became {self.merged}, {self.kept} kept ({budget})"


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateMade:
    """A candidate exists."""

    step: int
    skill_hash: str
    statuses: tuple[str, ...]
    kind: Literal["edited"] = "edited"

    def line(self) -> str:
        """For people."""
        applied = sum(status.startswith("applied") for status in self.statuses)
        return f"step {self.step}: candidate {self.skill_hash[:12]}, {applied} of {len(self.statuses)} edits applied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """A gate begins to look at a candidate."""

    step: int
    change: str
    how: Literal["race", "screen"]
    """Side by side with the current skill, or each edit by itself."""
    edits: int
    """Of which it consists; 0: it is of one piece."""
    cases: int
    passes: int
    """How often the gate goes over the cases."""
    dry: int
    """Candidates before it that brought nothing."""
    attempt: int
    """The number of the attempts it compares on; 0 are those that skills are reported by."""
    rival: Literal["current", "best"] = "current"
    """The skill it has to beat."""
    known: bool = False
    """Whether that skill has its scores already, so that the candidate alone is tried."""
    bundles: int = 0
    """Candidates in a row that were not taken as a whole, where that is why each edit is looked at by itself."""
    kind: Literal["judging"] = "judging"

    def line(self) -> str:
        """For people."""
        what = f"{self.edits} edits are screened" if self.how == "screen" else "the candidate is compared"
        often = f", {self.passes} times" if self.passes > 1 else ""
        return f"step {self.step}: {what} on {self.cases} val cases{often}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """Each of many edits has an effect of its own."""

    step: int
    bar: float
    """Standard errors an effect must stand above zero."""
    effects: tuple[Worth, ...]
    kind: Literal["screened"] = "screened"

    def line(self) -> str:
        """For people."""
        return f"step {self.step}: {sum(one[4] for one in self.effects)} of {len(self.effects)} edits stand out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A gate has judged a candidate."""

    step: int
    change: Change
    action: Action
    reason: str
    skill_hash: str
    score: float | None
    """The candidate's; None when nothing was scored."""
    current: float
    """Of what is current now, as `best` is of what is best now."""
    best: float
    compared: int = 0
    """Val cases that both skills have a score for."""
    cases: int = 0
    """Val cases there are."""
    calls: int = field(default=0, compare=False)
    """Rollouts and questions to the optimiser that the search has used so far; depends on what was begun early."""
    tokens: int = field(default=0, compare=False)
    kind: Literal["decided"] = "decided"

    def line(self) -> str:
        """For people."""
        about = "" if self.change == "step" else f" ({CHANGES[self.change]})"
        return f"step {self.step}{about}: {self.action.replace('_', ' ')}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSkipped:
    """Nothing came of a step or of an epoch's end, and why."""

    step: int
    change: Change
    reason: str
    kind: Literal["skipped"] = "skipped"

    def line(self) -> str:
        """For people."""
        about = "" if self.change == "step" else f" ({CHANGES[self.change]})"
        return f"step {self.step}{about}: nothing to judge: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FellBack:
    """An optimiser call brought nothing usable, and what was done instead."""

    step: int
    stage: str
    reason: str
    instead: str
    kind: Literal["fell_back"] = "fell_back"

    def line(self) -> str:
        """For people."""
        return f"step {self.step}: no usable {self.stage} answer ({self.reason}); {self.instead}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochEnded:
    """All train cases had their turn."""

    epoch: int
    current: float
    best: float
    compared: tuple[tuple[str, int], ...] = ()
    """How many cases improved, regressed, kept failing, kept passing against the epoch before."""
    kind: Literal["epoch_ended"] = "epoch_ended"

    def line(self) -> str:
        """For people."""
        pairs = pairs_text(self.compared)
        return f"epoch {self.epoch}: current {self.current:.3f}, best {self.best:.3f}" + (
            f" ({pairs})" if pairs else ""
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The run ends early, with the best so far."""

    reason: str
    step: int
    """The last step that was finished."""
    kind: Literal["stopped"] = "stopped"

    def line(self) -> str:
        """For people."""
        return f"stopped after step {self.step}: {self.reason}; the best so far is kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirming:
    """The best skill meets cases that nothing has looked at."""

    cases: int
    power: str
    """What so many cases can tell."""
    kind: Literal["confirming"] = "confirming"

    def line(self) -> str:
        """For people."""
        return f"confirming on {plural(self.cases, 'fresh case')}: {self.power}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed:
    """The last gate has decided."""

    action: Action
    reason: str
    kind: Literal["confirmed"] = "confirmed"

    def line(self) -> str:
        """For people."""
        return f"confirm: {self.action.replace('_', ' ')}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingEnded:
    """The run is over."""

    skill_hash: str
    best_step: int
    initial: float
    best: float
    one_shot: float | None = None
    rollouts: int = 0
    calls: int = 0
    kind: Literal["ended"] = "ended"

    def line(self) -> str:
        """For people."""
        text = f"val {self.initial:.3f} -> {self.best:.3f} (step {self.best_step}), {self.rollouts} rollouts"
        beaten = self.one_shot is None or self.best > self.one_shot
        return text if beaten else f"{text}; this does not beat a one-shot rewrite ({self.one_shot:.3f})"


Event = (
    CheckingAgent
    | TrainingBegan
    | Measured
    | StepBegan
    | RolloutsAdvanced
    | RolledOut
    | Reflected
    | ProposalsChosen
    | CandidateMade
    | Judging
    | Screened
    | Decided
    | StepSkipped
    | FellBack
    | EpochEnded
    | Stopped
    | Confirming
    | Confirmed
    | TrainingEnded
)


def dump(event: Event) -> dict[str, object]:
    """The event as a JSON object; `kind` says which it is."""
    return asdict(event)


def progress_events(step: int, stage: str, done: int, total: int) -> tuple[RolloutsAdvanced, ...]:
    """The event for a rollout that completes another tenth."""
    further = done * 10 // total > (done - 1) * 10 // total
    return (RolloutsAdvanced(step=step, stage=stage, done=done, total=total),) if further else ()
