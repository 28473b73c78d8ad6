"""Prompts are files: `prompts/<name>.md` beside the module that uses them, with `$placeholders`."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from string import Template

from metier.errors import MetierError


class PromptError(MetierError):
    """A prompt and the values for it do not fit together."""


def load(package: str, name: str) -> str:
    """The text of one prompt of a package, for example `load("metier.learning", "judge")`."""
    file = files(package) / "prompts" / f"{name}.md"
    if not file.is_file():
        raise PromptError(f"There is no prompt '{name}' in {package}: expected prompts/{name}.md beside it.")
    return file.read_text(encoding="utf-8")


def render(text: str, **values: str) -> str:
    """The prompt with every placeholder filled; a missing value and an unused one are both errors."""
    template, wanted = _parsed(text)
    for problem, names in (("lacks a value for", wanted - values.keys()), ("does not use", values.keys() - wanted)):
        if names:
            raise PromptError(f"The prompt {problem}: {', '.join(sorted(names))}.")
    return template.substitute(values)


@lru_cache(maxsize=64)
def _parsed(text: str) -> tuple[Template, frozenset[str]]:
    template = Template(text)
    if not template.is_valid():
        raise PromptError("The prompt holds a '$' that is neither a placeholder nor written as '$$'.")
    return template, frozenset(template.get_identifiers())
