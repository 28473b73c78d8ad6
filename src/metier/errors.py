"""Every error Metier raises on purpose, in one tree.

    MetierError              what, which one, and what to do next; shown without a traceback
    ├── UsageError          the call itself is wrong (exit 2)
    │   └── ConfigError     a setting is unknown or has an impossible value (exit 2)
    ├── RefusedError        understood, and not done (exit 1)
    │   ├── InputError      what was handed in cannot be used
    │   │   └── UnreadableError  a file that others wrote is left alone
    │   ├── NotFoundError   nothing by that name
    │   └── ConflictError   somebody else changed it meanwhile
    └── StoreError          the database or the disk said no (exit 1)
        ├── ReadOnlyError   the place where state lies cannot be written from here
        ├── BusyError       another process holds the lock for too long
        ├── SchemaError     the database was written by another version of Metier
        ├── DamagedError    the database is not readable any more
        ├── UnreachableError  the database server does not answer
        └── LostJobError    another worker has the job by now

Foreign exceptions (`sqlite3`, `psycopg`, `OSError`) are translated by the adapter that meets them, nowhere else.
"""

from __future__ import annotations

import errno
from typing import Literal


class MetierError(Exception):
    """Something a person can understand and act on."""

    exit_code = 1


class UsageError(MetierError):
    """The command or call is not of the expected form."""

    exit_code = 2


class ConfigError(UsageError):
    """A setting is unknown, or its value is."""


class RefusedError(MetierError):
    """The request was understood and is not carried out."""


class InputError(RefusedError):
    """A file, a line or a value handed in cannot be used."""


class UnreadableError(InputError):
    """A file that others wrote is left alone: why, and whether it is worth another try."""

    def __init__(self, path: str, reason: str, state: Literal["gone", "busy", "refused"] = "refused") -> None:
        shown = path if path.isprintable() else ascii(path)
        super().__init__(f"{shown} cannot be read: {reason}.")
        self.path = shown
        self.reason = reason
        self.state = state
        """`gone`: it is not there (yet); `busy`: it may be readable later; `refused`: no other try helps."""


class NotFoundError(RefusedError):
    """There is nothing by that name."""


class ConflictError(RefusedError):
    """The thing was changed by someone else in the meantime."""


class StoreError(MetierError):
    """The store could not do what was asked; nothing was half written."""


class ReadOnlyError(StoreError):
    """State cannot be written from here: a read-only disk, missing rights, an agent's sandbox."""

    @classmethod
    def unless_other(cls, error: OSError, text: str) -> StoreError:
        """This error for what the system forbids, a StoreError for anything else."""
        return cls(text) if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM) else StoreError(text)


class BusyError(StoreError):
    """Another process held the store's lock for longer than the set wait."""


class SchemaError(StoreError):
    """The database belongs to another version of Metier."""


class DamagedError(StoreError):
    """The database file is no database any more, or a part of it is gone."""


class UnreachableError(StoreError):
    """The database server cannot be reached, or went away in the middle."""


class LostJobError(StoreError):
    """Another worker has taken over the job; what this one found is not kept."""
