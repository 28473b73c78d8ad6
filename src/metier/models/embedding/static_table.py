"""The file that holds the static table: one line of JSON, the vocabulary, a scale and eight-bit numbers per row."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

MAGIC = "metier-static-table-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Vectors of known pieces of words; a row is its scale times its eight-bit numbers."""

    name: str
    vocabulary: Mapping[str, int]
    scales: NDArray[np.float32]
    rows: NDArray[np.int8]
    sha256: str
    """Of everything behind the first line, taken when the file was written."""


def unpack(data: bytes) -> Table:
    """The table in a file's bytes; a ValueError when it is not one."""
    start = data.find(b"\n") + 1
    head = json.loads(data[:start])
    if head.get("format") != MAGIC:
        raise ValueError(f"not a static table: its format is {head.get('format')!r}, not {MAGIC!r}")
    count, size, listed = int(head["rows"]), int(head["dimensions"]), int(head["vocabulary"])
    if len(data) - start != listed + 4 * count + count * size:
        raise ValueError(f"the static table is {len(data)} bytes long, not what its first line says; install again")
    known = data[start : start + listed].decode().split("\n")
    return Table(
        name=head["name"],
        vocabulary=dict(zip(known, range(count), strict=True)),
        scales=np.frombuffer(data, dtype="<f4", count=count, offset=start + listed),
        rows=np.frombuffer(data, dtype=np.int8, offset=start + listed + 4 * count).reshape(count, size),
        sha256=head["sha256"],
    )


def pack(name: str, known: list[str], vectors: NDArray[np.float32]) -> bytes:
    """The bytes of a file that `unpack` reads: each row scaled so that its largest number is 127."""
    scales = (np.abs(vectors).max(axis=1) / 127).astype("<f4")
    rows = np.rint(vectors / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8)
    listed = "\n".join(known).encode()
    rest = listed + scales.tobytes() + rows.tobytes()
    head = {
        "format": MAGIC,
        "name": name,
        "rows": len(known),
        "dimensions": vectors.shape[1],
        "vocabulary": len(listed),
        "sha256": hashlib.sha256(rest).hexdigest(),
    }
    return json.dumps(head).encode() + b"\n" + rest
