"""What the simulated world answers to an OpenAI-compatible request, and what goes wrong on the way."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, TypeGuard, cast

from metier.cli.demo.world.jobs import JOB, answer_to
from metier.cli.demo.world.optimiser import OptimiserPrompt, WorldOptimiser
from metier.cli.demo.world.world import lines_of

if TYPE_CHECKING:
    from metier.cli.demo.world.world import World

Kind = Literal["rollout", "optimiser", "other"]
Fault = Literal["", "error", "busy", "hang", "garbage"]
SLOW = 10
"""How many times the latency a slow answer takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """How the server behaves; shares are of all requests, and the same request can fare better the next time."""

    latency: float = 0.0
    """Seconds before each answer."""
    jitter: float = 0.0
    """Up to so many seconds more."""
    slow: float = 0.0
    """Share that takes ten times the latency."""
    error: float = 0.0
    """Share answered with 500."""
    busy: float = 0.0
    """Share answered with 429 and Retry-After."""
    retry_after: float = 1.0
    hang: float = 0.0
    """Share that is never answered."""
    garbage: float = 0.0
    """Share answered with what is no JSON."""
    wrong: float = 0.0
    """Share of jobs that are answered wrongly, whatever the skill says."""


CALM = Weather()


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What to send, and after how many seconds; a hanging one is never sent."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    hangs: bool = False


@dataclass(kw_only=True)
class Service:
    """Answers requests, counts them, and plays the weather."""

    world: World
    optimiser: WorldOptimiser
    weather: Weather = CALM
    fresh: bool = False
    """Whether the same job under the same skill is a new sample each time it is asked; else always the same."""
    kinds: Counter[str] = field(default_factory=Counter[str])
    faults: Counter[str] = field(default_factory=Counter[str])
    _seen: Counter[bytes] = field(default_factory=Counter[bytes])

    def respond(self, path: str, raw: bytes) -> Response:
        """The answer to a POST."""
        if not path.endswith("/completions"):
            return _refused(404, f"there is no {path} here")
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        if not _is_object(body):
            return _refused(400, "the body is no JSON object")
        digest = blake2b(raw, digest_size=16).digest()
        time = self._seen[digest]
        self._seen[digest] += 1
        words, last = _words(body)
        kind, text = self._text(body, words, last, time)
        self.kinds[kind] += 1
        return self._weathered(digest, time, _completion(text, len(words) // 4, chat="messages" in body))

    def _text(self, body: dict[str, object], words: str, last: str, time: int) -> tuple[Kind, str]:
        seed = body.get("seed")
        sample = seed if isinstance(seed, int) else time if self.fresh else 0
        asked = OptimiserPrompt(words=words, fields=_fields(body), sample=sample)
        answer = self.optimiser.answer(asked)
        if answer is not None:
            return "optimiser", json.dumps(answer, ensure_ascii=False)
        job = JOB.search(last)
        if job is None:
            return "other", "No job is named here."
        skill = "\n".join(lines_of(words))
        if self.world.uniform("wrong", job[1], skill, sample) < self.weather.wrong:
            return "rollout", f"{job[1]}-open-0000"
        return "rollout", answer_to(self.world, job[1], skill, sample)

    def _weathered(self, digest: bytes, time: int, good: Response) -> Response:
        weather = self.weather
        if weather == CALM:
            return good
        delay = weather.latency * (SLOW if self.world.uniform("slow", digest, time) < weather.slow else 1)
        delay += weather.jitter * self.world.uniform("jitter", digest, time)
        fault = _fault(weather, self.world.uniform("weather", digest, time))
        self.faults[fault] += bool(fault)
        match fault:
            case "":
                return replace(good, delay=delay)
            case "error":
                return _refused(500, "the simulated server failed", delay=delay)
            case "busy":
                after = ("retry-after", f"{weather.retry_after:g}")
                return _refused(429, "too many requests", headers=(after,))
            case "hang":
                return Response(status=200, body=b"", hangs=True)
            case "garbage":
                return Response(status=200, body=b"<html>\x00 no JSON", delay=delay)


def _fault(weather: Weather, luck: float) -> Fault:
    shares: tuple[tuple[Fault, float], ...] = (
        ("error", weather.error),
        ("busy", weather.busy),
        ("hang", weather.hang),
        ("garbage", weather.garbage),
    )
    for fault, share in shares:
        luck -= share
        if luck < 0:
            return fault
    return ""


def _words(body: dict[str, object]) -> tuple[str, str]:
    """All that was said, and the last of it."""
    messages = body.get("messages", [])
    said = (
        [str(one.get("content", "")) for one in cast("list[object]", messages) if _is_object(one)] if messages else []
    )
    said = said or [str(body.get("prompt", ""))]
    return "\n".join(said), said[-1]


def _fields(body: dict[str, object]) -> tuple[str, ...]:
    """The names in the schema that a request asks its answer to fit; none without one."""
    found: object = body
    for name in ("response_format", "json_schema", "schema", "properties"):
        found = found.get(name) if _is_object(found) else None
    return tuple(found) if _is_object(found) else ()


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _completion(text: str, tokens: int, *, chat: bool) -> Response:
    said: dict[str, object] = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
    usage = {"prompt_tokens": tokens, "completion_tokens": max(1, len(text) // 4)}
    usage["total_tokens"] = sum(usage.values())
    choice: dict[str, object] = {"index": 0, "finish_reason": "stop", **said}
    kind = "chat.completion" if chat else "text_completion"
    made: dict[str, object] = {"id": "simulated", "object": kind, "created": 0, "model": "simulated"}
    return Response(status=200, body=json.dumps({**made, "choices": [choice], "usage": usage}).encode())


def _refused(status: int, message: str, headers: tuple[tuple[str, str], ...] = (), delay: float = 0.0) -> Response:
    body = json.dumps({"error": {"message": message, "type": "simulated"}}).encode()
    return Response(status=status, body=body, headers=headers, delay=delay)
