"""What a pass of learning costs: the first one, one with nothing new, one with a little new, and how it grows.

    python benchmarks/learning/learning.py [--runs 10000] [--tasks 1000] [--grow]

Processor seconds of one process on one core, without a model, in mode draft: everything from reading the runs to the
reviewed drafts in the store. A peer in Go takes 78 s for 10,000 runs of 1,000 tasks, and 164 s when nothing is new.
"""

from __future__ import annotations

import argparse
import json
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one core, also for numpy

import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from metier.learning.learn import learn
from metier.types import Run, ToolCall
from metier.types.passes import Learned, Options
from metier.workspace import Workspace

FIRST, NOTHING, LITTLE = 20.0, 0.5, 1.0
"""Seconds for 10,000 runs of 1,000 tasks, for none, and for 100 more."""
VERBS = """rotate archive translate compress validate publish migrate benchmark restore annotate schedule encrypt merge
 paginate deduplicate profile anonymise index render forecast reconcile throttle visualise transcribe audit""".split()  # noqa: SIM905
THINGS = """invoices thumbnails passwords telemetry subtitles payroll coupons sensors contracts playlists recipes
 backups tickets catalogues embeddings surveys shipments certificates captions ledgers forms blueprints podcasts
 warranties timetables vouchers manuscripts samples portraits receipts permits patents quotes menus badges maps
 donations fixtures glossaries headlines""".split()  # noqa: SIM905
TOOLS = """Blender Postgres Shopify Kafka Zotero Grafana Stripe Terraform Audacity Airtable Redis Figma Moodle Jenkins
 Mailchimp Ansible Tableau Inkscape Nginx Salesforce Notion Ableton Gimp Twilio Consul Drupal Hadoop Okta Vault Zapier
 Jira Splunk QGIS Wordpress Confluence Elasticsearch Docker Odoo Asterisk Matlab""".split()  # noqa: SIM905
PLACES = "Lisbon Nairobi Osaka Quito Tromso Perth Austin Kraków Leeds Porto".split()  # noqa: SIM905
WORDINGS = (
    "{verb} the {tool} {thing} for {place}",
    "Please {verb} our {thing} in {tool}, {place} this time",
    "Can you {verb} all {thing} that {tool} has of the {place} branch?",
    "{tool} {thing} of {place}: {verb} them, please",
    "we need to {verb} the {thing} from {tool} ({place})",
)


def work(tasks: int, each: int, seed: int = 7, start: int = 0) -> list[Run]:
    """Runs of so many tasks, shuffled; each is worded and done a little differently, two share few words."""
    random = Random(seed)
    made: list[Run] = []
    for number in range(tasks):
        verb = VERBS[number % len(VERBS)]
        thing = THINGS[(number // len(VERBS)) % len(THINGS)]
        tool = TOOLS[(number * 7 + number // len(VERBS) * 3 + number // 1000) % len(TOOLS)]
        made += [run(random, (verb, thing, tool), f"{start}-{number}-{one}") for one in range(each)]
    random.shuffle(made)
    return made


def run(random: Random, task: tuple[str, str, str], name: str) -> Run:
    verb, thing, tool = task
    place = random.choice(PLACES)
    message = random.choice(WORDINGS).format(verb=verb, thing=thing, tool=tool, place=place)
    script = f"python {tool.lower()}/{verb}_{thing}.py --branch {place.lower()}"
    calls = [
        ToolCall(name="Bash", input=json.dumps({"command": f"ls data/{thing}"}), output="2026.csv\n2025.csv"),
        ToolCall(name="Read", input=json.dumps({"file_path": f"config/{tool}.toml"}), output="[main]\nlimit = 3\n" * 5),
        ToolCall(name="Bash", input=json.dumps({"command": script}), output="done: 42 files\n" * 10),
        ToolCall(name="Bash", input=json.dumps({"command": f"pytest tests/test_{thing}.py -q"}), output="3 passed"),
    ]
    good = random.random() < 0.9
    if not good:
        calls[2] = ToolCall(name="Bash", ok=False, input=calls[2].input, error="exit 1: limit reached")
    return Run(
        message=message,
        output=f"All {thing} of {place} are done." if good else "It did not work.",
        status="completed" if good else "error",
        external_id=name,
        session=name,
        agent="bench",
        tools=tuple(calls),
    )


def passed(ws: Workspace) -> tuple[float, Learned]:
    """Processor seconds of one pass, and what it did."""
    begun = time.process_time()
    events = learn(ws.library, Options())
    while True:
        try:
            next(events)
        except StopIteration as end:
            return time.process_time() - begun, end.value


def opened(folder: Path) -> Workspace:
    (folder / "home").mkdir(parents=True)
    (folder / "work").mkdir()
    environ = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "METIER_MODE": "draft"}
    return Workspace.open(folder / "work", environ=environ)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--tasks", type=int, default=1_000)
    parser.add_argument("--grow", action="store_true", help="also 2, 5 and 10 times as many runs")
    asked = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    share = asked.runs / 10_000
    with tempfile.TemporaryDirectory() as place, opened(Path(place) / "first") as ws:
        ws.deliver(work(asked.tasks, asked.runs // asked.tasks))
        first, learned = passed(ws)
        sizes = Counter(one.where for one in learned.fates)
        print(
            f"{asked.runs:,} runs of {asked.tasks:,} tasks: {len(learned.new):,} patterns, {len(learned.drafts):,} "
            f"drafts, {sizes['waits']} runs wait"
        )
        print(f"first pass     {first:8.2f} s   limit {FIRST * share:.1f} s   {_ratio(first, FIRST * share)}")
        nothing, _ = passed(ws)
        print(f"nothing new    {nothing:8.2f} s   limit {NOTHING:.1f} s   {_ratio(nothing, NOTHING)}")
        ws.deliver(work(100, 1, seed=8, start=1))
        little, learned = passed(ws)
        print(
            f"100 new runs   {little:8.2f} s   limit {LITTLE:.1f} s   {_ratio(little, LITTLE)}   "
            f"({len(learned.extended)} patterns extended, {len(learned.drafts)} drafts)"
        )
    if asked.grow:
        grow(asked.runs, asked.tasks)


def grow(runs: int, tasks: int) -> None:
    """How a first pass, and a small one after it, grow with the number of runs."""
    for times in (2, 5, 10):
        with tempfile.TemporaryDirectory() as place, opened(Path(place) / "grown") as ws:
            ws.deliver(work(tasks, runs * times // tasks))
            first, _ = passed(ws)
            ws.deliver(work(100, 1, seed=8, start=1))
            little, _ = passed(ws)
            per = first / (runs * times) * 1e6
            print(f"{runs * times:>9,} runs: first pass {first:7.2f} s, {per:.0f} µs a run; 100 more {little:.2f} s")


def _ratio(found: float, limit: float) -> str:
    return f"{found / limit:.2f} of the limit{'' if found <= limit else '  OVER'}"


if __name__ == "__main__":
    main()
