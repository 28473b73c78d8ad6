"""The settings of a training, one group for each concern; the defaults are the classic trainer's.

People name a setting without its group (`--spec max_edits=2`, `spec_of("default", max_edits=2)`), and the record has
them so: every setting has one name in all groups.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, get_args

from metier.errors import UsageError
from metier.training.gates.registry import GATES, OWN

if TYPE_CHECKING:
    from collections.abc import Mapping

Schedule = Literal["constant", "linear", "cosine", "autonomous"]
Update = Literal["patch", "rewrite", "full_rewrite"]
MetricName = Literal["hard", "soft", "mixed"]
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


def _one_of(group: object, name: str, allowed: tuple[str, ...]) -> None:
    value = getattr(group, name)
    if value not in allowed:
        raise UsageError(f"Training has no {name} {value!r}; choose one of {', '.join(allowed)}.")


def _finite(group: object, *names: str) -> None:
    for name in names:
        value = getattr(group, name)
        if value is not None and not isfinite(value):
            raise UsageError(f"Training needs a number for {name}, not {value}.")


def _at_least(group: object, least: int, *names: str) -> None:
    for name in names:
        if getattr(group, name) < least:
            raise UsageError(f"Training needs {name} of at least {least}, not {getattr(group, name)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionSettings:
    """What the analysts of a step see, and what they are asked for."""

    minibatch: int = 8
    """Cases one analyst call looks at."""
    failures_only: bool = False
    """Whether nobody looks at what went well."""
    trajectory_chars: int = 12_000
    """How much of one rollout an analyst sees; the middle is left out."""
    show_expected: bool = False
    """Whether analysts see the expected answers; what scores a case is never shown."""
    recall: int = 20
    """Rejected edits shown to the proposer, the latest."""
    skill_aware: bool = False
    """Whether lapses in following the skill become reminders in its appendix, and only defects become edits."""
    max_notes: int = 40
    """The most reminders an appendix holds; the oldest make room."""
    consolidate_above: int = 0
    """With more reminders than this a model makes fewer of them; 0: never."""

    def __post_init__(self) -> None:
        _at_least(self, 1, "minibatch", "trajectory_chars")
        _at_least(self, 0, "recall", "max_notes", "consolidate_above")


@dataclass(frozen=True, slots=True, kw_only=True)
class EditSettings:
    """How proposals become a candidate."""

    update: Update = "patch"
    schedule: Schedule = "cosine"
    """How the edit budget falls from `max_edits` to `min_edits`."""
    max_edits: int = 4
    """The budget at the start, and the most an analyst may propose in one call."""
    min_edits: int = 2
    merge_group: int = 8
    """Patches one merge call makes one of."""
    strict_edits: bool = False
    """Whether an edit whose place is not certain is refused instead of guessed."""
    one_shot_first: bool = False
    """Whether the one-shot rewrite is judged before the first step."""
    split_rewrites: bool = False
    """Whether a gate that screens edits also screens the changes of a rewrite one by one."""

    def __post_init__(self) -> None:
        _one_of(self, "update", get_args(Update))
        _one_of(self, "schedule", get_args(Schedule))
        _at_least(self, 2, "merge_group")
        _at_least(self, 0, "max_edits", "min_edits")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """How a candidate is judged."""

    gate: str = "strict"
    metric: MetricName = "hard"
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

    def __post_init__(self) -> None:
        _one_of(self, "gate", (*GATES, OWN))
        _one_of(self, "metric", get_args(MetricName))
        _finite(self, "soft_weight", "max_loss", "behind", "bar")
        _at_least(self, 1, "block", "screen_edits", "screen_passes")
        _at_least(self, 0, "quick", "behind")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochSettings:
    """What happens at the end of an epoch."""

    slow: bool = True
    """Whether two epochs are compared at the end of one, and guidance is written of it."""
    slow_cases: int = 20
    pairs: Pairing = "mixed"
    meta: bool = True
    """Whether the optimiser keeps notes for itself."""

    def __post_init__(self) -> None:
        _one_of(self, "pairs", get_args(Pairing))
        _at_least(self, 0, "slow_cases")

    @property
    def compares(self) -> bool:
        """Whether anybody wants to know how an epoch compares with the one before."""
        return self.slow or self.meta


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
    baselines: bool = True
    """Whether no skill and a one-shot rewrite are measured too."""
    ahead: bool = True
    """Whether rollouts may start before it is certain that they are needed; to be off with a limit on spending."""
    timeout: float = 300.0
    """Seconds for one answer of the optimiser."""
    reflection: ReflectionSettings = ReflectionSettings()
    editing: EditSettings = EditSettings()
    gating: GateSettings = GateSettings()
    epoch_end: EpochSettings = EpochSettings()

    def __post_init__(self) -> None:
        _at_least(self, 1, "epochs", "batch", "samples")

    @classmethod
    def of(cls, **settings: Any) -> Spec:
        """The classic trainer with some settings changed, each by its name alone; a TypeError names what is none."""
        return cls().replace(**settings)

    def replace(self, **settings: Any) -> Spec:
        """These settings with some of them changed, each by its name alone."""
        changes: dict[str, Any] = {name: value for name, value in settings.items() if name not in GROUP_OF}
        for group in GROUPS:
            its = {name: value for name, value in settings.items() if GROUP_OF.get(name) == group}
            if its:
                changes[group] = replace(getattr(self, group), **its)
        return replace(self, **changes)

    def settings(self) -> dict[str, Any]:
        """Every setting by its name alone."""
        found: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            found |= {name: getattr(value, name) for name in _names(value)} if one.name in GROUPS else {one.name: value}
        return found

    def canonical(self) -> str:
        """The same settings are the same text: JSON, keys sorted."""
        return json.dumps(self.settings(), sort_keys=True, separators=(",", ":"))

    @classmethod
    def read(cls, text: str) -> Spec:
        """The settings that `canonical` wrote, here or in an earlier version; a TypeError names what is none."""
        given: dict[str, Any] = json.loads(text)
        return cls.of(**{name: value for name, value in given.items() if REMOVED.get(name, ...) != value})

    def seed_for(self, purpose: str) -> int:
        """A seed of its own for each purpose, so that no two draw from one generator."""
        return int.from_bytes(sha256(f"{self.seed}\0{purpose}".encode()).digest()[:8])


def _names(group: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(group))


GROUPS: Mapping[str, tuple[str, ...]] = {
    "reflection": _names(ReflectionSettings),
    "editing": _names(EditSettings),
    "gating": _names(GateSettings),
    "epoch_end": _names(EpochSettings),
}
"""The groups, and the settings in each."""
GROUP_OF: Mapping[str, str] = {name: group for group, names in GROUPS.items() for name in names}
