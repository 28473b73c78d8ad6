"""Sample runs: two weeks of one developer's coding agent in a small web shop, written for the demo."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING

from metier.formats.run_json import parse_run

if TYPE_CHECKING:
    from metier.types import Run

NAME = "harbor-shop"
"""The repository the sample runs speak of; there is none."""
_PLACE = re.compile(r"@@([A-Z_]+)@@")


def samples() -> list[Run]:
    """The sample runs, oldest first, with made-up secrets in the places where real ones tend to stand."""
    text = (files("metier.cli.demo.samples") / "runs.jsonl").read_text(encoding="utf-8")
    values = secrets()
    filled = _PLACE.sub(lambda found: json.dumps(values[found[1]])[1:-1], text)
    return [parse_run(json.loads(line)) for line in filled.splitlines()]


def secrets() -> dict[str, str]:
    """Made-up secrets, put together at run time so that no scanner finds one in this package; none ever worked."""
    return {
        "AWS_ID": "AK" + "IA" + _noise("aws id", 16).upper(),
        "AWS_SECRET": _noise("aws secret", 40),
        "DATABASE_PASSWORD": _noise("database", 18),
        "GITHUB": "gh" + "p_" + _noise("github", 36),
        "JWT": ".".join(("ey" + "J" + _noise("head", 17), "ey" + "J" + _noise("body", 40), _noise("sign", 43))),
        "NPM": "np" + "m_" + _noise("npm", 36),
        "PRIVATE_KEY": _key_block(),
        "SLACK": "/".join(
            ("https://hooks.slack" + ".com/services", "T0" + _noise("T", 9), "B0" + _noise("B", 9), _noise("hook", 24))
        ),
        "STRIPE": "sk_" + "test_" + _noise("stripe", 24),
    }


def _key_block() -> str:
    lines = [_noise(f"key {number}", 64) for number in range(3)]
    kind = "OPENSSH PRIVATE " + "KEY"
    return "\n".join((f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"))


def _noise(seed: str, length: int) -> str:
    """Letters and digits that look random and are the same on every machine."""
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    digest = b"".join(blake2b(f"{seed} {part}".encode()).digest() for part in range(length // 64 + 1))
    return "".join(letters[byte % len(letters)] for byte in digest[:length])
