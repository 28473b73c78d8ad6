"""Whether Codex trusts Metier's hooks, asked of Codex itself: it runs no hook that the person did not trust."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, cast

from metier.agents.plan import codex_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from metier.agents.places import Places

Trust = Literal["trusted", "untrusted", "unknown"]
SECONDS = 5.0
"""Codex answers within one; an answer that takes longer is none."""


def ask_codex_trust(places: Places, environ: Mapping[str, str]) -> Trust:
    """Whether Codex would run all of Metier's hooks; `unknown` if it cannot be asked."""
    program = places.program("codex")
    if not program:
        return "unknown"
    try:
        hooks = _listed_hooks(program, places, environ)
    except (OSError, ValueError, KeyError, TypeError):
        return "unknown"
    commands = {group["hooks"][0]["command"] for group in codex_groups(places).values()}
    states = {one["command"]: one["trustStatus"] for one in hooks if one.get("enabled") and one["command"] in commands}
    return "trusted" if states.keys() == commands and set(states.values()) == {"trusted"} else "untrusted"


def _listed_hooks(program: str, places: Places, environ: Mapping[str, str]) -> list[dict[str, Any]]:
    """What `hooks/list` of Codex's own server says."""
    process = subprocess.Popen(  # noqa: S603 - the person's own Codex
        [program, "app-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**environ, "METIER_ENABLED": "false"},
        cwd=places.home,
        start_new_session=True,
    )
    try:
        asked = (
            {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "metier", "version": "1"}}},
            {"method": "initialized"},
            {"id": 2, "method": "hooks/list", "params": {"cwds": [str(places.home)]}},
        )
        assert process.stdin is not None  # noqa: S101
        process.stdin.write("".join(json.dumps(one) + "\n" for one in asked).encode())
        process.stdin.flush()
        for line in _lines(process):
            answer = cast("dict[str, Any]", json.loads(line))
            if answer.get("id") == 2:
                return [hook for one in answer["result"]["data"] for hook in one["hooks"]]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    raise ValueError("Codex did not answer")


def _lines(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """The lines that a process prints, until it ends or takes too long."""
    assert process.stdout is not None  # noqa: S101
    end, rest = time.monotonic() + SECONDS, b""
    while (left := end - time.monotonic()) > 0 and select.select([process.stdout], [], [], left)[0]:
        data = os.read(process.stdout.fileno(), 65_536)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        yield from lines
