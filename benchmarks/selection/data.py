"""The labelled requests and skills that selection is measured on, read from `../shared/data` when they are there."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from metier.selection.evaluation import samples
from metier.selection.index.index import SkillIndex
from metier.selection.types import Selectable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.selection.index.entries import IndexEntry

DATA = Path(__file__).parents[3] / "shared" / "data" / "retrieval"
FIRSTS = ("demo-video", "ad-creative", "auto-repo-setup", "brain-ingest-gate", "azure-app-onboard-prereq")
"""The first skill of each vendor but the first, in the order of the file; small vendors are joined."""
FOLDS = len(FIRSTS) + 1
SHARE = 4
"""In a small pool one skill in so many is the right one for some request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request, the skills that serve it and whose it is."""

    text: str
    gold: frozenset[str] = frozenset()
    vendor: int = 0


def read_skills() -> list[Selectable]:
    """All skills of the data set."""
    lines = gzip.decompress((DATA / "skills.jsonl.gz").read_bytes()).splitlines()
    rows = [json.loads(line) for line in lines]
    return [Selectable(name=one["name"], description=one["description"], body=one["body"]) for one in rows]


def read_requests() -> tuple[list[Request], list[Request]]:
    """Requests that a skill serves without being named, and those for which one skill must not fire.

    Which one is not said: it is taken to be one of those that the requests before and after it in the file are for.
    """
    rows = [json.loads(line) for line in (DATA / "queries_dev.jsonl").read_text(encoding="utf-8").splitlines()]
    served: list[Request] = []
    silent: list[Request] = []
    vendor = 0
    for at, row in enumerate(rows):
        gold = frozenset[str](row["gold"])
        vendor += vendor < len(FIRSTS) and FIRSTS[vendor] in gold
        if not gold:
            around = _first_gold(rows[at::-1]) | _first_gold(rows[at:])
            silent.append(Request(text=row["query"], gold=around))
        elif not row["names_skill"]:
            served.append(Request(text=row["query"], gold=gold, vendor=vendor))
    return served, silent


def _first_gold(rows: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    return next((frozenset[str](row["gold"]) for row in rows if row["gold"]), frozenset[str]())


def no_skill() -> tuple[list[str], list[str]]:
    """The shipped requests that no skill serves: those looked at while tuning, and those only ever scored."""
    lines = samples.lines(samples.NO_SKILL)
    found = [json.loads(line)["query"] for line in lines]
    return found[0::2], found[1::2]


def drawn(skills: Sequence[Selectable], served: Sequence[Request], size: int, seed: int = 0) -> list[Selectable]:
    """The skills that serve a request, and others by chance up to a size."""
    gold = frozenset[str]().union(*(one.gold for one in served))
    right = [skill for skill in skills if skill.name in gold]
    others = [skill for skill in skills if skill.name not in gold]
    return right + Random(seed).sample(others, max(0, size - len(right)))


def pools(
    entries: Mapping[str, IndexEntry], served: Sequence[Request], size: int, seed: int = 0
) -> Iterator[tuple[SkillIndex, list[Request]]]:
    """Indexes of a size, and for each the requests whose skills are in it; one for all if there is room."""
    gold = sorted(frozenset[str]().union(*(one.gold for one in served)))
    if size >= len(entries):
        yield SkillIndex.of(entries.items()), list(served)
        return
    random = Random(seed)
    random.shuffle(gold)
    others = sorted(entries.keys() - set(gold))
    step = len(gold) if size >= SHARE * len(gold) else max(1, size // SHARE)
    for start, end in pairwise([*range(0, len(gold), step), len(gold)]):
        names = [*gold[start:end], *random.sample(others, size - (end - start))]
        there = set(names)
        yield SkillIndex.of((name, entries[name]) for name in names), [one for one in served if one.gold <= there]
