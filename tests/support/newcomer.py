"""A newcomer's walk: what somebody does in the first hour who has only the README."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from waiting import line_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SECONDS = 120
RECORDED = """
import metier

with metier.open(".") as ws:
    for name in ("rich", "stripe", "celery"):
        with ws.record(f"upgrade the dependency {name}", session=name, agent="my-agent") as run:
            run.tool("Bash", input=f"uv add {name}", output="Resolved 96 packages")
            run.tool("Bash", input="pytest -q", output="424 passed")
            run.answer(f"{name} is at its newest version, all tests pass.")
            run.outcome(True, by="test", reason="424 passed")
        assert run.delivery is not None and run.delivery.kept
"""
TRAINED = """
from pathlib import Path

import metier
from metier.models import Scripted, on, says
from metier.training import Case

SKILL = "---\\nname: units\\ndescription: Use when a length is asked.\\n---\\n\\nAnswer briefly.\\n"
CASES = [Case(id=f"c{n}", input=f"{n} metres in cm?", expected=f"{100 * n} cm") for n in range(10)]


def my_agent(case, skill):
    return case.expected if "behind the number" in skill else case.expected.removesuffix(" cm")


folder = Path(".agents/skills/units")
folder.mkdir(parents=True)
(folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
rule = says({"edits": [{"op": "append", "content": "Write the unit behind the number."}], "reasoning": "it lacks"})
model = Scripted(on(lambda request: request.stage in ("reflect", "merge"), rule))
with metier.open(".") as ws:
    for event in ws.train("units", cases=CASES, target=my_agent, optimiser=model):
        if event.kind == "confirmed":
            print(event.line())
"""

Command = "Callable[..., subprocess.CompletedProcess[str]]"


class Newcomer:
    """Somebody with a program, a Python and an empty project; every step has to work, and says what is next."""

    def __init__(self, run: Command, python: str, folder: Path, environ: Mapping[str, str]) -> None:
        self._run, self._python, self._folder, self._environ = run, python, folder, dict(environ)

    def walk(self, program: Sequence[str]) -> None:
        """Demo, dashboard, init, record, learn, decide, select, train, roll back."""
        demo = self.says("demo", "--keep", str(self._folder / "demo"))
        assert "ui --open" in demo
        self.sees_dashboard(program, self._folder / "demo")
        assert "A workspace would be made" in self.says("init", "--dry-run")
        assert [one.name for one in self._folder.iterdir()] == ["demo"]
        assert "Created workspace" in self.says("init", "--no-connect")
        self.runs_python(RECORDED)
        assert len(self.data("runs", "list")) == 3
        self.says("learn")
        (draft,) = self.data("drafts", "list")
        self.approves(draft["id"])
        assert "upgrade-dependency" in self.says("select", "please upgrade the dependency httpx")
        assert "No skill fits" in self.says("select", "write a poem about the sea")
        self.trains_and_takes_back()

    def trains_and_takes_back(self) -> None:
        """Ten cases prove nothing, and the training says so; a person may ship it all the same, and take it back."""
        assert "can prove nothing" in self.runs_python(TRAINED)
        file = self._folder / ".agents" / "skills" / "units" / "SKILL.md"
        before = file.read_text("utf-8")
        (draft,) = [one for one in self.data("drafts", "list") if one["target"] == "units"]
        self.approves(draft["id"])
        assert "behind the number" in file.read_text("utf-8")
        self.runs_python("import metier\nwith metier.open('.') as ws: ws.rollback('units')")
        assert file.read_text("utf-8") == before

    def approves(self, draft: str) -> None:
        """A yes to a draft, as a program says it."""
        self.runs_python(f"import metier\nwith metier.open('.') as ws: ws.approve({draft!r})")

    def says(self, *words: str) -> str:
        """What a command that worked prints, whether for people or for programs."""
        done = self._run(["metier", *words], cwd=self._folder, env=self._environ)
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def data(self, *words: str) -> Any:
        """The same as data."""
        return json.loads(self._run(["metier", *words, "--json"], cwd=self._folder, env=self._environ).stdout)

    def runs_python(self, text: str) -> str:
        """What a small program of the newcomer's prints."""
        done = subprocess.run(
            [self._python, "-c", text],
            cwd=self._folder,
            env=self._environ,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def sees_dashboard(self, program: Sequence[str], workspace: Path) -> None:
        """The dashboard of the demo starts, shows a page for its link, and ends with Ctrl-C."""
        command = [
            *program,
            "--home",
            f"{workspace}/home/.local/state/metier",
            "-w",
            str(workspace),
            "ui",
            "--port",
            "0",
        ]
        served = subprocess.Popen(
            command, cwd=self._folder, env=self._environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            link = urlsplit(line_of(served, served.stdout))
            status, headers, _ = fetch(link.netloc, link.path)
            assert status == 200
            cookie = headers["set-cookie"].partition(";")[0]
            status, _, page = fetch(link.netloc, "/", {"Cookie": cookie, "Sec-Fetch-Site": "same-origin"})
            assert status == 200
            assert re.search(r"<title>[^<]*Metier", page)
        finally:
            served.send_signal(signal.SIGINT)
            served.communicate(timeout=SECONDS)
        assert served.returncode == 0


def fetch(host: str, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, dict[str, str], str]:
    """A page of the dashboard."""
    connection = http.client.HTTPConnection(host, timeout=SECONDS)
    try:
        connection.request("GET", path, headers=dict(headers or {}))
        got = connection.getresponse()
        return got.status, {name.lower(): value for name, value in got.getheaders()}, got.read().decode()
    finally:
        connection.close()


def plain_environment(home: Path) -> dict[str, str]:
    """Nothing but a home and the usual path."""
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONUTF8": "1", "NO_COLOR": "1"}
