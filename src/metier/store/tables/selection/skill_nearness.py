"""How near skills are to a task, compared by the server where its database has pgvector: no vector travels.

The table is made of `skill_vectors` and only exists beside the extension. So it is in a schema of its own: a dump of
the store's schema can be restored where the extension is not there.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, cast

from metier.store.tables.selection.skill_index import ContentKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.store.engines.engine import Row, Transaction

AT_ONCE = 256
"""Vectors that are read and written at a time."""
_WHERE = (
    "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace"
    " WHERE extname = 'vector'"
)
_TABLE = (
    "CREATE TABLE IF NOT EXISTS metier_vectors.skill_nearness"
    " (hash TEXT NOT NULL, name TEXT NOT NULL, embedder TEXT NOT NULL,"
    " meaning {schema}.vector NOT NULL, PRIMARY KEY (hash, name, embedder), FOREIGN KEY (hash, name, embedder)"
    " REFERENCES skill_vectors (hash, name, embedder) ON DELETE CASCADE)"
)
_MISSING = (
    "SELECT hash, name, vector FROM skill_vectors AS kept WHERE embedder = ?"
    " AND NOT EXISTS (SELECT 1 FROM metier_vectors.skill_nearness AS made"
    " WHERE (made.hash, made.name, made.embedder) = (kept.hash, kept.name, kept.embedder))"
    " ORDER BY hash, name LIMIT ?"
)
_NEAR = (
    "SELECT hash, name, 1 - (meaning OPERATOR({schema}.<=>) ?::{schema}.vector) FROM metier_vectors.skill_nearness"
    " WHERE embedder = ? AND hash IN (SELECT json_array_elements_text(?::json))"
)


def extension_schema(transaction: Transaction) -> str:
    """Where pgvector is in this database; empty: it is not there."""
    rows = transaction.all(_WHERE) if transaction.dialect.name == "postgresql" else []
    return str(rows[0][0]) if rows else ""


def is_complete(transaction: Transaction, embedder: str) -> bool:
    """Whether the server can compare every vector of an embedder that is kept."""
    there = transaction.all("SELECT to_regclass('metier_vectors.skill_nearness') IS NOT NULL")[0][0]
    return bool(there) and not transaction.all(_MISSING, (embedder, 1))


def add_missing(transaction: Transaction, schema: str, embedder: str) -> None:
    """Let the server compare every vector of an embedder that is kept."""
    transaction.all("CREATE SCHEMA IF NOT EXISTS metier_vectors")
    transaction.all(_TABLE.format(schema=schema))
    insert = (
        "INSERT INTO metier_vectors.skill_nearness (hash, name, embedder, meaning)"
        f" VALUES (?, ?, ?, ?::{schema}.vector)"
    )
    while rows := transaction.all(_MISSING, (embedder, AT_ONCE)):
        transaction.many(insert, [(str(row[0]), str(row[1]), embedder, _written(_floats(row))) for row in rows])


def nearness(
    transaction: Transaction, schema: str, embedder: str, task: Sequence[float], contents: Iterable[ContentKey]
) -> dict[ContentKey, float]:
    """The cosine between a task's vector and that of each content that the server can compare."""
    hashes = json.dumps(sorted({one.hash for one in contents}))
    rows = transaction.all(_NEAR.format(schema=schema), (_written(task), embedder, hashes))
    return {ContentKey(str(digest), str(name)): _number(near) for digest, name, near in rows}


def _number(near: object) -> float:
    """A vector of zeros is near to nothing."""
    found = cast("float", near)
    return 0.0 if math.isnan(found) else found


def _floats(row: Row) -> Sequence[float]:
    return memoryview(cast("bytes", row[2])).cast("f").tolist()


def _written(vector: Sequence[float]) -> str:
    """A vector as pgvector reads it, to the last bit."""
    return f"[{','.join(map(repr, vector))}]"
