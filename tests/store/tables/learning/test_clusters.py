"""What tells requests apart, on both engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoping import in_workspace

from metier.store.tables.learning import clusters
from metier.types.grouping import StoredCluster

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine


def test_a_cluster_is_kept_as_it_is_now(engine: Engine) -> None:
    first = StoredCluster(pattern="p", body='{"words": {"schön": 2}}', vectors=bytes(range(256)))
    second = StoredCluster(pattern="a", body="{}", vectors=b"")
    with engine.write() as transaction:
        clusters.put(transaction, [first, second])
        assert clusters.list_all(transaction) == [second, first]
        now = StoredCluster(pattern="p", body="{}", vectors=b"\1")
        clusters.put(transaction, [now])
        assert clusters.list_all(transaction) == [second, now]
        assert clusters.list_all(in_workspace(transaction, "other")) == []


def test_clusters_of_two_workspaces_are_apart(engine: Engine) -> None:
    one = StoredCluster(pattern="p", body="{}", vectors=b"1")
    with engine.write() as transaction:
        clusters.put(transaction, [one])
        clusters.put(in_workspace(transaction, "v"), [StoredCluster(pattern="p", body="[]", vectors=b"2")])
        clusters.drop(in_workspace(transaction, "v"), ["p", "unknown"])
        assert clusters.list_all(transaction) == [one]
        assert clusters.list_all(in_workspace(transaction, "v")) == []
