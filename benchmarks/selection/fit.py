"""How the weights of retrieval and the shipped calibration are found, and what they reach on vendors not fitted to.

Fits on the labelled requests of all vendors but one, scores that one, and prints the mean; then fits on all and prints
what goes into `fusion.py` and `calibrate.py`. Nothing is written. Takes some minutes.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from data import DATA, FOLDS, drawn, no_skill, pools, read_requests, read_skills
from fitting import Example, fit, reliability

from metier.selection.choosing.calibration import Calibration
from metier.selection.choosing.features import features
from metier.selection.index.entries import entry_of
from metier.selection.index.match_score import WEIGHTS
from metier.selection.types import ScoredSkill

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data import Request
    from numpy.typing import NDArray

    from metier.selection.index.entries import IndexEntry
    from metier.selection.types import Selectable

KEYS = tuple(WEIGHTS)
SIZES = (10, 100, 1_000, 10_000)
SHOWN = 3
"""Candidates of each request that the calibration is fitted to."""
TIMES = 5
"""How often a request that no skill serves counts, so that they are about a third of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request in one pool, and its candidates as examples."""

    kind: str
    vendor: int
    size: int
    examples: tuple[Example, ...]


def ranking(entries: Mapping[str, IndexEntry], served: Sequence[Request]) -> None:
    """Print the weights fitted without each vendor, recall out of fold, and the weights fitted to all."""
    ((index, _),) = pools(entries, served, len(entries))
    found: list[tuple[NDArray[np.float64], NDArray[np.bool_]]] = []
    for one in served:
        hits = index.search(one.text, 200)
        parts = [dict(hit.parts) for hit in hits]
        table = np.array([[part[key] for key in KEYS] for part in parts])
        found.append((table, np.array([hit.name in one.gold for hit in hits])))
    ranks = np.full(len(served), 999)
    for vendor in range(FOLDS):
        weights = fitted([one for one, asked in zip(found, served, strict=True) if asked.vendor != vendor])
        print(f"   without vendor {vendor}:", said(weights))
        for at, asked in enumerate(served):
            if asked.vendor == vendor:
                ranks[at] = rank(found[at], weights)
    print("recall@1 @5 @12 out of fold:", "  ".join(f"{np.mean(ranks < k):.3f}" for k in (1, 5, 12)))
    print("   fitted to all:", said(fitted(found)), " shipped:", said(np.array(list(WEIGHTS.values()))))


def fitted(found: Sequence[tuple[NDArray[np.float64], NDArray[np.bool_]]]) -> NDArray[np.float64]:
    """Weights, none below 0, under which the right skill is likeliest among all that were found."""
    weights = np.array([8.0, 2.0, 2.0, 2.0, 2.0])
    for step in range(300):
        slope = 0.1 * weights
        for table, right in found:
            if right.any():
                chance = np.exp(table @ weights - (table @ weights).max())
                chance /= chance.sum()
                slope += table.T @ (chance - chance * right / (chance * right).sum())
        weights = np.maximum(0.0, weights - (0.03 / (1 + step / 100)) * slope)
    return weights


def rank(found: tuple[NDArray[np.float64], NDArray[np.bool_]], weights: NDArray[np.float64]) -> int:
    """The place of the right skill, from 0; 999 when it was not found."""
    table, right = found
    return int(np.argmax(right[np.argsort(-(table @ weights), kind="stable")])) if right.any() else 999


def said(weights: NDArray[np.float64]) -> str:
    """Weights relative to the first."""
    return " ".join(f"{key} {value / weights[0]:.2f}" for key, value in zip(KEYS, weights, strict=True))


def collected(
    skills: Mapping[str, Selectable], entries: Mapping[str, IndexEntry], served: Sequence[Request]
) -> list[Asked]:
    """Every request in pools of every size."""
    looked, held = no_skill()
    out: list[Asked] = []
    for size in SIZES:
        made = list(pools(entries, served, size))
        random = Random(1)
        asked = [("served", one.vendor, one.text, one.gold, index) for index, some in made for one in some]
        for kind, texts in (("looked at", looked), ("held out", held)):
            asked += [(kind, FOLDS, text, frozenset(), random.choice(made)[0]) for text in texts]
        for kind, vendor, text, gold, index in asked:
            hits = index.search(text, 12)
            scored = [ScoredSkill(skill=skills[hit.name], score=hit.score, parts=hit.parts) for hit in hits]
            examples = tuple(
                Example(features=seen, right=hit.name in gold, query=text)
                for seen, hit in zip(features(text, scored), hits, strict=True)
            )
            out.append(Asked(kind=kind, vendor=vendor, size=size, examples=examples))
    return out


def calibration(asked: Sequence[Asked], without: int = -1) -> Calibration:
    """Fitted to the requests of all vendors but one and to those looked at that no skill serves."""
    examples: list[Example] = []
    for one in asked:
        if one.kind != "held out" and one.vendor != without:
            examples += one.examples[:SHOWN] * (TIMES if one.kind == "looked at" else 1)
    found = fit(examples, "skills-1")
    assert isinstance(found, Calibration)
    return found


def report(name: str, asked: Sequence[tuple[Asked, Calibration]]) -> None:
    """Print by pool: how often a right first is activated, how often activations are right, how often none is."""
    print(name)
    for size in SIZES:
        here = [(one, by) for one, by in asked if one.size == size]
        first = [acted(one, by)[0] for one, by in here if one.examples and one.examples[0].right]
        chosen = [
            ex.right
            for one, by in here
            if one.kind == "served"
            for ex, yes in zip(one.examples, acted(one, by), strict=True)
            if yes
        ]
        line = f"   {size:>6}: right first activated {np.mean(first):.3f}, activated ones right {np.mean(chosen):.3f}"
        for kind in ("looked at", "held out"):
            line += (
                f", none of '{kind}' {np.mean([not any(acted(one, by)) for one, by in here if one.kind == kind]):.3f}"
            )
        print(line)


def acted(one: Asked, by: Calibration) -> list[bool]:
    """Which candidates are activated."""
    return [by.probability(example.features) >= by.threshold for example in one.examples]


def main() -> None:
    """Both fits."""
    if not DATA.is_dir():
        print(f"no labelled requests at {DATA}: nothing to fit to")
        return
    served, _ = read_requests()
    skills = {skill.name: skill for skill in drawn(read_skills(), served, SIZES[-1])}
    entries = {name: entry_of(skill) for name, skill in skills.items()}
    if "--calibration" not in sys.argv:
        ranking(entries, served)
    asked = collected(skills, entries, served)
    apart = [calibration(asked, vendor) for vendor in range(FOLDS)]
    whole = calibration(asked)
    report("out of fold", [(one, apart[one.vendor] if one.vendor < FOLDS else whole) for one in asked])
    errors = [
        reliability(apart[vendor], [ex for one in asked if one.vendor == vendor for ex in one.examples[:SHOWN]])
        for vendor in range(FOLDS)
    ]
    print(
        "reliability out of fold:", *(f"{one.error:.3f} (Brier {one.brier:.3f}, base {one.base:.2f})" for one in errors)
    )
    print(whole)


if __name__ == "__main__":
    main()
