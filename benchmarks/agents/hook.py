"""CPU time of the hook that hands a skill to an agent, against a limit and bare Python; and how often it is right.

python benchmarks/agents/hook.py [--skills 10000] [--corpus FOLDER]

With a corpus (`skills.jsonl.gz`, `queries_dev.jsonl`) the library is made of its skills, and its labelled requests tell
how often the hook hands out a skill and how often that is the right one; the shipped requests that need no skill tell
how often it should have been silent. Without one the skills are made up, and only the time is measured.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sqlite3
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from startup import cpu_ms

from metier.hooks.rank import choose_skills
from metier.hooks.stamp import fingerprint
from metier.selection.evaluation import samples
from metier.store.tables.selection import hook_skills as skill_words
from metier.store.tables.selection.hook_skills import HandOut, InUse
from metier.store.tables.selection.skill_index import ContentKey, SkillSummary, SkillText
from metier.workspace import Workspace

LIMIT = 80
"""Milliseconds of CPU from the start of the process."""
RIGHT = 0.75
"""The share of handed-out skills that must be right, at any size."""
FALSE = 0.02
"""The share of requests without a skill that may get one."""
SHOWN = "Reference material.\n\n<skill_content>\n{}\n</skill_content>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A labelled request."""

    text: str
    gold: frozenset[str]


def corpus(folder: Path) -> tuple[list[SkillText], list[Query]]:
    """The skills and the requests of a corpus."""
    with gzip.open(folder / "skills.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    texts = [text(row["name"], row["description"], row["body"]) for row in rows]
    asked = [json.loads(line) for line in (folder / "queries_dev.jsonl").read_text(encoding="utf-8").splitlines()]
    queries = [
        Query(text=one["query"], gold=frozenset(one["gold"])) for one in asked if one["gold"] and not one["names_skill"]
    ]
    return texts, queries


def made_up(count: int) -> tuple[list[SkillText], list[Query]]:
    """Skills of words that exist nowhere, as many different ones as a language has."""
    rng = random.Random(7)
    words = ["".join(rng.choices("bdfgklmnprst", k=3)) + rng.choice("aeiou") * 2 + str(n % 97) for n in range(20_000)]
    common = [int(20_000 * rng.random() ** 3) for _ in range(400_000)]
    texts: list[SkillText] = []
    for number in range(count):
        said = [words[common[rng.randrange(400_000)]] for _ in range(420)]
        texts.append(text(f"skill-{number}", " ".join(said[:20]), " ".join(said[20:])))
    queries = [
        Query(text=" ".join(one.description.split()[:12]), gold=frozenset([one.content.name])) for one in texts[:200]
    ]
    return texts, queries


def text(name: str, description: str, body: str) -> SkillText:
    """A skill as the store keeps it."""
    return SkillText(
        content=ContentKey(f"{hash((name, body)) & (2**64 - 1):064x}", name),
        description=description,
        said=SkillSummary(),
        body=body,
    )


def fill(ws: Workspace, texts: list[SkillText]) -> None:
    """Put skills into the store as if they had been looked at and found fit."""
    document = ws.root / "skill/SKILL.md"
    document.parent.mkdir(exist_ok=True)
    document.write_text("# A skill\n", encoding="utf-8")
    stamp, _ = fingerprint(str(document.parent))
    rows = [InUse(name=one.content.name, hash=one.content.hash, document=str(document), stamp=stamp) for one in texts]
    made = [
        HandOut(content=one.content, checked="x", text=SHOWN.format(one.body[:4000]), tokens=1_000) for one in texts
    ]
    with ws.context.store.write() as transaction:
        skill_words.keep(transaction, texts)
        skill_words.put(transaction, rows)
        skill_words.finish(transaction, made)


def judged(ws: Workspace, queries: list[Query]) -> tuple[float, float, float, float]:
    """Shares: handed out at all, right of these, of requests that need none; and CPU milliseconds for each."""
    none = [json.loads(line)["query"] for line in samples.lines(samples.NO_SKILL)]
    connection = sqlite3.connect(f"file:{ws.state / 'metier.db'}?mode=ro", uri=True)
    began = time.process_time()
    found = [(choose_skills(connection, ws.name, "claude-code", one.text)[1], one.gold) for one in queries]
    wrong = sum(choose_skills(connection, ws.name, "claude-code", one)[1] is not None for one in none)
    spent = 1000 * (time.process_time() - began) / (len(queries) + len(none))
    handed = [(one, gold) for one, gold in found if one]
    right = sum(one.name in gold for one, gold in handed) / max(1, len(handed))
    return len(handed) / len(queries), right, wrong / len(none), spent


def library(texts: list[SkillText], queries: list[Query], size: int) -> tuple[list[SkillText], list[Query]]:
    """A library of a size, and the requests that it has skills for: six in ten of its skills are asked for."""
    rng = random.Random(size)
    golds = sorted({name for one in queries for name in one.gold})
    rng.shuffle(golds)
    wanted = set(golds[: max(1, size * 6 // 10)])
    others = [one for one in texts if one.content.name not in wanted]
    rng.shuffle(others)
    there = [one for one in texts if one.content.name in wanted] + others
    return there[:size], [one for one in queries if one.gold <= wanted]


def measured(size: int, texts: list[SkillText], queries: list[Query], *, labelled: bool) -> bool:
    """One library: time and, if the requests are real, how often the hook is right."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = home
        return _measured(folder, size, texts, queries, labelled=labelled)


def _measured(folder: str, size: int, texts: list[SkillText], queries: list[Query], *, labelled: bool) -> bool:
    python = [sys.executable, "-m", "metier.hooks.select"]
    with Workspace.open(folder) as ws:
        there, asked = library(texts, queries, size)
        fill(ws, there)
        handed, right, wrong, spent = judged(ws, asked)
        ok = not labelled or (right >= RIGHT and wrong <= FALSE)
        if labelled:
            print(f"{size:,} skills: hands out for {handed:.0%} of {len(asked)} requests, {right:.0%} right", end="; ")
            print(f"for {wrong:.1%} of requests that need none; {spent:.1f} ms CPU each")
        if size < max(SIZES):
            return ok
        bare = cpu_ms([sys.executable, "-c", "pass"])
        prompt = json.dumps({"prompt": asked[0].text, "cwd": folder, "session_id": "s"})
        cost = cpu_ms(python, prompt, folder)
        print(
            f"{size:,} skills: {cost:.0f} ms CPU from process start, bare python {bare:.0f} ms: {cost / bare:.1f} times"
        )
        print(f"limit {LIMIT} ms: {cost / LIMIT:.2f} of it")
        return ok and cost <= LIMIT


SIZES = [10, 100, 1_000]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skills", type=int, default=10_000)
    parser.add_argument("--corpus", type=Path, default=Path("../shared/data/retrieval"))
    given = parser.parse_args()
    for name in ("METIER_HOME", "XDG_STATE_HOME"):
        os.environ.pop(name, None)
    labelled = (given.corpus / "skills.jsonl.gz").is_file()
    texts, queries = corpus(given.corpus) if labelled else made_up(given.skills)
    SIZES.append(given.skills)
    sizes = SIZES if labelled else [given.skills]
    fine = [measured(size, texts, queries, labelled=labelled) for size in sizes]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
