"""The shipped calibration on a small library of everyday skills: what it acts on, and what it leaves alone."""

from __future__ import annotations

import json

import pytest

from metier.selection.choosing.choose import Basis, choose
from metier.selection.evaluation import samples
from metier.selection.index.entries import EMBEDDER, VERSION, entry_of
from metier.selection.index.index import SkillIndex
from metier.selection.types import ScoredSkill, Selectable, SelectionSettings, Task

DESCRIPTIONS = {
    "flaky-tests": "Mends tests that fail now and then. Use when a test is flaky or depends on the order of tests.",
    "release-notes": "Writes release notes from merged pull requests, grouped by kind of change.",
    "postgres-migrations": "Plans schema migrations for PostgreSQL without downtime, with a way back.",
    "invoice-reminders": "Writes polite reminders for overdue invoices from the ledger.",
    "kubernetes-rollback": "Rolls a Kubernetes deployment back to the last healthy revision and says why it failed.",
    "csv-cleaning": "Cleans CSV exports: encodings, duplicate rows, dates and numbers in mixed formats.",
    "accessibility-audit": "Audits web pages for accessibility: contrast, keyboard use, labels, screen readers.",
    "api-docs": "Keeps OpenAPI documents in step with the code and writes examples for every endpoint.",
    "incident-report": "Writes the report after an incident: time line, causes, what is done about them.",
    "translation-review": "Reviews translated strings of an app for length, placeholders and tone.",
}
SKILLS = {
    name: Selectable(name=name, description=text, body=f"# {name}\n\n{text}\n") for name, text in DESCRIPTIONS.items()
}
INDEX = SkillIndex.of((name, entry_of(skill)) for name, skill in SKILLS.items())
BASIS = Basis(settings=SelectionSettings(explore_rate=0.0))
NO_SKILL = [json.loads(line) for line in samples.lines(samples.NO_SKILL)]


def chosen(task: str) -> list[str]:
    hits = INDEX.search(task, 12)
    scored = [ScoredSkill(skill=SKILLS[hit.name], score=hit.score, parts=hit.parts) for hit in hits]
    return [one.skill.name for one in choose(Task(text=task), scored, BASIS).chosen]


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("The login test is flaky and depends on the order of tests, please mend it", "flaky-tests"),
        ("Write the release notes for 2.4 from the merged pull requests", "release-notes"),
        ("Plan a migration of the orders schema in PostgreSQL without downtime", "postgres-migrations"),
        ("Roll the checkout deployment on Kubernetes back to the last healthy revision", "kubernetes-rollback"),
        ("This CSV export has duplicate rows and dates in mixed formats, clean it", "csv-cleaning"),
        ("Audit the sign-up page for contrast, keyboard use and screen readers", "accessibility-audit"),
    ],
)
def test_a_task_a_skill_is_made_for_activates_it_without_a_model(task: str, name: str) -> None:
    assert chosen(task) == [name]


def test_requests_that_no_skill_serves_activate_none() -> None:
    assert len(NO_SKILL) >= 150
    assert all(row.keys() == {"query", "gold"} and row["gold"] == [] for row in NO_SKILL)
    acted = [row["query"] for row in NO_SKILL if chosen(row["query"])]
    assert len(acted) <= len(NO_SKILL) // 50, acted


def test_the_version_of_entries_names_the_table_they_were_made_with() -> None:
    assert VERSION.endswith(EMBEDDER.name)
