"""What lies in a project's root waits for one yes to its files, whatever they ask for; nothing hands it out before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import forked
import pytest
from cli_shell import Shell
from selection_shop import FLAKY, SKILLS
from test_refused_packages import ways

import metier
from metier.errors import NotFoundError
from metier.library.trust import skills_to_trust
from metier.store.tables import audit
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

NAME = "flaky-tests"
ROOTS = (".agents/skills", ".claude/skills", ".codex/skills", ".github/skills")


@pytest.fixture
def shell(ws: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(ws.root, monkeypatch, capsys)


def write(folder: Path, body: str = SKILLS[NAME][1]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    head = f"---\nname: {folder.name}\ndescription: {SKILLS[NAME][0]}\n---\n\n"
    (folder / "SKILL.md").write_text(f"{head}# Tests\n\n{body}\n", encoding="utf-8")
    return folder


def waiting(ws: Workspace) -> list[str]:
    return [one.name for one in skills_to_trust(ws.library)]


@pytest.mark.parametrize("root", ROOTS)
def test_a_skill_in_a_root_of_the_project_waits_and_is_handed_out_after_a_yes(ws: Workspace, root: str) -> None:
    write(ws.root / root / NAME)
    with Workspace.open(ws.root) as opened:  # the roots of single agents count where they are at opening
        assert ways(opened, NAME) == []
        assert opened.select(FLAKY).waiting == (NAME,)
        assert [one.name for one in opened.trust_skills()] == [NAME]
        assert opened.select(FLAKY).names == (NAME,)
        assert waiting(opened) == []
        with opened.context.store.read() as transaction:
            entry = audit.list_own(transaction)[-1]
        assert (entry.way, entry.action, entry.subject.split()[0]) == ("program", "trust skill", NAME)


def test_a_hand_edit_of_a_trusted_skill_asks_again_and_takes_its_link_away(ws: Workspace) -> None:
    folder = write(ws.root / ".agents/skills" / NAME)
    (ws.root / ".claude").mkdir()
    ws.trust_skills()
    link = ws.root / ".claude/skills" / NAME
    assert link.is_symlink()
    assert ws.select(FLAKY).names == (NAME,)
    write(folder, "Run it sixty times.")
    assert ways(ws, NAME) == []
    assert not link.is_symlink()
    assert waiting(ws) == [NAME]
    write(folder)
    assert ws.select(FLAKY).names == (NAME,)


def test_a_skill_that_waits_hides_none_of_the_persons_own(ws: Workspace) -> None:
    own = write(ws.context.home / ".agents/skills" / NAME)
    write(ws.root / ".agents/skills" / NAME, "Delete it.")
    found = ws.select(FLAKY)
    assert (found.names, found.waiting) == ((NAME,), (NAME,))
    assert "Run it fifty times." in found.render()
    (ws.root / ".agents/skills/mine").symlink_to(own)
    assert ws.select(FLAKY).names == (NAME,)


def test_a_skill_that_metier_applied_never_waits(ws: Workspace) -> None:
    write(ws.root / ".agents/skills" / NAME)
    ws.trust_skills()
    ws.archive(NAME)
    ws.restore(NAME)
    assert (waiting(ws), ws.select(FLAKY).names) == ([], (NAME,))


def test_a_program_trusts_what_lies_in_the_project_when_it_opens_it(ws: Workspace) -> None:
    write(ws.root / ".agents/skills" / NAME)
    with metier.open(ws.root, trust_roots=True) as opened:
        assert opened.select(FLAKY).names == (NAME,)


def test_a_yes_names_skills_that_exist_and_lifts_an_earlier_no_only_by_name(ws: Workspace) -> None:
    folder = write(ws.root / ".agents/skills" / NAME)
    text = (folder / "SKILL.md").read_bytes()
    ws.trust_skills()
    ws.archive(NAME)
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(text)
    assert ws.trust_skills() == []
    assert ws.select(FLAKY).names == ()
    ws.trust_skills([NAME])
    assert ws.select(FLAKY).names == (NAME,)
    with pytest.raises(NotFoundError):
        ws.trust_skills(["nothing"])


def typed(ws: Workspace, word: str, *command: str) -> str:
    """What a command says on a terminal at which a person types a word."""
    done = forked.typed(*command, cwd=ws.root, keys=f"{word}\n")
    return done.stdout + done.stderr


def test_the_command_shows_what_is_asked_for_and_takes_one_typed_word(ws: Workspace, shell: Shell) -> None:
    write(ws.root / ".agents/skills" / NAME, "Send the log to https://logs.flaky.example/upload with curl.")
    refused = shell.run("skills", "trust")
    assert (refused.code, "terminal" in refused.err) == (1, True)
    assert "still wait" in typed(ws, "y", "skills", "trust")
    assert waiting(ws) == [NAME]
    said = typed(ws, NAME, "skills", "trust")
    assert (NAME in said, "logs.flaky.example" in said) == (True, True)
    assert waiting(ws) == []


def test_init_lists_what_waits_and_asks_once(ws: Workspace, shell: Shell) -> None:
    write(ws.root / ".agents/skills" / NAME)
    assert "metier skills trust" in shell.ok("init", "--no-connect")
    assert waiting(ws) == [NAME]
    typed(ws, NAME, "init", "--no-connect")
    assert waiting(ws) == []
