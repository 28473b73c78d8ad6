"""Write the generated pages of the documentation: commands, Python API, events, review rules.

    python scripts/write_reference.py docs

Each says what the code says: help texts, docstrings, the catalogue of rules. A test compares them with the code.
"""

from __future__ import annotations

import ast
import inspect
import sys
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import metier
from metier.cli.reference import reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GENERATED = "`make docs` generates this page from the code."


def main(folder: Path) -> None:
    """Write all of them."""
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


def api_page() -> str:
    """The public names of `import metier`."""
    parts = ["# Python API", f"{GENERATED} `import metier` has these names, and no others are promised."]
    names = [name for name in metier.__all__ if name not in ("open", "Workspace") and not name.endswith("Error")]
    parts += ["## metier.open", doc_of(metier.Workspace.open), code(f"metier.open{signature(metier.Workspace.open)}")]
    parts += ["## Workspace", doc_of(metier.Workspace)]
    for name, member in inspect.getmembers(metier.Workspace):
        if not name.startswith("_") and name != "open":
            parts += list(member_parts("ws", name, member))
    for name in names:
        parts += [f"## {name}", *class_parts(getattr(metier, name))]
    errors = [f"| `{name}` | {doc_of(getattr(metier, name))} |" for name in metier.__all__ if name.endswith("Error")]
    parts += ["## Errors", "\n".join(("| error | means |", "|---|---|", *errors))]
    return "\n\n".join(parts) + "\n"


def events_page() -> str:
    """What long work yields."""
    parts = ["# Events", f"{GENERATED} Long work yields events while it runs, from Python (`for event in ws.learn()`)."]
    for title, module in (("Any long work", "metier.events"), ("Training", "metier.training.events")):
        parts.append(f"## {title}")
        found = [
            one for _, one in inspect.getmembers(import_module(module), inspect.isclass) if one.__module__ == module
        ]
        for one in sorted(found, key=lambda one: inspect.getsourcelines(one)[1]):
            parts += [f"### {one.__name__}", *class_parts(one)]
    return "\n\n".join(parts) + "\n"


def rules_page() -> str:
    """What review looks for."""
    from metier.review.rules.catalogue import FAMILIES, content_rules

    parts = [
        "# Review rules",
        f"{GENERATED} [Security](security.md) says how they are weighed; `metier review --explain RULE` shows one.",
    ]
    for family in FAMILIES:
        rows = [
            f"| `{one.id}` | {one.severity} | {cell(one.reason)} | {cell(one.fix)} |"
            for one in content_rules()
            if one.family == family
        ]
        parts += [f"## {family}", "\n".join(("| rule | severity | means | what to do |", "|---|---|---|---|", *rows))]
    return "\n\n".join(parts) + "\n"


def member_parts(owner: str, name: str, member: object) -> Iterator[str]:
    """A property or a method of a class that people use."""
    if isinstance(member, property):
        yield f"### {owner}.{name}"
        yield doc_of(member)
    elif callable(member):
        yield f"### {owner}.{name}()"
        yield doc_of(member)
        yield code(f"{owner}.{name}{signature(member)}")


def class_parts(found: type) -> Iterator[str]:
    """A class: its sentence, its fields with what they mean, its methods."""
    yield doc_of(found)
    rows = [f"| `{name}` | `{cell(kind)}` | {cell(text)} |" for name, kind, text in fields_of(found)]
    if rows:
        yield "\n".join(("| field | type | meaning |", "|---|---|---|", *rows))
    for name, member in vars(found).items():
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
            yield from member_parts(found.__name__, name, member)


def fields_of(found: type) -> Iterator[tuple[str, str, str]]:
    """The public fields of a class as its source has them: name, type, and the text below it."""
    body = ast.parse(dedent(inspect.getsource(found))).body[0]
    lines = body.body if isinstance(body, ast.ClassDef) else []
    for one, after in zip(lines, [*lines[1:], None], strict=True):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and not one.target.id.startswith("_"):
            told = after.value if isinstance(after, ast.Expr) else None
            text = told.value if isinstance(told, ast.Constant) else ""
            yield one.target.id, ast.unparse(one.annotation), str(text)


def signature(function: Callable[..., object]) -> str:
    """The parameters as they are written, without the object itself."""
    found = inspect.signature(function)
    shown = [
        one.replace(
            annotation=Words(one.annotation), default=Words(getattr(one.default, "__name__", repr(one.default)))
        )
        if one.default is not one.empty
        else one.replace(annotation=Words(one.annotation))
        for name, one in found.parameters.items()
        if name not in ("self", "cls")
    ]
    return str(found.replace(parameters=shown, return_annotation=Words(found.return_annotation)))


class Words:
    """A text that shows itself as it is."""

    def __init__(self, text: object) -> None:
        self._text = str(text)

    def __repr__(self) -> str:
        return self._text


def doc_of(found: object) -> str:
    """A docstring as paragraphs."""
    return inspect.getdoc(found) or ""


def code(text: str) -> str:
    """A block of code that is only looked at."""
    return f"```text\n{text}\n```"


def cell(text: str) -> str:
    """A text in a table."""
    return " ".join(text.split()).replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {
    "cli.md": reference,
    "api.md": api_page,
    "events.md": events_page,
    "rules.md": rules_page,
}

if __name__ == "__main__":
    main(Path(sys.argv[1]))
