"""Meaning by a remote embedder where one is set; if it is of no use, the built-in one answers and it is said why."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.context.models.access import embedder_of
from metier.errors import StoreError
from metier.selection.assembly.token_budget import ends
from metier.selection.index.entries import EMBEDDER_NAME
from metier.store.tables.selection import skill_index
from metier.types.questions import NoAnswer, NoModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from metier.context.context import Context
    from metier.context.models.line import RemoteEmbedder
    from metier.selection.candidates.skill_pool import SkillPool
    from metier.store.tables.selection.skill_index import ContentKey

    Vectors = dict[ContentKey, NDArray[np.float32]]

TASK = 8_000
"""Characters of a task that are embedded."""
BODY = 4_000
"""Characters of a body that are embedded, behind name and description."""
BATCH = 256
"""Skills embedded during one selection, at most: it must not take long."""
GRAIN = 64
"""Skills embedded in one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """How meanings are compared this time."""

    embedder: str = EMBEDDER_NAME
    vector: NDArray[np.float32] | None = None
    """Of the task, by a remote embedder; None: the built-in one compares."""
    note: str = ""
    """Why it is not the one that is set."""


def task_meaning(pool: SkillPool, task: str, environ: Mapping[str, str] | None = None) -> Meaning:
    """The task's vector by the embedder that is set, once all skills have theirs; else why it is the built-in one."""
    if not pool.ctx.config.models.embed_model or not task.strip():
        return Meaning()
    found = embedder_of(pool.ctx, environ)
    if isinstance(found, NoModel):
        return Meaning(note=f"{found.reason} The built-in embedder answers.")
    try:
        return _remote_meaning(pool, found, task)
    finally:
        found.close()


def _remote_meaning(pool: SkillPool, remote: RemoteEmbedder, task: str) -> Meaning:
    deadline = time.monotonic() + pool.ctx.config.selection.select_timeout
    asked = remote.embed([ends(task, TASK)], pool.ctx.config.selection.select_timeout)
    if isinstance(asked, NoAnswer):
        return _built_in(remote, asked.reason)
    identity = f"{remote.name} {pool.ctx.config.models.embed_url} {asked.shape[1]}".replace("  ", " ")
    if pool.embedder != identity:
        problem = _give_vectors(pool, remote, identity, deadline)
        if problem:
            return _built_in(remote, problem)
    return Meaning(embedder=remote.name, vector=asked[0])


def _built_in(remote: RemoteEmbedder, why: str) -> Meaning:
    return Meaning(note=f"{remote.name}: {why}; the built-in embedder answers")


def _give_vectors(pool: SkillPool, remote: RemoteEmbedder, identity: str, deadline: float) -> str:
    """Put a vector of every skill into the index; says what is missing for that."""
    import numpy as np

    contents = {name: one.content for name, one in pool.catalogue.in_use.items()}
    with pool.ctx.store.read() as transaction:
        kept = skill_index.vectors(transaction, identity, list(contents.values()))
    vectors: Vectors = {content: np.frombuffer(data, dtype=np.float32) for content, data in kept.items()}
    missing = [content for content in dict.fromkeys(contents.values()) if content not in vectors]
    for start in range(0, min(len(missing), BATCH), GRAIN):
        made = _embed(pool.ctx, remote, missing[start : start + GRAIN], deadline - time.monotonic())
        if isinstance(made, str):
            return made
        _keep(pool.ctx, identity, made)
        vectors |= made
    if len(missing) > BATCH:
        return f"{len(missing) - BATCH} of {len(contents)} skills have no vector yet, the next selections make them"
    pool.set_vectors(identity, {name: vectors[content] for name, content in contents.items()})
    return ""


def _embed(ctx: Context, remote: RemoteEmbedder, contents: Sequence[ContentKey], seconds: float) -> Vectors | str:
    with ctx.store.read() as transaction:
        texts, bodies = skill_index.summaries(transaction, contents), skill_index.bodies(transaction, contents)
    shown = [
        f"{one.name}\n{texts[one].description if one in texts else ''}\n\n{bodies.get(one, '')[:BODY]}"
        for one in contents
    ]
    table = remote.embed(shown, max(0.0, seconds))
    return table.reason if isinstance(table, NoAnswer) else dict(zip(contents, table, strict=True))


def _keep(ctx: Context, identity: str, vectors: Vectors) -> None:
    try:
        with ctx.store.write() as transaction:
            rows = {content: vector.tobytes() for content, vector in vectors.items()}
            skill_index.put_vectors(transaction, identity, rows)
    except StoreError:
        return  # they are made again next time
