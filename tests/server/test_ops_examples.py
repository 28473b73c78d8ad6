"""The files in examples/ops are ones that their programs can read, and every command in them is one of ours."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from cli_shell import Shell

from metier.server.binding import ServeOptions, checked_binding

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parents[2] / "examples/ops"
UNITS = sorted([*FOLDER.glob("*.service"), *FOLDER.glob("*.timer")])


def compose() -> Any:
    return yaml.safe_load((FOLDER / "compose.yml").read_text(encoding="utf-8"))


def unit_commands() -> Iterator[list[str]]:
    for file in UNITS:
        for line in re.findall(r"^Exec\w+=(.*)$", file.read_text(encoding="utf-8"), re.MULTILINE):
            words = shlex.split(line)
            words = shlex.split(words[2].removeprefix("exec ")) if words[0] == "/bin/sh" else words
            if words[0].endswith("/metier"):
                yield words[3:] if words[1] == "-w" else words[1:]


def commands_in_comments() -> Iterator[list[str]]:
    for line in (FOLDER / "compose.yml").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"#\s+\d\. docker compose run --rm metier (.*?)(?:\s{2,}\(|$)", line):
            yield shlex.split(found[1])


def test_every_command_and_option_is_one_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(tmp_path, monkeypatch, capsys)
    found = compose()["services"]
    used = [found["metier"]["command"], found["worker"]["command"], *unit_commands(), *commands_in_comments()]
    assert len(used) >= 7
    for words in used:
        plain = [word for word in words if not word.startswith("-")]
        depth = 3 if plain[:2] == ["serve", "token"] else 1
        command = [*plain[:depth], *(["run"] if plain[:depth] == ["serve"] else []), "--help"]
        said = shell.ok(*command)
        for option in (word for word in words if word.startswith("--")):
            assert option in said, (words, option)


def test_the_server_of_the_compose_file_starts_and_only_its_proxy_reaches_it() -> None:
    found = compose()
    words = found["services"]["metier"]["command"]
    given = dict(zip(words[1::2], words[2::2], strict=True))
    options = ServeOptions(host=given["--host"], url=given["--url"], proxies=(given["--proxy"],))
    binding = checked_binding(options, has_roles=True)
    assert found["services"]["proxy"]["networks"]["inside"]["ipv4_address"] == given["--proxy"]
    name = binding.netloc
    assert (FOLDER / "Caddyfile").read_text(encoding="utf-8").startswith(f"{name} {{")
    assert "ports" not in found["services"]["metier"]
    assert "ports" not in found["services"]["db"]
    for service in found["services"].values():
        for mount in service.get("volumes", []):
            assert mount.startswith("./") or mount.partition(":")[0] in found["volumes"], mount
        for secret in service.get("secrets", []):
            assert (secret if isinstance(secret, str) else secret["source"]) in found["secrets"]


def test_units_have_a_section_each_and_what_starts_them() -> None:
    assert len(UNITS) >= 4
    for file in UNITS:
        read = configparser.ConfigParser(strict=False, interpolation=None)
        read.optionxform = str  # type: ignore[assignment,method-assign]
        read.read(file)
        assert read["Unit"]["Description"]
        if file.suffix == ".timer":
            assert (FOLDER / f"{file.stem}.service").exists()
            assert read["Install"]["WantedBy"] == "timers.target"
        else:
            assert read["Service"]["ExecStart"]
            assert read["Service"]["UMask"] == "0077"


def test_systemd_finds_nothing_to_say_about_the_units(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not on this machine")
    program = Path(sys.executable).with_name("metier")
    for file in UNITS:
        text = file.read_text(encoding="utf-8").replace("/opt/metier/bin/metier", str(program))
        (tmp_path / file.name.replace("@.", "@1.")).write_text(text, encoding="utf-8")
    files = sorted(str(file) for file in tmp_path.glob("metier-*"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *files], capture_output=True, text=True, timeout=60, check=False
    )
    ours = [line for line in done.stderr.splitlines() if "metier" in line and "User" not in line]
    assert ours == []
