"""The one way a run ends before its end: thrown where the budget is found used up, caught where the run is driven."""

from __future__ import annotations


class Halt(Exception):  # noqa: N818 - no error: the run ends with the best so far
    """Nothing more may be spent."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
