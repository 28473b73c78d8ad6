"""An embedder that needs no network and no model: a table of word vectors that ships with the package."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from metier.text.words import LONGEST, fold_text, is_dense, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

FILE: Final = "minilm-static.bin"
MAGIC: Final = "metier-static-table-1"
"""The format that the first line of the file names."""
BUCKETS: Final = 4096
"""Rows of noise that stand for short parts of words the table does not know."""
SEED: Final = bytes.fromhex("7461636974")
"""What the rows of noise are made of: any bytes would do, but others give other vectors and other figures."""
NOISE: Final = 74.0
"""Root mean square of a random signed byte: divided by it, a row of noise has about the length of a rare word."""
LETTERS: Final = 20_000
WORDS: Final = 2_000
"""Words of a text that are looked at: more would not change its meaning, only its cost."""
CACHED: Final = 50_000
"""Words whose pieces are remembered."""
UNKNOWN: Final = 1.0
"""Length of the vector of a word the table does not know at all; that of a rare known word is about 1."""
SPLIT: Final = 0.4
"""Share of letters in a word known only in pieces: names and compounds should also match by their look."""

Parts = tuple[tuple[int, ...], tuple[float, ...]]
"""Row numbers of a word and the weight of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Vectors of known pieces of words; a row is its scale times its eight-bit numbers."""

    name: str
    vocabulary: Mapping[str, int]
    scales: NDArray[np.float32]
    rows: NDArray[np.int8]
    sha256: str
    """Of everything behind the first line, taken when the file was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    """The table with the rows of noise behind its own."""

    table: Table
    rows: NDArray[np.int8]
    scales: NDArray[np.float32]


class StaticEmbedder:
    """Texts as vectors of length one whose product tells how near they are in meaning; the same bytes every time.

    English words have vectors distilled from a sentence model. Words of other languages and scripts are compared by
    their letters: same words, stems and characters are near, translations are not.
    """

    def __init__(self, table: Table | None = None) -> None:
        self._given = table
        self._load = lru_cache(maxsize=1)(self._read)
        self._parts = lru_cache(maxsize=CACHED)(self._parts_of)

    @property
    def name(self) -> str:
        """Which embedder this is, with the beginning of its table's hash: vectors of two names do not compare."""
        table = self._load().table
        return f"{table.name}@{table.sha256[:12]}"

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return int(self._load().table.rows.shape[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row per text; a text without words gets zeros."""
        return unit(self.sums(texts))

    def sums(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same before it is brought to length one: the sum of two texts' rows is the row of both together."""
        loaded = self._load()
        out = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for at, text in enumerate(texts):
            numbers: list[int] = []
            weights: list[float] = []
            for word in words(text[:LETTERS])[:WORDS]:
                found, weight = self._parts(word[:LONGEST])
                numbers += found
                weights += weight
            if numbers:
                factors = loaded.scales[numbers] * np.array(weights, dtype=np.float32)
                out[at] = np.add.reduce(loaded.rows[numbers] * factors[:, None], axis=0)
        return out

    def weight(self, word: str) -> float:
        """How much a word says, 0 to 1: little if it is among the commonest English ones, 1 if the table has it not."""
        table = self._load().table
        row = table.vocabulary.get(fold_text(word))
        if row is None:
            return 1.0
        return min(1.0, float(table.scales[row] * np.sqrt(np.square(table.rows[row], dtype=np.float32).sum())))

    def _read(self) -> _Loaded:
        """The table, given or from the package, when it is first needed."""
        table = self._given or unpack((files("metier.models") / "weights" / FILE).read_bytes())
        size = table.rows.shape[1]
        noise = np.frombuffer(hashlib.shake_256(SEED).digest(BUCKETS * size), dtype=np.int8)
        scale = np.full(BUCKETS, 1 / (NOISE * size**0.5), dtype=np.float32)
        return _Loaded(
            table=table,
            rows=np.concatenate([table.rows, noise.reshape(BUCKETS, size)]),
            scales=np.concatenate([table.scales, scale]),
        )

    def _parts_of(self, word: str) -> Parts:
        """The rows that make up one word."""
        table = self._load().table
        known = pieces(word, table.vocabulary) if word.isascii() else []
        if len(known) == 1 or (known and word.isdigit()):
            return tuple(known), (1.0,) * len(known)
        first = len(table.vocabulary)
        letters = [first + bucket(gram, BUCKETS) for gram in grams(word)]
        share = (SPLIT if known else UNKNOWN) * (len(word) ** 0.5 if is_dense(word) else 1.0)
        weight = share / len(letters) ** 0.5
        return (*known, *letters), (1.0,) * len(known) + (weight,) * len(letters)


def pieces(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    """The longest known pieces from left to right, as row numbers; empty when a part is not known."""
    whole = vocabulary.get(word)
    if whole is not None:
        return [whole]
    rows: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            row = vocabulary.get(prefix + word[start:end])
            if row is not None:
                rows.append(row)
                start = end
                break
        else:
            return []
    return rows


def grams(word: str) -> Iterator[str]:
    """Short overlapping parts of a word: pairs in a dense script, else threes and fours with the word's ends."""
    if is_dense(word):
        yield from word
        yield from (word[at : at + 2] for at in range(len(word) - 1))
        return
    ended = f"<{word}>"
    for length in (3, 4, 5):
        yield from (ended[at : at + length] for at in range(max(1, len(ended) - length + 1)))


def bucket(gram: str, buckets: int) -> int:
    """A number below `buckets` that is always the same for the same letters."""
    return crc32(gram.encode("utf-8", "surrogatepass")) % buckets


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors at length one; zeros stay zeros."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    lengths[lengths == 0] = 1
    return (vectors / lengths[:, None]).astype(np.float32)


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
