"""Review on packages that somebody wrote who had not seen the rules: how many of each kind are blocked, as counts only.

    python benchmarks/review/blind.py FOLDER [--apart contextual/006,contextual/012] [--list]

FOLDER has one folder for each kind (`wild`, `synthetic`, `obvious`, `contextual`, `ordinary`), and each of them one
folder for each package. Made-up hosts that end in `.example` and addresses reserved for documentation would give the
label away; before a package is reviewed they become ordinary-looking ones, the same for the whole package, in ordinary
packages as well. `--apart` counts packages apart whose label is open to debate. `--list` names what was decided
wrongly: only for packages that the rules may be made from.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path

from corpus import folders

from metier.skills.package import Package
from review import is_blocked, wilson

KINDS = ("wild", "synthetic", "obvious", "contextual", "ordinary")
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--apart", default="", help="Packages with a debatable label, with commas between them.")
    parser.add_argument("--list", action="store_true", help="Name what was decided wrongly.")
    chosen = parser.parse_args()
    apart = set(chosen.apart.split(","))
    for kind in KINDS:
        answers = {
            f"{kind}/{name}": is_blocked(with_ordinary_hosts(f"{kind}/{name}", package))
            for name, package in folders(chosen.folder / kind)
        }
        clear = [answer for name, answer in answers.items() if name not in apart]
        print(f"{kind}: blocked {wilson(sum(answers.values()), len(answers))}")
        if len(clear) < len(answers):
            print(f"{kind} without the debatable ones: blocked {wilson(sum(clear), len(clear))}")
        if chosen.list:
            print("   wrong:", *(name for name, answer in answers.items() if answer == (kind == "ordinary")))


if __name__ == "__main__":
    main()
