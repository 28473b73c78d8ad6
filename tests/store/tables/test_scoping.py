"""Workspaces that share a store: every statement says whose rows it means, and none notices the other."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from learn_world import TESTS, Clock, everything, learned, opened, task

import metier.store
from metier.maintenance.retention import remove_runs
from metier.runs.verdicts import mark_run
from metier.store.copying.shape import known_tables
from metier.store.tables import audit
from metier.store.tables.training import trainings
from metier.store.tables.training.trainings import Training

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.store.engines.engine import Engine
    from metier.workspace import Workspace

STATEMENT = re.compile(r"\s*(SELECT|UPDATE|DELETE|INSERT|WITH)\b")
NAMED = re.compile(r"(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)")
SAYS_WHOSE = ("workspace", "{OWN}", "{OF_SESSION}", "{where}", "INSERT INTO calls ({COLUMNS})")
"""A statement says whose rows it means by the column, or by a part that does."""
FOR_ALL = {
    "audit.py": ("SELECT hash FROM audit ORDER", "SELECT {COLUMNS} FROM audit ORDER"),
    "drafts.py": ("SELECT body FROM drafts ORDER BY sequence",),
    "ledger.py": ("DELETE FROM reservations WHERE id = ?",),
    "memo.py": ("SELECT value FROM memo WHERE key = ?",),
    "full_text.py": (
        "SELECT {runs.COLUMNS} FROM runs WHERE sequence > ?",
        "SELECT coalesce(max(sequence), 0) FROM runs",
    ),
    "runs.py": ("SELECT count(*) FROM runs", "SELECT 1 FROM removed_runs LIMIT 1"),
    "outcomes.py": ("SELECT coalesce(max(sequence), 0) FROM audit",),
    "skill_index.py": ("SELECT DISTINCT hash, name FROM selectable", "SELECT coalesce(max(sequence), 0) FROM audit"),
    "trials.py": ("SELECT t.session, t.arm", "SELECT body FROM trials ORDER BY id"),
    "known_keys.py": ("SELECT {column} FROM {table}",),
}
"""Statements that mean the rows of all workspaces: the audit log is one chain; a memo is kept under the hash of all
that was asked; the index of words is the store's, and its answers are cut to a workspace; texts of skills are kept as
long as anybody has them; reservations have random ids; sessions of a trial are found by the trial; a copy of a
store takes the trials of all along."""


def statements() -> Iterator[tuple[str, str]]:
    """Every SQL statement of the tables, with its file; what is put in is shown by its name."""
    for file in sorted(Path(metier.store.__file__).parent.joinpath("tables").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            text = text_of(node) if id(node) not in parts else ""
            if STATEMENT.match(text):
                yield file.name, " ".join(text.split())


def text_of(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    if isinstance(node, ast.FormattedValue):
        return "{" + ast.unparse(node.value) + "}"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_every_statement_says_whose_rows_it_means() -> None:
    scoped = {table.name for table in known_tables() if "workspace" in table.columns}
    found = list(statements())
    assert len(found) > 150
    wrong = [
        f"{file}: {text}"
        for file, text in found
        if scoped & set(NAMED.findall(text))
        and not any(part in text for part in SAYS_WHOSE)
        and not any(text.startswith(known) for known in FOR_ALL.get(file, ()))
    ]
    assert wrong == []


@pytest.mark.xdist_group("postgresql")
def test_what_one_workspace_does_another_does_not_notice(new_postgres: str, tmp_path: Path) -> None:
    with (
        opened(tmp_path / "a", Clock(), store=new_postgres) as one,
        opened(tmp_path / "b", Clock(), store=new_postgres) as other,
    ):
        for ws in (one, other):
            ws.deliver(task(TESTS, 0, 5))
            learned(ws)
        before = everything(other), entries(other)
        ids = [run.id for run in one.runs()]
        mark_run(one.context, ids[0], "bad")
        list(remove_runs(one.context, [ids[1]], "test"))
        learned(one)
        assert everything(one) != before[0]
        assert (everything(other), entries(other)) == before
        learned(other)
        assert (everything(other), entries(other)) == before
        foreign = other.runs()[0].id
        assert foreign not in [run.id for run in one.runs()]


def entries(ws: Workspace) -> list[tuple[str, str]]:
    with ws.context.store.read() as transaction:
        return [(one.action, one.subject) for one in audit.list_own(transaction)]


def test_two_workspaces_have_a_training_each_of_the_same_skill_on_the_same_cases(engine: Engine) -> None:
    with engine.write() as transaction:
        for workspace in ("one", "other"):
            transaction.workspace = workspace
            made = Training(
                id="3f795c21", workspace=workspace, skill="s", base_hash="h", spec="{}", target="t", optimiser="o"
            )
            trainings.put(transaction, made, workspace.encode())
            trainings.save(transaction, made, f"report of {workspace}")
        assert trainings.start_of(transaction, "3f795c21") == b"other"
        transaction.workspace = "one"
        assert trainings.report_of(transaction, "3f795c21") == "report of one"
        trainings.remove(transaction, "3f795c21")
        assert trainings.find(transaction, "3f795c21") is None
        transaction.workspace = "other"
        assert trainings.report_of(transaction, "3f795c21") == "report of other"
