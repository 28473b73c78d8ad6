"""A server may do what it likes: the call ends in time, with a reason."""

from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from loopback import answers, completion, floods, hangs, message, raw, resets, trickles
from waiting import join, until

from metier.errors import ConfigError
from metier.models.failures import Malformed, RateLimited, Refused, TimedOut, Unreachable
from metier.models.http.client import HttpModel
from metier.models.model import Reply, Request
from metier.models.spec import parse_spec

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

MISBEHAVIOUR: list[tuple[str, Any, type[object], str]] = [
    ("an inner error", answers({"error": {"message": "oops"}}, 500), Unreachable, "HTTP 500: oops"),
    ("overloaded", answers({"error": "overloaded"}, 529), Unreachable, "overloaded"),
    ("an HTML page", answers(b"<html><b>Bad gateway</b>", 502), Unreachable, "Bad gateway"),
    ("busy for a while", answers({}, 503, {"Retry-After": "7"}), RateLimited, "503"),
    ("too many calls", answers({"error": {"message": "slow down"}}, 429), RateLimited, "slow down"),
    ("no credit", answers({"error": {"message": "x", "code": "insufficient_quota"}}, 429), Refused, "no credit"),
    ("payment required", answers({"error": {"message": "pay"}}, 402), Refused, "no credit"),
    ("a wrong key", answers({"error": {"message": "no"}}, 401), Refused, "key was not accepted"),
    ("no such model", answers({"detail": "Not Found"}, 404), Refused, "no such model"),
    ("a redirect", answers(b"", 307, {"Location": "https://evil.example/"}), Refused, "redirects to https://evil"),
    ("not JSON", answers(b"hello"), Malformed, "protocol's form"),
    ("nothing", answers(b""), Malformed, "protocol's form"),
    ("half JSON", answers(b'{"choices": [{"mess'), Malformed, "protocol's form"),
    ("wrong types", answers({"choices": "none"}), Malformed, "choices"),
    ("no choice", answers({"choices": []}), Malformed, "choices"),
    ("no text", answers(completion(None)), Malformed, "no text"),
    ("negative tokens", answers(completion("x", usage={"prompt_tokens": -1})), Malformed, "usage.prompt_tokens"),
    ("deep JSON", answers(b"[" * 200_000), Malformed, "protocol's form"),
    ("invalid UTF-8", answers(b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'), Malformed, "protocol's form"),
    ("an endless body", floods, Malformed, "longer than"),
    ("a reset", resets, Unreachable, "connection broke"),
    ("a closed connection", raw(b"", close=True), Unreachable, "broke off"),
    ("half a body", raw(HEAD + b"Content-Length: 100\r\n\r\n{", close=True), Unreachable, "broke off"),
    ("no HTTP", raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n", close=True), Unreachable, "spoke no HTTP"),
    ("bad chunks", raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nxx", close=True), Unreachable, "spoke no HTTP"),
    ("silence", hangs, TimedOut, "time limit"),
    ("a slow head", trickles(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"), TimedOut, "time limit"),
    ("a slow body", trickles(HEAD + b"Content-Length: 100000\r\n\r\n", b" "), TimedOut, "time limit"),
    ("slow chunks", trickles(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"), TimedOut, "time limit"),
]


@pytest.mark.parametrize(
    ("act", "kind", "says"), [one[1:] for one in MISBEHAVIOUR], ids=[one[0] for one in MISBEHAVIOUR]
)
def test_misbehaviour_ends_in_a_failure_with_its_reason(
    serve: Any, hello: Request, act: Any, kind: type[object], says: str
) -> None:
    server, model = serve(act)
    began = time.monotonic()
    failure = model.complete(replace(hello, timeout=0.4 if kind is TimedOut else 5.0))
    assert isinstance(failure, kind), failure
    assert says in failure.reason  # type: ignore[attr-defined]
    assert time.monotonic() - began < 2.0
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("act", "kind", "says"), [one[1:] for one in MISBEHAVIOUR if one[0] in ("not JSON", "no credit")]
)
def test_the_other_protocol_fails_alike(serve: Any, hello: Request, act: Any, kind: type[object], says: str) -> None:
    _, model = serve(act, text="anthropic:claude-x")
    failure = model.complete(hello)
    assert isinstance(failure, kind)
    assert says in failure.reason  # type: ignore[attr-defined]


def test_a_model_that_declines_is_no_answer(serve: Any, hello: Request) -> None:
    declined = completion(None)
    declined["choices"][0]["message"]["refusal"] = "I cannot help with that"  # type: ignore[index]
    _, model = serve(answers(declined))
    assert "I cannot help" in model.complete(hello).reason
    _, other = serve(answers(message("", stop_reason="refusal")), text="anthropic:claude-x")
    assert isinstance(other.complete(hello), Refused)


def test_a_server_that_reads_slowly_does_not_hold_us(hello: Request) -> None:
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)

        def read_slowly() -> None:
            with suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(10)
                    while not over.wait(0.02) and connection.recv(10):
                        pass

        thread = threading.Thread(target=read_slowly)
        thread.start()
        with HttpModel(parse_spec(f"openai:x@http://127.0.0.1:{listener.getsockname()[1]}/v1"), {}) as model:
            began = time.monotonic()
            failure = model.complete(replace(hello, system="x" * 12_000_000, timeout=1.0))
            took = time.monotonic() - began
        over.set()
        join([thread])
    assert isinstance(failure, TimedOut)
    assert took < 3.0


def test_after_a_broken_exchange_the_next_one_works(serve: Any, hello: Request) -> None:
    _, model = serve(resets, floods, raw(b"junk\r\n\r\n", close=True), answers(completion("fine")))
    for _ in range(3):
        assert not isinstance(model.complete(hello), Reply)
    assert isinstance(model.complete(hello), Reply)


def whole(text: str, *, chunked: bool = False) -> bytes:
    """A response, byte for byte."""
    body = json.dumps(completion(text)).encode()
    if chunked:
        return HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize("chunked", [False, True], ids=["", "in chunks"])
@pytest.mark.parametrize("more", [whole("planted"), whole("planted", chunked=True), b"HTTP/1.1 200", b"\r\n"])
def test_what_a_server_sends_after_its_answer_is_not_the_next_answer(
    serve: Any, hello: Request, more: bytes, chunked: bool
) -> None:
    server, model = serve(raw(whole("first", chunked=chunked) + more), raw(whole("second")), raw(whole("third")))
    assert [model.complete(hello).text for _ in range(3)] == ["first", "second", "third"]
    ports = [one.port for one in server.seen]
    assert ports[0] != ports[1], "the connection with more bytes on it is closed"
    assert ports[1] == ports[2], "a clean one is used again"


def test_what_a_server_sends_a_moment_later_is_not_the_next_answer(serve: Any, hello: Request) -> None:
    sent = threading.Event()

    def twice(handler: Any) -> None:
        handler.send(whole("first"))
        time.sleep(0.05)
        handler.send(whole("planted"))
        sent.set()

    _, model = serve(twice, raw(whole("second")))
    assert model.complete(hello).text == "first"
    assert sent.wait(5)
    assert model.complete(hello).text == "second"


def test_nobody_listening_is_unreachable_and_costs_nothing(hello: Request) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with HttpModel(parse_spec(f"openai:x@http://127.0.0.1:{port}/v1"), {}) as model:
        failure = model.complete(hello)
    assert isinstance(failure, Unreachable)
    assert not failure.billed


def test_a_host_that_does_not_exist_is_unreachable(hello: Request) -> None:
    with HttpModel(parse_spec("openai:x@http://no-such-host.invalid/v1"), {}) as model:
        failure = model.complete(replace(hello, timeout=60))  # some machines take their time to say no
    assert isinstance(failure, Unreachable)
    assert "no-such-host.invalid cannot be looked up" in failure.reason


def test_a_passed_time_limit_is_noticed_before_anything_is_sent(serve: Any, hello: Request) -> None:
    server, model = serve(answers(completion("x")))
    assert isinstance(model.complete(replace(hello, timeout=0.0)), TimedOut)
    assert server.seen == []


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After": "Mon, 05 Jan 2026 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "Mon, 05 Jan 2026 11:00:00 GMT"}, 0.0),
        ({"Retry-After": "999999999"}, 3600.0),
        ({"Retry-After": "-5"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({}, None),
    ],
)
def test_the_wait_a_server_asks_for_is_read(
    serve: Any, hello: Request, headers: dict[str, str], seconds: float | None
) -> None:
    _, model = serve(answers({}, 429, headers))
    failure = model.complete(hello)
    assert isinstance(failure, RateLimited)
    assert failure.after == seconds


def test_a_server_without_encryption_behind_https_is_unreachable(serve: Any, hello: Request) -> None:
    server, _ = serve(answers(completion("x")))
    with HttpModel(parse_spec(f"openai:x@{server.url.replace('http:', 'https:')}"), {}) as model:
        failure = model.complete(hello)
    assert isinstance(failure, Unreachable)
    assert not failure.billed


def test_a_handshake_that_never_ends_is_out_of_time(hello: Request) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        spec = parse_spec(f"openai:x@https://127.0.0.1:{listener.getsockname()[1]}/v1")
        with HttpModel(spec, {}) as model:
            began = time.monotonic()
            assert isinstance(model.complete(replace(hello, timeout=0.4)), TimedOut)
            assert time.monotonic() - began < 2.0


def test_a_proxy_is_asked_in_the_servers_place(serve: Any, hello: Request) -> None:
    server, _ = serve(answers(completion("through the proxy")))
    proxy = f"http://user:pass@127.0.0.1:{server.server_port}"
    with HttpModel(parse_spec("openai:x@http://model.invalid/v1"), {"HTTP_PROXY": proxy}) as model:
        reply = model.complete(hello)
    assert isinstance(reply, Reply)
    assert server.seen[0].path == "http://model.invalid/v1/chat/completions"
    assert server.seen[0].headers["proxy-authorization"].startswith("Basic ")


def test_certificates_that_are_not_there_are_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match="SSL_CERT_FILE"):
        HttpModel(parse_spec("openai:x@https://model.invalid/v1"), {"SSL_CERT_FILE": "/no/such/file"})


def test_closing_ends_the_calls_under_way(serve: Any, hello: Request) -> None:
    server, model = serve(hangs)
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(model.complete, replace(hello, timeout=30.0)) for _ in range(4)]
        until(lambda: len(server.seen) == 4, "four requests at the server")
        began = time.monotonic()
        model.close()
        results = [future.result(60) for future in waiting]
    assert time.monotonic() - began < 2.0
    assert results == [Refused(reason="the model was closed", billed=True)] * 4
    assert model.complete(hello) == results[0]
