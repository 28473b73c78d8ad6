"""Names of well-known packages, and installs of names that are one slip away from them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.review.text.views import ReviewedText


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


POPULAR = _names(
    """requests numpy pandas django flask fastapi pydantic sqlalchemy pillow matplotlib scipy scikit-learn tensorflow
    pytest beautifulsoup4 selenium playwright openai anthropic langchain boto3 urllib3 cryptography paramiko pyyaml
    setuptools virtualenv colorama tqdm httpx aiohttp transformers uvicorn celery redis psycopg2 pymongo opencv-python
    python-dateutil python-dotenv yfinance web3 ccxt express lodash axios react react-dom typescript webpack eslint
    prettier mongoose puppeteer commander chalk dotenv nodemon jsonwebtoken cross-env socket.io discord.js ethers nextjs
    tailwindcss vitest openclaw clawhub supabase stripe firebase electron"""
)
KNOWN = _names(
    """preact grequests scapy opencv openapi redux request pandera dayjs playwright-core urllib
    ether lodash-es vite node-fetch
    redis-py httpie clawdhub tests pypdf react2 expresso stripes reactor"""
)
"""Names near a popular one that are packages in their own right, or that no one is fooled by."""
_INSTALL = re.compile(
    r"\b(?:pip3? install|pipx install|uv add|uv pip install|uvx|poetry add|npm (?:install|i|add)|pnpm (?:add|i|install)"
    r"|yarn add|bun add|npx|bunx)"
    r"((?:[ \t]+[^\s`'\"|;&)\\]{1,80}){1,20})"
)
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{3,40}")


def lookalike_installs(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Spans of package names in install commands that look like a popular package and are not it."""
    for match in _INSTALL.finditer(source.text):
        at = match.start(1)
        for word in re.finditer(r"\S+", match[1]):
            if match[0].startswith(("npx", "bunx", "uvx")) and not match[1][: word.start()].isspace():
                break
            name = re.split(r"[=<>~\[@]", word[0], maxsplit=1)[0].lower().rstrip(".,:!?*_")
            if _NAME.fullmatch(name) and resembles(name):
                yield at + word.start(), at + word.end()


def resembles(name: str) -> str | None:
    """The popular package that a name is one slip away from; None when it is popular itself or like none."""
    plain = name.replace("_", "-")
    if plain in POPULAR or plain in KNOWN or len(plain) < 5:
        return None
    return next((known for known in sorted(POPULAR) if len(known) > 4 and _one_slip(plain, known)), None)


def _one_slip(name: str, known: str) -> bool:
    """Whether one letter was swapped with its neighbour, doubled, left out, added or mistaken."""
    if abs(len(name) - len(known)) > 1 or name == known:
        return False
    start = next((i for i, (a, b) in enumerate(zip(name, known, strict=False)) if a != b), min(len(name), len(known)))
    rest, other = name[start:], known[start:]
    if len(rest) == len(other):
        return rest[1:] == other[1:] or (
            len(rest) > 1 and rest[0] == other[1] and rest[1] == other[0] and rest[2:] == other[2:]
        )
    longer, shorter = (rest, other) if len(rest) > len(other) else (other, rest)
    return longer[1:] == shorter
