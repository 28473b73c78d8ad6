"""Names of skills: which are valid, which look alike, and one made from free text."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from unicodedata import category, combining, normalize

MAX_LENGTH = 64
_VALID = re.compile(r"[a-z0-9-]+")
_GAPS = re.compile(r"[^a-z0-9]+")
_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))))
_CONFUSABLES = str.maketrans(
    "аеорсхуіјѕһԁԛԝкмтвнгпзьαβεικνορτυχγωℓ01|ıɡøłđ_‐‑–—−",
    "aeopcxyijshdqwkmtbhrnzbabeikvoptuxywlolligold------",
)
"""Letters of other alphabets, digits and strokes that look like another one; small on purpose."""
_PAIRS = (("rn", "m"), ("vv", "w"))


def name_problem(name: str) -> str | None:
    """Why this cannot be the name of a skill; None: it can."""
    if not name:
        return "it is empty"
    if len(name) > MAX_LENGTH:
        return f"it has {len(name)} characters, {MAX_LENGTH} are allowed"
    if not _VALID.fullmatch(name):
        return "only the letters a to z, digits and hyphens are allowed"
    if name.startswith("-") or name.endswith("-"):
        return "it begins or ends with a hyphen"
    if "--" in name:
        return "it has two hyphens in a row"
    if name in _DEVICES:
        return "it is the name of a device on some systems"
    return "it has nothing but digits" if name.isdigit() else None


@lru_cache(maxsize=65_536)
def lookalike_key(name: str) -> str:
    """What two names have in common when a person could take one for the other."""
    if name.isascii() and name.isprintable():
        return _without_pairs(name.lower().translate(_CONFUSABLES))
    plain = normalize("NFKD", normalize("NFKC", name).casefold())
    visible = "".join(char for char in plain if not combining(char) and category(char) not in ("Cf", "Cc"))
    return _without_pairs(visible.translate(_CONFUSABLES))


def _without_pairs(folded: str) -> str:
    for pair, single in _PAIRS:
        folded = folded.replace(pair, single)
    return folded


def slug(text: str) -> str:
    """A valid name that reads like the text; one without Latin letters or digits gets a name from its digest."""
    plain = normalize("NFKD", text).casefold()
    ascii_only = "".join(char for char in plain if not combining(char))
    name = _cut(_GAPS.sub("-", ascii_only).strip("-"), MAX_LENGTH)
    if not name:
        return f"skill-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return f"skill-{_cut(name, MAX_LENGTH - len('skill-'))}" if name_problem(name) else name


def _cut(name: str, limit: int) -> str:
    """At most `limit` characters, ending with a whole word where that keeps at least half of them."""
    if len(name) <= limit:
        return name
    at = name.rfind("-", limit // 2, limit + 1)
    return (name[:at] if at > 0 else name[:limit]).strip("-")
