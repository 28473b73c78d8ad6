"""Find the live branch of a Claude Code transcript: which lines count, in which order, in which run."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from datetime import UTC, datetime
from enum import IntEnum
from zlib import crc32

ROOT, BROKEN, BY_TIME = -1, -2, -3


class RecordKind(IntEnum):
    """The part that a record plays in the branch."""

    PLAIN = 0
    """A link in the chain without content, such as a progress report or a record of an unknown type."""
    HUMAN = 1
    REPLY = 2
    """A user record that is not a request: tool results, injected text, an interruption."""
    ASSISTANT = 3
    ATTACHMENT = 4
    SYSTEM = 5
    SIDE = 6
    """A sub-agent's record in the main file; older versions write these."""
    BOUNDARY = 9
    """The place where the conversation was compacted; earlier records may appear again after it."""
    QUEUE = 8
    """A message that the person typed while the agent was working."""
    COMMAND = 7
    """A slash command; it becomes PLAIN if its answer shows that the program handled it without the model."""


_REPAIR_LIMIT = 100
"""Records with a wrong parent that are repaired; a file with more of them is not from Claude Code."""
_STARTS = (RecordKind.HUMAN, RecordKind.COMMAND)
_MESSAGES = (RecordKind.HUMAN, RecordKind.COMMAND, RecordKind.REPLY, RecordKind.ASSISTANT)
_ASIDE = (RecordKind.SIDE, RecordKind.QUEUE)
_FOLLOWS = (RecordKind.PLAIN, RecordKind.REPLY, RecordKind.ATTACHMENT, RecordKind.SYSTEM, RecordKind.BOUNDARY, *_ASIDE)


class Branch:
    """An index of a transcript's records, which needs a few dozen bytes per record and finds the live branch."""

    def __init__(self, *, tail: bool) -> None:
        self.tail = tail
        """Whether reading began in the middle of the file; then earlier records exist but are unknown."""
        self.offsets = array("q")
        self.kinds = bytearray()
        self.groups = array("q")
        self._parents = array("q")
        self._times = array("d")
        self._marks = array("L")
        self._ids: dict[str, int] = {}
        self._later: dict[int, str] = {}
        self._rootless: list[int] = []
        self._local: list[str] = []
        self._last_main = ROOT

    def add(
        self, uuid: str, *, parent: str | None, kind: RecordKind, offset: int, moment: str, group: str = ""
    ) -> bool:
        """Add one record; False if its id is already there."""
        if uuid in self._ids:
            return False
        index = len(self.offsets)
        self._ids[uuid] = index
        self.offsets.append(offset)
        self.kinds.append(kind)
        self.groups.append(hash(group) if group else 0)
        self._times.append(_seconds_of(moment))
        self._marks.append(crc32(uuid.encode("utf-8", "replace")) if self._times[index] else index)
        self._parents.append(self._parent(index, parent, kind))
        if kind not in _ASIDE:
            self._last_main = index
        return True

    def _parent(self, index: int, parent: str | None, kind: RecordKind) -> int:
        if kind in _ASIDE:
            return BY_TIME if self._times[index] else self._last_main
        if parent:
            known = self._ids.get(parent)
            if known is None:
                self._later[index] = parent
                return BROKEN
            return known
        if parent is None and kind in _STARTS:
            return ROOT
        if self._times[index]:
            self._rootless.append(index)
        return self._last_main

    def mark_local_command(self, uuid: str) -> None:
        """Note that the program itself answered the command with this id."""
        self._local.append(uuid)

    def resolve_parents(self) -> None:
        """Resolve parents that come later in the file; a missing parent becomes the line before, except in a tail."""
        for index, uuid in self._later.items():
            known = self._ids.get(uuid)
            if known is not None:
                self._parents[index] = known
            elif not self.tail:
                self._parents[index] = index - 1
            elif index == 0:
                self._parents[index] = ROOT
        for uuid in self._local:
            known = self._ids.get(uuid)
            if known is not None and self.kinds[known] == RecordKind.COMMAND:
                self.kinds[known] = RecordKind.PLAIN
        for index in self._rootless[:_REPAIR_LIMIT]:
            self._parents[index] = self._latest_before(self._times[index])
        self._later.clear()
        self._ids.clear()

    def _latest_before(self, before: float) -> int:
        """The last message before a time, or the last record if there is no message."""
        earlier = [index for index, time in enumerate(self._times) if 0 < time < before]
        messages = [index for index in earlier if self.kinds[index] in _MESSAGES]
        return max(messages or earlier, key=self._recency, default=ROOT)

    def _recency(self, index: int) -> tuple[float, int]:
        return self._times[index], self._marks[index]

    def live_branch(self) -> LiveBranch | None:
        """The branch that ends at the last message; None if a tail does not begin where that branch enters it.

        Children never sort before their parents, whatever their clocks say.
        """
        chain = self._main_chain()
        if self.tail and (not chain or chain[0] != 0 or self._parents[0] != ROOT or self.kinds[0] not in _STARTS):
            return None
        self._drop_copies(chain)
        depths = array("q", [-1]) * len(self.offsets)
        runs = array("q", [-1]) * len(self.offsets)
        starts: list[int] = []
        latest = 0.0
        for depth, index in enumerate(chain):
            if self.kinds[index] in _STARTS:
                starts.append(index)
            depths[index] = depth
            runs[index] = len(starts) - 1
            latest = self._times[index] = max(latest, self._times[index])
        self._place_asides(chain)
        self._join_side_records(depths, runs)
        order = [index for index in range(len(depths)) if runs[index] >= 0 and self.kinds[index] != RecordKind.PLAIN]
        order.sort(key=lambda index: (runs[index], self._times[index], depths[index], self._marks[index]))
        return LiveBranch(order=array("q", order), runs=runs, starts=[self._times[index] for index in starts])

    def _main_chain(self) -> list[int]:
        """The records from the root to the last message; the last one is found by time, then by place in the file."""
        messages = [index for index, kind in enumerate(self.kinds) if kind in _MESSAGES]
        if not messages:
            return []
        inner = self._records_with_messages_below(messages)
        leaves = [index for index in messages if not inner[index]] or messages
        chain: list[int] = []
        seen = bytearray(len(self.offsets))
        index, mended = max(leaves, key=lambda index: (self._times[index], index)), 0
        while index >= 0:
            seen[index] = 1
            chain.append(index)
            above = self._parents[index]
            if above >= 0 and seen[above]:
                mended += 1
                above = self._new_parent_of(index, messages, seen) if mended <= _REPAIR_LIMIT else ROOT
            index = above
        if index == BROKEN:
            chain.append(BROKEN)
        chain.reverse()
        return chain

    def _records_with_messages_below(self, messages: list[int]) -> bytearray:
        """A flag for each record that has a message below it; such a record is never the last, whatever its time is."""
        inner = bytearray(len(self.offsets))
        for index in messages:
            above = self._parents[index]
            while above >= 0 and not inner[above]:
                inner[above] = 1
                above = self._parents[above]
        return inner

    def _new_parent_of(self, index: int, messages: list[int], seen: bytearray) -> int:
        """The last message before a record: its new parent if compaction left it with a parent below it."""
        earlier = [one for one in messages if not seen[one] and self._times[one] <= self._times[index]]
        above = max(earlier, key=self._recency, default=BROKEN if self.tail else ROOT)
        self._parents[index] = above
        return above

    def _drop_copies(self, chain: list[int]) -> None:
        """Turn records that compaction wrote a second time, with new ids and old times, into plain links."""
        known: set[tuple[int, float]] = set()
        floor = 0.0
        for index in chain:
            kind, time = self.kinds[index], self._times[index]
            if kind == RecordKind.BOUNDARY:
                floor = time
            elif 0 < time < floor and ((kind, time) in known or (self.tail and time < self._times[0])):
                self.kinds[index] = RecordKind.PLAIN
            known.add((kind, time))

    def _place_asides(self, chain: list[int]) -> None:
        """Give each record that has a time but no parent the record before it as parent."""
        times = [self._times[index] for index in chain]
        for index, parent in enumerate(self._parents):
            if parent == BY_TIME:
                at = bisect_right(times, self._times[index]) - 1
                self._parents[index] = chain[at] if at >= 0 else ROOT

    def _join_side_records(self, depths: array[int], runs: array[int]) -> None:
        """Add records beside the chain that are not a fork: parallel tool calls, their results, notices."""
        groups = {self.groups[i] for i in range(len(depths)) if depths[i] >= 0 and self.groups[i]}
        settled = bytearray(1 if depth >= 0 else 0 for depth in depths)
        for first in range(len(depths)):
            for index in reversed(self._unsettled_path(first, settled)):
                above = self._parents[index]
                if above >= 0 and depths[above] >= 0 and self._may_join(index, groups):
                    depths[index], runs[index] = depths[above] + 1, runs[above]
                    self._times[index] = max(self._times[index], self._times[above])

    def _may_join(self, index: int, groups: set[int]) -> bool:
        """Whether a record beside the chain belongs to it: it is no message, or part of a message in the chain."""
        kind = self.kinds[index]
        return kind in _FOLLOWS or (kind == RecordKind.ASSISTANT and self.groups[index] in groups)

    def _unsettled_path(self, index: int, settled: bytearray) -> list[int]:
        """The records from one record upward that are not settled yet; marks them as settled."""
        path: list[int] = []
        while index >= 0 and not settled[index]:
            settled[index] = 1
            path.append(index)
            index = self._parents[index]
        return path


class LiveBranch:
    """The live records in order, and the run of each."""

    def __init__(self, *, order: array[int], runs: array[int], starts: list[float]) -> None:
        self.runs = runs
        self.starts = starts
        """When each run began, in seconds."""
        self.ranks = array("q", [-1]) * len(runs)
        for rank, index in enumerate(order):
            self.ranks[index] = rank

    def run_at(self, moment: str) -> int:
        """The number of the run at a time; the last run if the time is unknown, -1 before the first run."""
        seconds = _seconds_of(moment)
        return len(self.starts) - 1 if seconds == 0 else bisect_right(self.starts, seconds) - 1


def _seconds_of(moment: str) -> float:
    """Seconds since 1970; 0 if the text is not a time."""
    try:
        read = datetime.fromisoformat(moment)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0
