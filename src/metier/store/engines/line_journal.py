"""A file that takes in lines until they are in the store: written at once, without waiting, safe from a kill.

Two parts take turns: while a group of writes is committed, new lines go to the other one. A line may come late and stay
when it is in the store already, so taking in what is left must do nothing twice. A power cut may lose lines; what must
survive one is waited for.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


SUFFIX = ".journal"


class LineJournal:
    """The lines of writes that are under way."""

    def __init__(self, file: Path) -> None:
        self._files = tuple(file.with_name(f"{file.name}.{part}") for part in (0, 1))
        self._open = [os.open(one, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600) for one in self._files]
        self.part = 0
        """The one that is written to."""

    def left(self) -> Iterator[bytes]:
        """Lines that an earlier process left; one that it was killed while writing is none."""
        for one in self._files:
            for line in one.read_bytes().split(b"\n"):
                if line:
                    yield line

    def add(self, lines: list[bytes], part: int) -> None:
        """Keep lines; they begin anew whatever a full disk left of those before."""
        os.write(self._open[part], b"\n%s\n" % b"\n".join(lines))

    def turn(self) -> int:
        """Write to the other part from now on; says which it was."""
        part, self.part = self.part, 1 - self.part
        return part

    def clear(self, part: int) -> None:
        """The lines of a part are in the store."""
        os.ftruncate(self._open[part], 0)

    def close(self, *, keep: bool) -> None:
        """End it; a file goes when nothing is in it, or all of that is in the store."""
        for descriptor, one in zip(self._open, self._files, strict=True):
            empty = os.fstat(descriptor).st_size == 0
            os.close(descriptor)
            if empty or not keep:
                one.unlink(missing_ok=True)


def remove_all(folder: Path) -> None:
    """Remove what killed processes left in a folder: it may quote what is removed for good."""
    for file in folder.glob(f"*{SUFFIX}.[01]"):
        file.unlink(missing_ok=True)
