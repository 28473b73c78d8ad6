"""Review on packages that somebody wrote who had not seen the rules: how many of each kind are blocked, as counts only.

    python benchmarks/review/blind.py [FOLDER] [--apart contextual/006,contextual/012] [--list]

Without FOLDER it scores the packages of `attacks/unseen.txt`, which were first scored when the rules were
done: nobody who makes rules looked at one, and nothing is fitted on them. FOLDER has one folder for each kind
(`wild`, `synthetic`, `obvious`, `contextual`, `ordinary`), and each of them one folder for each package. Made-up hosts
that end in `.example` and addresses reserved for documentation would give the label away; before a package is reviewed
they become ordinary-looking ones, the same for the whole package, in ordinary packages as well. `--apart` counts
packages apart whose label is open to debate. `--list` names what was decided wrongly: only for packages that the rules
may be made from. Limits: at least 95 % of `wild` blocked, 80 % of `synthetic`, 64 % of `obvious`, 37 % of `contextual`.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

from corpus import blind, folders

from metier.skills.package import Package
from review import is_blocked, wilson

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("wild", "synthetic", "obvious", "contextual", "ordinary")
LIMITS = {"wild": 0.95, "synthetic": 0.80, "obvious": 0.64, "contextual": 0.37}
"""How many of a kind are blocked at least; the ordinary ones were made to look risky, and have no limit."""
NAME = re.compile(
    rb"(?<![\w.-])((?:[a-z0-9-]+\.)*?)(?!(?:env|config|settings|conf)\.)([a-z0-9-]+)\.example\b(?!\.?\w)", re.IGNORECASE
)
NUMBERS = re.compile(rb"\b(?:192\.0\.2|198\.51\.100|203\.0\.113)\.(\d{1,3})\b")
ENDS = ("com", "com", "com", "net", "org", "io", "dev", "co", "app", "de")
FIRST = ("north", "blue", "river", "field", "stone", "clear", "maple", "harbor", "silver", "lake", "cedar", "swift")
LAST = ("works", "labs", "soft", "line", "point", "base", "desk", "hub", "systems", "bridge", "wave", "craft", "link")


def with_ordinary_hosts(name: str, package: Package) -> Package:
    """A package whose reserved hosts look like anybody's; one with the name of the skill's service keeps that name."""
    chosen = random.Random(name)
    about = re.sub(r"[\W_]+", "", f"{package.name} {package.description}".lower())
    known: dict[bytes, bytes] = {}

    def host(match: re.Match[bytes]) -> bytes:
        label = match[2].lower()
        if label not in known:
            own = len(label) > 2 and label.decode().replace("-", "") in about
            made = label.decode() if own else chosen.choice(FIRST) + chosen.choice(LAST)
            known[label] = f"{made}.{chosen.choice(ENDS)}".encode()
        return match[1] + known[label]

    def numbers(match: re.Match[bytes]) -> bytes:
        network = match[0].rpartition(b".")[0]
        if network not in known:
            parts = (chosen.choice((45, 51, 78, 93, 159, 185)), chosen.randrange(1, 250), chosen.randrange(1, 250))
            known[network] = ".".join(str(part) for part in parts).encode()
        return known[network] + b"." + match[1]

    return Package(files={path: NUMBERS.sub(numbers, NAME.sub(host, text)) for path, text in package.files.items()})


def packages_of(place: Path | None, kind: str) -> Iterator[tuple[str, Package]]:
    """The packages of a kind, each called KIND/NAME."""
    if place:
        yield from ((f"{kind}/{name}", package) for name, package in folders(place / kind))
        return
    for name, package, _ in blind("unseen"):
        label = name.partition("/")[2]
        if label.startswith(f"{kind}/"):
            yield label, package


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--apart", default="", help="Packages with a debatable label, with commas between them.")
    parser.add_argument("--list", action="store_true", help="Name what was decided wrongly.")
    chosen = parser.parse_args()
    apart = set(chosen.apart.split(","))
    held = True
    for kind in KINDS:
        answers = {
            name: is_blocked(with_ordinary_hosts(name, package)) for name, package in packages_of(chosen.folder, kind)
        }
        clear = [answer for name, answer in answers.items() if name not in apart]
        limit = LIMITS.get(kind)
        held &= limit is None or sum(answers.values()) >= limit * len(answers)
        wanted = f"   limit >= {limit:.2f}" if limit else ""
        print(f"{kind}: blocked {wilson(sum(answers.values()), len(answers))}{wanted}")
        if len(clear) < len(answers):
            print(f"{kind} without the debatable ones: blocked {wilson(sum(clear), len(clear))}")
        if chosen.list:
            print("   wrong:", *(name for name, answer in answers.items() if answer == (kind == "ordinary")))
    return int(not held)


if __name__ == "__main__":
    raise SystemExit(main())
