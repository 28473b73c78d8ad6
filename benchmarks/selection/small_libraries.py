"""Selection in libraries of 1 to 30 skills, where most people begin: is the right skill given, and no other?

Limits: the right one is activated for 80 of 100 requests; without it nothing is for 80 of 100 others. Every other
request was looked at while `NEXT_BEST` was chosen; the figures are of the rest. Needs `../shared/data/retrieval`.

python benchmarks/selection/small_libraries.py
"""

from __future__ import annotations

import os
import re
from random import Random
from typing import TYPE_CHECKING
from zlib import crc32

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from data import DATA, read_requests, read_skills

from metier.selection.choosing.calibration import FITTED
from metier.selection.choosing.features import features
from metier.selection.index.entries import entry_of
from metier.selection.index.index import SkillIndex
from metier.selection.types import ScoredSkill

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data import Request

    from metier.selection.index.entries import IndexEntry
    from metier.selection.types import Selectable

SIZES = (1, 2, 3, 5, 10, 30)
REQUESTS = 220
_WORK = re.compile(r"git|test|deploy|python|docker|react|sql|api|lint|depend|release|migrat|debug")
"""Skills for developers: the others of a developer's library are near to every request of a developer."""


def activated(
    names: Sequence[str], task: str, skills: Mapping[str, Selectable], known: dict[str, IndexEntry]
) -> set[str]:
    """The skills of a library that the score is sure of for a task."""
    for name in names:
        known.setdefault(name, entry_of(skills[name]))
    hits = SkillIndex.of((name, known[name]) for name in names).search(task, 12)
    found = [ScoredSkill(skill=skills[hit.name], score=hit.score, parts=hit.parts) for hit in hits]
    sure = [FITTED.probability(one) >= FITTED.threshold for one in features(task, found)]
    return {one.skill.name for one, is_sure in zip(found, sure, strict=True) if is_sure}


def row(size: int, requests: Sequence[Request], skills: Mapping[str, Selectable], others: Sequence[str]) -> str:
    """What happens in libraries of a size, with the right skill in them and without it."""
    random, known = Random(size), dict[str, "IndexEntry"]()
    right = wrong = false = 0
    for one in requests:
        gold = min(one.gold & skills.keys())
        near = random.sample([name for name in others if name not in one.gold], size)
        given = activated([gold, *near[: size - 1]], one.text, skills, known)
        right += gold in given
        wrong += bool(given - one.gold)
        false += bool(activated(near, one.text, skills, known))
    shares = [count / len(requests) for count in (right, wrong, false)]
    return f"| {size} | " + " | ".join(f"{share:.2f}" for share in shares) + " |"


def main() -> None:
    """Print the table."""
    if not DATA.exists():
        print(f"{DATA} is not there; nothing was measured")
        return
    skills = {one.name: one for one in read_skills()}
    others = sorted(name for name, one in skills.items() if _WORK.search(f"{name} {one.description[:200]}".lower()))
    served = [one for one in read_requests()[0] if one.gold & skills.keys()]
    kept = [one for one in Random(3).sample(served, min(REQUESTS, len(served))) if crc32(one.text.encode()) % 2]
    print(f"{len(kept)} requests that were not looked at")
    print(
        "| skills | right one there: activated (limit .80) | another beside it | not there: one activated (limit .20) |"
    )
    print("|---|---|---|---|")
    for size in SIZES:
        print(row(size, kept, skills, others))


if __name__ == "__main__":
    main()
