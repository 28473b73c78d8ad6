"""The settings of a training run: frozen, the classic trainer's values as defaults, one text for the record."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, get_args

from metier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

Schedule = Literal["constant", "linear", "cosine", "autonomous"]
Update = Literal["patch", "rewrite", "full_rewrite"]
Metric = Literal["hard", "soft", "mixed"]
Gating = Literal["strict", "off", "staged", "screen", "adaptive"]
Pairing = Literal["mixed", "changed", "unchanged"]


REMOVED: Mapping[str, object] = {
    "attribute": False,
    "bandit": False,
    "bar_rise": 0.0,
    "contrast": False,
    "may_lose": 0.02,
    "merge_every": 4,
    "parents": "best",
    "plateau": 3,
    "prefer_smaller": False,
    "proposals": 1,
    "prune": False,
    "root_groups": False,
}
"""Settings of earlier versions, with the value that they had unless somebody set another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """What determines a run beside its skill, cases, target and optimiser; `Spec()` is the classic trainer."""

    preset: str = "classic"
    """A name for people; the values below are what counts."""
    seed: int = 42
    epochs: int = 4
    batch: int = 40
    """Train cases of one step; the last step of an epoch may have fewer."""
    samples: int = 1
    """Rollouts of each train case; outcomes that differ are shown side by side."""

    minibatch: int = 8
    """Cases one analyst call looks at."""
    failures_only: bool = False
    """Whether nobody looks at what went well."""
    trajectory_chars: int = 12_000
    """How much of one rollout an analyst sees; the middle is left out."""
    show_expected: bool = False
    """Whether analysts see the expected answers; what scores a case is never shown."""

    merge_group: int = 8
    """Patches one merge call makes one of."""
    one_shot_first: bool = False
    """Whether the one-shot rewrite is judged before the first step."""
    split_rewrites: bool = False
    """Whether a gate that screens edits also screens the changes of a rewrite one by one."""
    schedule: Schedule = "cosine"
    max_edits: int = 4
    """The budget at the start, and the most an analyst may propose in one call."""
    min_edits: int = 2
    update: Update = "patch"
    strict_edits: bool = False
    """Whether an edit whose place is not certain is refused instead of guessed."""

    gate: Gating = "strict"
    metric: Metric = "hard"
    soft_weight: float = 0.5
    """The soft score's share in `mixed`."""
    max_loss: float | None = None
    """No val case may lose more than this; None: only the mean counts."""
    gate_everything: bool = True
    """Whether guidance and reminders pass the gate too, as edits do."""

    block: int = 20
    """Val cases between two looks of the staged gate."""
    behind: float = 0.5
    """So many standard errors a candidate may be behind there before it is dropped."""
    remeasure: bool = True
    """Whether that gate compares on other attempts than those a skill is reported by, new ones after every accept."""
    quick: int = 0
    """The adaptive gate judges bundles quickly until so many in a row were not taken, and screens from then on."""
    screen_edits: int = 15
    """Edits that are screened together; fewer wait for the next step's."""
    screen_passes: int = 3
    """How often one screening goes over the val cases, each time with both halves of the edits; adaptive: at most."""
    bar: float = 1.0
    """How many standard errors an edit's effect must stand above zero to be kept."""
    carry: bool = True
    """Whether an edit that neither stands out nor does harm is screened again, with what is known of it."""
    check: bool = True
    """Whether fresh attempts that are clearly against it undo what was chosen."""

    slow: bool = True
    """Whether two epochs are compared at the end of one, and guidance is written of it."""
    slow_cases: int = 20
    pairs: Pairing = "mixed"
    meta: bool = True
    """Whether the optimiser keeps notes for itself."""
    skill_aware: bool = False
    """Whether lapses in following the skill become reminders in its appendix, and only defects become edits."""
    max_notes: int = 40
    """The most reminders an appendix holds; the oldest make room."""
    consolidate_above: int = 0
    """With more reminders than this a model makes fewer of them; 0: never."""
    recall: int = 20
    """Rejected edits shown to the proposer, the latest."""

    baselines: bool = True
    """Whether no skill and a one-shot rewrite are measured too."""
    ahead: bool = True
    """Whether rollouts may start before it is certain that they are needed; to be off with a limit on spending."""
    timeout: float = 300.0
    """Seconds for one answer of the optimiser."""

    def __post_init__(self) -> None:
        for name, kind in (("schedule", Schedule), ("update", Update), ("metric", Metric), ("gate", Gating)):
            _one_of(name, getattr(self, name), get_args(kind))
        _one_of("pairs", self.pairs, get_args(Pairing))
        for name, least in (("epochs", 1), ("batch", 1), ("samples", 1), ("minibatch", 1), ("merge_group", 2)):
            _at_least(name, getattr(self, name), least)
        for name in ("max_edits", "min_edits", "slow_cases", "max_notes", "consolidate_above", "recall"):
            _at_least(name, getattr(self, name), 0)
        for name in ("block", "screen_edits", "screen_passes", "trajectory_chars"):
            _at_least(name, getattr(self, name), 1)
        for name in ("soft_weight", "max_loss", "behind", "bar"):
            _finite(name, getattr(self, name))
        for name in ("quick", "behind"):
            _at_least(name, getattr(self, name), 0)

    def canonical(self) -> str:
        """The same settings are the same text: JSON, keys sorted."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @classmethod
    def read(cls, text: str) -> Spec:
        """The settings that `canonical` wrote, here or in an earlier version; a TypeError names what is none."""
        given: dict[str, Any] = json.loads(text)
        return cls(**{name: value for name, value in given.items() if REMOVED.get(name, ...) != value})

    def seed_for(self, purpose: str) -> int:
        """A seed of its own for each purpose, so that no two draw from one generator."""
        return int.from_bytes(sha256(f"{self.seed}\0{purpose}".encode()).digest()[:8])


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise UsageError(f"Training has no {name} {value!r}; choose one of {', '.join(allowed)}.")


def _finite(name: str, value: float | None) -> None:
    if value is not None and not isfinite(value):
        raise UsageError(f"Training needs a number for {name}, not {value}.")


def _at_least(name: str, value: float, least: int) -> None:
    if value < least:
        raise UsageError(f"Training needs {name} of at least {least}, not {value}.")
