"""From runs to drafts: runs that keep succeeding become patterns, and patterns become drafts of skills.

Begin with `learn.py` (one pass), then `judge.py`, `clustering/`, `procedures/` (what runs teach) and `drafting/`;
`stages/` reads and saves for them, `watch/` repeats the pass. This folder imports `selection`, `library` and what is
below them. The names below are for callers with an own judge, clusterer or drafter; they are loaded at first use.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from metier.learning.clustering.clusterer import Clusterer, Clustering, NewEvidence, RunGroup
    from metier.learning.drafting.heuristic import HeuristicDrafter, NothingNew
    from metier.learning.drafting.proposal import Proposal
    from metier.learning.drafting.similar_skills import KnownSkill
    from metier.learning.judge import HeuristicJudge, Judge
    from metier.learning.procedures.procedure import Lessons
    from metier.learning.stages.write_draft import Drafter
    from metier.types.passes import Learned, Options

__all__ = [
    "Clusterer",
    "Clustering",
    "Drafter",
    "HeuristicDrafter",
    "HeuristicJudge",
    "Judge",
    "KnownSkill",
    "Learned",
    "Lessons",
    "NewEvidence",
    "NothingNew",
    "Options",
    "Proposal",
    "RunGroup",
]

_MODULES = {
    "Clusterer": "clustering.clusterer",
    "Clustering": "clustering.clusterer",
    "Drafter": "stages.write_draft",
    "HeuristicDrafter": "drafting.heuristic",
    "HeuristicJudge": "judge",
    "Judge": "judge",
    "KnownSkill": "drafting.similar_skills",
    "Lessons": "procedures.procedure",
    "NewEvidence": "clustering.clusterer",
    "NothingNew": "drafting.heuristic",
    "Proposal": "drafting.proposal",
    "RunGroup": "clustering.clusterer",
}
"""The module of each public name of this folder; the other names are values from `types/passes.py`."""


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name not in __all__:
        raise AttributeError(f"module 'metier.learning' has no attribute '{name}'")
    from importlib import import_module

    home = f"metier.learning.{_MODULES[name]}" if name in _MODULES else "metier.types.passes"
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    """The public names."""
    return list(__all__)
