"""Tokens and spans in the store, on both engines; a workspace sees only its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scoping import in_workspace

from metier.store.tables.server import access_tokens, trace_spans
from metier.store.tables.server.access_tokens import AccessToken
from metier.store.tables.server.trace_spans import KeptSpan

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine

NINE, TEN, ELEVEN, NOON = (f"2026-01-05T{hour}:00:00.000000Z" for hour in ("09", "10", "11", "12"))
TOKEN = AccessToken(id="0123456789ab", name="ada", role="viewer", hash="ab", created=NINE, expires=NOON)


def span(trace: str, own: str, *, root: bool = False, body: str = "{}") -> KeptSpan:
    return KeptSpan(trace=trace, span=own, is_root=root, body=body)


def test_a_token_counts_until_it_ends_or_is_revoked_and_only_in_its_workspace(engine: Engine) -> None:
    with engine.write() as transaction:
        access_tokens.add(transaction, TOKEN)
        assert access_tokens.get(transaction, TOKEN.id) == TOKEN
        assert TOKEN.is_good(ELEVEN)
        assert not TOKEN.is_good(NOON)
        other = in_workspace(transaction, "other")
        assert access_tokens.get(other, TOKEN.id) is None
        access_tokens.add(other, replace(TOKEN, name="bob"))
        access_tokens.revoke(transaction, TOKEN.id, TEN)
        access_tokens.revoke(transaction, TOKEN.id, ELEVEN)  # the first time stays
        assert [one.revoked for one in access_tokens.list_all(transaction)] == [TEN]
        assert [(one.name, one.revoked) for one in access_tokens.list_all(other)] == [("bob", "")]


def test_a_trace_is_ready_when_it_was_silent_claimed_once_and_due_again_after_a_late_span(engine: Engine) -> None:
    with engine.write() as transaction:
        trace_spans.put(transaction, [span("t1", "a"), span("t1", "b", root=True), span("t2", "a")], NINE)
        trace_spans.put(in_workspace(transaction, "other"), [span("t1", "x", root=True)], NINE)
        trace_spans.put(transaction, [span("t1", "a", body='{"new": 1}')], TEN)

        def ready(rooted: str, rootless: str) -> list[str]:
            return [one.trace for one in trace_spans.ready(transaction, rooted=rooted, rootless=rootless, limit=9)]

        assert ready(NINE, "") == []
        assert ready(TEN, "") == ["t1"]
        assert ready(TEN, NINE) == ["t2", "t1"]
        [first] = trace_spans.ready(transaction, rooted=TEN, rootless="", limit=9)
        assert first.bodies == ('{"new": 1}', "{}")
        assert trace_spans.count_open(transaction) == 2
        assert not trace_spans.claim(transaction, "t1", NINE, ELEVEN)  # a span has come since
        assert trace_spans.claim(transaction, "t1", TEN, ELEVEN)
        assert not trace_spans.claim(transaction, "t1", TEN, ELEVEN)
        assert ready(TEN, "") == []
        trace_spans.put(transaction, [span("t1", "late")], ELEVEN)
        assert ready(ELEVEN, "") == ["t1"]  # its root came before
        assert trace_spans.claim(transaction, "t1", ELEVEN, NOON)
        trace_spans.forget_built(transaction, ELEVEN)
        assert len(transaction.all("SELECT 1 FROM trace_spans WHERE workspace = ?", (transaction.workspace,))) == 4
        trace_spans.forget_built(transaction, NOON)
        assert transaction.all("SELECT trace FROM trace_spans WHERE workspace = ?", (transaction.workspace,)) == [
            ("t2",)
        ]
        assert transaction.all("SELECT trace FROM traces ORDER BY workspace") == [("t1",), ("t2",)]
