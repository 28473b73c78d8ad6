"""`metier sync` killed at its system calls: every skill is whole, and the same command again ends in the same state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sharing_world import RULE, document_of, join, make_server, offer_by_http
from sweep import METIER, environ_of, injected, need_strace, points, run, spread

from metier.library.lessons import get_lesson
from metier.sharing.membership import read_membership
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def new_machine(folder: Path, server: Workspace, url: str) -> list[str]:
    """A machine that joined; returns its command."""
    folder.mkdir()
    with Workspace.open(folder, environ=environ_of(folder)) as ws:
        join(ws, server, url=url)
    return [METIER, "-w", str(folder), "sync"]


def check(folder: Path, whole: str, *, done: bool) -> None:
    with Workspace.open(folder, environ=environ_of(folder)) as ws:
        assert document_of(ws) in ((whole,) if done else ("", whole))
        assert read_membership(ws.context).url
        if done:
            assert len(ws.history("write-notes")) == 1
            assert get_lesson(ws.context, RULE).status == "approved"
            assert not list(ws.library.version_store.journal.iterdir())


@pytest.mark.slow
def test_a_kill_anywhere_leaves_skills_whole_and_the_next_sync_ends_the_same(tmp_path: Path) -> None:
    need_strace()
    server = make_server(tmp_path / "server")
    whole = document_of(server)
    with offer_by_http(server) as url:
        command = new_machine(tmp_path / "undisturbed", server, url)
        calls = points(command, tmp_path / "trace")
        check(tmp_path / "undisturbed", whole, done=True)
        for number, (syscall, count) in enumerate(spread(calls, 24)):
            folder = tmp_path / f"killed-{number}"
            command = new_machine(folder, server, url)
            run(injected(command, syscall, "signal=SIGKILL", count))
            check(folder, whole, done=False)
            again = run(command)
            assert again.code == 0, (syscall, count, again.err)
            check(folder, whole, done=True)
    server.close()
