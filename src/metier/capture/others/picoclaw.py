"""The source `picoclaw`, from its public code: chats, one message per line, and the records of its evolution."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.others.picoclaw_evolution import TASKS, holds_records, is_evolution_file, parse_evolution
from metier.capture.reading.dialogue import Dialogue, text_of_blocks
from metier.capture.reading.fields import decode, mapping, moment, number, text
from metier.capture.reading.lines import read_records
from metier.capture.source import Found, Rewound, Session, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from metier.capture.reading.fields import Map
    from metier.capture.reading.lines import FileLine

_META = ".meta.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class PicoClaw:
    """Sessions as `{key}.jsonl` beside `{key}.meta.json`; an evolution state folder is one session of its own."""

    name: str = "picoclaw"
    title: str = "PicoClaw"
    proven: bool = False

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:  # noqa: ARG002
        """Where PicoClaw keeps its sessions."""
        return (
            f"{home}/.picoclaw/**/sessions/*.jsonl",
            f"{home}/.picoclaw/**/sessions/*{_META}",
            f"{home}/.picoclaw/**/state/evolution/*-records.jsonl",
        )

    def claims(self, path: str, head: bytes) -> bool:
        """Whether the first line is a plain chat message, or an evolution record."""
        if is_evolution_file(path):
            return holds_records(head)
        first = head.split(b"\n", 1)[0]
        bare = b'"role"' in first and b'"content"' in first and b'"type"' not in first and b'"messages"' not in first
        return path.endswith(".jsonl") and bare

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:  # noqa: ARG002
        """One session per chat file, together with its description; one per evolution state folder."""
        known = set(paths)
        yield from _state_folders(path for path in known if is_evolution_file(path))
        for path in sorted(path for path in known if path.endswith(".jsonl") and not is_evolution_file(path)):
            meta = path.removesuffix(".jsonl") + _META
            yield Session(main=path, others=(meta,) if meta in known else ())

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """The runs after the lines that no longer count."""
        main = next(iter(files))
        if start:
            yield Rewound(file=main, reason="what an earlier line says can change")
            return
        if is_evolution_file(main):
            yield from parse_evolution(files)
            return
        skip = max((_lines_to_skip(file) for name, file in files.items() if name.endswith(_META)), default=0)
        talk = Dialogue(source=self.name, session=PurePath(main).stem, file=main)
        for found in read_records(main, files[main]):
            if isinstance(found, Skipped):
                yield found
                continue
            if found[0].number > skip:
                yield from _add_message(talk, *found)
        yield from talk.end_run()
        if not talk.count:
            yield Skipped(file=main, line=0, reason="no request from a person")


def _add_message(talk: Dialogue, line: FileLine, record: Map) -> Iterator[Found]:
    """Add one message of a chat; yields the run that it ends."""
    role, said = text(record, "role"), text_of_blocks(record.get("content"))
    if role == "user" and said.strip():
        when = moment(record, "created_at")
        yield from talk.add_request(said, name=f"line:{line.number}", moment=when, offset=line.offset)
    elif role == "assistant":
        talk.add_answer(said, record.get("tool_calls"))
    elif role == "tool":
        talk.add_result(text(record, "tool_call_id"), said)
    if talk.run is not None:
        talk.run.set_model(text(record, "model_name"))
        talk.run.add_time(moment(record, "created_at"))


def _state_folders(paths: Iterable[str]) -> Iterator[Session]:
    """The record files of each folder as one session: the same task may be in several of them."""
    folders: dict[str, list[str]] = {}
    for path in sorted(paths, key=lambda one: (PurePath(one).name != TASKS, one)):
        folders.setdefault(str(PurePath(path).parent), []).append(path)
    for main, *others in (folders[folder] for folder in sorted(folders)):
        yield Session(main=main, others=tuple(others))


def _lines_to_skip(file: BinaryIO) -> int:
    """The number of lines at the beginning that no longer count."""
    file.seek(0)
    try:
        return number(mapping(decode(file.read(1024 * 1024).decode("utf-8", "replace"))), "skip")
    except ValueError:
        return 0
