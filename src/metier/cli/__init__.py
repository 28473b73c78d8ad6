"""The command line: one file per noun, loaded when it is called."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run `metier`; whatever goes wrong is one clear line and an exit code, never a traceback."""
    if sys.argv[1:] == ["mcp"]:  # agents do not wait long for a server, so it starts without the rest
        from metier.mcp.server import serve_standard_streams

        serve_standard_streams()
        return
    gc.set_threshold(50_000, 20)  # a command makes many objects and ends soon: looking for cycles so often costs 5 %
    from metier.cli.app import run

    run()
