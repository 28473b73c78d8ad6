"""A sample shop's skills, and labelled requests to try selection on. Begin with `documents`; it imports nothing."""

from __future__ import annotations

import json
from importlib.resources import files

SKILLS, QUERIES, NO_SKILL = "skills.jsonl", "queries.jsonl", "no_skill.jsonl"


def lines(name: str) -> list[str]:
    """The lines of a sample file."""
    return (files(__name__) / name).read_text(encoding="utf-8").splitlines()


def documents() -> dict[str, str]:
    """Every sample skill's document by name, as it would be on disk."""
    rows: list[dict[str, str]] = [json.loads(line) for line in lines(SKILLS)]
    return {
        row["name"]: f"---\nname: {row['name']}\ndescription: {json.dumps(row['description'])}\n---\n\n{row['body']}"
        for row in rows
    }
