"""A case and a skill as the words that targets without a file system are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.models.failures import OverBudget, Refused
from metier.training.cases.evals_json import FOLDER
from metier.training.targets.target import Broken

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.skills.package import Package
    from metier.types.trials import Case


def skill_text(skill: Package | None, *, files: bool = False) -> str:
    """A skill's document, empty for none; on request with its other text files behind it."""
    if skill is None:
        return ""
    document = skill.document.decode("utf-8", "replace").strip()
    if not files:
        return document
    others = sorted(path for path in skill.files if path != skill.skill_file and not path.startswith(FOLDER))
    return "\n\n".join([document, *(_held(path, text) for path in others if (text := _text(skill.files[path])))])


def task_text(case: Case) -> str:
    """What is asked, with the case's files behind it."""
    return "\n\n".join([case.input, *(_held(path, text) for path, text in case.files)])


def broken_attempt(failure: Failure) -> Broken:
    """What a model's failure means for an attempt: never anything about the skill."""
    over = isinstance(failure, OverBudget)
    return Broken(reason=failure.reason, again=not over and not isinstance(failure, Refused), spent=over)


def _held(path: str, text: str) -> str:
    return f'<file path="{path}">\n{text.strip()}\n</file>'


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return ""
