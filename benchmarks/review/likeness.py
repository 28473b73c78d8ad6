"""Fit what words and pairs of words count as signs of an attack (`rules/like_orders.tsv`, `rules/like_programs.tsv`).

    uv run --with scikit-learn python benchmarks/review/likeness.py --ordinary FOLDER [--programs FOLDER] [--write]

Hostile passages are the marked ones of `attacks/blind.txt`, and `attacks/orders.txt`, `attacks/programs.txt` and what
was looked at of the other files there. Ordinary ones are all passages of bodies of the retrieval pool (`--pool 9000`),
of the skills of six repositories, of whole packages as people publish them (`--ordinary`: a folder for each, called
REGISTRY__PUBLISHER__NAME), of programs (`--programs`, for example installed Python packages), of the ordinary packages
in `attacks/blind.txt`, and what is harmless in `attacks/orders.txt` and `attacks/programs.txt`.
A logistic regression weighs them. Three folds by package, of published ones by publisher, show what that is worth on
packages it was not fitted on, and give the two limits, as shares of the published packages: from `much` on a passage
blocks, from `rather` on it is evidence beside other evidence. A whole package has many times the passages of one body,
so limits taken from bodies alone block far too many packages.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from blind import with_ordinary_hosts
from corpus import DOCUMENT, SHARED, blind, folders, hostile, hostile_programs, order_lines, package, pool, vendors
from scipy.sparse import csr_matrix, vstack
from sklearn.linear_model import LogisticRegression

from metier.review.matching.likeness import FEW, Part, WeighedPassage, discount, orders, programs
from metier.review.text.file_kinds import sources
from metier.skills.package import Package

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FOLDS = 3
SAMPLE = 3000
"""Packages of the pool whose frequent words are weighed, whether an attack has them or not."""
OFTEN = 40
MUCH, RATHER = {"orders": 0.016, "programs": 0.005}, {"orders": 0.05, "programs": 0.05}
"""Shares of the published packages with a passage from the limits on."""
FILES, FILE = 800, 16_000
"""Programs that are used, and characters of each."""
HEAVY = {"hostile": 200.0, "alike": 50.0, "whole": 10.0, "ordinary": 1.0}
"""What one passage counts in the fit: a few hundred hostile ones stand against half a million."""
SMALL = 120
"""Thousandths below which a weight is left out."""
RULES = Path(__file__).parents[2] / "src" / "metier" / "review" / "rules"


class Sample(NamedTuple):
    """The passages of one package that are of one kind."""

    name: str
    group: str
    kind: str
    passages: list[set[str]]
    less: list[float]
    """What each passage counts less because of the file that it is in."""


def passages(package: Package, part: Part) -> Iterator[tuple[WeighedPassage, float]]:
    """Each passage with what it counts less."""
    texts = list(sources(package))
    for source in texts:
        yield from ((one, discount(source) / 1000) for one in (orders if part == "orders" else programs)(source))


def bare(packages: Iterable[tuple[str, Package]], group: str, part: Part, kind: str = "ordinary") -> Iterator[Sample]:
    for name, one in packages:
        found = [(passage.features, less) for passage, less in passages(one, part)]
        yield sample(f"{group}/{name}", group, kind, found)


def of_blind(part: Part) -> Iterator[Sample]:
    """Packages with marked lines: passages with a marked line are hostile, the others of a page are not."""
    for name, one, marks in blind():
        kind = name.split("/")[1]
        changed = with_ordinary_hosts(name.partition("/")[2], one)
        texts = {source.path: source for source in sources(changed)}
        bad: list[tuple[set[str], float]] = []
        good: list[tuple[set[str], float]] = []
        for path, source in texts.items():
            begins = [0, *(at + 1 for at, char in enumerate(source.text) if char == "\n")]
            spots = [begins[line - 1] + 2 for file, line in marks if file == path and line <= len(begins)]
            for found in (orders if part == "orders" else programs)(source):
                left, right = found.view.place(found.start), found.view.place(found.end)
                is_bad = any(left <= spot < right for spot in spots)
                (bad if is_bad else good).append((found.features, discount(source) / 1000))
        if kind == "ordinary":
            yield sample(name, "blind", "alike", bad + good)
            continue
        yield sample(name, kind, "hostile", bad)
        yield sample(name, "rest", "alike" if part == "orders" else "ordinary", good)


def sample(name: str, group: str, kind: str, found: list[tuple[set[str], float]]) -> Sample:
    return Sample(name, group, kind, [features for features, _ in found], [less for _, less in found])


def program_files(place: Path) -> Iterator[tuple[str, Package]]:
    """Some of the programs below a folder, each as a package."""
    files = sorted(one for end in ("py", "js", "sh") for one in place.rglob(f"*.{end}") if ".min." not in one.name)
    for file in random.Random(5).sample(files, min(FILES, len(files))):
        text = file.read_text(encoding="utf-8", errors="replace")[:FILE]
        whole = package(DOCUMENT.format(name="x", description="y", body=""))
        yield file.as_posix(), Package(files={**whole.files, f"scripts/{file.name}": text.encode()})


def collected(part: Part, chosen: argparse.Namespace) -> Iterator[Sample]:
    shared: Path = chosen.shared
    yield from of_blind(part)
    if part == "orders":
        for number, (kind, line) in enumerate(order_lines()):
            sample = "alike" if kind == "harmless" else "hostile"
            yield from bare([(str(number), package(f"{line}\n"))], kind, part, sample)
        lines = [one for one in hostile(shared) if one.seen and one.kind in ("obvious", "contextual")]
        yield from bare(((one.name, package(f"{one.name}\n")) for one in lines), "injected", part, "hostile")
    else:
        for name, one, kind in hostile_programs():
            yield from bare([(name, one)], "written", part, kind)
        seen = [one for one in hostile(shared) if one.seen and one.kind in ("wild", "synthetic")]
        yield from bare(((one.name, one.package) for one in seen), "seen", part, "hostile")
    yield from bare(folders(chosen.ordinary), "published", part, "whole")
    if chosen.programs:
        yield from bare(program_files(chosen.programs), "programs", part)
    yield from bare(vendors(shared), "vendors", part, "whole")
    yield from bare(islice(pool(shared), chosen.pool), "pool", part)


def fold_of(name: str) -> int:
    """Skills of one publisher share words, so they are in one fold."""
    publisher = "__".join(name.split("__")[:2])
    return int(sha256(publisher.encode()).hexdigest(), 16) % FOLDS


class Fit:
    """Everything as numbers."""

    def __init__(self, part: Part, samples: Iterable[Sample]) -> None:
        self.part: Part = part
        self.names: list[str] = []
        self._number: dict[str, int] = {}
        self.samples: list[tuple[Sample, csr_matrix]] = []
        waiting: list[Sample] = []
        often: Counter[str] = Counter()
        for one in samples:
            if self.names:
                self.samples.append(self._numbers(one))
                continue
            waiting.append(one)
            if one.kind in ("ordinary", "whole"):
                often.update(word for found in one.passages for word in found if " " not in word)
            if sum(each.kind in ("ordinary", "whole") for each in waiting) == SAMPLE:
                self._learn_all(waiting, often)
        if waiting and not self.names:
            self._learn_all(waiting, often)

    def _learn_all(self, waiting: list[Sample], often: Counter[str]) -> None:
        """Take the words of what is not ordinary, and the frequent ones of what is."""
        self._learn(
            word
            for one in waiting
            if one.kind in ("hostile", "alike")
            for found in one.passages
            for word in sorted(found)
        )
        self._learn(word for word, count in often.items() if count >= OFTEN)
        self.samples += [self._numbers(one) for one in waiting]

    def _learn(self, words: Iterable[str]) -> None:
        for word in words:
            if word not in self._number:
                self._number[word] = len(self.names)
                self.names.append(word)

    def _numbers(self, one: Sample) -> tuple[Sample, csr_matrix]:
        rows, columns, values = [], [], []
        for row, found in enumerate(one.passages):
            value = 1 / max(len(found), FEW) ** 0.5
            known = sorted(self._number[word] for word in found if word in self._number)
            rows += [row] * len(known)
            columns += known
            values += [value] * len(known)
        shape = (len(one.passages), 2**20)
        matrix = csr_matrix((np.array(values, dtype=np.float32), (rows, columns)), shape=shape)
        return one._replace(passages=[]), matrix

    def fitted(self, without: int | None = None) -> tuple[np.ndarray, float]:
        """The weights and the constant, without the packages of a fold."""
        used = [(one, data) for one, data in self.samples if data.shape[0] and fold_of(one.name) != without]
        data = vstack([data for _, data in used])[:, : len(self.names)]
        hostile = np.concatenate([np.full(data.shape[0], one.kind == "hostile") for one, data in used])
        heavy = np.concatenate([np.full(data.shape[0], HEAVY[one.kind]) for one, data in used])
        model = LogisticRegression(C=30, solver="liblinear", random_state=0).fit(data, hostile, sample_weight=heavy)
        return model.coef_[0], float(model.intercept_[0])

    def by_folds(self) -> dict[str, list[float]]:
        """For each group, the heaviest passage of every package with the weights of the other folds."""
        found: dict[str, list[float]] = {}
        for fold in range(FOLDS):
            weights, constant = self.fitted(fold)
            for one, data in self.samples:
                if fold_of(one.name) == fold:
                    scores = data[:, : len(self.names)] @ weights - np.array(one.less)
                    best = scores.max() + constant if data.shape[0] else -99.0
                    found.setdefault(one.group, []).append(float(best))
        return found


def limit(scores: dict[str, list[float]], share: float) -> float:
    """From which score on so many of the published packages are found."""
    return float(np.quantile(np.array(scores["published"]), 1 - share))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--ordinary", type=Path, required=True, help="A folder of whole published packages.")
    parser.add_argument("--programs", type=Path, help="A folder of ordinary programs.")
    parser.add_argument("--pool", type=int, default=9000, help="Bodies of the retrieval pool that are used.")
    parser.add_argument("--write", action="store_true", help="Put the weights into the rule files.")
    chosen = parser.parse_args()
    for part in ("orders", "programs"):
        fit = Fit(part, collected(part, chosen))
        scores = fit.by_folds()
        much, rather = (limit(scores, share[part]) for share in (MUCH, RATHER))
        print(f"{part}: {len(fit.names):,} words and pairs; much from {much:.2f}, rather from {rather:.2f}; by folds:")
        for group, found in sorted(scores.items()):
            told = [sum(one >= edge for one in found) for edge in (much, rather)]
            print(f"   {group}: {told[0]} much, {told[1]} rather, of {len(found):,}")
        if chosen.write:
            write(fit, much, rather)


def write(fit: Fit, much: float, rather: float) -> None:
    weights, constant = fit.fitted()
    edges = {"#constant": constant, "#rather": rather, "#much": much}
    lines = [f"{name}\t{round(value * 1000)}" for name, value in edges.items()]
    kept = sorted((name, round(float(one) * 1000)) for name, one in zip(fit.names, weights, strict=True))
    lines += [f"{name}\t{value}" for name, value in kept if abs(value) >= SMALL]
    head = "# What a word or two in a row count for an attack, in thousandths; made by benchmarks/review/likeness.py."
    (RULES / f"like_{fit.part}.tsv").write_text("\n".join([head, *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
