"""How many edits a second a document of 200 KB takes, and whether the real skills beside the repository hold.

    python benchmarks/library/edits.py            speed; and real skills beside the repository
    python benchmarks/library/edits.py FOLDER     the skills in another folder

Limit: 5,000 edits a second. Real skills: read, written back byte for byte, every problem is a true one, and the strict
level agrees with the reference validator.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import yaml
from skills_ref.validator import validate as reference

from metier.errors import InputError
from metier.skills.document.appendix import append
from metier.skills.document.frontmatter import read, set_value
from metier.skills.document.sections import sections
from metier.skills.editing.edits import apply_patch
from metier.skills.package import SKILL_FILES, Package
from metier.skills.validation import validate
from metier.types import Append, Delete, Edit, InsertAfter, Patch, Replace

if TYPE_CHECKING:
    from collections.abc import Callable

WANTED = 5_000.0
SIZE = 200_000
WORDS = (
    "check",
    "the date",
    "before",
    "you write",
    "a line",
    "of code",
    "and run",
    "every test",
    "again",
    "when",
    "it fails",
)


def document(accent: str = "") -> str:
    """A skill of 200 KB, every line with a number of its own."""
    random = Random(7)
    lines: list[str] = ["---", "name: large", "description: Large.", "---", ""]
    size = 0
    while size < SIZE:
        line = f"{len(lines)}: {' '.join(random.choices(WORDS, k=random.randrange(4, 20)))}{accent}"
        lines.append(line)
        size += len(line.encode()) + 1
    return "\n".join([*lines, ""])


def edits(text: str, count: int) -> tuple[Edit, ...]:
    """Edits of all kinds at places all over the document."""
    random = Random(11)
    lines = [line for line in text.split("\n")[5:] if line and not line.startswith(("<", "-"))]
    made: list[Edit] = []
    for number, line in enumerate(random.sample(lines, count)):
        kinds: tuple[Callable[[], Edit], ...] = (
            lambda n=number: Append(content=f"appended {n}"),
            lambda n=number, at=line: InsertAfter(target=at, content=f"inserted {n}"),
            lambda n=number, at=line: Replace(target=at, content=f"replaced {n}"),
            lambda at=line: Delete(target=at),
        )
        made.append(kinds[number % 4]())
    return tuple(made)


def speed(text: str) -> float:
    """Edits a second of processor time, the best of three rounds."""
    patch = Patch(edits=edits(text, 1_000))
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        done = apply_patch(text, patch)
        best = max(best, len(patch.edits) / (time.process_time() - start))
        assert all(report.applied for report in done.reports)
    return best


def problem_of(path: Path) -> str:
    """What a common YAML reader says of a file's description, found in another way; empty: it is there."""
    parts = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n---", 1)
    try:
        found = yaml.safe_load(parts[0].removeprefix("---")) if len(parts) == 2 else None
    except yaml.YAMLError:
        return "unreadable"
    return "" if isinstance(found, dict) and str(found.get("description") or "").strip() else "no description"


def agrees(path: Path, package: Package) -> bool:
    """Whether the strict level and the reference validator say the same."""
    return validate(package, level="strict", folder=path.parent.name).ok == (not reference(path.parent))


def holds(path: Path) -> tuple[bool, str]:
    """Whether one real skill is read and written back as it is, and its verdict."""
    content = path.read_bytes()
    package = Package(files={path.name: content})
    verdict = validate(package, level="lenient", folder=path.parent.name)
    front = read(content)
    good = package.document == content and verdict.ok == (not problem_of(path))
    good &= all(content[one.span.start : one.body.start].lstrip().startswith(b"#") for one in sections(content))
    good &= agrees(path, package)
    good &= apply_patch(content.decode(), Patch(edits=())).document.encode() == content
    for entry in front.entries:
        if isinstance(entry.value, str):
            good &= _returns(content, entry.key, entry.value)
    return good, verdict.verdict


def _returns(content: bytes, key: str, value: str) -> bool:
    """Whether a value set to something else and back leaves every other byte alone."""
    try:
        changed = set_value(set_value(content, key, "other: value"), key, value)
    except InputError:
        return False
    one, two = read(content).entry(key), read(changed).entry(key)
    if one is None or two is None or two.value != value:
        return False
    before = content[: one.span.start], content[one.span.end :]
    return before == (changed[: one.span.start], changed[two.span.end :])


def real(folder: Path) -> bool:
    """Check every skill below a folder and print what was found."""
    paths = sorted(path for path in folder.rglob("*") if path.name in SKILL_FILES)
    results = [(path, *holds(path)) for path in paths]
    for path, good, verdict in results:
        if not good:
            print(f"BAD  {path.relative_to(folder)}  {verdict}")
    verdicts = Counter(verdict for _, _, verdict in results)
    told = ", ".join(f"{count} {name}" for name, count in verdicts.items())
    good = all(good for _, good, _ in results)
    print(f"{'ok  ' if good else 'BAD '} {len(paths)} real skills, bytes kept, reference validator agrees: {told}")
    return good


def main() -> int:
    """Print every figure beside its limit; 1 if one does not hold."""
    plain = document()
    corpora = {
        "plain": plain,
        "with an appendix": append(plain, ["a note", "another"]),
        "not ASCII": document(" → é"),
        "full of markup": document(" <b>"),
    }
    good = True
    for name, text in corpora.items():
        reached = speed(text)
        good &= reached >= WANTED
        figures = f"{reached:9,.0f} edits/s  {reached / WANTED:5.2f} x the limit of {WANTED:,.0f}"
        print(f"{'ok  ' if reached >= WANTED else 'SLOW'} {name:<18} {len(text.encode()) // 1000} KB {figures}")
    beside = Path(__file__).resolve().parents[3] / "shared" / "data" / "skills"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else beside
    return 0 if (not folder.is_dir() or real(folder)) and good else 1


if __name__ == "__main__":
    raise SystemExit(main())
