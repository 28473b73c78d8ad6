"""The scenes of the demo about selection: the right skill for the next run, none where none fits, and the figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.cli.demo.parts import WIDTH, line, result_of, title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from metier.selection.evaluation.evaluate import Evaluation
    from metier.selection.result import Selected
    from metier.workspace import Workspace

REQUEST = "bump the dependency celery to 5.6 in the container image"
"""What the skill that was learned before is for."""
UNSERVED = "write a poem about the sea"
"""What no skill is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionStory:
    """Two requests and what was chosen for them; and how selection does on many."""

    skills: int
    chosen: Selected
    nothing: Selected
    evaluation: Evaluation


def perform(ws: Workspace) -> SelectionStory:
    """Put the shop's other skills there, ask for two requests, then for all labelled ones."""
    from metier.selection.candidates.skill_pool import skills_with_bodies
    from metier.selection.evaluation.eval_library import ask_queries, build_eval_library, eval_basis
    from metier.selection.evaluation.evaluate import CUTS, evaluate
    from metier.selection.evaluation.files import queries_from

    _write_samples(ws)
    queries = result_of(queries_from(""))
    skills = result_of(skills_with_bodies(ws.pool))
    basis = eval_basis(ws.context)
    answers = result_of(ask_queries(result_of(build_eval_library(skills, basis)), queries, max(CUTS)))
    return SelectionStory(
        skills=len(skills),
        chosen=ws.select(REQUEST, model=False, settings=basis.settings),
        nothing=ws.select(UNSERVED, model=False, settings=basis.settings),
        evaluation=evaluate(queries, answers),
    )


def _write_samples(ws: Workspace) -> None:
    """The sample skills on disk, but for those that are there."""
    from metier.selection.evaluation.samples import documents

    for name, document in documents().items():
        folder = ws.root / ".agents" / "skills" / name
        if not folder.exists():
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(document, encoding="utf-8")


def document(story: SelectionStory) -> dict[str, object]:
    """The story as JSON."""
    from metier.cli.views.eval import figures

    return {
        "skills": story.skills,
        "selections": [
            {
                "task": one.task.text,
                "chosen": list(one.names),
                "candidates": [found.skill.name for found in one.choice.candidates],
            }
            for one in (story.chosen, story.nothing)
        ],
        "evaluation": figures(story.evaluation),
    }


def scenes(story: SelectionStory) -> Iterator[RenderableType]:
    """All of them, in order."""
    from metier.cli.views.select import closing, page

    yield from title("metier select TASK")
    yield line(f"The shop has {story.skills} skills now. The next request: “{REQUEST}”")
    yield from page(story.chosen, width=WIDTH)
    yield line(f"Another request: “{UNSERVED}”")
    for text in closing(story.nothing):
        yield line(text, "yellow")
    yield from _eval_scene(story)


def _eval_scene(story: SelectionStory) -> Iterator[RenderableType]:
    from metier.cli.output import table
    from metier.cli.views.eval import rows

    found = story.evaluation
    yield from title("metier eval selection")
    yield line(
        f"{found.queries} labelled requests ({found.unserved} fit no skill), without a model, "
        f"median {found.latency.p50 or 0:.0f} ms:"
    )
    shown = [(what, *figure) for _, what, *figure in rows(found)]
    yield table(("what", "share", "95 % interval", "n"), shown, grow="what", width=WIDTH)
