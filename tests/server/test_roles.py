"""Every route with every role and with none: one table, and a route without a row here fails."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from starlette.routing import Mount, Route

from metier.server.issued_tokens import FRESH, TokenCheck, add_token, revoke_token
from metier.server.roles import NEEDS, RIGHTS, ROLES
from metier.store.tables.pulse import pulse

if TYPE_CHECKING:
    from server_world import Served

LOOK = {"viewer", "reviewer", "admin"}
DECIDE = {"reviewer", "admin"}
RECORD = {"record", "admin"}
MEASURE = {"metrics", "admin"}
WHO: dict[tuple[str, str], set[str]] = {
    ("GET", "/"): LOOK,
    ("GET", "/lessons"): LOOK,
    ("GET", "/lessons/{lesson}"): LOOK,
    ("GET", "/runs"): LOOK,
    ("GET", "/runs/{run}"): LOOK,
    ("GET", "/skills"): LOOK,
    ("GET", "/skills/{skill}"): LOOK,
    ("GET", "/select"): LOOK,
    ("GET", "/training"): LOOK,
    ("GET", "/training/{training}"): LOOK,
    ("GET", "/audit"): LOOK,
    ("GET", "/audit/calls"): LOOK,
    ("GET", "/fleet"): LOOK,
    ("GET", "/proof"): LOOK,
    ("GET", "/proof/trials/{trial}"): LOOK,
    ("GET", "/proof/new/{skill}"): LOOK,
    ("POST", "/proof/new/{skill}/start"): DECIDE,
    ("POST", "/proof/trials/{trial}/stop"): DECIDE,
    ("GET", "/proof/cases"): LOOK,
    ("GET", "/proof/cases/{case}"): LOOK,
    ("POST", "/proof/cases/{case}/accept"): DECIDE,
    ("POST", "/proof/cases/{case}/reject"): DECIDE,
    ("POST", "/proof/cases/{case}/reopen"): DECIDE,
    ("GET", "/events"): LOOK,
    ("GET", "/static"): LOOK,
    ("POST", "/lessons/{lesson}/approve"): DECIDE,
    ("POST", "/lessons/{lesson}/reject"): DECIDE,
    ("POST", "/lessons/{lesson}/edit"): DECIDE,
    ("POST", "/lessons/{lesson}/forget"): DECIDE,
    ("POST", "/lessons/{lesson}/pause"): DECIDE,
    ("POST", "/lessons/{lesson}/reopen"): DECIDE,
    ("POST", "/review/reject"): DECIDE,
    ("POST", "/audit/{entry}/take-back"): DECIDE,
    ("POST", "/drafts/{draft}/approve"): DECIDE,
    ("POST", "/drafts/{draft}/reject"): DECIDE,
    ("POST", "/drafts/{draft}/reopen"): DECIDE,
    ("POST", "/drafts/{draft}/edit"): DECIDE,
    ("POST", "/runs/{run}/mark"): DECIDE,
    ("POST", "/skills/{skill}/rollback"): DECIDE,
    ("POST", "/skills/{skill}/archive"): DECIDE,
    ("POST", "/skills/{skill}/restore"): DECIDE,
    ("POST", "/fleet/{job}/retry"): DECIDE,
    ("POST", "/fleet/{job}/drop"): DECIDE,
    ("POST", "/undo/{name}"): DECIDE,
    ("POST", "/v1/runs"): RECORD,
    ("POST", "/v1/traces"): RECORD,
    ("GET", "/metrics"): MEASURE,
}
"""Who may use each route; a new route needs its row here and in `metier/server/roles.py`."""
SAMPLES = {
    "lesson": "ffffffffffff",
    "draft": "ffffffffffff",
    "run": "ffffffff",
    "name": "00ff",
    "skill": "no-such-skill",
    "training": "ffffffff",
    "job": "99999999",
    "trial": "ffffffffffff",
    "case": "ffffffffffff",
    "entry": "99999999",
}
"""What is not there: a route that lets somebody in says so, and nothing is changed."""


def routes_of(served: Served) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for route in served.parts.gate.app.routes:
        assert isinstance(route, Route | Mount), route
        methods = (route.methods or set()) - {"HEAD"} if isinstance(route, Route) else {"GET"}
        found |= {(method, route.path) for method in methods}
    return found


def address(path: str) -> str:
    return "/static/app.js" if path == "/static" else path.format(**SAMPLES)


def state_of(served: Served) -> dict[str, str]:
    with served.ws.context.store.read() as transaction:
        return pulse(transaction)


def test_every_route_has_a_row_and_every_row_a_route(team: Served) -> None:
    assert routes_of(team) == set(WHO) == set(NEEDS)
    assert set(RIGHTS) == set(ROLES)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_gets_what_its_row_says_and_nothing_else(team: Served, role: str) -> None:
    before = state_of(team)
    for (method, path), allowed in WHO.items():
        headers = [*team.bearer(role), *([("Content-Type", "application/json")] if method == "POST" else [])]
        status = team.ask(method, address(path), headers, b"{}" if method == "POST" else b"").status
        if role in allowed:
            assert status in (200, 400, 404), (role, method, path, status)
        else:
            assert status == 403, (role, method, path, status)
    assert state_of(team) == before


NOBODY = {
    "no token": [],
    "an empty token": [("Authorization", "Bearer ")],
    "a token that was never made": [("Authorization", "Bearer metier_0123456789ab_" + "x" * 43)],
    "another scheme": [("Authorization", "Basic YWRtaW46YWRtaW4=")],
    "two tokens": [("Authorization", "Bearer a"), ("Authorization", "Bearer b")],
    "a made-up cookie": [("Cookie", "metier_serve_{port}=0123456789ab.99999999999." + "0" * 64)],
}


@pytest.mark.parametrize("row", NOBODY)
def test_without_a_role_every_route_answers_the_same_and_nothing(team: Served, row: str) -> None:
    before = state_of(team)
    told: set[str] = set()
    for method, path in [*WHO, ("GET", "/no-such-page"), ("GET", "/v1/no")]:
        headers = [(name, value.replace("{port}", str(team.binding.port))) for name, value in NOBODY[row]]
        headers += [("Content-Type", "application/json")] if method == "POST" else []
        answer = team.ask(method, address(path), headers, b'{"message": "x"}' if method == "POST" else b"")
        assert answer.status == 401, (row, method, path, answer.status)
        told.add(f"{method} {answer.text}")
    assert len(told) == 2  # one text for GET and one for POST, whatever the address
    assert state_of(team) == before


def test_a_revoked_an_ended_and_a_cut_token_open_nothing(team: Served) -> None:
    made = add_token(team.ws.context, "gone", "admin")
    headers = [("Authorization", f"Bearer {made.text}")]
    assert team.ask("GET", "/runs", headers).status == 200
    cookie = team.ask("POST", "/signin", [("Origin", team.binding.origin)], f"token={made.text}".encode())
    signed = [("Cookie", cookie.headers["set-cookie"].partition(";")[0])]
    assert team.ask("GET", "/runs", signed).status == 200
    assert team.ask("GET", "/runs", [("Authorization", f"Bearer {made.text[:-1]}")]).status == 401
    other = "B" if made.text.endswith("A") else "A"
    assert team.ask("GET", "/runs", [("Authorization", f"Bearer {made.text[:-1]}{other}")]).status == 401
    revoke_token(team.ws.context, made.token.id)
    time.sleep(FRESH + 0.1)
    assert team.ask("GET", "/runs", headers).status == 401
    assert team.ask("GET", "/runs", signed).status == 401


def test_the_token_is_kept_as_a_hash_only(team: Served) -> None:
    made = add_token(team.ws.context, "ada", "viewer", days=1)
    assert made.token.expires > made.token.created
    secret = made.text.split("_", 2)[2]
    stored = (team.ws.state / "metier.db").read_bytes() + (team.ws.state / "metier.db-wal").read_bytes()
    assert made.token.hash.encode() in stored
    assert secret.encode() not in stored
    assert made.token.is_good(made.token.created)
    assert not made.token.is_good(made.token.expires)


def test_a_token_that_came_with_somebody_elses_database_counts_for_nothing(team: Served) -> None:
    made = add_token(team.ws.context, "theirs", "admin")
    theirs = replace(team.ws.context, key=b"the key of somebody else")
    assert TokenCheck(team.ws.context).by_text(made.text) is not None
    assert TokenCheck(theirs).by_text(made.text) is None
    with team.ws.context.store.write() as transaction:  # nor does one that was given another role there
        transaction.all("UPDATE access_tokens SET role = 'admin' WHERE role = 'metrics'")
    assert TokenCheck(team.ws.context).by_text(team.tokens["metrics"]) is None
    with team.ws.context.store.write() as transaction:
        transaction.all("UPDATE access_tokens SET role = 'metrics' WHERE name = 'test metrics'")


def test_what_somebody_decides_stands_under_their_name_in_the_audit_log(team: Served) -> None:
    answer = team.ask(
        "POST",
        "/lessons/0000000000a1/reject",
        [*team.bearer("reviewer"), ("Content-Type", "application/json")],
        b'{"reason": "no"}',
    )
    assert answer.status == 200, answer.text
    page = team.ask("GET", "/audit", team.bearer("viewer")).text
    assert "test reviewer" in page
