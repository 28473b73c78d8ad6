"""Better skill text, proven on cases that were held out.

Begin with `train.py` (what `metier train` does), then `loop.py` (the search) and the seams that you can fill:
`targets/target.py`, `scoring/scorer.py`, `gates/gate.py`. This folder imports `selection`, `library` and what is below
them. The names below are for people who train from Python or write a target, a scorer or a gate; they are loaded when
they are first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from metier.errors import InputError
    from metier.formats.strict_json import StrictObject, word
    from metier.training.cases.read import read_cases
    from metier.training.cases.splits import Shares, Splits, by_hash, by_ratio
    from metier.training.events import Event
    from metier.training.gates.gate import Gate, GateEvidence, MeasureAll, MeasureRows, Postponed, Ruling
    from metier.training.presets import spec_of
    from metier.training.rollouts.rollout import Scorer
    from metier.training.scoring.scorer import Judge, Kind, Means, score_of, share
    from metier.training.scoring.scorers import Scorers
    from metier.training.spec import Spec
    from metier.training.targets.callable import CallableTarget
    from metier.training.targets.chat import ChatTarget
    from metier.training.targets.command import CommandTarget, agent_target, command_target
    from metier.training.targets.completion import CompletionTarget
    from metier.training.targets.target import Attempt, Broken, Target, TargetSetup
    from metier.training.train import Finished
    from metier.types.trials import Case, Decision, Rollout, Score, Scored, Unscored

__all__ = [
    "Attempt",
    "Broken",
    "CallableTarget",
    "Case",
    "ChatTarget",
    "CommandTarget",
    "CompletionTarget",
    "Decision",
    "Event",
    "Finished",
    "Gate",
    "GateEvidence",
    "InputError",
    "Judge",
    "Kind",
    "Means",
    "MeasureAll",
    "MeasureRows",
    "Postponed",
    "Rollout",
    "Ruling",
    "Score",
    "Scored",
    "Scorer",
    "Scorers",
    "Shares",
    "Spec",
    "Splits",
    "StrictObject",
    "Target",
    "TargetSetup",
    "Unscored",
    "agent_target",
    "by_hash",
    "by_ratio",
    "command_target",
    "read_cases",
    "score_of",
    "share",
    "spec_of",
    "word",
]

_MODULES = {
    "Attempt": "metier.training.targets.target",
    "Broken": "metier.training.targets.target",
    "CallableTarget": "metier.training.targets.callable",
    "Case": "metier.types.trials",
    "ChatTarget": "metier.training.targets.chat",
    "CommandTarget": "metier.training.targets.command",
    "CompletionTarget": "metier.training.targets.completion",
    "Decision": "metier.types.trials",
    "Event": "metier.training.events",
    "Finished": "metier.training.train",
    "Gate": "metier.training.gates.gate",
    "GateEvidence": "metier.training.gates.gate",
    "InputError": "metier.errors",
    "Judge": "metier.training.scoring.scorer",
    "Kind": "metier.training.scoring.scorer",
    "Means": "metier.training.scoring.scorer",
    "MeasureAll": "metier.training.gates.gate",
    "MeasureRows": "metier.training.gates.gate",
    "Postponed": "metier.training.gates.gate",
    "Rollout": "metier.types.trials",
    "Ruling": "metier.training.gates.gate",
    "Score": "metier.types.trials",
    "Scored": "metier.types.trials",
    "Scorer": "metier.training.rollouts.rollout",
    "Scorers": "metier.training.scoring.scorers",
    "Shares": "metier.training.cases.splits",
    "Spec": "metier.training.spec",
    "Splits": "metier.training.cases.splits",
    "StrictObject": "metier.formats.strict_json",
    "Target": "metier.training.targets.target",
    "TargetSetup": "metier.training.targets.target",
    "Unscored": "metier.types.trials",
    "agent_target": "metier.training.targets.command",
    "by_hash": "metier.training.cases.splits",
    "by_ratio": "metier.training.cases.splits",
    "command_target": "metier.training.targets.command",
    "read_cases": "metier.training.cases.read",
    "score_of": "metier.training.scoring.scorer",
    "share": "metier.training.scoring.scorer",
    "spec_of": "metier.training.presets",
    "word": "metier.formats.strict_json",
}
"""The module of each public name."""


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module 'metier.training' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    """The public names."""
    return list(__all__)
