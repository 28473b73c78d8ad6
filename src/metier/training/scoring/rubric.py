"""The scorer that asks a model whether an answer meets criteria."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from metier.errors import InputError
from metier.formats.strict_json import word
from metier.models.answers import Answer, ask
from metier.models.failures import OverBudget
from metier.models.model import Message, Request
from metier.prompts import load, render
from metier.training.rollouts.rollout import BudgetSpent
from metier.training.scoring.scorer import Kind, score_of, share
from metier.types.trials import Case, Score, Unscored

if TYPE_CHECKING:
    from metier.formats.strict_json import StrictObject
    from metier.models.model import Model
    from metier.training.scoring.scorer import Judge, Means
    from metier.training.targets.target import Attempt

SHOWN = 40_000
"""Characters of an answer that are shown; of a longer one, the beginning and the end."""
SECONDS = 120.0


class _Verdict(BaseModel):
    """Whether one criterion is met."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    criterion: int
    met: bool
    why: str


class Verdicts(BaseModel):
    """One verdict per criterion."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    verdicts: list[_Verdict]


def _rubric(settings: StrictObject, case: Case) -> Judge:
    criteria = settings.each("criteria", word) or ((case.expected,) if case.expected.strip() else ())
    if not criteria:
        raise InputError(f"{settings.where}.criteria: missing; list what a good answer does, one sentence each")
    threshold = share(settings, "threshold", 1.0)

    def judge(attempt: Attempt, means: Means) -> Score | BudgetSpent:
        if means.model is None:
            return Unscored(reason="no model is set that could judge a rubric")
        request = _request(case, criteria, attempt.output)
        answer = ask(means.model, request, Verdicts)
        if isinstance(answer, OverBudget):
            return BudgetSpent(reason=answer.reason)
        if not isinstance(answer, Answer):
            return Unscored(reason=f"the rubric could not be judged: {answer.reason}")
        return _counted(answer.value, len(criteria), threshold)

    return judge


def identity(model: Model) -> str:
    """What judges: the model, and the words it is asked in."""
    words = sha256("\0".join(map(_prompt, ("rubric", "rubric_case"))).encode()).hexdigest()
    return f"rubric {model.identity} {words[:16]}"


def _request(case: Case, criteria: tuple[str, ...], output: str) -> Request:
    shown = output if len(output) <= SHOWN else f"{output[: SHOWN // 2]}\n[…]\n{output[-SHOWN // 2 :]}"
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate(criteria, 1))
    text = render(
        _prompt("rubric_case"),
        task=case.input,
        reference=case.expected or "(none)",
        criteria=listed,
        answer=shown,
    )
    return Request(messages=(Message(text=text),), system=_prompt("rubric"), timeout=SECONDS, stage="score")


def _counted(answer: Verdicts, count: int, threshold: float) -> Score:
    met = {one.criterion: one.met for one in answer.verdicts}
    if sorted(met) != list(range(1, count + 1)) or len(answer.verdicts) != count:
        return Unscored(reason=f"the judge answered {len(answer.verdicts)} of {count} criteria, or one of them twice")
    portion = sum(met.values()) / count
    return score_of(portion >= threshold, portion)


@cache
def _prompt(name: str) -> str:
    return load("metier.training", name).strip()


KINDS = {"rubric": Kind(fields=("criteria", "threshold"), make=_rubric)}
