"""The command line: one file per noun, loaded when it is called."""

from __future__ import annotations


def main() -> None:
    """Run `metier`; whatever goes wrong is one clear line and an exit code, never a traceback."""
    from metier.cli.app import run

    run()
