"""Fit the weights of the review rules: how much oftener a rule applies to hostile packages than to ordinary ones.

    python benchmarks/review/fit.py [--ordinary FOLDER] [--write]
    python benchmarks/review/fit.py --ways --ordinary FOLDER --write

The weight of a rule is the logarithm of its odds, in units of the odds that block alone: a rule that never applies to
an ordinary package blocks, one that sometimes does needs others beside it. The hostile side has the packages that were
looked at (every second one of `attacks/`, and the labelled set); what was not looked at plays no part. Five folds show
what the weights are worth on packages they were not fitted on. `--write` puts them into the rule files.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from hashlib import sha256
from itertools import islice
from math import log10
from pathlib import Path
from typing import TYPE_CHECKING

from corpus import SHARED, blind, folders, hostile, pool, vendors

from metier.review.layers.content import content_evidence
from metier.review.rules.catalogue import FAMILIES, content_rules
from metier.review.rules.rule import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.review.matching.scan import Evidence
    from metier.review.rules.rule import Way
    from metier.skills.package import Package

FOLDS = 5
ALONE = 40
"""So many times oftener in hostile packages than in ordinary ones, and a rule blocks alone."""
LEAST, MOST = 0.2, 1.5
NEAR = 1500
FIXED = ("hidden", "likeness")
"""Families whose weights are not fitted here: no honest text has what the first looks for, and `likeness.py`
sets the limits of the second."""
WEAK = (
    *("skips-consent", "number-address", "open-rights", "wipes-traces", "decoded-code", "says-otherwise"),
    *("runs-given-text", "many-signs", "cloud-keys", "precedence-claim", "side-task", "drop-host"),
    *("secret-shown", "stranger-gets-data", "diverted-model", "guard-removal", "startup-persistence"),
)
"""Rules that show means without intent, or the other way round: they never block alone."""
WEAK_MOST = 0.8
OFTENER, CHANCE = 3, 2
"""How much oftener than ordinary publishers a way must find attacks, to block alone; two publishers may be chance."""
RULES = Path(__file__).parents[2] / "src" / "metier" / "review" / "rules"
Seen = list[tuple[str, float, str, int]]
"""Rule, share, file and place of each piece of evidence in a package."""


def seen_in(package: Package) -> Seen:
    found: list[Evidence] = content_evidence(package)
    return [(one.rule.id, one.share, one.source.path, one.span[0]) for one in found if one.rule.weight]


def fold_of(name: str) -> int:
    return int(sha256(name.encode()).hexdigest(), 16) % FOLDS


def rates(packages: Iterable[Seen]) -> Counter[str]:
    return Counter(rule for one in packages for rule in {rule for rule, share, _, _ in one if share == 1})


def fitted(ordinary: Sequence[Seen], attacks: Sequence[Seen]) -> dict[str, float]:
    """A weight for each rule."""
    often, seldom = rates(attacks), rates(ordinary)
    weights: dict[str, float] = {}
    for rule in content_rules():
        if not rule.weight:
            continue
        odds = ((often[rule.id] + 0.5) / (len(attacks) + 1)) / ((seldom[rule.id] + 0.5) / (len(ordinary) + 1))
        most = WEAK_MOST if rule.id in WEAK else MOST
        weight = round(min(most, max(LEAST, log10(max(odds, 1)) / log10(ALONE))), 1)
        weights[rule.id] = rule.weight if rule.family in FIXED else weight
    return weights


def is_blocked(one: Seen, weights: dict[str, float]) -> bool:
    """Whether the evidence of one place adds up."""
    for _, _, file, start in one:
        near: dict[str, tuple[float, bool]] = {}
        for rule, share, other, place in one:
            if other == file and start <= place <= start + NEAR:
                near[rule] = max(near.get(rule, (0.0, False)), (share * weights[rule], share == 1))
        shown = max((weight for weight, whole in near.values() if not whole), default=0.0)
        if shown + sum(weight for weight, whole in near.values() if whole) >= BLOCKS:
            return True
    return False


def write(weights: dict[str, float]) -> None:
    for family in FAMILIES:
        file = RULES / f"{family}.toml"
        parts = re.split(r"(?m)^(?=\[\[rule\]\]$)", file.read_text(encoding="utf-8"))
        for at, part in enumerate(parts):
            name = re.search(r'(?m)^id = "([\w-]+)"$', part)
            if name and name[1] in weights:
                parts[at] = re.sub(r"(?m)^weight = [\d.]+$", f"weight = {weights[name[1]]}", part, count=1)
        file.write_text("".join(parts), encoding="utf-8")


def found_by_ways(packages: Iterable[tuple[str, Package]]) -> Counter[Way]:
    """To how many packages each way applies, those of one publisher counted once: they share their words."""
    found = {
        (one.way, publisher(name)) for name, package in packages for one in content_evidence(package) if one.share == 1
    }
    return Counter(way for way, _ in found if way)


def publisher(name: str) -> str:
    """Whose package it is, where it is called REGISTRY__PUBLISHER__NAME; otherwise the package itself."""
    return "__".join(name.split("__")[:2])


def weak_ways(shared: Path, place: Path) -> set[Way]:
    """The ways that find ordinary packages too often to block alone."""
    attacks = [(name, one) for name, one, _ in blind() if "/ordinary/" not in name]
    attacks += [(f"{number}", one.package) for number, one in enumerate(hostile(shared)) if one.seen]
    ordinary = list(folders(place))
    caught, stopped = found_by_ways(attacks), found_by_ways(ordinary)
    most = OFTENER * len(attacks) / len({publisher(name) for name, _ in ordinary})
    return {way for way, count in stopped.items() if count > CHANCE and caught[way] < most * count}


def mark(found: set[Way]) -> int:
    """Write into the rule files which ways are weak; returns how many."""
    count = 0
    for family in FAMILIES:
        file = RULES / f"{family}.toml"
        ways = [way for rule in content_rules() if rule.family == family for way in rule.ways]
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        at = [number for number, line in enumerate(lines) if re.match(r"  \{ (?:weak = true, )?all = ", line)]
        for number, way in zip(at, ways, strict=True):
            weak = family not in (*FIXED, "asks") and way in found
            count += weak
            lines[number] = re.sub(r"^  \{ (?:weak = true, )?", "  { weak = true, " if weak else "  { ", lines[number])
        file.write_text("".join(lines), encoding="utf-8")
    return count


def share(hits: int, total: int) -> str:
    return f"{hits}/{total} = {hits / max(1, total):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--ordinary", type=Path, help="A folder of ordinary packages, besides the shared ones.")
    parser.add_argument("--pool", type=int, default=20_000, help="Packages of the retrieval pool that are used.")
    parser.add_argument("--ways", action="store_true", help="Find the weak ways of rules; needs --ordinary.")
    parser.add_argument("--write", action="store_true", help="Put the weights into the rule files.")
    chosen = parser.parse_args()
    if chosen.ways and chosen.ordinary:
        found = weak_ways(chosen.shared, chosen.ordinary)
        print(*sorted(rule.id for rule in content_rules() for way in rule.ways if way in found))
        print(f"weak: {mark(found) if chosen.write else len(found)}")
        return
    named = [*vendors(chosen.shared), *islice(pool(chosen.shared), chosen.pool)]
    named += folders(chosen.ordinary) if chosen.ordinary else ()
    ordinary = [(fold_of(name), seen_in(package)) for name, package in named]
    attacks = [(fold_of(one.name), one.kind, seen_in(one.package)) for one in hostile(chosen.shared) if one.seen]
    caught: Counter[str] = Counter()
    stopped = 0
    for fold in range(FOLDS):
        rest = [one for at, one in ordinary if at != fold], [one for at, _, one in attacks if at != fold]
        weights = fitted(*rest)
        stopped += sum(is_blocked(one, weights) for at, one in ordinary if at == fold)
        caught.update(kind for at, kind, one in attacks if at == fold and is_blocked(one, weights))
    print(f"ordinary blocked, by folds: {share(stopped, len(ordinary))}")
    for kind in dict.fromkeys(kind for _, kind, _ in attacks):
        print(f"{kind} caught, by folds: {share(caught[kind], sum(one == kind for _, one, _ in attacks))}")
    weights = fitted([one for _, one in ordinary], [one for _, _, one in attacks])
    for rule, weight in sorted(weights.items(), key=lambda one: one[1]):
        print(f"{weight:4.1f}  {rule}")
    if chosen.write:
        write(weights)


if __name__ == "__main__":
    main()
