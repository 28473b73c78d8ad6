"""How many megabytes of transcript a second the redactor reads on one core, and what hostile text costs it.

Limits: 8 MB/s on transcripts, 1 s for a megabyte made to be slow.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import secret_samples as samples
from tacit.redact import Redactor, redact_quick

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = b"benchmark"
FLOOR = 8.0
CEILING = 1.0
HOSTILE = ("a", "[", " ", "password=", "eyJ", "-----BEGIN PRIVATE " + "KEY-----")
WORDS = (
    "the function reads each line and returns tokens for the test that failed because of a missing key in config while "
    "running pytest src/app/models.py import json def main return value path error stack trace list files commit branch"
)


def transcript(megabytes: float, seed: int = 1) -> list[str]:
    """Messages like those of a session: prose, code, tool output, and a secret in every two-hundredth."""
    random = Random(seed)
    words, lookalikes = WORDS.split(), list(samples.lookalikes(seed))
    secrets = [line for _, _, line in samples.secrets(seed, count=2)]
    messages: list[str] = []
    while sum(map(len, messages[-1:])) + len(messages) * 900 < megabytes * 1e6:
        lines = [" ".join(random.choices(words, k=random.randrange(4, 24))) for _ in range(random.randrange(2, 16))]
        lines.append(random.choice(lookalikes))
        if len(messages) % 200 == 0:
            lines.append(random.choice(secrets))
        usage = {"input_tokens": random.randrange(99999), "cache_read_input_tokens": random.randrange(99999)}
        messages.append(json.dumps({"type": "assistant", "text": "\n".join(lines), "usage": usage}))
    return messages


def speed(redact: Callable[[str], str], texts: list[str]) -> float:
    """Megabytes a second of processor time, the best of three rounds after a warm one."""
    size = sum(len(text.encode()) for text in texts) / 1e6
    return max(size / _cost(redact, texts) for _ in range(4))


def _cost(redact: Callable[[str], str], texts: list[str]) -> float:
    start = time.process_time()
    for text in texts:
        redact(text)
    return time.process_time() - start


def main() -> int:
    """Print every figure beside its limit; 1 if one does not hold."""
    full = Redactor(KEY).redact
    made = transcript(4)
    corpora = {"generated, by message": made, "generated, one text": ["\n".join(made)]}
    real = sorted((Path(__file__).parents[2] / "shared" / "data" / "transcripts").rglob("*.jsonl"))
    if real:
        corpora["real, by file"] = [path.read_text(errors="replace") for path in real]
        corpora["real, by line"] = [line for text in corpora["real, by file"] for line in text.splitlines()]
    good = True
    for name, texts in corpora.items():
        reached, quick = speed(full, texts), speed(lambda text: redact_quick(text, KEY), texts)
        good &= reached >= FLOOR
        print(f"{name:<24} {reached:7.1f} MB/s  (limit {FLOOR:.0f}; quick {quick:.1f})")
    for piece in HOSTILE:
        cost = _cost(full, [piece * (1_000_000 // len(piece))])
        good &= cost <= CEILING
        print(f"1 MB of {piece[:24]!r:<26} {cost * 1000:7.1f} ms    (limit {CEILING * 1000:.0f})")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
