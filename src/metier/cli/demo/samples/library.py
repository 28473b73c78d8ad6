"""The sample shop's skills, and labelled requests to try selection on; written for the demo."""

from __future__ import annotations

import json
from importlib.resources import files

SKILLS, QUERIES = "skills.jsonl", "queries.jsonl"


def lines(name: str) -> list[str]:
    """The lines of a file that ships with the demo."""
    return (files("metier.cli.demo.samples") / name).read_text(encoding="utf-8").splitlines()


def documents() -> dict[str, str]:
    """Every sample skill's document by name, as it would lie on disk."""
    rows: list[dict[str, str]] = [json.loads(line) for line in lines(SKILLS)]
    return {
        row["name"]: f"---\nname: {row['name']}\ndescription: {json.dumps(row['description'])}\n---\n\n{row['body']}"
        for row in rows
    }
