"""Imports go down only, nobody is in a cycle, and nothing happens on import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from source_trees import nodes_of, tree_of

import metier

pytestmark = pytest.mark.xdist_group("source code")
SOURCE = Path(metier.__file__).parent
LAYERS = [
    {"cli"},
    {"server"},
    {"web", "mcp", "fleet"},
    {"workspace"},
    {"maintenance", "sharing"},
    {"proof"},
    {"learning", "training"},
    {"selection"},
    {"library"},
    {"review"},
    {"capture"},
    {"runs"},
    {"context"},
    {"skills", "models", "store"},
    {"formats", "redaction", "text", "statistics", "agents"},
    {"prompts", "config", "events", "async_calls", "processes", "folders", "foreign_files"},
    {"types", "errors"},
]
"""From the top down; parts on one line do not import each other."""
APART = {"hooks"}
"""Parts outside the order: every part may import them."""
PURE = (
    "metier.types",
    "metier.formats",
    "metier.text",
    "metier.statistics",
    "metier.skills",
    "metier.review",
    "metier.capture.claude_code",
    "metier.capture.codex",
    "metier.capture.others",
    "metier.capture.reading",
    "metier.capture.traces",
    "metier.selection.assembly",
    "metier.selection.choosing",
    "metier.selection.index",
    "metier.learning.judge",
    "metier.learning.clustering",
    "metier.learning.lessons",
    "metier.learning.procedures",
    "metier.learning.drafting",
    "metier.training.cases",
    "metier.training.gates",
    "metier.training.proposing",
    "metier.training.report",
    "metier.training.rollouts",
    "metier.training.scoring",
)
"""Folders of functions from values to values: they are given models, clocks and random generators."""
SERVICES = {
    "metier.selection.choosing.adviser",
    "metier.selection.index.remote_vectors",
    "metier.selection.index.update",
}
"""The modules in those folders that run them: the only ones that know the store."""


def part_of(module: str) -> str:
    """The top-level part a module belongs to."""
    name = module.split(".")[1] if "." in module else ""
    return "cli" if name == "__main__" else name


def level_of(part: str) -> int:
    return next(level for level, parts in enumerate(LAYERS) if part in parts)


@cache
def modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        parts = ["metier", *file.relative_to(SOURCE).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imports_of(file: Path, known: dict[str, Path], *, lazy: bool = True) -> set[str]:
    nodes = nodes_of(file) if lazy else tree_of(file).body
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} & known.keys() or {node.module}
    return {name for name in found if name.split(".")[0] == "metier"}


def test_every_module_imports_only_from_below() -> None:
    known = modules()
    wrong = [
        f"{name} imports {target}"
        for name in known
        if (part := part_of(name)) and part not in APART
        for target in sorted(imports_of(known[name], known))
        if (other := part_of(target)) and other != part and other not in APART and level_of(other) <= level_of(part)
    ]
    assert wrong == []


def test_hooks_import_the_standard_library_the_quick_redactor_and_the_shell_parser_only() -> None:
    hooks = {name: file for name, file in modules().items() if part_of(name) == "hooks"}
    assert hooks
    for name, file in hooks.items():
        for node in nodes_of(file):
            if isinstance(node, ast.Import):
                used = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                used = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            for target in used:
                is_own = target.startswith(("metier.hooks.", "metier.text.shell."))
                is_own = is_own or target == "metier.redaction.redact_quick"
                assert is_own or target.split(".")[0] in sys.stdlib_module_names, f"{name} imports {target}"


def test_no_module_is_part_of_an_import_cycle() -> None:
    known = modules()
    edges = {name: imports_of(file, known, lazy=False) & known.keys() for name, file in known.items()}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path, name))
        if name not in done:
            for target in edges[name]:
                visit(target, (*path, name))
            done.add(name)

    for name in edges:
        visit(name, ())


def used_names(file: Path) -> set[str]:
    """The modules that are imported, and every `name.name` in the code; what only stands in a text does not count."""
    found: set[str] = set()
    for node in nodes_of(file):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{node.value.id}.{node.attr}")
    return found


def is_pure(name: str) -> bool:
    return name not in SERVICES and any(name == folder or name.startswith(f"{folder}.") for folder in PURE)


def test_pure_modules_know_no_store_no_environment_and_no_clock() -> None:
    known = modules()
    above = ("store", "context", "library", "config")
    impure = {"os.environ", "os.getenv", "datetime.now", "time.time", "subprocess", "urllib.request"}
    wrong = [
        f"{name} uses {what}"
        for name in filter(is_pure, known)
        for what in sorted(
            {target for target in imports_of(known[name], known) if part_of(target) in above}
            | (impure & used_names(known[name]))
        )
    ]
    assert wrong == []


def test_every_folder_and_module_that_the_rules_name_is_there() -> None:
    assert set(PURE) | SERVICES <= modules().keys()


def test_only_the_store_writes_sql() -> None:
    for name, file in modules().items():
        if not name.startswith("metier.store") and not name.startswith("metier.capture"):
            texts = [
                node.value for node in nodes_of(file) if isinstance(node, ast.Constant) and isinstance(node.value, str)
            ]
            assert not [text for text in texts if text.startswith(("SELECT ", "INSERT ", "UPDATE ", "DELETE FROM "))], (
                name
            )


def test_every_module_says_in_one_sentence_what_it_is_for() -> None:
    for name, file in modules().items():
        doc = ast.get_docstring(tree_of(file))
        assert doc, name
        assert doc.splitlines()[0].endswith((".", ":")), name


def test_importing_metier_loads_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import metier; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "['__future__', 'metier']"


def test_no_file_is_longer_than_400_lines() -> None:
    long = [file.name for file in SOURCE.rglob("*.py") if len(file.read_text(encoding="utf-8").splitlines()) > 400]
    assert long == []


def test_every_test_file_has_a_name_of_its_own() -> None:
    names = [file.name for file in Path(__file__).parent.rglob("test_*.py")]
    assert [name for name in sorted(set(names)) if names.count(name) > 1] == []


READERS = ("capture", "runs", "learning", "library.disk.packages", "library.delivery.published")
"""Parts that read what others wrote: transcripts, the spool, pages, answers, skills."""
OPENERS = {
    "metier.library.disk.packages": "a skill's folder is read through one descriptor: plain files, bounded",
    "metier.runs.json_stream": "a person names the file of `metier record`, and it may be a pipe",
    "metier.capture.others.hermes": "SQLite opens its file itself; the one function has looked at it before",
}
"""The other places that open a file in these parts, and why."""
READING = re.compile(r"(?:.*\.)?(?:open|fdopen|read_text|read_bytes)|sqlite3\.connect")


def opened_in(file: Path) -> list[int]:
    """The lines that open a file and can read it; what makes a new file cannot."""
    calls = [node for node in nodes_of(file) if isinstance(node, ast.Call)]
    return [
        call.lineno
        for call in calls
        if READING.fullmatch(ast.unparse(call.func)) and "O_CREAT" not in ast.unparse(call)
    ]


def test_only_one_function_opens_files_that_others_wrote() -> None:
    readers = {name for name in modules() if name.removeprefix("metier.").startswith(READERS)}
    opened = {name: lines for name in readers if (lines := opened_in(modules()[name]))}
    assert opened.keys() == OPENERS.keys(), opened
