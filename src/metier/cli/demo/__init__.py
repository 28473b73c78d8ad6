"""`metier demo`: show what Metier does, on sample work, in small scenes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.demo import learning as demo_learning
from metier.cli.demo import selection as demo_selection
from metier.cli.demo import skills as demo_skills
from metier.cli.demo import training as demo_training
from metier.cli.demo.parts import WIDTH, bars, line, title
from metier.cli.options import AsJson  # noqa: TC001 - typer reads it at run time
from metier.cli.output import console, emit, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from metier.capture.report import FileReport
    from metier.cli.demo.learning import LearningStory
    from metier.cli.demo.selection import SelectionStory
    from metier.cli.demo.skills import SkillStory
    from metier.cli.demo.training import TrainingStory
    from metier.types import Delivery, Record, Run
    from metier.workspace import Workspace

Keep = Annotated[str, typer.Option(metavar="DIR", help="Use this new or empty folder, not a temporary one.")]
REQUEST = 58
"""Characters of a request that fit beside its id, day and success."""
WORDS = "playwright"
"""What the demo searches for: a word that stands in few requests, and in more of what was done."""
SHOWN = "ci-failure-2"
"""The sample that is shown whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResult:
    """What the scenes are about: the sample runs, and what became of them."""

    ws: Workspace
    first: Sequence[Delivery]
    again: Sequence[Delivery]
    seconds: float
    """How long the first delivery took."""
    records: Sequence[Record]
    """What is stored, oldest first."""
    found: Sequence[Record]
    """What the search found."""
    imports: Sequence[FileReport]
    """What became of a session file: half written, complete, and once more."""
    learning: LearningStory
    """What was learned from a chore."""
    skill: SkillStory
    """What became of a skill."""
    selection: SelectionStory
    """What was chosen for the next requests."""
    training: TrainingStory
    """What a training found."""

    @property
    def runs(self) -> list[Run]:
        """The stored runs, oldest first."""
        return [record.run for record in self.records]


def demo(keep: Keep = "", as_json: AsJson = False) -> None:
    """Show what Metier does on sample work: offline, in a few seconds, in its own folder.

    The samples are two weeks of a coding agent's runs in a small web shop. Your own data is not read or changed.

    Example:  metier demo --keep /tmp/metier-demo
    """
    with _workspace(_folder(keep)) as ws:
        result = perform(ws)
        if as_json:
            emit(document(result))
            return
        out = console()
        for scene in SCENES:
            for part in scene(result):  # a plain text is a line to copy: never broken
                out.print(part, width=min(WIDTH, out.width), soft_wrap=isinstance(part, str))


def perform(ws: Workspace) -> DemoResult:
    """Deliver the samples twice and look at what is there then."""
    from time import monotonic

    from metier.cli.demo.samples import samples

    runs = samples()
    began = monotonic()
    first = ws.deliver(runs)
    seconds = monotonic() - began
    again = ws.deliver(runs)
    records = ws.runs(limit=len(runs))[::-1]
    found = ws.search(WORDS)
    imports = _import_session(ws)
    return DemoResult(
        ws=ws,
        first=first,
        again=again,
        seconds=seconds,
        records=records,
        found=found,
        imports=imports,
        learning=demo_learning.perform(ws),
        skill=demo_skills.perform(ws),
        selection=demo_selection.perform(ws),
        training=demo_training.perform(ws),
    )


def document(result: DemoResult) -> dict[str, object]:
    """The demo as one JSON document."""
    from metier.cli.demo.samples import figures

    rules = [rule for rule, _ in figures.marks(result.records)]
    return {
        "workspace": str(result.ws.root),
        "runs": len(result.records),
        "delivered": figures.delivery_counts(result.first),
        "delivered_again": figures.delivery_counts(result.again),
        "redacted": {rule: rules.count(rule) for rule in sorted(set(rules))},
        "success": figures.success(result.records),
        "tasks": {task: figures.success(there) for task, there in figures.by_task(result.records).items()},
        "imported": [{"state": one.state, "runs": one.runs, "new": one.new} for one in result.imports],
        "search": {"words": WORDS, "found": [record.id for record in result.found]},
        "learning": demo_learning.document(result.learning),
        "skill": demo_skills.document(result.skill),
        "selection": demo_selection.document(result.selection),
        "training": demo_training.document(result.training),
    }


# ---- the scenes, in order; each stage of Metier adds its own ------------------------------------------------------


def opening_scene(result: DemoResult) -> Iterator[RenderableType]:
    """What this is."""
    from metier.cli.demo.samples import NAME

    days = len({run.started[:10] for run in result.runs if run.started})
    yield line("Metier records what agents do and turns it into skills.", "bold")
    yield line(
        f"This demo replays {days} working days of one developer's coding agents in a small web shop, {NAME}. "
        "It needs no network and no model, and does not touch your data."
    )


def recording_scene(result: DemoResult) -> Iterator[RenderableType]:
    """The runs go in, and the same ones again."""
    from metier.cli.demo.samples import figures

    tools = figures.by_tool(result.runs)
    new = figures.delivery_counts(result.first)["new"]
    calls, cost = sum(count for count, _ in tools.values()), sum(run.cost_usd or 0 for run in result.runs)
    yield from title("Recording")
    yield line(
        f"Recorded {new} runs in {result.seconds:.2f} s, safe on disk: {calls} tool calls, "
        f"{figures.tokens(result.runs) / 1e6:.1f} million tokens, ${cost:.2f}."
    )
    most = max(count for count, _ in tools.values())
    yield from bars((name, count / most, f"{count} calls, {bad} failed") for name, (count, bad) in tools.items())
    again = figures.delivery_counts(result.again)
    yield line(f"The same {len(result.again)} runs again: {again['new']} new, {again['duplicate']} already known.")


def redaction_scene(result: DemoResult) -> Iterator[RenderableType]:
    """What never reached the disk."""
    from metier.cli.demo.samples import figures

    marks = figures.marks(result.records)
    rules = [rule for rule, _ in marks]
    yield from title("Redaction")
    yield line(
        f"The samples contain {len(set(marks))} made-up secrets in {len(marks)} places: "
        f"{', '.join(f'{rule} {rules.count(rule)}' for rule in sorted(set(rules)))}. "
        "Metier replaced all of them before it stored anything:"
    )
    before, after = figures.example(result.records, WIDTH - 10)
    yield line(f"before  {before}")
    yield line(f"after   {after}", "yellow")
    yield line("The eight digits tell secrets apart. Without this workspace's key they reveal nothing.")


def list_scene(result: DemoResult) -> Iterator[RenderableType]:
    """The newest runs."""
    yield from title("metier runs list --limit 5")
    yield _table(result.records[:-6:-1])


def search_scene(result: DemoResult) -> Iterator[RenderableType]:
    """Full text over requests, answers and what was done."""
    asked = sum(WORDS in record.run.message.lower() for record in result.found)
    yield from title(f"metier runs search {WORDS}")
    yield _table(result.found)
    yield line(
        f"The word is in {asked} of these {len(result.found)} requests; in the others, the agent's steps contain it."
    )


def show_scene(result: DemoResult) -> Iterator[RenderableType]:
    """One run from top to bottom."""
    from metier.cli.views.run import page

    record = next(one for one in result.records if one.run.external_id == SHOWN)
    yield from title(f"metier runs show {record.id[:8]}")
    yield page(record, result.ws.verdict(record.id))


def import_scene(result: DemoResult) -> Iterator[RenderableType]:
    """What an agent wrote itself becomes runs, picked up where the file ended."""
    from metier.cli.demo.samples.session import NAME

    moments = ("while the agent works", "when it is done", "imported again")
    yield from title("metier import claude-code")
    rows = [
        (moment, report.state, str(report.new), str(report.updated), _note(report))
        for moment, report in zip(moments, result.imports, strict=True)
    ]
    yield table(("transcript", "status", "new", "updated", "note"), rows, grow="note")
    record = next(one for one in reversed(result.ws.runs(limit=100)) if one.run.session == NAME)
    used, put_right = ", ".join(record.used), record.run.correction or ""
    yield line(f"The first run used the skill {used}, and the person corrected it: \u201c{_cut(put_right)}\u201d")


def learn_scene(result: DemoResult) -> Iterator[RenderableType]:
    """A chore becomes a skill, and the skill gets better."""
    yield from demo_learning.scenes(result.learning)


def skills_scene(result: DemoResult) -> Iterator[RenderableType]:
    """What becomes of a skill: versions, review."""
    for scene in (demo_skills.version_scene, demo_skills.review_scene):
        yield from scene(result.skill)


def select_scene(result: DemoResult) -> Iterator[RenderableType]:
    """The next request gets the right skill, or none."""
    yield from demo_selection.scenes(result.selection)


def train_scene(result: DemoResult) -> Iterator[RenderableType]:
    """A skill's text gets better, and what fresh cases say about it."""
    yield from demo_training.scenes(result.training)


def closing_scene(result: DemoResult) -> Iterator[RenderableType]:
    """Where this is, and what to do next."""
    import shutil
    import sys
    from pathlib import Path
    from shlex import quote

    from metier.hooks.identity import key_path

    root = quote(str(result.ws.root))
    home = f"HOME={root} " if Path(key_path({"HOME": str(result.ws.root)})).exists() else ""
    yield from title("Look around, then try it on your project")
    yield f"  look at this demo's data:       {home}metier -w {root} runs list"
    yield f"  delete the demo:                rm -r {root}"
    yield "  start in your project:          cd your-project && metier init"
    yield "  import your agents' sessions:   metier import"
    yield "  record runs as JSON lines:      metier record < runs.jsonl"
    yield "  learn once, or continuously:    metier learn, metier watch"
    yield "  see runs and patterns:          metier runs list, metier patterns"
    yield "  find the skills for a task:     metier select TASK --why"
    yield "  improve a skill on your cases:  metier train SKILL --cases FILE"
    yield "  check a skill from elsewhere:   metier review PATH"
    if not shutil.which("metier"):
        yield f"  (metier is not on your PATH; use {Path(sys.argv[0]).absolute()})"


SCENES = (
    opening_scene,
    recording_scene,
    redaction_scene,
    list_scene,
    search_scene,
    show_scene,
    import_scene,
    learn_scene,
    skills_scene,
    select_scene,
    train_scene,
    closing_scene,
)


# ---- small parts -------------------------------------------------------------------------------------------------


def _folder(keep: str) -> Path:
    """Where the demo happens: the folder asked for, if nothing is in it, or a new temporary one."""
    from pathlib import Path
    from tempfile import mkdtemp

    from metier.errors import RefusedError

    if not keep:
        return Path(mkdtemp(prefix="metier-demo-"))
    folder = Path(keep).expanduser().absolute()
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise RefusedError(f"{folder} is not empty. Choose a new or empty folder for the demo.")
    return folder


def _workspace(folder: Path) -> Workspace:
    """A workspace of this person in exactly this folder, untouched by their settings."""
    import os

    from metier.config import STATE
    from metier.context import state_folder as place
    from metier.context.identity import user_key
    from metier.errors import ConfigError
    from metier.hooks.identity import VARIABLE
    from metier.workspace import Workspace

    environ = {"HOME": str(folder)}
    try:
        key = user_key(os.environ)
    except ConfigError:  # a home that cannot be written
        key = user_key(environ)  # the demo's own, in its folder
    place.make_state_folder(folder / STATE, folder, key)
    environ[VARIABLE] = key.decode("utf-8", "surrogateescape")
    return Workspace.open(folder, environ=environ)


def _import_session(ws: Workspace) -> list[FileReport]:
    from metier.capture import registry
    from metier.capture.find_sessions import find_named_sessions
    from metier.capture.import_sessions import import_session
    from metier.capture.report import FileReport
    from metier.cli.demo.samples import session

    source = registry.find_source("claude-code")
    file = ws.root / f"{session.NAME}.jsonl"
    reports: list[FileReport] = []
    for content in (session.half_written(), session.complete(), session.complete()):
        if not file.exists() or file.read_text(encoding="utf-8") != content:
            file.write_text(content, encoding="utf-8")
        reports.append(FileReport(file=str(file), source=source.name))
        for found in find_named_sessions(source, [str(file)]).sessions:
            import_session(ws.context, source, found, reports[-1])
    return reports


def _note(report: FileReport) -> str:
    return report.skipped[0].reason.partition(";")[0] if report.skipped else ""


def _table(records: Iterable[Record]) -> RenderableType:
    signs = {True: "yes", False: "no", None: "?"}
    rows = [(one.id[:8], (one.run.started or "")[5:10], signs[one.success], _cut(one.summary)) for one in records]
    return table(("id", "day", "ok", "request"), rows, grow="request")


def _cut(text: str) -> str:
    return text if len(text) <= REQUEST else text[: REQUEST - 1] + "…"
