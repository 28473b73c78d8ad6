"""The command line: one file per noun, loaded when it is called."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run `metier`; whatever goes wrong is one clear line and an exit code, never a traceback."""
    words = sys.argv[1:]
    if words[-1:] == ["mcp"] and (len(words) == 1 or (len(words) == 3 and words[0] == "--home")):
        # agents do not wait long for a server, so it starts without the rest
        from metier.mcp.server import serve_standard_streams

        forget_variables()
        if len(words) == 3:
            os.environ["METIER_HOME"] = words[1]
        serve_standard_streams()
        return
    gc.set_threshold(50_000, 20)  # a command makes many objects and ends soon: looking for cycles so often costs 5 %
    from metier.cli.app import run

    run()


def forget_variables() -> None:
    """Drop every METIER_* variable: an agent started this, and a project may have set its environment."""
    for name in [name for name in os.environ if name.startswith("METIER_")]:
        del os.environ[name]
