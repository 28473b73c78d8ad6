"""What is known of the texts of skills, under the content it was made of: texts, analysed entries, remote vectors."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from metier.store.engines.engine import Row, Transaction, Value

AT_ONCE = 400
"""Contents asked for in one statement."""
KEPT_IN = ("skill_entries", "skill_vectors", "skill_texts")


class ContentKey(NamedTuple):
    """What a text is kept under: the hash of the package, and the name of its folder, which is no part of the hash."""

    hash: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSummary:
    """What a skill's document says of itself beside name, description and body."""

    document: str = "SKILL.md"
    tools: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()
    always: bool = False
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillText:
    """The text of one skill; without its body where that was not asked for."""

    content: ContentKey
    description: str
    said: SkillSummary
    body: str = ""


def put_texts(transaction: Transaction, texts: Iterable[SkillText]) -> None:
    """Keep texts; one that is there already stays."""
    rows = [(*one.content, one.description, _dumps(one.said), one.body) for one in texts]
    transaction.many(
        "INSERT INTO skill_texts (hash, name, description, said, body) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (hash, name) DO NOTHING",
        rows,
    )


def summaries(transaction: Transaction, contents: Sequence[ContentKey]) -> dict[ContentKey, SkillText]:
    """The texts of some contents, as far as they are kept, without their bodies."""
    rows = _rows(transaction, "SELECT hash, name, description, said FROM skill_texts", (), contents)
    return {
        ContentKey(str(digest), str(name)): SkillText(
            content=ContentKey(str(digest), str(name)), description=str(description), said=_loads(str(about))
        )
        for digest, name, description, about in rows
    }


def bodies(transaction: Transaction, contents: Sequence[ContentKey]) -> dict[ContentKey, str]:
    """The bodies of some contents, as far as they are kept."""
    rows = _rows(transaction, "SELECT hash, name, body FROM skill_texts", (), contents)
    return {ContentKey(str(digest), str(name)): str(body) for digest, name, body in rows}


def put_entries(transaction: Transaction, version: str, entries: Mapping[ContentKey, bytes]) -> None:
    """Keep what analysis made of some contents; entries of other versions are of no use any more."""
    rows = [(*content, version, entry) for content, entry in entries.items()]
    transaction.many(
        "INSERT INTO skill_entries (hash, name, version, entry) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (hash, name, version) DO UPDATE SET entry = excluded.entry",
        rows,
    )
    transaction.many(
        "DELETE FROM skill_entries WHERE hash = ? AND name = ? AND version <> ?", [row[:3] for row in rows]
    )


def entries(transaction: Transaction, version: str, contents: Sequence[ContentKey]) -> dict[ContentKey, bytes]:
    """What analysis of one version made of some contents, as far as it is kept."""
    sql = "SELECT hash, name, entry FROM skill_entries WHERE version = ?"
    rows = _rows(transaction, sql, (version,), contents)
    return {ContentKey(str(digest), str(name)): bytes(cast("bytes", entry)) for digest, name, entry in rows}


def put_vectors(transaction: Transaction, embedder: str, vectors: Mapping[ContentKey, bytes]) -> None:
    """Keep the vectors that an embedder made of some contents."""
    transaction.many(
        "INSERT INTO skill_vectors (hash, name, embedder, vector) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (hash, name, embedder) DO UPDATE SET vector = excluded.vector",
        [(*content, embedder, vector) for content, vector in vectors.items()],
    )


def vectors(transaction: Transaction, embedder: str, contents: Sequence[ContentKey]) -> dict[ContentKey, bytes]:
    """The vectors of one embedder, as far as they are kept."""
    sql = "SELECT hash, name, vector FROM skill_vectors WHERE embedder = ?"
    rows = _rows(transaction, sql, (embedder,), contents)
    return {ContentKey(str(digest), str(name)): bytes(cast("bytes", vector)) for digest, name, vector in rows}


def with_vectors(transaction: Transaction, embedder: str, contents: Sequence[ContentKey]) -> set[ContentKey]:
    """The contents that have a vector of one embedder."""
    rows = _rows(transaction, "SELECT hash, name FROM skill_vectors WHERE embedder = ?", (embedder,), contents)
    return {ContentKey(str(digest), str(name)) for digest, name in rows}


def profile_states(transaction: Transaction) -> tuple[tuple[str, str], ...]:
    """The skills of a workspace that are not simply active, and what they are instead."""
    sql = "SELECT skill, status FROM profiles WHERE workspace = ? AND status <> 'active' ORDER BY name"
    return tuple((str(skill), str(status)) for skill, status in transaction.all(sql, (transaction.workspace,)))


def change_count(transaction: Transaction) -> int:
    """The newest entry of the audit log: whatever is done to a skill through Metier makes one."""
    return cast("int", transaction.all("SELECT coalesce(max(sequence), 0) FROM audit")[0][0])


def unused_contents(transaction: Transaction, contents: Sequence[ContentKey]) -> list[ContentKey]:
    """Those contents that no workspace's skill has any more."""
    rows = _rows(transaction, "SELECT DISTINCT hash, name FROM selectable", (), contents)
    used = {ContentKey(str(digest), str(name)) for digest, name in rows}
    return [one for one in contents if one not in used]


def forget(transaction: Transaction, contents: Sequence[ContentKey]) -> None:
    """Drop all that is known of some contents."""
    for table in KEPT_IN:
        transaction.many(f"DELETE FROM {table} WHERE hash = ? AND name = ?", contents)


def _rows(
    transaction: Transaction, sql: str, first: tuple[Value, ...], contents: Sequence[ContentKey]
) -> Iterator[Row]:
    """The rows of some contents: by their hashes, and of each hash only the names that are meant."""
    wanted = set(contents)
    hashes = sorted({one.hash for one in wanted})
    for start in range(0, len(hashes), AT_ONCE):
        part = hashes[start : start + AT_ONCE]
        marks = ", ".join("?" * len(part))
        clause = f"{'AND' if first else 'WHERE'} hash IN ({marks})"
        for row in transaction.all(f"{sql} {clause}", (*first, *part)):
            if ContentKey(str(row[0]), str(row[1])) in wanted:
                yield row


def _dumps(about: SkillSummary) -> str:
    given = {name: getattr(about, name) for name in SkillSummary.__slots__}
    return json.dumps(given, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=1_000)
def _loads(text: str) -> SkillSummary:
    """What `_dumps` wrote; most skills say the same of themselves: nothing."""
    fields: dict[str, object] = json.loads(text)
    given = {name: tuple(cast("list[str]", one)) if isinstance(one, list) else one for name, one in fields.items()}
    return SkillSummary(**given)  # pyright: ignore[reportArgumentType] - what _dumps wrote
