"""A sample of real calls with a check each, to be read by somebody who does not see what the program says.

    python benchmarks/learning/check_sample.py [FOLDER] [--answers FILE]

With a folder it writes `sample.jsonl` (check, rule, call), `key.jsonl` (what the program says) and `README.md` (how to
answer). With the answers (`{"number", "verdict"}` a line) it says in how many calls reader and program agree. Calls
come from the projects in `../shared/data/lessons` where they are; without a folder it only counts.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lessons import DATA, learned, rows

from metier.formats.run_json import parse_run
from metier.learning.lessons.checks import check_call, check_of, may_apply
from metier.learning.lessons.session.net import mine_session
from metier.library.delivery.wording import check_words
from metier.runs.derive import record_of
from metier.types.lessons import Lesson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.types import Run, ToolCall
    from metier.types.lessons import LessonCheck

PROJECTS = {"spotter": True, "bookminder": True, "minsky": True, "specstory": False}
"""Projects, and whether the rules that somebody wrote down for one may be read."""
RULES = (
    "Stage files by name; never `git add .` or `-A`.",
    "Never `git push --force` or `-f`.",
    "Never `git commit --no-verify` or `-n`.",
    "Never `git commit --amend`.",
    "Never `git reset --hard`.",
    "Never run `git stash`.",
    "Never use `rm -rf`.",
    "Never use `sed -i`.",
    "Use uv, not pip.",
    "Use `rg` instead of `grep`.",
    "Use `golangci-lint` instead of `go vet`.",
    "Never edit `CHANGELOG.md`.",
)
"""What people say in many projects."""
SIZE, LONGEST, AGREED = 200, 1_200, 0.95
"""Calls of a sample; characters of a call that somebody reads; the share of calls in which both have to agree."""
CUT = ("…", "ctrl+", "Cost: $", "(truncated)")
"""Marks of calls that are known only in part."""
VERDICTS = ("violated", "obeyed", "not applicable")
HOW_TO = f"""# How to answer

Each line of `sample.jsonl` has a number, a rule, the check that was made of it in words, and one call of an agent.
Write one line for each, `{{"number": 1, "verdict": "..."}}`, with one of:

- `violated`: running this call does what the check forbids, anywhere in its command line;
- `obeyed`: the call runs the program that the check names (with its subcommand) and does nothing forbidden with it,
  or it runs what the check says to run instead;
- `not applicable`: neither. The program's name in a text, a message, a file name or a search is no call of it; asking
  a program for its help is none either. A check on a path is violated or not applicable, never obeyed.

Read the call alone. `key.jsonl` stays closed until all are answered; then `check_sample.py --answers FILE` compares.
The program should agree in {AGREED:.0%} of the calls.
"""


def main() -> int:
    """Write a sample, compare answers with its key, or count what a sample would hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--data", type=Path, default=DATA)
    given = parser.parse_args()
    if given.answers:
        return compare(rows(given.answers), rows((given.folder or given.answers.parent) / "key.jsonl"))
    found = [one for project in PROJECTS for one in candidates(given.data, project)]
    if not found:
        print("no data here")
        return 0
    chosen = balanced(found)
    for verdict in VERDICTS:
        print(f"{verdict:<15} {sum(one['verdict'] == verdict for one in chosen)} of {len(chosen)} calls")
    if given.folder:
        write(given.folder, chosen)
    return 0


def candidates(data: Path, project: str) -> Iterator[dict[str, Any]]:
    """Every call of a project with every check that a rule or fix of it makes, and what the program says."""
    file = data / project / "runs.jsonl.gz"
    if not file.is_file():
        return
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        runs = [parse_run(json.loads(line)) for line in lines]
    calls = {(call.name, call.input): call for run in runs for call in run.tools if is_whole(call.input)}
    for rule, check in checks_of(runs, gold_rules(data, project)):
        for call in calls.values():
            if may_apply(check, call.input):
                yield row(project, rule, check, call)


def is_whole(text: str) -> bool:
    """Whether a call can be read, and was not cut when a console showed it."""
    return len(text) <= LONGEST and not any(mark in text for mark in CUT)


def checks_of(runs: list[Run], written: list[str]) -> list[tuple[str, LessonCheck]]:
    """The checks of what was learned from runs, of what somebody wrote down, and of common rules."""
    programs = frozenset(mine_session([record_of(one, "", one.started or "") for one in runs]).programs)
    found = {one.text: one.check for one in learned(runs) if one.check is not None}
    for text in (*written, *RULES):
        check = check_of(Lesson(id="", workspace="", kind="rule", text=text, subject=""), programs)
        if check is not None:
            found.setdefault(text, check)
    return list(found.items())


def gold_rules(data: Path, project: str) -> list[str]:
    """The rules that somebody wrote down for a project, where they may be read."""
    gold = rows(data / project / "gold.jsonl") if PROJECTS[project] else []
    return [str(one["lesson"]) for one in gold if one["kind"] == "rule"]


def row(project: str, rule: str, check: LessonCheck, call: ToolCall) -> dict[str, Any]:
    """One call under one check."""
    said = check_words(check)
    verdict = check_call(check, call) or "not applicable"
    return {
        "project": project,
        "rule": rule,
        "check": said,
        "tool": call.name,
        "call": call.input,
        "verdict": verdict,
    }


def balanced(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As many of each verdict as there are, taken in turn from every check of every project."""
    rng = random.Random(21)
    groups: dict[str, dict[tuple[str, str], list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for one in found:
        groups[one["verdict"]][one["project"], one["check"]].append(one)
    chosen: list[dict[str, Any]] = []
    for at, verdict in enumerate(VERDICTS):
        share = (SIZE - len(chosen)) // (len(VERDICTS) - at)
        mixed = [sorted(rng.sample(group, len(group)), key=is_near) for group in groups[verdict].values()]
        chosen += in_turn(mixed, share)
    rng.shuffle(chosen)
    return chosen


def is_near(one: dict[str, Any]) -> bool:
    """Whether every word of the program that a check names stands in a call: that is harder to tell apart."""
    named = one["check"].partition("`")[2].partition("`")[0] or one["check"].split()[0].strip("/")
    return all(word in one["call"] for word in named.split())


def in_turn(groups: list[list[dict[str, Any]]], count: int) -> list[dict[str, Any]]:
    """One of each group, then another one of each, as many as asked for."""
    found: list[dict[str, Any]] = []
    while len(found) < count and any(groups):
        for group in groups:
            if group and len(found) < count:
                found.append(group.pop())
    return found


def write(folder: Path, chosen: list[dict[str, Any]]) -> None:
    """Put the sample and its key into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    numbered = [{"number": number, **one} for number, one in enumerate(chosen, start=1)]
    shown = [{name: value for name, value in one.items() if name != "verdict"} for one in numbered]
    key = [{"number": one["number"], "verdict": one["verdict"]} for one in numbered]
    for name, lines in (("sample.jsonl", shown), ("key.jsonl", key)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "README.md").write_text(HOW_TO, encoding="utf-8")
    print(f"written to {folder}")


def compare(answers: list[dict[str, Any]], key: list[dict[str, Any]]) -> int:
    """In how many calls a reader and the program agree; 1: in too few."""
    said = {one["number"]: one["verdict"] for one in answers}
    same = [one for one in key if said.get(one["number"]) == one["verdict"]]
    for one in key:
        if one not in same:
            print(f"  {one['number']}: program {one['verdict']}, reader {said.get(one['number'], 'no answer')}")
    share = len(same) / len(key)
    print(f"reader and program agree in {len(same)} of {len(key)} calls ({share:.1%}); {AGREED:.0%} is the limit")
    return 0 if share >= AGREED else 1


if __name__ == "__main__":
    sys.exit(main())
