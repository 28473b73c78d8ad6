"""Secrets in every place of many runs: recorded, learned from, shipped, exported, and found in none of the files."""

from __future__ import annotations

import io
import zipfile
import zlib
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from learn_world import REPORTS, TESTS, Clock, all_drafts, all_patterns, documents, failed, learned, opened, task
from secret_samples import KINDS, NAMED

from metier.library.proposals.drafts import approve_draft
from metier.library.proposals.parcels import export_skill
from metier.library.proposals.ship import apply_drafts
from metier.maintenance.backup import write_backup
from metier.types import Passage, Run, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TASKS = (TESTS, REPORTS)


def values() -> list[tuple[str, str]]:
    """One secret of every kind: the line it stands in, and itself."""
    random = Random(20260105)
    bare = [(value, value) for make in KINDS.values() if (value := make(random))]
    named = [(f"{names.split()[0]}={value}", value) for names, make in NAMED.values() if (value := make(random))]
    return [*bare, *named]


def salted(run: Run, lines: Sequence[str]) -> Run:
    """A run with secrets in every text it has."""
    said = iter(lines * 8)
    calls = [
        replace(call, input=f"{call.input} # {next(said)}", output=f"{call.output}\n{next(said)}", said=next(said))
        for call in run.tools
    ]
    bad = ToolCall(
        name="Bash", ok=False, input=f"export {next(said)}", error=f"denied: {next(said)}", output=next(said)
    )
    return replace(
        run,
        message=f"{run.message}, the key is {next(said)}",
        output=f"{run.output} I used {next(said)}.",
        tools=(*calls, bad, replace(calls[0], input=f"curl -H 'Authorization: Bearer {next(said)}' https://x.example")),
        correction=f"No, use {next(said)} instead." if run.status == "error" else None,
        context=(Passage(origin="file", text=f".env says {next(said)}"),),
    )


def runs(lines: list[str]) -> list[Run]:
    """Two tasks whose runs carry all of the lines between them."""
    count = 16
    share = -(-len(lines) // count)
    parts = [lines[at * share : (at + 1) * share] or lines[:share] for at in range(count)]
    made = [one for asks in TASKS for one in (*task(asks, 0, 6), *failed(task(asks, 6, 2)))]
    return [salted(run, part) for run, part in zip(made, parts, strict=True)]


def texts(file: Path) -> Iterator[bytes]:
    """The bytes of a file, and what they hold when they are packed."""
    raw = file.read_bytes()
    yield raw
    with suppress(zlib.error):
        yield zlib.decompress(raw)
    yield from unzipped(raw)


def unzipped(raw: bytes) -> Iterator[bytes]:
    if zipfile.is_zipfile(io.BytesIO(raw)):
        with zipfile.ZipFile(io.BytesIO(raw)) as parcel:
            for name in parcel.namelist():
                yield parcel.read(name)
                yield from unzipped(parcel.read(name))


def test_no_secret_of_a_run_is_in_any_file_after_recording_learning_shipping_and_exporting(tmp_path: Path) -> None:
    known = values()
    folder, out = tmp_path / "shop", tmp_path / "out"
    out.mkdir()
    with opened(folder, Clock(), mode="apply") as ws:
        assert {one.how for one in ws.deliver(runs([line for line, _ in known]))} == {"new"}
        learned(ws)
        for draft in all_drafts(ws):
            if draft.status == "candidate":
                approve_draft(ws.library, draft.id)
                apply_drafts(ws.library, [draft.id])
        assert all_drafts(ws)
        for name in documents(ws):
            (out / f"{name}.zip").write_bytes(export_skill(ws.library, name))
        write_backup(ws.context, out / "all.backup")
        looked = [file for place in (folder, tmp_path / "home", out) for file in place.rglob("*") if file.is_file()]
        assert any(file.name.endswith("-wal") for file in looked)
        content = b"\0".join(text for file in looked for text in texts(file))
    assert [value for _, value in known if value.encode() in content] == []
    assert b"flaky" in content


def test_a_skill_learned_from_salted_runs_ships_and_names_no_mark(tmp_path: Path) -> None:
    with opened(tmp_path / "shop", Clock(), mode="apply") as ws:
        ws.deliver(runs([line for line, _ in values()]))
        learned(ws)
        made = [one.body for one in all_drafts(ws)]
        assert made
        assert not [body for body in made if "REDACTED" in body]
        assert not [one for one in all_patterns(ws) if "redacted" in f"{one.label} {one.summary}".casefold()]
