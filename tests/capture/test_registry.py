"""Sources are found by name, and a file tells whose it is."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from capture_samples import busy_rollout, busy_session, parse, reasons, runs

from metier.capture.registry import find_source, guess_source, source_names
from metier.capture.source import Captured
from metier.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", source_names())
def test_every_source_answers_to_its_name(name: str) -> None:
    found = find_source(name)
    assert found.name == name
    assert found.title
    assert isinstance(found.places({}, "/home/ann"), tuple)
    assert list(found.sessions([], lambda _: b"")) == []


def test_the_proven_ones_are_named() -> None:
    assert [name for name in source_names() if find_source(name).proven] == [
        "claude-code",
        "codex",
        "copilot",
        "specstory",
        "otel",
        "openinference",
        "jsonl",
    ]


def test_an_unknown_name_tells_the_nearest() -> None:
    with pytest.raises(InputError, match=r"there is no source 'claude_cod'; did you mean 'claude-code'\?"):
        find_source("claude_cod")
    with pytest.raises(InputError, match="known sources: claude-code"):
        find_source("zzzzzzzz")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (busy_session().bytes, "claude-code"),
        (busy_rollout().bytes, "codex"),
        (b'{"resourceSpans":[]}', "otel"),
        (b'{"message":"hi","output":"ho"}\n', "jsonl"),
        (b'{"role":"user","content":"hi"}\n', "picoclaw"),
        (b"hello", None),
    ],
)
def test_a_file_tells_whose_it_is(data: bytes, name: str | None) -> None:
    assert guess_source("x.jsonl", data) == name


def test_runs_in_our_own_format_are_read_with_their_problems_named() -> None:
    lines = [{"message": "a", "id": "1"}, {"mesage": "b"}, {"message": "c"}, {"message": "metier: judge"}, [1]]
    data = "\n".join(json.dumps(line) for line in lines).encode() + b"\n"
    found = parse(find_source("jsonl"), data)
    first, second = runs(found)
    assert (first.external_id, first.source) == ("1", "jsonl")
    assert second.external_id is not None
    assert second.external_id.startswith("line:")
    assert reasons(found) == [
        "mesage: unknown field; did you mean 'message'?",
        "sent by Metier itself",
        "not a JSON object",
    ]
    offset = max(one.offset for one in found if isinstance(one, Captured))
    assert runs(parse(find_source("jsonl"), data, offset)) == [second]


def test_another_package_adds_a_source_by_entry_point(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Mine:\n    name = 'mine'\n")
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[metier.sources]\nmine = mine:Mine\nbroken = nowhere:Gone\n")
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from metier.capture import find_source, source_names\n"
        "print(find_source('mine').name, 'mine' in source_names())\n"
        "try: find_source('broken')\nexcept Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    first, second = done.stdout.splitlines()
    assert first == "mine True"
    assert second.startswith("InputError the source 'broken' of nowhere:Gone cannot be loaded")
