"""What a run or a path may hold stops nothing: no pass, no command, nobody's terminal."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest
from cli_shell import Shell, bumps
from states import state_of

from metier.formats.strict_json import DEEPEST, load_json
from metier.review.review import review_package
from metier.skills.package import Package
from metier.types import Run, ToolCall
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

DEEP = {"objects": '{"a":' * 990 + "1" + "}" * 990, "lists": "[" * 990 + "]" * 990, "both": '{"a":[' * 400 + "]}" * 400}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    folder = tmp_path / "shop"
    folder.mkdir()
    Workspace.open(folder).close()
    return Shell(folder, monkeypatch, capsys)


def test_honest_nesting_is_read_and_hostile_nesting_is_a_plain_error() -> None:
    honest = '{"a":' * (DEEPEST - 1) + "1" + "}" * (DEEPEST - 1)
    assert load_json(honest) == json.loads(honest)
    for text in DEEP.values():
        with pytest.raises(ValueError, match="nested too deeply"):
            load_json(text)


@pytest.mark.parametrize("kind", DEEP)
def test_a_deeply_nested_run_stops_no_command(shell: Shell, kind: str) -> None:
    """The text of an input may hold anything; a nested value is refused at the edge, and the others are taken."""
    poison = [
        Run(
            message=f"bump the dependency x{number} to its newest version and fix what breaks",
            output="done",
            status="completed",
            session=f"p{number}",
            external_id=f"p{number}",
            tools=(ToolCall(name="Bash", input=DEEP[kind], output=DEEP[kind]),),
        )
        for number in range(3)
    ]
    ids = shell.deliver([*bumps(6), *poison])
    line = '{"message": "x", "tools": [{"name": "Bash", "input": ' + DEEP[kind] + "}]}"
    (shell.folder / "runs.jsonl").write_text(f'{line}\n{{"message": "y"}}\n', encoding="utf-8")
    recorded = shell.run("record", str(shell.folder / "runs.jsonl"))
    assert (recorded.code, "nested too deeply" in recorded.err) == (1, True)
    for words in (["learn"], ["runs", "show", ids[-1]], ["runs", "show", ids[-1], "--json"], ["patterns", "list"]):
        assert "bug in" not in shell.ok(*words), words
    shell.ok("backup", str(shell.folder / "backup.tar.gz"))
    assert shell.json("drafts", "list")


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "gone"])
def test_a_transcript_that_is_no_plain_file_hangs_nothing(shell: Shell, kind: str) -> None:
    path = shell.folder / "transcript.jsonl"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    entry = {"kind": "reference", "event": "Stop", "session": "s", "path": str(path), "offset": 0, "v": 1}
    spool = state_of(shell.folder) / "spool"
    (spool / "00000000000000000001-1-aa.json").write_text(json.dumps(entry), encoding="utf-8")
    for words in (["runs", "list"], ["doctor"], ["runs", "list"]):
        assert "Traceback" not in shell.run(*words).err
    named = shell.run("import", "claude-code", str(path))
    assert named.code in (1, 2)


HEAD = b"---\nname: a\ndescription: Does a. Use it for a.\n---\n"
DOTS = {
    "code": {"SKILL.md": HEAD + b"```sh\n" + b"a." * 20_000 + b"\n```\n"},
    "address": {"SKILL.md": HEAD + b"curl https://" + b"a." * 20_000 + b"com\n"},
    "script": {"SKILL.md": HEAD, "scripts/run.sh": b"a." * 20_000},
    "program": {"SKILL.md": HEAD, "scripts/run.py": b"a." * 20_000 + b"a\n"},
}


@pytest.mark.parametrize("kind", DOTS)
def test_a_text_that_is_one_long_name_is_reviewed_at_once(kind: str) -> None:
    review_package(Package(files={"SKILL.md": HEAD}))  # the rules are read at first use
    began = time.process_time()
    review_package(Package(files=DOTS[kind]))
    assert time.process_time() - began < 2  # what looks at every part of it again takes eleven
