"""Settings as they may be shown: names, addresses and headers without the secrets that somebody wrote into them."""

from __future__ import annotations

import re
from typing import cast

HIDDEN = "…"
KEYS = ("model_key", "embed_key")
HEADERS = ("model_headers", "embed_headers")
VARIABLE = re.compile("[A-Za-z_][A-Za-z0-9_]*")
PASSWORD = re.compile(r"(://[^:/@]*):[^@]*@")
PARAMETER = re.compile(r"(?i)([?&](?:password|sslpassword|passfile|token|key|api[_-]key)=)[^&\s]*")


def safe_setting(name: str, value: object) -> object:
    """The value of a setting without passwords, keys and the values of headers; lists stay lists."""
    if isinstance(value, list | tuple):
        return [safe_setting(name, one) for one in cast("list[object]", value)]
    if not isinstance(value, str) or not value:
        return value
    if name in KEYS:
        return value if VARIABLE.fullmatch(value) else HIDDEN
    if name in HEADERS:
        return _safe_header(value)
    return PARAMETER.sub(rf"\1{HIDDEN}", PASSWORD.sub(rf"\1:{HIDDEN}@", value))


def _safe_header(header: str) -> str:
    """A header with the name of the variable that holds its value; any other value is hidden."""
    name, colon, value = header.partition(":")
    if not colon:
        return HIDDEN
    told = value.strip()
    return f"{name}: {told if told.startswith('$') and VARIABLE.fullmatch(told[1:]) else HIDDEN}"
