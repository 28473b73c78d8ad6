"""The source `hermes`, from its published package: the database, exported sessions, ShareGPT trajectories."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

from metier.capture.reading.dialogue import Dialogue, text_of_blocks
from metier.capture.reading.fields import Map, decode, flag, items, mapping, moment, text
from metier.capture.reading.lines import read_records
from metier.capture.source import Captured, Found, Rewound, Session, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_SQLITE = b"SQLite format 3\0"
_ROLES = {"human": "user", "gpt": "assistant", "user": "user", "assistant": "assistant", "tool": "tool"}
_QUERY = """
select s.id as session, s.model as model, m.id as id, m.role as role, m.content as content, m.tool_calls as tool_calls,
       m.tool_call_id as tool_call_id, m.tool_name as tool_name, m.timestamp as timestamp
from messages m join sessions s on s.id = m.session_id
where coalesce(m.active, 1) = 1 and s.parent_session_id is null
order by s.started_at, s.id, m.timestamp, m.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hermes:
    """The database `~/.hermes/state.db`, or files that Hermes exported."""

    name: str = "hermes"
    title: str = "Hermes"
    proven: bool = False

    def places(self, env: Mapping[str, str], home: str) -> tuple[str, ...]:
        """Where Hermes keeps its database."""
        return (f"{env.get('HERMES_HOME') or f'{home}/.hermes'}/state.db",)

    def claims(self, path: str, head: bytes) -> bool:
        """Whether a file is the database `state.db`, an exported session or a trajectory."""
        if head.startswith(_SQLITE):
            return PurePath(path).name == "state.db"
        first = head.split(b"\n", 1)[0][:4000]
        return path.endswith(".jsonl") and (b'"conversations"' in first or b'"messages"' in first)

    def sessions(self, paths: Sequence[str], head: Callable[[str], bytes]) -> Iterator[Session]:  # noqa: ARG002
        """One `Session` per file; a database contains many sessions of Hermes."""
        yield from (Session(main=path) for path in sorted(set(paths)) if path.endswith((".db", ".jsonl")))

    def parse(self, files: Mapping[str, BinaryIO], start: int = 0) -> Iterator[Found]:
        """The runs of all sessions in a file."""
        main = next(iter(files))
        if start:
            yield Rewound(file=main, reason="messages of a known session can change")
            return
        files[main].seek(0)
        database = files[main].read(16) == _SQLITE
        yield from self._read_database(main) if database else self._read_lines(main, files[main])

    def _read_database(self, path: str) -> Iterator[Found]:
        """Read the database in place, read-only and without a lock."""
        try:
            connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)
        except sqlite3.Error as error:
            yield Skipped(file=path, line=0, reason=f"the database cannot be opened: {error}")
            return
        try:
            connection.row_factory = sqlite3.Row
            connection.text_factory = _decode_text
            rows = ({key: row[key] for key in row.keys()} for row in connection.execute(_QUERY))  # noqa: SIM118
            yield from self._read_rows(path, rows)
        except sqlite3.Error as error:
            yield Skipped(file=path, line=0, reason=f"the database cannot be read: {error}")
        finally:
            connection.close()

    def _read_rows(self, path: str, rows: Iterator[Map]) -> Iterator[Found]:
        talk = Dialogue(source=self.name, session="", file=path)
        session, count = "", 0
        for row in rows:
            if text(row, "session") != session:
                yield from talk.end_run()
                count += talk.count
                session = text(row, "session")
                talk = Dialogue(source=self.name, session=session, file=path)
            yield from _add_message(talk, row, f"{row.get('id')}", _time_of(row.get("timestamp")))
        yield from talk.end_run()
        if not count + talk.count:
            yield Skipped(file=path, line=0, reason="no request from a person")

    def _read_lines(self, name: str, file: BinaryIO) -> Iterator[Found]:
        count = 0
        for found in read_records(name, file):
            if isinstance(found, Skipped):
                yield found
                continue
            line, record = found
            session = text(record, "id") or text(record, "session_id") or f"line:{line.number}"
            for one in self._read_session(name, session, record):
                count += 1
                yield one
        if not count:
            yield Skipped(file=name, line=0, reason="no request from a person")

    def _read_session(self, name: str, session: str, record: Map) -> Iterator[Captured]:
        """The runs of one exported session or trajectory."""
        talk = Dialogue(source=self.name, session=session, file=name)
        for index, given in enumerate(items(record, "messages") or items(record, "conversations")):
            message = mapping(given)
            role = _ROLES.get(text(message, "from"), text(message, "role"))
            said = text(message, "value") or text_of_blocks(message.get("content"))
            row: Map = {"model": text(record, "model"), **message, "role": role, "content": said}
            when = moment(row, "timestamp") or (moment(record, "timestamp") if index == 0 else None)
            yield from _add_message(talk, row, f"message:{index}", when)
        if talk.run is not None and "completed" in record:
            talk.run.status = "completed" if flag(record, "completed") else "error"
        yield from talk.end_run()


def _decode_text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _add_message(talk: Dialogue, row: Map, name: str, when: str | None) -> Iterator[Captured]:
    role, said = text(row, "role"), text(row, "content")
    if role == "user" and said.strip():
        yield from talk.add_request(said, name=name, moment=when)
    elif role == "assistant":
        talk.add_answer(said, _parse_calls(row.get("tool_calls")))
    elif role == "tool":
        talk.add_result(text(row, "tool_call_id"), said, name=text(row, "tool_name") or text(row, "name"))
    if talk.run is not None:
        talk.run.set_model(text(row, "model"))
        talk.run.add_time(when)
        if role == "system":
            talk.run.add_passage("operator", said)


def _parse_calls(given: object) -> object:
    """The tool calls; in the database they are JSON text."""
    if not isinstance(given, str):
        return given
    try:
        return decode(given)
    except ValueError:
        return None


def _time_of(given: object) -> str | None:
    """A time from seconds, as in the database, or from text."""
    if isinstance(given, int | float) and 0 < given < 10**11:
        return datetime.fromtimestamp(given, UTC).isoformat()
    return moment({"at": given}, "at")
