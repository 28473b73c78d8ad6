"""Plant behaviour changes in a copy of the project, one at a time, and say which of them the default suite finds.

Usage: python scripts/planted.py tests/planted.toml [--project DIR] [--only NAME ...]. First each change meets the tests
that mirror
its file's folder. What these miss is planted together for one run of the whole suite; each then meets, alone, the tests
that failed there. A test that fails without any change counts for nothing. Exits with 1 if a change was not found.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Change = dict[str, str]

LEFT = shutil.ignore_patterns(".venv", "__pycache__", ".pytest_cache", ".hypothesis", "site", "dist")
MARKS = "not slow and not agents and not browser"
FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", re.MULTILINE)


def main() -> int:
    """Measure, and print a line for each change and the total."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("changes", type=Path, help="The changes, in TOML.")
    parser.add_argument("--project", type=Path, default=Path.cwd(), help="The project; it is copied, never changed.")
    parser.add_argument("--only", nargs="*", default=[], help="Names of the changes to try.")
    given = parser.parse_args()
    every: list[Change] = tomllib.loads(given.changes.read_text(encoding="utf-8"))["change"]
    wanted = [one for one in every if not given.only or one["name"] in given.only]
    check(given.project, wanted)
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        copy = Path(shutil.copytree(given.project, f"{folder}/project", ignore=LEFT, symlinks=True))
        subprocess.run(["make", "setup"], cwd=copy, check=True)
        found = measure(copy, wanted)
    for one in wanted:
        if one["name"] not in found:
            print(f"NOT FOUND  {one['name']}: {one['behaviour']}")
    print(f"{len(found)} of {len(wanted)} changes found")
    return int(len(found) < len(wanted))


def check(project: Path, changes: Sequence[Change]) -> None:
    """Refuse changes whose old text does not stand exactly once in its file."""
    for one in changes:
        file = project / one["file"]
        count = file.read_text(encoding="utf-8").count(one["old"]) if file.is_file() else 0
        if count != 1:
            sys.exit(f"{one['name']}: its old text stands {count} times in {one['file']}, not once. Adapt it.")


def measure(copy: Path, changes: Sequence[Change]) -> dict[str, str]:
    """The changes that are found, each with the first test that fails."""
    found: dict[str, str] = {}
    for one in changes:
        if near := mirrored(copy, one["file"]):
            with planted(copy, [one]):
                failed = failing(copy, [near], "-x")
            say(one, failed, copy, found)
    if left := [one for one in changes if one["name"] not in found]:
        with planted(copy, left):
            failed = failing(copy, [])
        always = failing(copy, failed) if failed else []
        for one in left if (some := [test for test in failed if test not in always]) else ():
            with planted(copy, [one]):
                failed = failing(copy, some, "-x")
            say(one, failed, copy, found)
    return found


def say(change: Change, failed: Sequence[str], copy: Path, found: dict[str, str]) -> None:
    """Note and print what found a change, once it is clear that this passes without the change."""
    always = failing(copy, failed) if failed else []
    if by := next((test for test in failed if test not in always), ""):
        found[change["name"]] = by
        print(f"found      {change['name']}: {by}", flush=True)


def failing(copy: Path, tests: Sequence[str], *options: str) -> list[str]:
    """The tests that fail; of the whole suite, if none are named."""
    command = f"nice -n 10 .venv/bin/pytest -q -n 2 --dist loadgroup {' '.join(options)} -m".split()
    done = subprocess.run([*command, MARKS, *tests], cwd=copy, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 5) and not FAILED.search(done.stdout):
        sys.exit(f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return FAILED.findall(done.stdout)


@contextmanager
def planted(copy: Path, changes: Sequence[Change]) -> Iterator[None]:
    """The copy with some changes in it, and without them afterwards."""
    before = {copy / one["file"]: (copy / one["file"]).read_text(encoding="utf-8") for one in changes}
    try:
        for one in changes:
            text = (copy / one["file"]).read_text(encoding="utf-8")
            (copy / one["file"]).write_text(text.replace(one["old"], one["new"]), encoding="utf-8")
        yield
    finally:
        for file, text in before.items():
            file.write_text(text, encoding="utf-8")


def mirrored(copy: Path, file: str) -> str:
    """The nearest folder of tests, or file, that mirrors a file of the package; empty: there is none."""
    parts = Path(file).relative_to("src/metier").with_suffix("").parts
    near = [Path("tests", *parts[:end]) for end in range(len(parts), 0, -1)] + [Path(f"tests/test_{parts[0]}.py")]
    return next((str(one) for one in near if (copy / one).exists()), "")


if __name__ == "__main__":
    sys.exit(main())
