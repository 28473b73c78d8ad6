"""The scorer that a run is given: it scores as each case says, and never blames an attempt for its own failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.errors import InputError
from metier.training.scoring.registry import judge_of, settings_of
from metier.training.scoring.rubric import identity
from metier.training.scoring.scorer import Means, sane
from metier.types.trials import Case, Score, Unscored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from metier.training.rollouts.rollout import BudgetSpent
    from metier.training.targets.target import Attempt

SHOWN, NAMED = 20, 5
"""Problems that one error lists, and cases that it names for one of them."""


class Scorers:
    """Scores attempts as their cases say; a scorer that fails makes an unscored attempt, never a bad one."""

    def __init__(self, means: Means | None = None) -> None:
        self.means = means or Means()
        self._identities: dict[str, str] = {}

    def identity(self, case: Case) -> str:
        """The model that judges a rubric and the functions of one's own; nothing for all other kinds."""
        if case.scorer not in self._identities:
            self._identities[case.scorer] = self._identity(case)
        return self._identities[case.scorer]

    def _identity(self, case: Case) -> str:
        parts: list[str] = []
        for setting in _settings(case):
            if setting.get("kind") == "rubric" and self.means.model is not None:
                parts.append(identity(self.means.model))
            elif setting.get("kind") == "python" and (function := self.means.functions.get(str(setting.get("name")))):
                named = (getattr(function, name, "") for name in ("__module__", "__qualname__"))
                parts.append("python " + ".".join(named))
        return " | ".join(parts)

    def score(self, case: Case, attempt: Attempt) -> Score | BudgetSpent:
        """How good the attempt is, or why nobody can say."""
        try:
            return sane(judge_of(case)(attempt, self.means))
        except Exception as error:  # noqa: BLE001 - whatever a scorer does, the attempt is not to blame
            return Unscored(reason=f"the scorer failed: {type(error).__name__}: {str(error)[:200]}")

    def check(self, cases: Iterable[Case]) -> None:
        """InputError lists the cases that could not be scored here, before anything is spent."""
        found: dict[str, list[str]] = {}
        for case in cases:
            for problem in self._problems(case):
                found.setdefault(problem, []).append(case.id)
        if found:
            lines = [f"{_several(ids)}: {problem}" for problem, ids in found.items()]
            more = f"\n… and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
            raise InputError("Some cases cannot be scored:\n" + "\n".join(lines[:SHOWN]) + more)

    def _problems(self, case: Case) -> Iterator[str]:
        try:
            judge_of(case)
        except InputError as error:
            yield str(error)
            return
        for setting in settings_of(case):
            yield from _lacking(setting, self.means)


def _several(ids: list[str]) -> str:
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return ", ".join(ids[:NAMED]) + more


def _settings(case: Case) -> tuple[dict[str, object], ...]:
    """A case's settings; none for a case that cannot be scored anyway."""
    try:
        return tuple(settings_of(case))
    except InputError:
        return ()


def _lacking(setting: dict[str, object], means: Means) -> Iterator[str]:
    kind, name = setting.get("kind"), setting.get("name")
    if kind == "rubric" and means.model is None:
        yield "a rubric needs a model: name one (--optimiser, --judge, the setting `model`), or take another scorer"
    elif kind == "command" and means.commands is None:
        yield "its check runs a command; read it, then allow it with --allow-commands"
    elif kind == "python" and ":" in str(name) and name not in means.functions:
        yield f"its scorer is the function {name}; read it, then allow it with --allow-commands"
    elif kind == "python" and name not in means.functions:
        given = f"given are {', '.join(means.functions)}" if means.functions else "none is given"
        yield f"there is no function {name!r}; {given}. Write MODULE:FUNCTION, and allow it with --allow-commands"
