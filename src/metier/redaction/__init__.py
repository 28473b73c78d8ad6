"""Keep secrets out: replace them by marks before text is stored or leaves.

`Redactor` runs the whole rule table and loads on first use. `redact_quick` is for hooks that must be gone in
milliseconds: standard library only, a few wide shapes, each compiled when one of its words is seen. Begin with
`engine.py`, then `rules/`. This folder imports nothing else of Metier.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from metier.redaction.engine import Redactor, SecretHit

__all__ = ["MARK", "Redactor", "SecretHit", "mark", "redact_quick"]

MARK = re.compile(r"\[REDACTED:[a-z0-9-]{2,40}:[0-9a-f]{8}\]")
"""A redaction mark: which rule, and eight digits that are the same wherever the same secret stood."""

_PREFIXED = (
    r"(?:gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt)-|sk-(?:ant|proj|svcacct|or)-|[sr]k_(?:live|test)_|whsec_|hf_|gsk_|npm_"
    r"|pypi-|dckr_pat_|xox[a-z]-|xapp-|AIza|GOCSPX-|ya29\.|hv[sb]\.|dop_v1_|shpat_|glsa_|lin_api_|SG\.)[A-Za-z0-9_.-]{16,}"
    r"|(?:\b|(?<=\\[nrt])|(?<=[0-9]m))(?:sk-[A-Za-z0-9]{20,}|(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_.-]{10,})"
)
_PREFIXES = (
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glptt- sk- k_live_ k_test_ whsec_ hf_ gsk_ npm_ pypi- "
    "dckr_ xox xapp- aiza gocspx- ya29. hvs. hvb. dop_v1_ shpat_ glsa_ lin_api_ sg. akia asia eyj"
)
_EOL = r"(?:\\+[nrt]|[ \t\r\n])"
_PEM = (
    rf"-----BEGIN[A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----(?:{_EOL}{{1,12}}[A-Z][A-Za-z-]+: [^\\\r\n]{{1,120}})*"
    rf"(?:{_EOL}{{0,12}}[A-Za-z0-9+/=]{{16,}})+(?:{_EOL}{{1,12}}[A-Za-z0-9+/=]{{1,76}})?"
    rf"(?:{_EOL}{{0,12}}-----END[A-Z0-9 ]{{0,40}}-----)?"
)
_HEADER = r"(?i:authorization[\"'\\]*\s?[:=][ \"'\\]{0,8}(?:bearer|basic|token)?\s?|bearer\s)([A-Za-z0-9._~+/=-]{12,})"
_OWNER = r"://([A-Za-z0-9_-]{10,}):x-oauth-basic@"
_ADDRESS = r"://[^\s:@/?#\"'<>\\]{0,64}:(?!x-oauth-basic@)([^\s@/\"'<>\\${*]{3,256})@"
_ASSIGNED = (
    r"(?i:passw(?:or)?d|passphrase|pwd|_pass|secret(?:[_-]?(?:access[_-]?)?key)?|token|(?:api|access|private)[_-]?key)"
    r"[\"'\\]{0,4}\s?(?:=>|:=|[:=])\s?[\"'\\]{0,8}([^\s\"'\\,;<>()[\]{}$]{6,512})"
)
_SHAPES: tuple[tuple[str, str, str], ...] = (
    ("private-key", "private key", f"({_PEM})"),
    ("token", _PREFIXES, f"({_PREFIXED})"),
    ("authorization", "authorization bearer", _HEADER),
    ("url-token", ":x-oauth-basic@", _OWNER),
    ("url-password", "://", _ADDRESS),
    ("assigned-value", "passw passphrase pwd _pass secret token key", _ASSIGNED),
)
_LOOSE = ("token", "authorization", "assigned-value")
"""Shapes that also fit words, so what they match must mix letters and digits."""


def mark(rule: str, secret: str, key: bytes) -> str:
    """What stands in place of a secret."""
    from _blake2 import blake2b  # what hashlib hands out, without loading OpenSSL

    short = key if len(key) <= blake2b.MAX_KEY_SIZE else blake2b(key).digest()
    return f"[REDACTED:{rule}:{blake2b(secret.encode(), key=short, digest_size=4).hexdigest()}]"


def redact_quick(text: str, key: bytes) -> str:
    """The text without the most common secrets, for a caller with no time to load the whole table."""
    text = text.encode("utf-8", "replace").decode()
    for rule, words, pattern in _SHAPES:
        lower = text.lower()
        if any(word in lower for word in words.split()):
            text = re.sub(f"{MARK.pattern}|{pattern}", lambda found, rule=rule: _replaced(found, rule, key), text)
    return text


def _replaced(found: re.Match[str], rule: str, key: bytes) -> str:
    secret: str | None = found[1]
    if secret is None or "[REDACTED:" in secret or (rule in _LOOSE and not _is_mixed(secret)):
        return found[0]
    start = found.start(1) - found.start()
    return found[0][:start] + mark(rule, secret, key) + found[0][start + len(secret) :]


def _is_mixed(value: str) -> bool:
    """Letters with digits, and more than a few different characters: words, numbers, paths and stand-ins are not."""
    if value.startswith(("/", "~", "./", "process.env")) or "example" in value.lower():
        return False
    return len(set(value)) > 4 and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def __getattr__(name: str) -> object:
    if name not in {"Redactor", "SecretHit"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from metier.redaction import engine as redact_engine

    return getattr(redact_engine, name)
