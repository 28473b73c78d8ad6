"""What the tests of models share: a server of their own, and a model that asks it."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from loopback import Loopback

from metier.models.http.client import HttpModel
from metier.models.model import Message, Request
from metier.models.spec import ModelOptions, parse_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopback import Act

KEY = "sk-test-0123456789abcdef"
Served = tuple[Loopback, HttpModel]


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    """Starts a server with the given acts, and gives it with a model that asks it."""
    with ExitStack() as stack:

        def start(*acts: Act, text: str = "openai:some-model", headers: tuple[str, ...] = ()) -> Served:
            server = stack.enter_context(Loopback(*acts))
            url = server.url.removesuffix("/v1") if text.startswith("anthropic") else server.url
            spec = parse_spec(text, ModelOptions(url=url, key_variable="SOME_KEY", headers=headers))
            environ = {"SOME_KEY": KEY, "TEAM": "search"}
            return server, stack.enter_context(HttpModel(spec, environ))

        yield start


@pytest.fixture
def hello() -> Request:
    """A small request."""
    return Request(messages=(Message(text="Say hello"),), system="Be brief.", timeout=5.0, max_tokens=64)
