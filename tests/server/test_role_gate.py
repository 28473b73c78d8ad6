"""What stands before every route of the server: hosts, pages of others, cookies, sizes, and where it listens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from metier.errors import ConfigError
from metier.server.binding import ServeOptions, checked_binding
from metier.server.role_gate import SIGN_IN_POLICY, foreign
from metier.web.guard import FORM_TOKEN, HEADERS, MAX_BODY, RequestHead

if TYPE_CHECKING:
    from pathlib import Path

    from server_world import Served

PATHS = (("GET", "/"), ("GET", "/metrics"), ("GET", "/static/app.js"), ("POST", "/v1/runs"), ("POST", "/undo/00ff"))


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost:{port}", "127.0.0.1.e:{port}"])
def test_a_foreign_host_is_refused_on_every_route(team: Served, host: str) -> None:
    for method, path in (*PATHS, ("POST", "/signin")):
        answer = team.ask(method, path, team.bearer("admin"), host=host.format(port=team.binding.port))
        assert answer.status == 421, (method, path)


@pytest.mark.parametrize(
    "header",
    [("Origin", "http://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site")],
)
def test_a_page_of_others_is_refused_even_with_a_good_token(team: Served, header: tuple[str, str]) -> None:
    for method, path in (*PATHS, ("POST", "/signin")):
        assert team.ask(method, path, [*team.bearer("admin"), header]).status == 403, (method, path)


def test_every_answer_has_the_safe_headers_and_only_the_sign_in_page_may_send_a_form(team: Served) -> None:
    for method, path in PATHS:
        for headers in (team.bearer("admin"), []):
            answer = team.ask(method, path, headers)
            for name, value in HEADERS.items():
                if name not in SIGN_IN_POLICY or headers:
                    assert answer.headers[name] == value, (path, name)
            assert "server" not in answer.headers
            assert "access-control-allow-origin" not in answer.headers
    assert "form-action 'self'" in team.ask("GET", "/").headers["content-security-policy"]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_only_get_and_post_are_answered(team: Served, method: str) -> None:
    assert team.ask(method, "/", team.bearer("admin")).status == 405


def test_a_person_signs_in_and_writes_only_from_our_own_pages(team: Served) -> None:
    cookie = team.sign_in("reviewer")
    page = team.ask("GET", "/", [("Cookie", cookie)])
    assert page.status == 200
    form = page.text.partition('name="metier-form" content="')[2].partition('"')[0]
    assert len(form) == 64
    own = [("Cookie", cookie), ("Content-Type", "application/json"), ("Sec-Fetch-Site", "same-origin")]
    write = "/lessons/ffffffffffff/reject"
    assert team.ask("POST", write, own, b"{}").status == 403
    assert team.ask("POST", write, [*own, (FORM_TOKEN, "0" * 64)], b"{}").status == 403
    assert team.ask("POST", write, [*own[:2], (FORM_TOKEN, form)], b"{}").status == 403
    assert team.ask("POST", write, [*own, (FORM_TOKEN, form)], b"{}").status == 404
    assert team.ask("POST", "/v1/runs", [*own, (FORM_TOKEN, form)], b"{}").status == 403
    assert team.ask("GET", "/metrics", [("Cookie", cookie)]).status == 403


def test_a_cookie_that_was_changed_or_stands_there_twice_opens_nothing(team: Served) -> None:
    cookie = team.sign_in("viewer")
    name, _, value = cookie.partition("=")
    token, ends, mac = value.split(".")
    for wrong in (
        f"{name}={token}.{int(ends) + 1}.{mac}",
        f"{name}={token}.{ends}.{mac[:-1]}{'0' if mac[-1] != '0' else '1'}",
        f"{name}={token}.1.{mac}",
        f"{cookie}; {cookie}",
        f"other={value}",
    ):
        assert team.ask("GET", "/", [("Cookie", wrong)]).status == 401, wrong


def test_signing_in_needs_our_own_page_a_good_token_and_a_role_that_looks(team: Served) -> None:
    own = [("Origin", team.binding.origin)]
    good = f"token={team.tokens['viewer']}".encode()
    assert team.ask("POST", "/signin", [], good).status == 403
    assert team.ask("POST", "/signin", own, b"token=metier_0_0").status == 401
    assert team.ask("POST", "/signin", own, b"x" * 10_000).status == 401
    recorder = team.ask("POST", "/signin", own, f"token={team.tokens['record']}".encode())
    assert recorder.status == 403
    assert "set-cookie" not in recorder.headers
    opened = team.ask("POST", "/signin", own, good)
    for flag in ("HttpOnly", "SameSite=Strict", "Max-Age="):
        assert flag in opened.headers["set-cookie"]
    assert team.tokens["viewer"].split("_", 2)[2] not in opened.headers["set-cookie"]


def test_bodies_of_pages_are_small_and_json(team: Served) -> None:
    admin = team.bearer("admin")
    large = [*admin, ("Content-Type", "application/json"), ("Content-Length", str(MAX_BODY + 1))]
    assert team.ask("POST", "/undo/00ff", large).status == 413
    assert team.ask("POST", "/undo/00ff", [*admin, ("Content-Type", "text/plain")], b"{}").status == 415
    assert team.ask("GET", "/", [*admin, ("Content-Length", "2")], b"{}").status == 400


REFUSED = {
    "no token": (ServeOptions(), False, "no token yet"),
    "beyond this machine without TLS": (ServeOptions(host="0.0.0.0"), True, "needs TLS"),
    "every address of IPv6": (ServeOptions(host="::"), True, "needs TLS"),
    "beyond this machine and nobody with a role": (
        ServeOptions(host="0.0.0.0", proxies=("10.0.0.5",), url="https://m.example"),
        False,
        "no token yet",
    ),
    "a proxy and no address for people": (ServeOptions(host="10.0.0.1", proxies=("10.0.0.5",)), True, "--url"),
    "an address without TLS": (
        ServeOptions(host="10.0.0.1", proxies=("10.0.0.5",), url="http://m.example"),
        True,
        "https://",
    ),
    "the whole world as a proxy": (
        ServeOptions(host="10.0.0.1", proxies=("0.0.0.0/0",), url="https://m.example"),
        True,
        "too wide",
    ),
    "a proxy by name": (ServeOptions(proxies=("proxy.example",)), True, "not an address"),
    "half of TLS": (ServeOptions(cert="c.pem"), True, "both files"),
    "a host by name": (ServeOptions(host="example.org"), True, "not an IP address"),
    "an address with a path": (ServeOptions(url="http://m.example/x"), True, "not of the form"),
    "an address with a name and a password": (ServeOptions(url="http://a:b@m.example"), True, "not of the form"),
    "an address with a port that is none": (ServeOptions(url="http://m.example:x"), True, "not of the form"),
}


@pytest.mark.parametrize("row", REFUSED)
def test_it_does_not_start(row: str) -> None:
    options, has_roles, said = REFUSED[row]
    with pytest.raises(ConfigError, match=said):
        checked_binding(options, has_roles=has_roles)


def test_tls_files_that_are_none_are_refused(tmp_path: Path) -> None:
    for name in ("c.pem", "k.pem"):
        (tmp_path / name).write_text("no", encoding="utf-8")
    for cert in (tmp_path / "c.pem", tmp_path / "missing.pem"):
        with pytest.raises(ConfigError, match="cannot be used"):
            checked_binding(ServeOptions(cert=str(cert), key=str(tmp_path / "k.pem")), has_roles=True)


def test_what_comes_past_the_named_proxy_is_refused() -> None:
    behind = ServeOptions(host="0.0.0.0", url="https://M.example", proxies=("10.0.0.5", "10.1.0.0/24"))
    binding = checked_binding(behind, has_roles=True)
    assert (binding.origin, binding.is_secure) == ("https://m.example", True)
    head = RequestHead(method="GET", path="/", headers={"host": ["m.example"], "x-forwarded-for": ["10.0.0.5"]})
    for peer, good in (("10.0.0.5", True), ("10.1.0.77", True), ("10.0.0.6", False), ("127.0.0.1", False)):
        refused = foreign(head, binding, {"client": (peer, 1)})
        assert (refused is None) == good, peer
    assert foreign(head, binding, {"client": None}) is not None
