"""Gaps that an attack found, each with the test that fails if it opens again."""

from __future__ import annotations

import gzip
import io
import json
import os
import stat
import subprocess
import sys
import tarfile
import time
from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell, bumps
from scoping import in_workspace
from selection_shop import put
from states import state_of

from metier.cli.output import say_if_slow, show_progress, visible
from metier.errors import InputError
from metier.events import Advanced, Began
from metier.maintenance.backup import restore_backup, write_backup
from metier.maintenance.doctor import check_workspace
from metier.store.tables import audit
from metier.store.tables.training import cases as suites
from metier.training.service.inputs import build_order
from metier.types.audit import AuditEntry
from metier.types.trials import Case
from metier.web.training_report import write_report
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from metier.events import Event

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

REPORT: dict[str, object] = json.loads(
    '{"run": "r", "skill": "s", "decision": {"action": "reject", "reason": "r", "deltas": {}}, "stopped": ""}'
)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    folder = tmp_path / "shop"
    folder.mkdir()
    Workspace.open(folder).close()
    return Shell(folder, monkeypatch, capsys)


def test_cases_are_kept_and_tried_without_secrets(ws: Workspace) -> None:
    put(ws, "adder", "Adds numbers. Use for sums.", "Add them.")
    given = [
        Case(id=str(n), input=f"log in with {SECRET}", expected=SECRET, files=(("a.txt", SECRET),)) for n in range(3)
    ]
    order = build_order(ws.library, "adder", cases=given)
    assert SECRET not in str(order.cases)
    with ws.context.store.write() as transaction:
        suites.put(transaction, "x", order.cases)
        assert SECRET not in str(suites.list_all(transaction, "x"))


def test_a_report_page_is_for_its_owner_alone_and_follows_no_link(ws: Workspace, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text("mine")
    (tmp_path / ".page.html.part").symlink_to(canary)
    page = write_report(ws.context, REPORT, str(tmp_path / "page.html"))
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert canary.read_text() == "mine"


def test_the_audit_log_of_a_shared_store_shows_the_own_entries_only(ws: Workspace) -> None:
    with ws.context.store.write() as transaction:
        for one in (transaction, in_workspace(transaction, "b")):
            audit.add(one, AuditEntry(happened="t", actor="me", action="act", subject=one.workspace))
    with ws.context.store.read() as transaction:
        assert [one.subject for one in audit.list_own(transaction)] == [ws.name]
        assert [one.subject for one in audit.list_all(transaction)] == [ws.name, "b"]
        assert audit.first_broken(transaction) is None
        assert [one.subject for one in audit.list_own(in_workspace(transaction, "b"))] == ["b"]


def test_a_backup_to_another_disk_follows_no_link(ws: Workspace, tmp_path: Path) -> None:
    from metier.maintenance import backup

    canary = tmp_path / "canary"
    canary.write_text("mine")
    (tmp_path / "b.tar.gz.part").symlink_to(canary)
    (tmp_path / "source").write_text("state")
    backup._copy(tmp_path / "source", tmp_path / "b.tar.gz")  # pyright: ignore[reportPrivateUsage]
    assert (canary.read_text(), (tmp_path / "b.tar.gz").read_text()) == ("mine", "state")
    assert stat.S_IMODE((tmp_path / "b.tar.gz").stat().st_mode) == 0o600


def test_overwritten_objects_are_a_problem_to_the_doctor(shell: Shell) -> None:
    with Workspace.open(shell.folder) as ws:
        put(ws, "deploy", "Deploys the shop. Use before a release.", "Run the script.")
        ws.pin("deploy")
    assert shell.run("doctor").code == 0
    objects = list((state_of(shell.folder) / "objects").iterdir())
    for file in objects:
        file.write_bytes(b"rubbish")
    assert (shell.run("doctor").code, "gone or damaged" in shell.run("doctor").out) == (1, True)


def _packed(folder: Path, manifest: dict[str, object], extra: dict[str, bytes]) -> Path:
    file = folder / "hostile.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        for name, data in {"manifest.json": json.dumps(manifest).encode(), **extra}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return file


@pytest.mark.parametrize(
    "name",
    ["../../x", "a/b", "", "a\nb", "x" * 300, "a\x1b[31m", 7, None, "\u202eevil"],
    ids=lambda name: repr(name)[:12],
)
def test_a_backup_of_a_workspace_that_cannot_exist_is_refused(ws: Workspace, tmp_path: Path, name: object) -> None:
    write_backup(ws.context, tmp_path / "own.tar.gz")
    with tarfile.open(tmp_path / "own.tar.gz") as archive:
        parts = {one.name: archive.extractfile(one) for one in archive.getmembers()}
        held = {path: part.read() for path, part in parts.items() if part}
    manifest = json.loads(held.pop("manifest.json"))
    file = _packed(tmp_path, {**manifest, "workspace": name}, held)
    with pytest.raises(InputError):
        restore_backup(ws.context, file)
    assert ws.name == Workspace.open(ws.root).name


def test_a_backup_that_unpacks_to_very_much_is_refused_before_it_fills_the_disk(ws: Workspace, tmp_path: Path) -> None:
    entry = tarfile.TarInfo("objects/bomb")
    entry.size = 8 << 30
    manifest = json.dumps({"workspace": "x", "files": {"metier.db": "0", "objects/bomb": "0"}}).encode()
    first = tarfile.TarInfo("manifest.json")
    first.size = len(manifest)
    blocks = first.tobuf() + manifest + bytes(-len(manifest) % 512) + entry.tobuf() + bytes(1 << 20)
    file = tmp_path / "bomb.tar.gz"
    file.write_bytes(gzip.compress(blocks))
    with pytest.raises(InputError, match="unpacks to more than it may"):
        restore_backup(ws.context, file)
    assert not list(ws.state.glob("restore-*"))


def test_a_backup_of_ones_own_comes_back(ws: Workspace, tmp_path: Path) -> None:
    ws.deliver(bumps())
    write_backup(ws.context, tmp_path / "b.tar.gz")
    restore_backup(ws.context, tmp_path / "b.tar.gz")
    assert len(Workspace.open(ws.root).runs()) == 4


@pytest.mark.parametrize("name", ["runs", "drafts", "skills", "patterns"])
def test_an_id_that_is_no_text_is_a_plain_refusal(shell: Shell, name: str) -> None:
    said = shell.run(name, "show", os.fsdecode(b"\xff\xfe"))
    assert (said.code, "bug in" in said.err) in {(1, False), (2, False)}


def test_a_workspace_file_that_is_no_text_is_a_plain_error(shell: Shell) -> None:
    (state_of(shell.folder) / "workspace").write_bytes(b"\xff\xfe\n")
    said = shell.run("runs", "list")
    assert (said.code, "bug in" in said.err, "it is not text" in said.err) == (1, False, True)


@pytest.mark.parametrize(
    "character", ["\U0001d173", "\U0001d174", "\u206a", "\u061c", "\U0001bca0", "\u2028", "\U000e0041"]
)
def test_rare_invisible_characters_reach_no_terminal(character: str) -> None:
    assert character not in visible(f"a{character}b")


@pytest.mark.parametrize("character", ["\U0001d173", "\U0001d174", "\U0001d17a", "\u206a", "\U0001bca0", "\ufff9"])
def test_review_stops_one_rare_invisible_character_in_a_word(shell: Shell, tmp_path: Path, character: str) -> None:
    package = tmp_path / "deploy-helper"
    package.mkdir()
    head = "---\nname: deploy-helper\ndescription: Deploys. Use before a release.\n---\n\n"
    (package / "SKILL.md").write_text(f"{head}Run the te{character}sts first.\n", encoding="utf-8")
    said = shell.run("review", str(package), "--json")
    assert (said.code, "hidden-characters" in said.out) == (1, True)


def test_long_work_says_what_it_does_also_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> Iterator[Event]:
        yield Began(stage="import x", total=5_000)
        yield from (Advanced(stage="import x", done=n, total=5_000) for n in range(1, 2_501))

    show_progress(work(), quiet=0.0)
    assert capsys.readouterr().err == "import x: 1,000 done, 20%\nimport x: 2,000 done, 40%\n"
    show_progress(work())  # over within a moment: nothing to say
    assert capsys.readouterr().err == ""


def test_a_long_look_says_what_it_looks_for_and_a_short_one_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with say_if_slow("Looking for sessions …", quiet=0.01):
        time.sleep(0.3)
    assert capsys.readouterr().err == "Looking for sessions …\n"
    with say_if_slow("Looking for sessions …"):
        pass
    assert capsys.readouterr().err == ""


def test_the_documented_hook_runs_no_module_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("open('ran', 'w').close()\n")
    command = [sys.executable, "-I", "-m", "metier.hooks.record"]
    subprocess.run(command, input=b"{}", cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert not (tmp_path / "ran").exists()
    from pathlib import Path as FilePath

    root = FilePath(__file__).parents[3]
    pages = [*(root / "docs").rglob("*.md"), *(root / "examples").iterdir(), root / "README.md"]
    named = [page.name for page in pages if page.is_file() and "python -m metier.hooks" in page.read_text("utf-8")]
    assert named == []


def test_the_database_is_for_its_owner_alone(ws: Workspace) -> None:
    file = ws.state / "metier.db"
    ws.close()
    file.chmod(0o644)
    with Workspace.open(ws.root) as again:
        again.deliver(bumps())
        modes = [stat.S_IMODE(one.stat().st_mode) for one in ws.state.glob("metier.db*")]
    assert set(modes) == {0o600}


def test_the_doctor_says_nothing_bad_of_a_sound_workspace(ws: Workspace) -> None:
    assert not [one for one in check_workspace(ws.root, {}, os.environ) if one.state == "problem"]


TOKEN = SECRET
KEY = "-".join(
    (
        "sk",
        "ant",
        "api03-Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3Ab4Cd5Ef6Gh7Ij8Kl9Mn0Op1Qr2St3Uv4Wx5Yz6Ab7Cd8Ef9Gh0Ij1Kl2Mn3",
    )
)
WORD = "S3cret" + "Pw9xK"
LEAKS = {
    "a coloured token": (f"\x1b[32m{TOKEN}\x1b[0m", TOKEN[4:]),
    "a token coloured in its middle": (f"\x1b[01;31m\x1b[K{TOKEN[:10]}\x1b[m\x1b[K{TOKEN[10:]}", TOKEN[10:]),
    "a coloured password": (f"\x1b[1mpassword\x1b[0m: \x1b[36m{WORD}\x1b[0m", WORD),
    "a coloured key in JSON": (
        '"\x1b[34mapi_key\x1b[0m": "\x1b[32m9f8e7d6c5b4a39281706f5e4d3c2b1a0\x1b[0m"',
        "9f8e7d6c",
    ),
    "a colour written out": (f"\\u001b[1mpassword\\u001b[0m: \\u001b[36m{WORD}\\u001b[0m", WORD),
    "curl -sSu": (f'curl -sSu "admin:{WORD}" https://x.io', WORD),
    "curl -su": (f"curl -su admin:{WORD} x.io", WORD),
    "curl without a name": (f"curl -u :{WORD} x.io", WORD),
    "curl with a variable": (f"curl -u $USER:{WORD} x.io", WORD),
    "curl with a quoted password": (f"curl -u admin:'{WORD}' x.io", WORD),
    "curl over two lines": (f"curl -k \\\n  -u 'admin:{WORD}' x.io", WORD),
    "curl with the password on the next line": (f"curl -u admin:\\\n{WORD} https://x.io", WORD),
    "curl with both on lines of their own": (f"curl -k \\\n  -u admin:\\\n  {WORD} x.io", WORD),
    "the tail of a wrapped key": (f"{KEY[:60]}\n{KEY[60:]}", KEY[60:]),
    "the tail behind a backslash": (f"key: {KEY[:70]}\\\n{KEY[70:]}\n", KEY[70:]),
    "the tail in a joined text": (f'"{KEY[:50]}" +\n  "{KEY[50:]}"', KEY[50:]),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_redaction_finds_what_a_public_scanner_found(ws: Workspace, leak: str) -> None:
    text, secret = LEAKS[leak]
    once = ws.context.redact(text)
    assert secret not in once
    assert ws.context.redact(once) == once


def test_the_line_behind_a_key_stays_if_it_is_no_part_of_it(ws: Workspace) -> None:
    for line in ("deployment", "the build passed", "https://shop.example/x1", "def f1(x):", ""):
        assert ws.context.redact(f"{KEY}\n{line}\n").endswith(f"\n{line}\n")
