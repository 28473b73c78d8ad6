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
class Stage:
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
        stage = perform(ws)
        if as_json:
            emit(document(stage))
            return
        out = console()
        for scene in SCENES:
            for part in scene(stage):  # a plain text is a line to copy: never broken
                out.print(part, width=min(WIDTH, out.width), soft_wrap=isinstance(part, str))


def perform(ws: Workspace) -> Stage:
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
    imports = _imported(ws)
    return Stage(
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


def document(stage: Stage) -> dict[str, object]:
    """The demo as one JSON document."""
    from metier.cli.demo.samples import figures

    rules = [rule for rule, _ in figures.marks(stage.records)]
    return {
        "workspace": str(stage.ws.root),
        "runs": len(stage.records),
        "delivered": figures.hows(stage.first),
        "delivered_again": figures.hows(stage.again),
        "redacted": {rule: rules.count(rule) for rule in sorted(set(rules))},
        "success": figures.success(stage.records),
        "tasks": {task: figures.success(there) for task, there in figures.by_task(stage.records).items()},
        "imported": [{"state": one.state, "runs": one.runs, "new": one.new} for one in stage.imports],
        "search": {"words": WORDS, "found": [record.id for record in stage.found]},
        "learning": demo_learning.document(stage.learning),
        "skill": demo_skills.document(stage.skill),
        "selection": demo_selection.document(stage.selection),
        "training": demo_training.document(stage.training),
    }


# ---- the scenes, in order; each stage of Metier adds its own ------------------------------------------------------


def opening(stage: Stage) -> Iterator[RenderableType]:
    """What this is."""
    from metier.cli.demo.samples import NAME

    days = len({run.started[:10] for run in stage.runs if run.started})
    yield line("Metier records what agents do and turns it into skills.", "bold")
    yield line(
        f"This demo replays {days} working days of one developer's coding agents in a small web shop, {NAME}. "
        "It needs no network and no model, and does not touch your data."
    )


def recorded(stage: Stage) -> Iterator[RenderableType]:
    """The runs go in, and the same ones again."""
    from metier.cli.demo.samples import figures

    tools = figures.by_tool(stage.runs)
    calls, cost = sum(count for count, _ in tools.values()), sum(run.cost_usd or 0 for run in stage.runs)
    yield from title("Recording")
    yield line(
        f"Recorded {figures.hows(stage.first)['new']} runs in {stage.seconds:.2f} s, safe on disk: {calls} tool calls, "
        f"{figures.tokens(stage.runs) / 1e6:.1f} million tokens, ${cost:.2f}."
    )
    most = max(count for count, _ in tools.values())
    yield from bars((name, count / most, f"{count} calls, {bad} failed") for name, (count, bad) in tools.items())
    hows = figures.hows(stage.again)
    yield line(f"The same {len(stage.again)} runs again: {hows['new']} new, {hows['duplicate']} already known.")


def redacted(stage: Stage) -> Iterator[RenderableType]:
    """What never reached the disk."""
    from metier.cli.demo.samples import figures

    marks = figures.marks(stage.records)
    rules = [rule for rule, _ in marks]
    yield from title("Redaction")
    yield line(
        f"The samples contain {len(set(marks))} made-up secrets in {len(marks)} places: "
        f"{', '.join(f'{rule} {rules.count(rule)}' for rule in sorted(set(rules)))}. "
        "Metier replaced all of them before it stored anything:"
    )
    before, after = figures.example(stage.records, WIDTH - 10)
    yield line(f"before  {before}")
    yield line(f"after   {after}", "yellow")
    yield line("The eight digits tell secrets apart. Without this workspace's key they reveal nothing.")


def listed(stage: Stage) -> Iterator[RenderableType]:
    """The newest runs."""
    yield from title("metier runs list --limit 5")
    yield _table(stage.records[:-6:-1])


def searched(stage: Stage) -> Iterator[RenderableType]:
    """Full text over requests, answers and what was done."""
    asked = sum(WORDS in record.run.message.lower() for record in stage.found)
    yield from title(f"metier runs search {WORDS}")
    yield _table(stage.found)
    yield line(
        f"The word is in {asked} of these {len(stage.found)} requests; in the others, the agent's steps contain it."
    )


def shown(stage: Stage) -> Iterator[RenderableType]:
    """One run from top to bottom."""
    from metier.cli.views.run import page

    record = next(one for one in stage.records if one.run.external_id == SHOWN)
    yield from title(f"metier runs show {record.id[:8]}")
    yield page(record, stage.ws.verdict(record.id))


def imported(stage: Stage) -> Iterator[RenderableType]:
    """What an agent wrote itself becomes runs, picked up where the file ended."""
    from metier.cli.demo.samples.session import NAME

    moments = ("while the agent works", "when it is done", "imported again")
    yield from title("metier import claude-code")
    rows = [
        (moment, report.state, str(report.new), str(report.updated), _note(report))
        for moment, report in zip(moments, stage.imports, strict=True)
    ]
    yield table(("transcript", "status", "new", "updated", "note"), rows, grow="note")
    record = next(one for one in reversed(stage.ws.runs(limit=100)) if one.run.session == NAME)
    used, put_right = ", ".join(record.used), record.run.correction or ""
    yield line(f"The first run used the skill {used}, and the person corrected it: \u201c{_cut(put_right)}\u201d")


def learned(stage: Stage) -> Iterator[RenderableType]:
    """A chore becomes a skill, and the skill gets better."""
    yield from demo_learning.scenes(stage.learning)


def skills(stage: Stage) -> Iterator[RenderableType]:
    """What becomes of a skill: versions, review."""
    for scene in (demo_skills.versioned, demo_skills.kept_out):
        yield from scene(stage.skill)


def selected(stage: Stage) -> Iterator[RenderableType]:
    """The next request gets the right skill, or none."""
    yield from demo_selection.scenes(stage.selection)


def trained(stage: Stage) -> Iterator[RenderableType]:
    """A skill's text gets better, and what fresh cases say about it."""
    yield from demo_training.scenes(stage.training)


def closing(stage: Stage) -> Iterator[RenderableType]:
    """Where this is, and what to do next."""
    import shutil
    import sys
    from pathlib import Path
    from shlex import quote

    root = quote(str(stage.ws.root))
    yield from title("Look around, then try it on your project")
    yield f"  look at this demo's data:       metier -w {root} runs list"
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


SCENES = (opening, recorded, redacted, listed, searched, shown, imported, learned, skills, selected, trained, closing)


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
    """A workspace in exactly this folder, untouched by the settings of the person who looks on."""
    from metier.config import STATE
    from metier.context import state_folder as place
    from metier.workspace import Workspace

    place.make_state_folder(folder / STATE, folder)
    return Workspace.open(folder, environ={"HOME": str(folder)})


def _imported(ws: Workspace) -> list[FileReport]:
    from metier.capture import registry
    from metier.capture.find_sessions import find_named_sessions
    from metier.capture.import_sessions import import_session
    from metier.capture.report import FileReport
    from metier.cli.demo.samples import session

    source = registry.find_source("claude-code")
    file = ws.root / f"{session.NAME}.jsonl"
    reports: list[FileReport] = []
    for content in (session.begun(), session.complete(), session.complete()):
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
