"""Record what commands print, as pictures for the documents: real output, drawn as SVG, line after line.

    python scripts/record_terminal.py docs/pictures

`checkup.svg` is `metier checkup` on the sessions of the demo, `demo.svg` is `metier demo`. Both run in a temporary home.
"""

from __future__ import annotations

import os
import subprocess
import sys
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.text import Text

WIDTH = 100
"""Columns of the terminal."""
WIDE, HIGH, EDGE, BAR = 7.8, 18, 16, 34
"""Pixels of a letter, a line, the margin and the title bar."""
PAUSE = 0.12
"""Seconds between two lines."""
COLOURS = {"color(2)": "#7ee2a8", "color(1)": "#ff8080", "bold": "#ffffff", "dim": "#8b93a7", "": "#d7dbe6"}
"""By what a terminal calls them: 1 is red, 2 is green."""
HIDDEN = "…/demo"
"""What the name of the temporary folder is shown as."""
STYLE = (
    "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}"
    "@media (prefers-reduced-motion:no-preference){.l{animation:s .2s both}}@keyframes s{from{opacity:0}to{opacity:1}}"
)


def main(folder: Path) -> None:
    """Draw both."""
    with TemporaryDirectory() as home:
        shop = Path(home) / "demo"
        demo = output_of(home, "demo", "--keep", str(shop)).replace(str(shop), HIDDEN)
        sessions = Path(home) / ".claude" / "projects" / "-home-ada-harbor-shop"
        sessions.parent.mkdir(parents=True)
        (shop / "sessions").rename(sessions)
        (folder / "demo.svg").write_text(drawing("metier demo", demo), encoding="utf-8")
        checkup = drawing("uvx metier checkup --all", output_of(home, "checkup", "--all"))
        (folder / "checkup.svg").write_text(checkup, encoding="utf-8")


def output_of(home: str, *words: str) -> str:
    """What a command prints on a colour terminal of a user with nothing but this home."""
    here = Path(sys.executable).parent
    environ = {"HOME": home, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "PYTHONUTF8": "1"}
    environ |= {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(WIDTH)}
    done = subprocess.run(
        [here / "metier", *words], env=environ, capture_output=True, encoding="utf-8", timeout=300, check=True
    )
    return done.stdout


def drawing(title: str, output: str) -> str:
    """A terminal window with a prompt and an output, as SVG."""
    lines = [Text(f"$ {title}", style="bold"), *(part for one in output.rstrip().splitlines() for part in fitted(one))]
    wide, high = int(WIDTH * WIDE + 2 * EDGE), BAR + len(lines) * HIGH + EDGE
    rows = [row(line, number) for number, line in enumerate(lines)]
    dots = "".join(
        f'<circle cx="{20 + 18 * n}" cy="17" r="5" fill="{c}"/>'
        for n, c in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" role="img">'
    window = f'<rect width="{wide}" height="{high}" rx="8" fill="#1b1f2b"/>{dots}'
    return "\n".join((head, f"<title>{escape(title)}</title><style>{STYLE}</style>{window}", *rows, "</svg>", ""))


def fitted(line: str) -> list[Text]:
    """A line of the output, cut where the terminal ends."""
    text = Text.from_ansi(line)
    text.truncate(WIDTH, overflow="ellipsis")
    return [text]


def row(line: Text, number: int) -> str:
    """One line with its colours; it appears after those before it."""
    parts = [f'<tspan fill="{colour_of(line, at)}">{escape(text)}</tspan>' for at, text in stretches(line)]
    place = f'x="{EDGE}" y="{BAR + HIGH * (number + 1) - 6}"'
    return f'<text class="l" style="animation-delay:{number * PAUSE:.2f}s" {place}>{"".join(parts)}</text>'


def stretches(line: Text) -> list[tuple[int, str]]:
    """Where a stretch of one colour begins, and its text."""
    found: list[tuple[int, str]] = []
    for at, letter in enumerate(line.plain):
        if found and colour_of(line, found[-1][0]) == colour_of(line, at):
            found[-1] = (found[-1][0], found[-1][1] + letter)
        else:
            found.append((at, letter))
    return found


def colour_of(line: Text, at: int) -> str:
    """The colour of a letter."""
    said = " ".join(str(one.style) for one in line.spans if one.start <= at < one.end) + f" {line.style}"
    return next(colour for name, colour in COLOURS.items() if name in said)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
