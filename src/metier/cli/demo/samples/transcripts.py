"""The sample sessions: read from the story, and written as the transcripts that Claude Code keeps."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import timedelta
    from pathlib import Path

PROJECT = "harbor-shop"
"""The repository that the sessions speak of; there is none."""
FOLDER = f"/home/ada/{PROJECT}"
STORY = "two_weeks.txt"
INPUTS = {"Bash": "command", "WebFetch": "url"}
"""How a tool calls what it is given; all others take a file."""
_PLACE = re.compile(r"@@([A-Z_]+)@@")


@dataclass(slots=True)
class SampleTurn:
    """Something that the person said, the agent did, or the agent said."""

    who: str
    """`person`, `agent`, or the name of a tool."""
    text: str
    output: list[str] = field(default_factory=list[str])
    ok: bool = True


@dataclass(frozen=True, slots=True)
class SampleSession:
    """One session, turn by turn."""

    day: str
    """Month and day."""
    name: str
    turns: list[SampleTurn] = field(default_factory=list[SampleTurn])

    @property
    def id(self) -> str:
        """What Claude Code would call it."""
        return str(UUID(bytes=blake2b(self.name.encode(), digest_size=16).digest(), version=4))


@cache
def two_weeks() -> tuple[SampleSession, ...]:
    """The sessions of the story, oldest first."""
    return read_sessions(STORY)


def read_sessions(file: str) -> tuple[SampleSession, ...]:
    """The sessions of one of the files beside this one, with made-up secrets where it has places for them."""
    text = (files("metier.cli.demo.samples") / file).read_text(encoding="utf-8")
    return tuple(read_story(_PLACE.sub(lambda found: secrets()[found[1]], text)))


def read_story(text: str) -> list[SampleSession]:
    """Sessions as the head of the story says they are written."""
    sessions: list[SampleSession] = []
    for line in text.splitlines():
        if not line or line.startswith("# "):
            continue
        mark, _, rest = line.partition(" ")
        if mark == "==":
            day, _, name = rest.partition(" ")
            sessions.append(SampleSession(day, name))
            continue
        turns = sessions[-1].turns
        if line.startswith("  "):
            turns[-1].output.append(line[2:])
        elif mark in ("$", "$!"):
            turns.append(SampleTurn("Bash", rest, ok=mark == "$"))
        elif mark.startswith("@"):
            turns.append(SampleTurn(mark[1:], rest))
        else:
            turns.append(SampleTurn("person", rest) if mark == ">" else SampleTurn("agent", line))
    return sessions


def write_transcripts(sessions: Iterable[SampleSession], folder: Path, later: timedelta) -> list[str]:
    """One transcript for each session, so much later than it is written, in a folder that is made; their paths."""
    folder.mkdir(exist_ok=True)
    written: list[str] = []
    for session in sessions:
        file = folder / f"{session.id}.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in _records(session, later)), encoding="utf-8")
        written.append(str(file))
    return written


def secrets() -> dict[str, str]:
    """A made-up secret, put together at run time so that no scanner finds one in this package; it never worked."""
    return {"GITHUB": "gh" + "p_" + _noise("github", 36)}


def _noise(seed: str, length: int) -> str:
    """Letters and digits that look random and are the same on every machine."""
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return "".join(letters[byte % len(letters)] for byte in blake2b(seed.encode()).digest()[:length])


def _records(session: SampleSession, later: timedelta) -> Iterator[dict[str, object]]:
    """The lines of a transcript: two for each call of a tool, one for everything else."""
    common: dict[str, object] = {
        "isSidechain": False,
        "userType": "external",
        "cwd": FOLDER,
        "sessionId": session.id,
        "version": "2.1.40",
    }
    bodies = [body for number, turn in enumerate(session.turns) for body in _bodies(turn, f"{session.name}-{number}")]
    day = (date.fromisoformat(f"2026-{session.day}") + later).isoformat()
    for number, body in enumerate(bodies):
        place: dict[str, object] = {
            "uuid": f"{session.name}-{number}",
            "parentUuid": f"{session.name}-{number - 1}" if number else None,
            "timestamp": f"{day}T09:{number:02d}:00.000Z",
        }
        yield common | place | body


def _bodies(turn: SampleTurn, name: str) -> Iterator[dict[str, object]]:
    if turn.who == "person":
        yield {"type": "user", "message": {"role": "user", "content": turn.text}}
    elif turn.who == "agent":
        yield _assistant(name, {"type": "text", "text": turn.text})
    else:
        given = {INPUTS.get(turn.who, "file_path"): turn.text}
        yield _assistant(name, {"type": "tool_use", "id": f"call-{name}", "name": turn.who, "input": given})
        said = "\n".join(turn.output) or "Done."
        block: dict[str, object] = {"type": "tool_result", "tool_use_id": f"call-{name}", "content": said}
        if not turn.ok:
            block |= {"is_error": True, "content": f"Exit code 1\n{said}"}
        yield {"type": "user", "message": {"role": "user", "content": [block]}}


def _assistant(name: str, block: dict[str, object]) -> dict[str, object]:
    usage = {"input_tokens": 12, "output_tokens": 90, "cache_read_input_tokens": 15_000}
    body = {"id": name, "role": "assistant", "model": "claude-sonnet-4-5", "content": [block], "usage": usage}
    return {"type": "assistant", "requestId": f"request-{name}", "message": body}
