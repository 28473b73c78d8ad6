"""What the redactor finds, what it wrongly touches, and what it costs.

Limits: 99 % of the secrets of every kind, 1 % of the look-alikes, 8 MB/s on transcripts, 1 s for a megabyte made to be
slow. Secrets and look-alikes are drawn with seeds that nobody has looked at: those of the tests are other ones.

python benchmarks/capture/redaction.py
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))

import lookalike_samples
import secret_samples as samples

from metier.redaction import MARK, Redactor, redact_quick
from metier.redaction.engine import StdlibEngine, scan
from metier.redaction.rules.table import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = b"benchmark"
SEEDS = (90_001, 90_007, 90_011, 90_017, 90_019)
RECALL, TOUCHED = 0.99, 0.01
FLOOR = 8.0
CEILING = 1.0
WORDS = (
    "the function reads each line and returns tokens for the test that failed because of a missing key in config while "
    "running pytest src/app/models.py import json def main return value path error stack trace list files commit branch"
)


def transcript(megabytes: float, seed: int = 1) -> list[str]:
    """Messages like those of a session: prose, code, tool output, and a secret in every two-hundredth."""
    random = Random(seed)
    words, lookalikes = WORDS.split(), list(lookalike_samples.lookalikes(seed))
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


def accuracy(redact: Callable[[str], str]) -> bool:
    """Print recall by kind and the share of look-alikes touched; whether both limits hold."""
    tried: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for seed in SEEDS:
        for kind, value, line in samples.secrets(seed):
            tried[kind] += 1
            missed[kind] += not _is_gone(value, line, redact(line))
    for kind, count in tried.items():
        print(f"{kind:<24} {count - missed[kind]:>5} of {count:<5} {1 - missed[kind] / count:8.2%}")
    lookalikes = [line for seed in SEEDS for line in lookalike_samples.lookalikes(seed)]
    touched = sum(redact(line) != line for line in lookalikes)
    found = 1 - missed.total() / tried.total()
    print(f"{len(tried)} kinds, {tried.total()} secrets: {found:.3%} found whole  (limit {RECALL:.0%})")
    print(f"{len(lookalikes)} look-alikes: {touched / len(lookalikes):.3%} touched  (limit {TOUCHED:.0%})")
    return found >= RECALL and touched <= TOUCHED * len(lookalikes)


def _is_gone(value: str, line: str, out: str) -> bool:
    """Whether neither the value nor its last characters are left."""
    rest, end = MARK.sub("\0", out), value[-6:]
    return value not in rest and (end not in rest or end in line.replace(value, "\0"))


def speed(redact: Callable[[str], str], texts: list[str]) -> float:
    """Megabytes a second of processor time, the best of three rounds after a warm one."""
    size = sum(len(text.encode()) for text in texts) / 1e6
    return max(size / _cost(redact, texts) for _ in range(4))


def _cost(redact: Callable[[str], str], texts: list[str]) -> float:
    start = time.process_time()
    for text in texts:
        redact(text)
    return time.process_time() - start


def throughput(redact: Callable[[str], str]) -> bool:
    """Print the speed on transcripts; whether the limit holds."""
    made = transcript(4)
    corpora = {"generated, by message": made, "generated, one text": ["\n".join(made)]}
    real = sorted((Path(__file__).parents[3] / "shared" / "data" / "transcripts").rglob("*.jsonl"))
    if real:
        corpora["real, by file"] = [path.read_text(errors="replace") for path in real]
        corpora["real, by line"] = [line for text in corpora["real, by file"] for line in text.splitlines()]
    good = True
    for name, texts in corpora.items():
        reached, quick = speed(redact, texts), speed(lambda text: redact_quick(text, KEY), texts)
        good &= reached >= FLOOR
        print(f"{name:<24} {reached:7.1f} MB/s  (limit {FLOOR:.0f}; quick {quick:.1f})")
    return good


def hostile(redact: Callable[[str], str]) -> bool:
    """Print what text made to be slow costs, also without google-re2; whether the limit holds with it."""
    plain = StdlibEngine(RULES)
    good = True
    for piece in samples.HOSTILE:
        text = piece * (1_000_000 // len(piece))
        cost = _cost(redact, [text])
        slow = 4 * _cost(lambda part: str(scan(part.encode(), plain)), [text[:250_000]])
        good &= cost <= CEILING
        print(f"1 MB of {piece[:24]!r:<30} {cost:6.3f} s  (limit {CEILING:.0f}; on re {slow:.2f})")
    return good


def main() -> int:
    """Print every figure beside its limit; 1 if one does not hold."""
    redact = Redactor(KEY).redact
    held = [accuracy(redact), throughput(redact), hostile(redact)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
