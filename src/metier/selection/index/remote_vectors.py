"""Meaning by a remote embedder where one is set; if it is of no use, the built-in one answers and it is said why."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.context.models.access import embedder_of
from metier.errors import StoreError
from metier.models.embedder import unit
from metier.selection.assembly.token_budget import ends
from metier.selection.index.entries import EMBEDDER_NAME
from metier.store.tables.selection import skill_index, skill_nearness
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
    near: Mapping[str, float] | None = None
    """How near each skill is, by a remote embedder; None: the built-in one compares."""
    note: str = ""
    """Why it is not the one that is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedVectors:
    """The vectors that a remote embedder made of all skills, in memory."""

    embedder: str
    contents: Mapping[str, ContentKey]
    """What each skill's vector was made of, by name."""
    table: NDArray[np.float32]
    """At length one, in the order of the contents."""

    def near(self, ctx: Context, task: NDArray[np.float32]) -> dict[str, float]:  # noqa: ARG002 - as its sibling
        """How near each skill is to a task's vector."""
        return dict(zip(self.contents, (self.table @ unit(task[None, :])[0]).tolist(), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorsInStore:
    """The same, left in a database that compares them itself."""

    embedder: str
    contents: Mapping[str, ContentKey]
    schema: str
    """Where pgvector is in it."""

    def near(self, ctx: Context, task: NDArray[np.float32]) -> dict[str, float]:
        """How near each skill is to a task's vector."""
        with ctx.store.read() as transaction:
            contents = self.contents.values()
            told = skill_nearness.nearness(transaction, self.schema, self.embedder, task.tolist(), contents)
        return {name: told[content] for name, content in self.contents.items() if content in told}


SkillVectors = LoadedVectors | VectorsInStore


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
    vectors = pool.vectors
    if vectors is None or vectors.embedder != identity:
        vectors = _all_vectors(pool, remote, identity, deadline)
        if isinstance(vectors, str):
            return _built_in(remote, vectors)
        pool.vectors = vectors
    try:
        return Meaning(embedder=remote.name, near=vectors.near(pool.ctx, asked[0]))
    except StoreError as error:  # somebody took the extension away
        pool.vectors = None
        return _built_in(remote, str(error))


def _built_in(remote: RemoteEmbedder, why: str) -> Meaning:
    return Meaning(note=f"{remote.name}: {why}; the built-in embedder answers")


def _all_vectors(pool: SkillPool, remote: RemoteEmbedder, identity: str, deadline: float) -> SkillVectors | str:
    """A vector of every skill, those that have none yet embedded first; or what is missing for that."""
    contents = {name: one.content for name, one in pool.catalogue.in_use.items()}
    with pool.ctx.store.read() as transaction:
        there = skill_index.with_vectors(transaction, identity, list(contents.values()))
    missing = [content for content in dict.fromkeys(contents.values()) if content not in there]
    fresh: Vectors = {}
    for start in range(0, min(len(missing), BATCH), GRAIN):
        made = _embed(pool.ctx, remote, missing[start : start + GRAIN], deadline - time.monotonic())
        if isinstance(made, str):
            return made
        _keep(pool.ctx, identity, made)
        fresh |= made
    if len(missing) > BATCH:
        return f"{len(missing) - BATCH} of {len(contents)} skills have no vector yet, the next selections make them"
    schema = _compared_by_store(pool.ctx, identity)
    if schema:
        return VectorsInStore(embedder=identity, contents=contents, schema=schema)
    return LoadedVectors(embedder=identity, contents=contents, table=_table(pool.ctx, identity, contents, fresh))


def _compared_by_store(ctx: Context, identity: str) -> str:
    """Where pgvector is, if the store can compare all vectors of an embedder by it; empty: it cannot."""
    try:
        with ctx.store.read() as transaction:
            schema = skill_nearness.extension_schema(transaction)
            is_ready = not schema or skill_nearness.is_complete(transaction, identity)
        if not is_ready:
            with ctx.store.write() as transaction:
                skill_nearness.add_missing(transaction, schema, identity)
    except StoreError:
        return ""
    return schema


def _table(ctx: Context, identity: str, contents: Mapping[str, ContentKey], fresh: Vectors) -> NDArray[np.float32]:
    """The vectors of some contents: those that were just made, and those that are kept."""
    import numpy as np

    with ctx.store.read() as transaction:
        kept = skill_index.vectors(transaction, identity, list(contents.values()))
    vectors = {content: np.frombuffer(data, dtype=np.float32) for content, data in kept.items()} | fresh
    return unit(np.stack([vectors[content] for content in contents.values()]))


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
