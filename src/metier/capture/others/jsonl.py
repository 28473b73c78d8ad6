"""The source `jsonl`: Metier's own format, one run per line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

from metier.capture.reading.corrections import is_own_prompt
from metier.capture.reading.lines import check_start, read_records
from metier.capture.source import Captured, Found, Session, Skipped
from metier.errors import InputError
from metier.formats.run_json import parse_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Jsonl:
    """Files of runs, in the format that `metier record` reads."""

    name: str = "jsonl"
    title: str = "Metier's own JSONL"
    proven: bool = True

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:  # noqa: ARG002
        """No places: people and programs write such files anywhere."""
        return ()

    def claims(self, path: str, head: bytes) -> bool:
        """Whether the first line is a run."""
        first = head.split(b"\n", 1)[0]
        return path.endswith((".jsonl", ".jsonl.zst")) and b'"message"' in first and _is_run(first)

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:  # noqa: ARG002
        """One session per file."""
        yield from (Session(main=path) for path in sorted(set(paths)) if path.endswith((".jsonl", ".jsonl.zst")))

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """One run per line; a run without an id gets the hash of its line as id, so a second import adds nothing."""
        for name, file in files.items():
            rewound = check_start(name, file, start)
            if rewound is not None:
                yield rewound
                return
            for found in read_records(name, file, start):
                if isinstance(found, Skipped):
                    yield found
                    continue
                line, record = found
                try:
                    run = parse_run(record, source=self.name)
                except InputError as error:
                    yield Skipped(file=name, line=line.number, reason=str(error))
                    continue
                if is_own_prompt(run.message):
                    yield Skipped(file=name, line=line.number, reason="sent by Metier itself")
                    continue
                place = run.external_id or f"line:{hashlib.sha256(line.raw.strip()).hexdigest()[:32]}"
                yield Captured(run=replace(run, external_id=place), file=name, offset=line.offset)


def _is_run(first: bytes) -> bool:
    from metier.capture.reading.lines import parse_line

    record = parse_line(first)
    if isinstance(record, str):
        return False
    try:
        parse_run(record)
    except InputError:
        return False
    return True
