"""Cases from the `evals/evals.json` that skills carry along by the Agent Skills guide."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from metier.errors import InputError
from metier.formats.strict_json import StrictObject, word
from metier.skills.names import path_problem
from metier.training.cases.read import canonical, conflicts
from metier.types.trials import Case

if TYPE_CHECKING:
    from collections.abc import Mapping

EVALS = "evals/evals.json"
FOLDER = "evals/"
"""Of a package: what is in it must not be seen by the agent that is tried."""


def read_evals(text: str, files: Mapping[str, bytes]) -> tuple[Case, ...]:
    """One case per eval, judged by its assertions; `files` are the package's, by path."""
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{EVALS} is not valid JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        ) from None
    except (ValueError, RecursionError):
        raise InputError(f"{EVALS} cannot be read: it is nested too deep, or a number is too long.") from None
    fields = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    listed = fields.get("evals")
    if not isinstance(listed, list) or not listed:
        raise InputError(
            f'{EVALS} lists no evals; it holds {{"skill_name": "…", "evals": [{{"id": 1, "prompt": "…"}}]}}.'
        )
    every = cast("list[object]", listed)
    cases = tuple(_case(one, f"evals[{number}]", files) for number, one in enumerate(every))
    if problem := next(conflicts(cases), None):
        raise InputError(f"{EVALS} cannot be used: {problem}.")
    return cases


def _case(value: object, where: str, files: Mapping[str, bytes]) -> Case:
    known = cast("dict[str, object]", value).keys() if isinstance(value, dict) else ()
    fields = StrictObject(cast("object", value), where, known)  # the guide leaves room for further fields
    prompt, expected = fields.required("prompt"), fields.text("expected_output")
    criteria = fields.each("assertions", _statement) or fields.each("expectations", _statement)
    criteria = criteria or ((expected,) if expected.strip() else ())
    if not prompt.strip() or not criteria:
        raise InputError(f"{EVALS}: {where} needs a prompt, and assertions or an expected_output to judge it by.")
    return Case(
        id=f"eval-{fields.loose('id') or where}",
        input=prompt,
        expected=expected,
        scorer=canonical({"kind": "rubric", "criteria": list(criteria)}),
        origin="evals",
        files=tuple(sorted(fields.each("files", lambda one, at: _file(word(one, at), at, files)))),
    )


def _statement(value: object, where: str) -> str:
    """An assertion: a text, or an object that holds one."""
    if isinstance(value, dict):
        held = cast("dict[str, object]", value)
        value = next((held[key] for key in ("text", "assertion", "description") if key in held), None)
    return word(value, where)


def _file(path: str, where: str, files: Mapping[str, bytes]) -> tuple[str, str]:
    """A file of the package, where the task finds it: without the folder it was kept in."""
    content = files.get(path, files.get(FOLDER + path))
    if content is None or path_problem(path):
        raise InputError(f"{EVALS}: {where}: {path[:80]!r} is not in the package; write paths from its root.")
    try:
        return path.removeprefix(FOLDER).removeprefix("files/"), content.decode()
    except UnicodeDecodeError:
        raise InputError(f"{EVALS}: {where}: {path[:80]!r} is not text; cases can have text files only.") from None
