"""The kinds of jobs that workers know, each with what does it."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from metier.events import Ended
from metier.fleet.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from metier.fleet.jobs import Json
    from metier.workspace import Workspace

    Kind = Callable[[Workspace, Mapping[str, Json]], str]
    """Does a job in an open workspace, and says in a line what came of it."""

LEARN = Job(kind="learn", key="learn", alone=True)


def learn_once(ws: Workspace, given: Mapping[str, Json]) -> str:  # noqa: ARG001
    """One pass of learning; the workspace's mode decides whether drafts are applied."""
    from metier.learning.watch.watch import the_pass

    said = ""
    with closing(the_pass(ws.library)) as events:
        for event in events:
            said = event.text if isinstance(event, Ended) else said
    return said


MANY = frozenset({"rollout"})
"""Kinds with so many jobs that only failures are kept."""


@contextmanager
def open_kinds(environ: Mapping[str, str], *, programs: bool) -> Generator[dict[str, Kind]]:
    """Every kind of job, with what stays open between two of them; `programs`: those that jobs name may be run."""
    from metier.fleet.rollout_jobs import RolloutJobs

    with RolloutJobs(environ, programs=programs) as rollouts:
        yield {"learn": learn_once, "rollout": rollouts}
