"""Every row of the dashboard's security table, on every route."""

from __future__ import annotations

import http.client
import socket
import threading
from typing import TYPE_CHECKING

import pytest
from dashboard_world import make_project, serve_dashboard
from starlette.routing import Route

from metier.store.tables.pulse import pulse
from metier.web.access import Access
from metier.web.guard import FORM_TOKEN, HEADERS, MAX_BODY
from metier.web.pages import ROUTES
from metier.web.serve import FILE, PatientProtocol, build_dashboard, link_of_running, open_port, serve, server_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dashboard_world import ServedDashboard

SAMPLES = {
    "lesson": "0000000000a0",
    "draft": "abcdef123456",
    "run": "00000000",
    "name": "00ff",
    "skill": "fetch-tool",
    "training": "9907b73f",
    "job": "17",
    "trial": "0123abcd",
    "case": "run-0123",
    "entry": "99",
}
"""A value for each part of an address; a new part needs its sample here."""
ADDRESSES = [
    *(
        (method, route.path.format(**SAMPLES))
        for route in ROUTES
        for method in sorted(route.methods or ())
        if method != "HEAD"
    ),
    ("POST", "/undo/00ff"),
    ("POST", "/link"),
    ("GET", "/events"),
    ("GET", "/static/app.js"),
    ("GET", "/static/curve.js"),
    ("GET", "/static/vendor/htmx.min.js"),
    ("GET", "/no-such-page"),
]
Headers = list[tuple[str, str]]


def changed(name: str, *values: str) -> Callable[[ServedDashboard, Headers], Headers]:
    """Our own headers with one exchanged; `{port}` and `{token}` are the real ones."""

    def change(served: ServedDashboard, own: Headers) -> Headers:
        access = served.board.access
        filled = [one.format(port=access.port, other=access.port + 1, token=access.token) for one in values]
        return [*((key, value) for key, value in own if key.lower() != name.lower()), *((name, one) for one in filled)]

    return change


EVERYWHERE = {
    "a foreign host": changed("Host", "evil.example"),
    "a host that begins like ours": changed("Host", "127.0.0.1.evil.example:{port}"),
    "a wrong port": changed("Host", "127.0.0.1:{other}"),
    "no port": changed("Host", "127.0.0.1"),
    "another name of this machine": changed("Host", "localhost:{port}"),
    "an empty host": changed("Host", ""),
    "no host": changed("Host"),
    "two hosts": changed("Host", "127.0.0.1:{port}", "evil.example"),
    "the same host twice": changed("Host", "127.0.0.1:{port}", "127.0.0.1:{port}"),
    "a foreign origin": changed("Origin", "http://evil.example"),
    "an origin of another port": changed("Origin", "http://127.0.0.1:{other}"),
    "an origin with another scheme": changed("Origin", "https://127.0.0.1:{port}"),
    "an opaque origin": changed("Origin", "null"),
    "two origins": changed("Origin", "http://127.0.0.1:{port}", "http://evil.example"),
    "a request of another site": changed("Sec-Fetch-Site", "cross-site"),
    "a request of another port": changed("Sec-Fetch-Site", "same-site"),
    "no cookie": changed("Cookie"),
    "a wrong token": changed("Cookie", "metier_{port}=" + "x" * 43),
    "an empty token": changed("Cookie", "metier_{port}="),
    "a token that is cut": changed("Cookie", "metier_{port}={token:.20}"),
    "the token of another port": changed("Cookie", "metier_{other}={token}"),
    "the token twice": changed("Cookie", "metier_{port}={token}; metier_{port}=x"),
}
WRITES = {
    "a form": changed("Content-Type", "application/x-www-form-urlencoded"),
    "a text": changed("Content-Type", "text/plain"),
    "no type": changed("Content-Type"),
    "no form token": changed(FORM_TOKEN),
    "a wrong form token": changed(FORM_TOKEN, "0" * 64),
    "no fetch metadata": changed("Sec-Fetch-Site"),
    "a navigation": changed("Sec-Fetch-Site", "none"),
    "a body that is too large": changed("Content-Length", str(MAX_BODY + 1)),
    "a length that is none": changed("Content-Length", "99999999999999999999"),
}


def ask_all(served: ServedDashboard, change: Callable[[ServedDashboard, Headers], Headers], *methods: str) -> None:
    with served.board.context.store.read() as transaction:
        before = pulse(transaction)
    for method, path in ADDRESSES:
        if method in methods:
            own = list(served.headers(method).items())
            try:
                answer = served.ask(method, path, change(served, own), b"{}" if method == "POST" else b"")
            except ConnectionError:  # it hung up, which is a refusal, too
                continue
            assert 400 <= answer.status < 500, (method, path, answer.status)
            assert "access-control-allow-origin" not in answer.headers
            assert served.board.access.token not in answer.text
            if answer.headers.get("content-security-policy") is None:  # the HTTP parser itself refused it
                assert answer.status == 400, (method, path)
    with served.board.context.store.read() as transaction:
        assert pulse(transaction) == before


@pytest.mark.parametrize("row", EVERYWHERE)
def test_every_route_refuses(shared: ServedDashboard, row: str) -> None:
    ask_all(shared, EVERYWHERE[row], "GET", "POST")


@pytest.mark.parametrize("row", WRITES)
def test_every_write_refuses(shared: ServedDashboard, row: str) -> None:
    ask_all(shared, WRITES[row], "POST")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_only_get_and_post_are_answered(shared: ServedDashboard, method: str) -> None:
    for _, path in ADDRESSES:
        assert shared.ask(method, path, list(shared.headers("POST").items())).status in (403, 405), path


def test_a_page_takes_no_post_and_an_action_no_get(shared: ServedDashboard) -> None:
    pages = {path for method, path in ADDRESSES if method == "GET"}
    actions = {path for method, path in ADDRESSES if method == "POST"}
    for path in pages - actions:
        assert shared.post(path).status in (404, 405), path
    for path in actions - pages:
        assert shared.get(path).status in (404, 405), path


def test_every_answer_carries_the_safe_headers(shared: ServedDashboard) -> None:
    for method, path in ADDRESSES:
        for headers in (None, [("Host", shared.board.access.host)]):
            answer = shared.ask(method, path, headers, b"{}" if method == "POST" else b"")
            for name, value in HEADERS.items():
                assert answer.headers[name] == value, (path, name)
            assert "set-cookie" not in answer.headers
            assert "server" not in answer.headers


def test_the_policy_allows_no_inline_script_or_style_and_no_other_host() -> None:
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert "http" not in policy
    assert policy.startswith("default-src 'none'")


def test_broken_json_is_refused_with_a_sentence(shared: ServedDashboard) -> None:
    for method, path in ADDRESSES:
        if method == "POST" and path != "/link":
            for body in (b"{", b"[]", b'"text"', b"\xff\xfe", b"[" * 100_000):
                answer = shared.ask("POST", path, None, body)
                assert answer.status in (400, 404), (path, body[:10])
                assert answer.json["error"]


def test_a_body_that_grows_too_large_is_refused(shared: ServedDashboard) -> None:
    own = [*shared.headers("POST").items(), ("Transfer-Encoding", "chunked"), ("Connection", "close")]
    connection = http.client.HTTPConnection("127.0.0.1", shared.board.access.port, timeout=20)
    connection.putrequest("POST", "/lessons/0000000000a0/reject", skip_host=True)
    for name, value in own:
        connection.putheader(name, value)
    connection.endheaders()
    piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    try:
        for _ in range(20):
            connection.send(piece)
        connection.send(b"0\r\n\r\n")
    except OSError:
        pass  # it hung up already
    else:
        assert connection.getresponse().status == 413
    connection.close()


def test_a_get_with_a_body_is_refused(shared: ServedDashboard) -> None:
    own = [*shared.headers("GET").items(), ("Content-Length", "2")]
    assert shared.ask("GET", "/", own, b"{}").status == 400


def test_ids_and_names_that_are_none_are_not_found(shared: ServedDashboard) -> None:
    for hostile in ("..", "%2e%2e", "a/../b", "%00", "x" * 300, "%3Cscript%3E", "ABCD", "ff;drop", "%ff"):
        for route in ROUTES:
            assert isinstance(route, Route)
            if "{" in route.path:
                for method in route.methods or ():
                    path = route.path
                    for name in SAMPLES:
                        path = path.replace("{" + name + "}", hostile)
                    body = b'{"hash": ""}' if method == "POST" else b""
                    assert shared.ask(method, path, None, body).status in (400, 404, 405), (method, path)


def test_a_link_opens_once_and_hands_out_a_strict_cookie(shared: ServedDashboard) -> None:
    access = shared.board.access
    path = access.new_link().removeprefix(access.origin)
    stranger = [("Host", access.host)]
    ahead = shared.ask("GET", path, [*stranger, ("Sec-Purpose", "prefetch")])
    assert ahead.status == 401
    opened = shared.ask("GET", path, stranger)
    assert opened.status == 200
    cookie = opened.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert access.token in cookie
    assert shared.ask("GET", path, stranger).status == 401
    assert shared.ask("GET", "/start/" + "x" * 43, stranger).status == 401
    assert shared.ask("GET", "/start/", stranger).status == 401


def test_a_token_has_more_than_128_bits_and_is_in_no_representation() -> None:
    access = Access(1)
    assert len(access.token) >= 43
    assert access.token not in repr(access)
    assert access.token not in access.new_link()
    assert access.token != Access(1).token
    assert access.form_token != access.token


def test_the_token_is_on_no_page_and_the_form_token_opens_nothing(shared: ServedDashboard) -> None:
    access = shared.board.access
    for method, path in ADDRESSES:
        if method == "GET":
            assert access.token not in shared.get(path).text
    cookie = [("Host", access.host), ("Cookie", f"{access.cookie}={access.form_token}")]
    assert shared.ask("GET", "/", cookie).status == 401


def test_it_listens_on_loopback_only() -> None:
    with open_port(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


class Impatient(PatientProtocol):
    patience = 0.2


def test_a_client_that_sends_nothing_is_dropped(tmp_path: Path) -> None:
    with serve_dashboard(make_project(tmp_path / "project"), Impatient) as served:
        for first in (b"", b"GET / HTTP/1.1\r\nHost: "):
            with socket.create_connection(("127.0.0.1", served.board.access.port), timeout=10) as slow:
                slow.sendall(first)
                assert slow.recv(100) == b""
        assert served.get("/").status == 200


def test_a_second_start_gets_a_new_link_from_the_first_and_nobody_else_can_read_the_note(
    tmp_path: Path,
) -> None:
    ws = make_project(tmp_path / "project")
    assert link_of_running(ws.state) == ""
    listening = open_port(0)
    board = build_dashboard(ws, listening.getsockname()[1])
    server = server_of(board)
    thread = threading.Thread(target=serve, args=(board, listening, server))
    thread.start()
    try:
        for _ in range(500):
            if link := link_of_running(ws.state):
                break
            thread.join(0.02)
        assert link.startswith(board.access.origin + "/start/")
        assert (ws.state / FILE).stat().st_mode & 0o777 == 0o600
        assert board.access.redeem(link.rpartition("/")[2])
    finally:
        server.should_exit = True
        thread.join(20)
        ws.close()
    assert not (ws.state / FILE).exists()
    (ws.state / FILE).write_text('{"port": 1, "token": "x"}', encoding="utf-8")
    assert link_of_running(ws.state) == ""
