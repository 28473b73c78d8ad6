"""Limits of providers that machines share: never too many calls at once or in a minute, and a dead machine's end."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell
from waiting import join, until

from metier.context.models.turns import StoreTurns, turns_of
from metier.models.failures import RateLimited
from metier.models.layers.stack import Layers, build_stack
from metier.models.model import Message, Request
from metier.models.scripted import Scripted, fails, on, says
from metier.store.tables.fleet import provider_limits
from metier.store.tables.fleet.provider_limits import ProviderLimit
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("postgresql")


@pytest.fixture
def machines(new_postgres: str, tmp_path: Path) -> Iterator[list[Workspace]]:
    """Two machines with different workspaces on one store."""
    opened: list[Workspace] = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        opened.append(Workspace.open(tmp_path / name, flags={"store": new_postgres}))
    yield opened
    for ws in opened:
        ws.close()


def limited(ws: Workspace, **limit: int) -> None:
    with ws.context.store.write() as transaction:
        provider_limits.put(transaction, ProviderLimit(provider="openai", **limit))


def test_never_more_calls_at_once_than_a_provider_bears(machines: list[Workspace]) -> None:
    limited(machines[0], at_once=3)
    now, most, lock = 0, 0, threading.Lock()

    def work(turns: StoreTurns) -> None:
        nonlocal now, most
        for _ in range(2):
            turn = turns.begin(30)
            assert turn
            with lock:
                now += 1
                most = max(most, now)
            time.sleep(0.02)
            with lock:
                now -= 1
            turns.end(turn)

    turns = [StoreTurns(ws.context, "openai") for ws in machines]
    threads = [threading.Thread(target=work, args=(turns[number % 2],)) for number in range(8)]
    for thread in threads:
        thread.start()
    join(threads)
    assert most == 3


def test_calls_of_a_minute_are_counted_and_other_providers_are_free(machines: list[Workspace]) -> None:
    limited(machines[0], per_minute=2)
    waits: list[float] = []
    over = False

    def sleep(seconds: float) -> None:
        nonlocal over
        waits.append(seconds)
        over = True

    for ws in machines:
        turns = StoreTurns(ws.context, "openai")
        turns.end(turns.begin(30) or "")
    third = StoreTurns(machines[1].context, "openai", sleep, lambda: over)
    assert third.begin(30) is None  # it gave up when it was told to
    assert 1 < waits[0] <= 5
    assert StoreTurns(machines[0].context, "anthropic").begin(30) == "free"


def test_a_lease_of_a_dead_machine_ends_by_itself(machines: list[Workspace]) -> None:
    limited(machines[0], at_once=1)
    assert StoreTurns(machines[0].context, "openai").begin(0.3) != "free"  # and it dies
    began = time.monotonic()
    assert StoreTurns(machines[1].context, "openai").begin(30)
    assert time.monotonic() - began < 10


def test_when_a_provider_asks_one_to_wait_all_wait(machines: list[Workspace]) -> None:
    turns, other = (StoreTurns(ws.context, "openai") for ws in machines)
    began = time.monotonic()
    model = Scripted(on(".*", fails(RateLimited(reason="slow down", after=0.5)), says("well")))
    asking = threading.Thread(
        target=lambda: build_stack(model, Layers(redact=str, turns=turns)).complete(
            Request(messages=(Message(text="?"),))
        )
    )
    asking.start()
    until(lambda: paused(machines[1]), "the pause")
    assert other.begin(30) == "free"
    assert time.monotonic() - began >= 0.5
    join([asking])
    assert len(model.requests) == 2


def paused(ws: Workspace) -> bool:
    with ws.context.store.read() as transaction:
        return any(one.paused for one in provider_limits.list_all(transaction))


def test_alone_on_a_machine_there_are_no_turns(ws: Workspace) -> None:
    assert turns_of(ws.context, "openai") is None


def test_limits_are_set_shown_and_cleared(
    new_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("METIER_STORE", new_postgres)
    Workspace.open(tmp_path).close()
    shell = Shell(tmp_path, monkeypatch, capsys)
    assert "No provider has a limit" in shell.ok("fleet", "limit")
    shown = shell.json("fleet", "limit", "openai", "--at-once", "4", "--per-minute", "60")
    assert shown == [{"provider": "openai", "at_once": 4, "per_minute": 60}]
    assert shell.run("fleet", "limit", "openai").code == 2
    assert shell.run("fleet", "limit", "nobody", "--at-once", "1").code == 2
    assert shell.json("fleet", "limit", "openai", "--clear") == []
