"""Every path that ships or hands out a skill, against what others approved in a store, a parcel or a backup.

A new path is one more entry of PATHS. What lies in a project is the table of test_outside.py.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell
from hostile import DESCRIPTION, MARK, SKILL, hook_output, poisoned, teach, told
from mcp_talk import Talk
from selection_shop import FLAKY, HOSTILE

from metier.errors import MetierError
from metier.library.delivery.notes_file import refresh_notes
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


# ---- paths: what each gives away, as one text ---------------------------------------------------------------------


def _select(shell: Shell) -> str:
    return shell.run("select", FLAKY, "--json").out


def _render(shell: Shell) -> str:
    return shell.run("select", FLAKY, "--render", "claude").out


def _hook(shell: Shell) -> str:
    return hook_output(shell.folder)


def _told(shell: Shell) -> str:
    """Every way in which agents are told lessons."""
    return "\n".join(told(shell.folder).values())


def _learn_then_told(shell: Shell) -> str:
    """A pass writes the file that hooks read anew."""
    shell.run("learn")
    return _told(shell)


def _publish(shell: Shell) -> str:
    shell.run("lessons", "publish", "--file", "CLAUDE.md")
    page = shell.folder / "CLAUDE.md"
    return page.read_text() if page.exists() else ""


def _api(shell: Shell) -> str:
    try:
        with Workspace.open(shell.folder, create=False) as ws:
            return ws.select(FLAKY).render("markdown")
    except MetierError as error:
        return str(error)


def _mcp(shell: Shell) -> str:
    """Everything that the MCP server gives away: by a task, by name, as resources."""
    with Talk(shell.folder) as talk:
        answers = [
            talk.ask("tools/call", name="select", arguments={"task": FLAKY}),
            talk.ask("tools/call", name="skill", arguments={"name": SKILL}),
            talk.ask("resources/list"),
            talk.ask("resources/read", uri=f"skill://{SKILL}/SKILL.md"),
        ]
    return json.dumps(answers)


def _mcp_then_learn(shell: Shell) -> str:
    """What an agent proposes through the server does not ship by itself."""
    document = f"---\nname: proposed\ndescription: {DESCRIPTION}\n---\n\n{HOSTILE}"
    with Talk(shell.folder) as talk:
        talk.ask("tools/call", name="propose", arguments={"name": "proposed", "document": document, "summary": "x"})
    return _learn(shell)


def _learn(shell: Shell) -> str:
    shell.run("--set", "mode=apply", "learn")
    return _live(shell)


def _watch(shell: Shell) -> str:
    shell.run("--set", "mode=apply", "watch", "--once")
    return _live(shell)


def _drafts(shell: Shell) -> str:
    found = shell.run("drafts", "list", "--all", "--json").out
    ids = [word.strip('",') for word in found.split() if len(word.strip('",')) == 12]
    for draft in ids:
        shell.run("drafts", "apply", draft)
    return _live(shell)


def _import_parcel(shell: Shell) -> str:
    """A skill that somebody exported with its history and their own approvals."""
    with as_sender(shell) as sender:
        sender.ok("skills", "export", SKILL, "--to", str(shell.folder.with_name("parcel.zip")))
    shell.run("skills", "import", str(shell.folder.with_name("parcel.zip")))
    return _handed_out(shell)


def _restore(shell: Shell) -> str:
    """A backup that somebody made of their own state."""
    with as_sender(shell) as sender:
        sender.ok("backup", str(shell.folder.with_name("theirs.tar.gz")))
    shell.run("init")
    shell.run("restore", str(shell.folder.with_name("theirs.tar.gz")), "--yes")
    return _handed_out(shell)


@contextmanager
def as_sender(shell: Shell) -> Iterator[Shell]:
    """The command line of somebody else, in their home, where a hostile skill is approved."""
    folder = shell.folder.with_name("sender")
    if not folder.exists():
        poisoned(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder.parent / f"home-of-{folder.name}"))
        yield Shell(folder, patch, shell.capsys)


def _handed_out(shell: Shell) -> str:
    """What the paths give away now, and what lies there for agents to read."""
    given = [_select(shell), _render(shell), _hook(shell), _api(shell), _mcp(shell), _told(shell), _drafts(shell)]
    return "\n".join(given)


def _live(shell: Shell) -> str:
    """Every skill that agents can read now, that was not there before."""
    root = shell.folder / ".agents/skills"
    if (root / SKILL).exists() and (shell.folder / "brought").exists():
        return ""  # the attacker's own file lay there from the beginning
    return "\n".join(file.read_text(encoding="utf-8") for file in root.rglob("*.md")) if root.is_dir() else ""


PATHS: dict[str, Callable[[Shell], str]] = {
    "select": _select,
    "render": _render,
    "hook": _hook,
    "lessons told": _told,
    "lessons told after a pass": _learn_then_told,
    "lessons published": _publish,
    "python": _api,
    "mcp": _mcp,
    "mcp propose": _mcp_then_learn,
    "learn in mode apply": _learn,
    "watch in mode apply": _watch,
    "drafts apply": _drafts,
    "skills import": _import_parcel,
    "restore": _restore,
}


# ---- attacks: what lies in a store that the victim shares, or restored --------------------------------------------


def _store_of_others(folder: Path) -> None:
    """An own workspace in whose store somebody else approved lessons, as in a shared one."""
    folder.mkdir()
    with Workspace.open(folder) as ws:
        teach(Workspace(context=replace(ws.context, key=b"the key of another person")), written=False)
        refresh_notes(ws.context)


ATTACKS: dict[str, Callable[[Path], None]] = {
    "a store in which others approved": _store_of_others,
}


@pytest.fixture(params=ATTACKS)
def victim(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    folder = tmp_path / "mine"
    ATTACKS[request.param](folder)
    return Shell(folder, monkeypatch, capsys)


@pytest.mark.parametrize("path", PATHS)
def test_what_an_attacker_approved_reaches_nobody(victim: Shell, path: str) -> None:
    assert MARK not in PATHS[path](victim)


def test_the_paths_do_hand_out_what_the_person_approved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = poisoned(tmp_path / "theirs")
    monkeypatch.setenv("HOME", str(tmp_path / "home-of-theirs"))
    shell = Shell(theirs, monkeypatch, capsys)
    for path in ("select", "render", "hook", "python", "mcp", "lessons told", "lessons published"):
        assert MARK in PATHS[path](shell), path


def test_every_channel_of_lessons_is_open_for_what_the_person_approved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = poisoned(tmp_path / "theirs")
    monkeypatch.setenv("HOME", str(tmp_path / "home-of-theirs"))
    said = told(theirs)
    assert {event for event, text in said.items() if MARK in text} == {"start", "prompt", "before", "after"}
    assert '"permissionDecision": "deny"' in said["before"]


def test_a_pause_closes_every_channel_of_lessons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = poisoned(tmp_path / "theirs")
    monkeypatch.setenv("HOME", str(tmp_path / "home-of-theirs"))
    shell = Shell(theirs, monkeypatch, capsys)
    shell.ok("pause")
    assert set(told(theirs).values()) == {""}
    shell.ok("resume")
    assert MARK in _told(shell)


def test_what_is_imported_or_restored_does_arrive_and_waits_for_a_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, path in (("one", _import_parcel), ("other", _restore)):
        folder = tmp_path / name / "mine"
        folder.mkdir(parents=True)
        shell = Shell(folder, monkeypatch, capsys)
        assert MARK not in path(shell)
        drafts = shell.json("drafts", "list", "--all")
        assert [one["target"] for one in drafts] == [SKILL], name
        assert not (folder / ".agents/skills" / SKILL).exists()


def test_what_the_person_approved_counts_again_after_the_project_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = poisoned(tmp_path / "theirs")
    monkeypatch.setenv("HOME", str(tmp_path / "home-of-theirs"))
    shell = Shell(theirs.rename(tmp_path / "moved"), monkeypatch, capsys)
    assert shell.run("select", FLAKY).code == 2
    shell.ok("init", "--adopt", str(theirs), "--yes")
    assert MARK in PATHS["select"](shell)
