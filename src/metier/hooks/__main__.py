"""What the launcher of the plugin starts: `python -I -m metier.hooks EVENT [AGENT]`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the hook of an event: `prompt`, `stop` and `end`, or `start`, `before` and `after`."""
    event = sys.argv[1] if len(sys.argv) > 1 else ""
    if event == "prompt":
        from metier.hooks.select import main as run
    elif event in ("stop", "end"):
        from metier.hooks.record import main as run
    elif event in ("start", "before", "after"):
        from metier.hooks.tell import main as run
    else:
        return
    run()


if __name__ == "__main__":
    main()
