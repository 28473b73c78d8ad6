"""How a person starts this program again: by its name, or as it was started where that name is gone afterwards."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from shlex import quote

UVX = "archive-v0"
"""The folder in uv's cache with the environments that `uvx` makes for one command."""


def program_words() -> str:
    """The words before a command: `metier`, `uvx --from . metier`, or a path."""
    import shutil

    if is_uvx():
        return f"uvx --from {_origin()} metier"
    return "metier" if shutil.which("metier") else quote(str(Path(sys.argv[0]).absolute()))


def install_words() -> str:
    """The command after which `metier` stays; empty where it does already."""
    return f"uv tool install {_origin()}" if is_uvx() else ""


def is_uvx(prefix: str = sys.prefix) -> bool:
    """Whether this Python is one of `uvx`, in uv's cache, which is on the PATH of this command only."""
    return UVX in Path(prefix).parts


def _origin() -> str:
    """What this package was installed from: a folder on this machine, seen from here, or its name."""
    import json
    from urllib.parse import unquote, urlsplit

    try:
        url = str(json.loads(distribution("metier").read_text("direct_url.json") or "{}").get("url", ""))
    except (PackageNotFoundError, ValueError):
        return "metier"
    if not url.startswith("file://"):
        return quote(url) if url else "metier"
    folder = Path(unquote(urlsplit(url).path))
    return "." if folder == Path.cwd() else quote(str(folder))
