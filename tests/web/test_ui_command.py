"""`metier ui` as a person starts it: one link, one server, a clean end, and no other command pays for it."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
from pathlib import Path

from waiting import line_of

import metier
from metier.web.guard import HEADERS
from metier.workspace import Workspace

COMMAND = [sys.executable, "-m", "metier"]


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "-w", str(folder), "ui", "--port", "0", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"HOME": str(folder.parent)},
    )


def open_link(link: str) -> tuple[int, str]:
    host, _, path = link.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host, timeout=10)
    try:
        connection.request("GET", f"/{path}")
        answer = connection.getresponse()
        return answer.status, answer.getheader("set-cookie", "")
    finally:
        connection.close()


def test_the_link_opens_a_second_start_makes_another_and_the_token_is_printed_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    Workspace.open(folder, environ={"HOME": str(tmp_path)}).close()
    running = start(folder, "--watch")
    try:
        link = line_of(running, running.stdout).strip()
        status, cookie = open_link(link)
        assert status == 200
        second = subprocess.run(
            [*COMMAND, "-w", str(folder), "ui"],
            capture_output=True,
            text=True,
            timeout=60,
            env=os.environ | {"HOME": str(tmp_path)},
        )
        assert second.returncode == 0, second.stderr
        assert "runs already" in second.stderr
        assert open_link(second.stdout.strip())[0] == 200
        assert open_link(link)[0] == 401
    finally:
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    token = cookie.partition("=")[2].partition(";")[0]
    assert len(token) >= 43
    assert token not in out + err + second.stdout + second.stderr
    assert "Traceback" not in err
    assert err.rstrip().endswith("Stopped.")


def test_no_other_command_loads_the_dashboard() -> None:
    code = (
        "import sys; from metier.cli.app import COMMANDS; from importlib import import_module\n"
        "for name in COMMANDS.values(): import_module(name.partition(':')[0])\n"
        "print([name for name in ('starlette', 'uvicorn', 'jinja2', 'metier.web') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


ALONE = "<style>\n{{ style }}</style>"
"""The style sheet of the report that is written as a file; it has a policy of its own."""


def test_no_template_switches_escaping_off_and_nothing_is_inline_or_from_elsewhere() -> None:
    folder = Path(metier.__file__).parent / "web"
    for file in sorted((folder / "templates").glob("*.html")):
        text = file.read_text(encoding="utf-8")
        for word in (
            "|safe",
            "autoescape",
            "<style",
            "onclick",
            " style=",
            "hx-on",
            "javascript:",
            "http://",
            "https://",
        ):
            assert word not in text.replace(ALONE, ""), (file.name, word)
        assert "<script>" not in text
    for file in (*(folder / "static").glob("*.js"), *(folder / "static").glob("*.css")):
        text = file.read_text(encoding="utf-8")
        for word in ("innerHTML", "eval(", "document.write", "http://", "https://", "insertAdjacentHTML"):
            assert word not in text, (file.name, word)
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_what_is_vendored_has_its_licence_beside_it() -> None:
    vendor = Path(metier.__file__).parent / "web" / "static" / "vendor"
    for file in vendor.iterdir():
        if file.suffix != ".LICENSE":
            assert (vendor / f"{file.name.partition('.')[0]}.LICENSE").is_file(), file.name
