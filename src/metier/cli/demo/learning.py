"""The scenes of the demo about learning: a chore becomes a pattern, a draft, a skill, and a better skill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.cli.demo.parts import WIDTH, line, title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from metier.learning.report import Learned
    from metier.library.versions.blame import BlamedLine
    from metier.skills.diff import FileChange
    from metier.types import Delivery, Draft, Pattern
    from metier.types.skills import Version
    from metier.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtSkill:
    """One pass of learning, the draft that came of the chore, and the version it became."""

    runs: int
    """How often the chore was done since the pass before."""
    learned: Learned
    draft: Draft
    changes: tuple[FileChange, ...]
    version: Version


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningStory:
    """What was learned from a chore, in two lessons."""

    patterns: tuple[Pattern, ...]
    """After the first."""
    lessons: tuple[TaughtSkill, TaughtSkill]
    lines: tuple[BlamedLine, ...]
    """Of the skill at the end."""


def perform(ws: Workspace) -> LearningStory:
    """Do the chore, learn, ship; do it a few times more, learn again, ship again."""
    from metier.cli.demo.samples import chores
    from metier.library.versions.blame import blame

    first = _lesson(ws, ws.deliver(chores.first()))
    patterns = ws.patterns()
    second = _lesson(ws, ws.deliver(chores.later()))
    found = ws.library.find(second.version.skill)
    packages = [(one, found.load(one)) for one in ws.history(second.version.skill)]
    return LearningStory(
        patterns=tuple(patterns),
        lessons=(first, second),
        lines=blame([(one, package.document) for one, package in packages]),
    )


def _lesson(ws: Workspace, delivered: Sequence[Delivery]) -> TaughtSkill:
    from metier.library.proposals.drafts import approve_draft, proposed_change
    from metier.library.proposals.ship import apply_drafts
    from metier.skills.diff import changes
    from metier.skills.package import Package

    learned = ws.learn().result
    chore = {one.id for one in delivered}
    draft = max(learned.drafts, key=lambda one: len(chore.intersection(one.provenance.runs)))
    change = proposed_change(ws.library, draft)
    parts = changes(change.before or Package(files={}), change.after)
    if draft.needs_approval:
        approve_draft(ws.library, draft.id, seen=draft.hash, reason="the demo says yes for you")
    (version,) = apply_drafts(ws.library, [draft.id])
    return TaughtSkill(runs=len(delivered), learned=learned, draft=draft, changes=parts, version=version)


def document(story: LearningStory) -> dict[str, object]:
    """The story as JSON."""
    return {
        "patterns": {one.label: one.status for one in story.patterns},
        "drafts": [{"id": one.draft.id, "kind": one.draft.kind, "target": one.draft.target} for one in story.lessons],
        "versions": [{"skill": one.version.skill, "version": one.version.number} for one in story.lessons],
        "calls": sum(one.learned.calls for one in story.lessons),
    }


def scenes(story: LearningStory) -> Iterator[RenderableType]:
    """All of them, in order."""
    first, second = story.lessons
    yield from _learn_scene(first)
    yield from _patterns_scene(story)
    yield from _diff_scene(second)
    yield from _blame_scene(story)


def _learn_scene(lesson: TaughtSkill) -> Iterator[RenderableType]:
    from metier.cli.views.learn import drafts_table, summary

    yield from title("metier learn")
    yield line(
        f"A task comes up {lesson.runs} times: “bump the dependency httpx to 0.28”. Metier judges every run, groups "
        "runs with the same request, and writes a draft of a skill from the successful ones:"
    )
    yield line(summary(lesson.learned), "green")
    yield drafts_table([lesson.draft], width=WIDTH)


def _patterns_scene(story: LearningStory) -> Iterator[RenderableType]:
    from metier.cli.output import table

    yield from title("metier patterns")
    rows = [
        (one.label, str(one.successes), str(one.failures), one.status, one.summary)
        for one in sorted(story.patterns, key=lambda one: -one.successes)
    ]
    columns = ("pattern", "succeeded", "failed", "status", "about")
    yield table(columns, rows, grow="about", width=WIDTH)
    yield line("The other runs don't match any pattern yet. Why: metier learn --explain")


def _diff_scene(lesson: TaughtSkill) -> Iterator[RenderableType]:
    from metier.cli.views.diff import page

    yield from title(f"metier drafts diff {lesson.draft.id}")
    yield line(
        "It installs a package, so review asks for your yes; the demo said it for you, and v1 shipped. Then the task "
        f"comes up {lesson.runs} more times, with a new step. metier learn adds it:"
    )
    yield from page(lesson.changes, ("now", "draft"), two=False)


def _blame_scene(story: LearningStory) -> Iterator[RenderableType]:
    version = story.lessons[-1].version
    yield from title(f".agents/skills/{version.skill}/SKILL.md")
    for one in story.lines:
        yield line(one.text.rstrip(), "green" if one.version.number == version.number else "")
    spans = [_span(story.lines, lesson) for lesson in story.lessons]
    yield line("")
    yield line(f"Where the lines come from (metier skills blame {version.skill}): {'; '.join(spans)}.")
    yield line(f"Agents find the skill there. Undo v{version.number}: metier skills rollback {version.skill}")


def _span(lines: Sequence[BlamedLine], lesson: TaughtSkill) -> str:
    """Which lines a lesson brought, and how many runs taught them."""
    numbers = [one.number for one in lines if one.version.number == lesson.version.number]
    runs = len(lesson.version.provenance.runs)
    return f"lines {numbers[0]} to {numbers[-1]} from {runs} runs (draft {lesson.draft.id})"
