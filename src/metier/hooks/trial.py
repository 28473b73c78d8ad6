"""Trials: which sessions go without a skill. A keyed hash decides, so nobody can choose, and a clock plays no part."""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

from metier.hooks.identity import seal_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from sqlite3 import Connection

WITH, WITHOUT = "with", "without"


def arm_of(key: bytes, trial: str, session: str) -> str:
    """Whether a session gets the skill of a trial: half of all do, the same one always, under this person's key."""
    return WITH if int(seal_of(key, "trial", trial, session)[:2], 16) < 128 else WITHOUT


def running_trials(
    connection: Connection, sql: Mapping[str, str], workspace: str, agent: str
) -> dict[tuple[str, str], str]:
    """The trials that run among the sessions of an agent, by the skill's name and hash."""
    import sqlite3

    try:
        rows = connection.execute(sql["trials"], (workspace, f",{agent},")).fetchall()
    except sqlite3.OperationalError:  # a database of an earlier version, which the next command brings up to date
        return {}
    return {(str(skill), str(content)): str(trial) for trial, skill, content in rows}
