"""A model that answers by script: for tests of anything that calls a model, ours and yours.

    model = Scripted(
        on("judge", says({"success": True, "reason": "done"})),
        on(r"cluster.*batch 2", says("no JSON at all"), fails(Unreachable(reason="down"))),
        otherwise=fails(Refused(reason="not in the script")),
    )

A rule with several answers gives them one after the other and stays with the last.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.models.failures import Failure, Refused, TimedOut
from metier.models.model import Reply, Request, Vectors
from metier.types import Tokens

if TYPE_CHECKING:
    from metier.models.model import Finish, Texts, Vector

Act = Callable[[Request], Reply | Failure]
"""What a model does when it is asked."""
DIMENSIONS = 16


@dataclass(frozen=True, slots=True)
class ScriptRule:
    """What to answer when a request's system text, messages or stage match."""

    when: Callable[[Request], bool]
    acts: tuple[Act, ...]


def on(pattern: str | Callable[[Request], bool], *acts: Act) -> ScriptRule:
    """A rule for requests whose words match a pattern, or of which a function is true."""
    if not acts:
        raise ValueError("a rule needs at least one answer")
    if isinstance(pattern, str):
        found = re.compile(pattern, re.DOTALL)
        return ScriptRule(lambda request: bool(found.search(words(request))), acts)
    return ScriptRule(pattern, acts)


def says(answer: object, *, finish: Finish = "stop", tokens: Tokens | None = None) -> Act:
    """A reply: a text as it is, anything else as JSON; tokens are counted in words if not given."""
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)

    def act(request: Request) -> Reply:
        counted = tokens or Tokens(input=len(words(request).split()), output=len(text.split()))
        return Reply(text=text, model="scripted", tokens=counted, finish=finish)

    return act


def fails(failure: Failure) -> Act:
    """A failure."""
    return lambda _: failure


def raises(error: BaseException) -> Act:
    """What no model should do: an exception."""

    def act(_: Request) -> Reply:
        raise error

    return act


def hangs(sleep: Callable[[float], object] = time.sleep) -> Act:
    """No answer until the request's time is up."""

    def act(request: Request) -> Failure:
        sleep(request.timeout)
        return TimedOut(reason=f"no answer in {request.timeout:g} s", billed=True)

    return act


def words(request: Request) -> str:
    """All that a rule's pattern is looked for in: the stage, the system text, the messages."""
    return "\n".join([request.stage, request.system, *(message.text for message in request.messages)])


class Scripted:
    """A model whose first matching rule answers; safe for many threads, and it keeps what it was asked."""

    def __init__(
        self,
        *rules: ScriptRule,
        otherwise: Act | None = None,
        vector: Callable[[str], Vector] | None = None,
        identity: str = "scripted",
    ) -> None:
        self.rules = rules
        self.otherwise = otherwise or fails(Refused(reason="the script has no answer to this"))
        self.vector = vector or hash_vector
        self.requests: list[Request] = []
        self.texts: list[str] = []
        self._identity = identity
        self._given = [0] * len(rules)
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        """The name given."""
        return self._identity

    def complete(self, request: Request) -> Reply | Failure:
        """What the script says."""
        return self._next(request)(request)

    def embed(self, texts: Texts) -> Vectors | Failure:
        """A vector for each text, the same for the same text."""
        with self._lock:
            self.texts.extend(texts.texts)
        count = sum(len(text.split()) for text in texts.texts)
        vectors = tuple(self.vector(text) for text in texts.texts)
        return Vectors(vectors=vectors, model="scripted", tokens=Tokens(input=count))

    def _next(self, request: Request) -> Act:
        with self._lock:
            self.requests.append(request)
            for index, rule in enumerate(self.rules):
                if rule.when(request):
                    act = rule.acts[min(self._given[index], len(rule.acts) - 1)]
                    self._given[index] += 1
                    return act
        return self.otherwise


def hash_vector(text: str) -> Vector:
    """A vector made from a text's hash: equal texts are equal, others are unrelated."""
    return tuple(
        array("f", (byte / 127.5 - 1 for byte in hashlib.sha256(text.encode("utf-8", "replace")).digest()[:DIMENSIONS]))
    )
