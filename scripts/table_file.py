"""Write the file of word vectors: one line of JSON, the vocabulary, a scale and eight-bit numbers per row."""

from __future__ import annotations

import hashlib
import json

import numpy as np
from numpy.typing import NDArray

from metier.models.embedder import MAGIC


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
