"""Through the command line, as a person or a script would: processes of their own, real files."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import forked
import pytest
from states import has_state, state_of

SECRET = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
METIER = str(Path(sys.executable).with_name("metier"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def metier(folder: Path, *words: str, stdin: str | bytes = "", **environ: str) -> subprocess.CompletedProcess[str]:
    return forked.metier(*words, cwd=folder, env={**os.environ, **environ}, given=stdin)


def installed(folder: Path, *words: str, stdin: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    """The same, by the installed script in a Python of its own."""
    return subprocess.run(
        [METIER, *words],
        input=stdin,
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def answer(folder: Path, *words: str, stdin: str | bytes = "") -> Any:
    done = metier(folder, *words, "--json", stdin=stdin)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def refused(done: subprocess.CompletedProcess[str], code: int, *says: str) -> None:
    """One clear line on stderr, nothing on stdout, no traceback."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    for words in says:
        assert words in done.stderr
    assert done.stdout == ""


RUNS = "\n".join(
    json.dumps(run)
    for run in (
        {"id": "1", "session": "s1", "agent": "claude-code", "status": "completed",
         "message": "fix the flaky login test",
         "output": "fixed", "tools": [{"name": "Bash", "ok": True, "input": "pytest -x", "skills": ["pytest-run"]}]},
        {"id": "2", "session": "s1", "status": "error", "message": f"push it with {SECRET}", "output": ""},
        {"id": "3", "session": "heartbeat", "message": "still alive"},
        {"id": "4", "message": "no status, so nobody knows"},
    )
)  # fmt: skip


def test_a_first_hour(folder: Path) -> None:
    done = metier(folder, "init")
    assert done.returncode == 0
    assert "Undo: metier uninit" in done.stderr
    report = answer(folder, "record", stdin=RUNS)
    assert (report["recorded"], report["duplicates"], report["refused"]) == (3, 0, [])
    assert report["skipped"] == [{"line": 3, "reason": "heartbeat"}]
    assert len(report["ids"]) == 3
    again = answer(folder, "record", stdin=RUNS)
    assert (again["recorded"], again["duplicates"]) == (0, 3)
    listed = answer(folder, "runs", "list")
    assert [(row["external_id"], row["success"], row["skills_used"]) for row in listed] == [
        ("4", None, []),
        ("2", False, []),
        ("1", True, ["pytest-run"]),
    ]
    assert SECRET not in json.dumps(listed)
    found = answer(folder, "runs", "search", "flaky", "login")
    assert [row["external_id"] for row in found] == ["1"]
    shown = answer(folder, "runs", "show", report["ids"][0][:10])
    assert shown["run"]["tools"][0]["input"] == "pytest -x"
    page = metier(folder, "runs", "show", report["ids"][1])
    assert "[REDACTED:github-token:" in page.stdout
    assert "1 secret (never stored)" in page.stdout


def test_the_installed_script_does_the_same(folder: Path) -> None:
    assert installed(folder, "init").returncode == 0
    report = json.loads(installed(folder, "record", "--json", stdin=RUNS).stdout)
    assert report == answer(folder, "record", stdin=RUNS) | {"recorded": 3, "duplicates": 0}
    shown = installed(folder, "runs", "list", "--json")
    assert (shown.returncode, json.loads(shown.stdout)) == (0, answer(folder, "runs", "list"))
    refused(installed(folder, "runs", "show", "nonsense"), 1, "There is no run 'nonsense'")


def test_marking_and_removing(folder: Path) -> None:
    report = answer(folder, "record", stdin=RUNS)
    first, second, _ = report["ids"]
    marked = answer(folder, "runs", "mark", first, "bad", "--reason", "wrong test")
    assert marked["success"] is False
    assert "judged by person: wrong test" in metier(folder, "runs", "show", first).stdout
    assert "Undo: metier runs mark" in metier(folder, "runs", "mark", first, "good").stderr
    refused(metier(folder, "runs", "delete", second), 2, "Add --yes")
    assert answer(folder, "runs", "delete", second, "--yes") == {"removed": [second]}
    refused(metier(folder, "runs", "show", second), 1, f"There is no run '{second}'")
    again = answer(folder, "record", stdin=RUNS)
    assert [row["line"] for row in again["skipped"]] == [2, 3]
    assert metier(folder, "runs", "readmit", second).returncode == 0
    assert answer(folder, "runs", "purge", "--session", "nobody", "--yes") == {"removed": []}
    refused(metier(folder, "runs", "purge", "--yes"), 2, "--older-than")
    purged = answer(folder, "runs", "purge", "--all", "--yes")
    assert len(purged["removed"]) == 2
    assert answer(folder, "runs", "list") == []


@pytest.mark.parametrize(
    ("stdin", "reason"),
    [
        ("{", "not JSON"),
        ("hello", "not JSON"),
        ("3", "a run: must be an object"),
        ('{"mesage": "x"}', "did you mean 'message'?"),
        ('{"output": "x"}', "message: missing"),
        ('{"message": null}', "message: must be text, not null"),
        ('{"message": "x", "tools": {}}', "tools: must be a list"),
        ('{"message": "x", "tools": [{"nam": "x"}]}', "tools[0].nam: unknown field; did you mean 'name'?"),
        (b"\xff\xfe\x00\x01", "not UTF-8"),
        (b"\x00\x01\x02\x03PNG", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"message": "x", "tokens": {"input": ' + "9" * 5000 + "}}", "not readable"),
    ],
)
def test_a_bad_line_is_refused_by_number_and_the_others_are_kept(folder: Path, stdin: str | bytes, reason: str) -> None:
    data = stdin if isinstance(stdin, bytes) else stdin.encode()
    good = b'{"message": "good"}\n'
    done = metier(folder, "record", "--json", stdin=good + data + b"\n" + good)
    report = json.loads(done.stdout)
    assert (done.returncode, report["recorded"]) == (1, 2)
    assert [row["line"] for row in report["refused"]] == [2]
    assert reason in report["refused"][0]["reason"]
    plain = metier(folder, "record", stdin=data)
    refused(plain, 1, "refused line 1", reason)


@pytest.mark.parametrize(
    ("stdin", "count"),
    [
        ('{\n "message": "over\\n several lines",\n "status": "completed"\n}\n', 1),
        ('[{"message": "a"}, {"message": "b"}]', 2),
        ('[\n {"message": "a"},\n {"message": "b"}\n]\n', 2),
        ('\ufeff{"message": "with a byte order mark"}\n\n\n', 1),
        ('{"message": "x"}\r\n{"message": "y"}\r\n', 2),
        ('{"message": ""}', 1),
        ('{"message": "\\ud800 lone \\u0000 nul"}', 1),
    ],
)
def test_one_run_or_many_in_every_usual_form(folder: Path, stdin: str, count: int) -> None:
    report = answer(folder, "record", stdin=stdin)
    assert (report["recorded"], report["refused"]) == (count, [])


def test_recording_from_things_that_are_no_runs(folder: Path) -> None:
    refused(metier(folder, "record"), 1, "The input is empty")
    refused(metier(folder, "record", "missing.json"), 1, "missing.json cannot be read: No such file")
    refused(metier(folder, "record", "."), 1, ". cannot be read: Is a directory")
    assert list(folder.iterdir()) == []


def test_recording_says_when_it_is_switched_off(folder: Path) -> None:
    done = metier(folder, "--set", "enabled=false", "record", stdin='{"message": "x"}')
    assert done.returncode == 0
    assert "recording is switched off (enabled = false)" in done.stderr


def test_settings_are_shown_with_where_they_came_from(folder: Path) -> None:
    metier(folder, "init")
    (state_of(folder) / "metier.toml").write_text("min_runs = 5\n")
    done = metier(folder, "--set", "lock_wait=3", "config", "--json", METIER_MODE="draft")
    found = json.loads(done.stdout)
    assert found["mode"] == {"value": "draft", "from": "METIER_MODE"}
    assert found["min_runs"] == {"value": 5, "from": str(state_of(folder) / "metier.toml")}
    assert found["lock_wait"] == {"value": 3.0, "from": "flag"}
    refused(metier(folder, "--set", "mod=draft", "config"), 2, "did you mean 'mode'?")
    refused(metier(folder, "--set", "mode", "config"), 2, "--set needs NAME=VALUE")
    refused(metier(folder, "runs", "list", METIER_MODES="x"), 2, "did you mean 'METIER_MODE'?")
    (state_of(folder) / "metier.toml").write_text("min_runs = 'many'\n")
    refused(metier(folder, "runs", "list"), 2, "'min_runs'", "expected a whole number")


def test_a_database_password_is_not_shown(folder: Path) -> None:
    done = metier(folder, "--set", "store=postgresql://ann:hunter2@db/x", "config")
    assert "hunter2" not in done.stdout
    assert "postgresql://ann:" in done.stdout


def test_reading_where_nothing_was_made_is_refused_and_makes_nothing(folder: Path) -> None:
    for words in (("runs", "list"), ("where",), ("backup", "b.tar.gz")):
        refused(metier(folder, *words), 2, "There is no workspace in", "metier init")
    refused(metier(folder, "uninit", "--yes"), 2, "There is no workspace in", "nothing to undo")
    assert list(folder.iterdir()) == []


def test_uninit_keeps_everything_and_can_be_undone(folder: Path) -> None:
    metier(folder, "record", stdin='{"message": "x"}')
    stays = Path(answer(folder, "uninit", "--yes")["state"])
    assert not has_state(folder)
    assert metier(folder, "init", "--adopt", stays.name, "--yes").returncode == 0
    assert len(answer(folder, "runs", "list")) == 1


def test_backup_and_restore(folder: Path, tmp_path: Path) -> None:
    metier(folder, "record", stdin='{"message": "x"}')
    report = answer(folder, "backup", str(tmp_path / "b.tar.gz"))
    assert report["bytes"] > 0
    refused(metier(folder, "backup", str(tmp_path / "b.tar.gz")), 1, "already exists")
    metier(folder, "record", stdin='{"message": "y"}')
    refused(metier(folder, "restore", str(tmp_path / "b.tar.gz")), 2, "Add --yes")
    back = answer(folder, "restore", str(tmp_path / "b.tar.gz"), "--yes")
    assert len(answer(folder, "runs", "list")) == 1
    assert metier(folder, "restore", back["saved"], "--yes").returncode == 0
    assert len(answer(folder, "runs", "list")) == 2


def test_a_damaged_database_is_put_aside_when_a_backup_comes_back(folder: Path, tmp_path: Path) -> None:
    metier(folder, "record", stdin='{"message": "x"}')
    metier(folder, "backup", str(tmp_path / "b.tar.gz"))
    (state_of(folder) / "metier.db").write_bytes(b"not a database" * 1000)
    refused(metier(folder, "runs", "list"), 1, "is damaged", "metier restore FILE")
    done = metier(folder, "restore", str(tmp_path / "b.tar.gz"), "--yes")
    assert done.returncode == 0, done.stderr
    assert len(answer(folder, "runs", "list")) == 1
    [aside] = (state_of(folder) / "backups").glob("damaged-*")
    assert (aside / "metier.db").read_bytes().startswith(b"not a database")


def test_reading_never_waits_for_a_writer(folder: Path) -> None:
    import fcntl
    import time

    metier(folder, "record", stdin='{"message": "x"}')
    with (state_of(folder) / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        began = time.monotonic()
        assert len(answer(folder, "runs", "list")) == 1
        assert len(answer(folder, "runs", "search", "x")) == 1
        assert time.monotonic() - began < 8
        busy = metier(folder, "--set", "lock_wait=0.2", "record", stdin='{"message": "y"}')
        refused(busy, 1, "Another process has been writing", "more than 0.2 s", "lock_wait")


def test_a_terminal_without_unicode_still_gets_its_answer(folder: Path) -> None:
    metier(folder, "record", stdin='{"message": "größe 漢字"}')
    done = installed(folder, "runs", "list", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert "\\xf6" in done.stdout


def test_a_flag_wins_over_the_variable_for_the_workspace(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    metier(folder, "-w", str(tmp_path / "other"), "init", METIER_WORKSPACE=str(folder))
    assert has_state(tmp_path / "other")
    metier(tmp_path, "init", METIER_WORKSPACE=str(folder))
    assert has_state(folder)


def test_a_home_that_is_no_folder_is_nothing_to_the_doctor(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    for home in (tmp_path / "file", tmp_path / "file" / "home"):
        refused(metier(folder, "record", stdin='{"message": "a"}', HOME=str(home)), 2, "State cannot be kept in")
        environ = {"HOME": str(home), "METIER_HOME": str(tmp_path / "state")}
        assert metier(folder, "record", stdin='{"message": "a"}', **environ).returncode == 0
        done = metier(folder, "doctor", **environ)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        assert "PROBLEM" not in done.stdout


def test_the_doctor_finds_what_is_wrong_and_says_how_to_fix_it(folder: Path) -> None:
    assert metier(folder, "doctor").returncode == 0
    metier(folder, "init")
    good = metier(folder, "doctor")
    assert good.returncode == 0, good.stdout
    state_of(folder).chmod(0o755)
    open_door = metier(folder, "doctor")
    assert open_door.returncode == 1
    assert "chmod 700" in open_door.stdout
    state_of(folder).chmod(0o700)
    (state_of(folder) / "metier.db").write_bytes(b"not a database" * 1000)
    broken = answer(folder, "doctor")
    assert any(check["state"] == "problem" and "damaged" in check["text"] for check in broken)
    (state_of(folder) / "metier.toml").write_text("nonsense = 1")
    assert "Unknown setting 'nonsense'" in metier(folder, "doctor").stdout


def test_a_newer_schema_is_one_clear_line(folder: Path) -> None:
    import sqlite3

    metier(folder, "init")
    database = sqlite3.connect(state_of(folder) / "metier.db")
    database.execute("INSERT INTO migrations VALUES (99, 'future', '')")
    database.commit()
    database.close()
    refused(metier(folder, "runs", "list"), 1, "written by a newer Metier (schema 99", "pip install --upgrade metier")
    refused(metier(folder, "record", stdin='{"message": "x"}'), 1, "written by a newer Metier")


def test_hostile_text_never_reaches_the_terminal_raw(folder: Path) -> None:
    report = answer(
        folder, "record", stdin=json.dumps({"message": "a\x1b[31mred\x07\u202eevil\x9b", "output": "\x1b]0;x\x07"})
    )
    for words in (("runs", "list"), ("runs", "show", report["ids"][0])):
        out = metier(folder, *words).stdout
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(out)
        assert "\\u001b[31mred" in out


def test_tables_fit_the_terminal(folder: Path) -> None:
    metier(folder, "record", stdin=json.dumps({"message": "long " * 100, "agent": "claude-code"}))
    main, side = pty.openpty()
    environ = {**os.environ, "COLUMNS": "60", "LINES": "20", "TERM": "xterm"}
    process = subprocess.Popen([METIER, "runs", "list"], cwd=folder, env=environ, stdin=side, stdout=side, stderr=side)
    os.close(side)
    out = b""
    try:
        while select.select([main], [], [], 60)[0] and (chunk := os.read(main, 65536)):
            out += chunk
    except OSError:
        pass
    finally:
        os.close(main)
        process.wait(60)
    lines = out.decode().replace("\r", "").splitlines()
    assert lines
    assert all(len(_plain(line)) <= 60 for line in lines), lines
    assert "\x1b[" in out.decode()


def _plain(line: str) -> str:
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def test_no_color_is_honoured(folder: Path) -> None:
    metier(folder, "record", stdin='{"message": "x"}')
    done = metier(folder, "runs", "list", NO_COLOR="1", FORCE_COLOR="1")
    assert "\x1b[3" not in done.stdout


def test_unknown_commands_and_options_are_usage_errors(folder: Path) -> None:
    for words in (
        ("nonsense",),
        ("runs", "nonsense"),
        ("runs", "list", "--nonsense"),
        ("runs", "list", "--limit", "0"),
    ):
        done = metier(folder, *words)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_the_workspace_and_the_state_can_be_elsewhere(folder: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    done = metier(tmp_path, "-w", str(folder), "--home", str(state), "record", stdin='{"message": "x"}')
    assert done.returncode == 0, done.stderr
    assert not has_state(folder)
    paths = json.loads(metier(folder, "where", "--json", METIER_HOME=str(state)).stdout)
    assert (Path(paths["state"]).parent, paths["workspace"]) == (state, str(folder))
    assert Path(paths["database"]).is_file()


def test_completion_can_be_shown(folder: Path) -> None:
    done = installed(folder, "--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert done.returncode == 0, done.stderr
    assert "_METIER_COMPLETE" in done.stdout
    names = installed(folder, _METIER_COMPLETE="complete_bash", COMP_WORDS="metier ru", COMP_CWORD="1").stdout
    assert "runs" in names


def test_output_into_a_closed_pipe_is_quiet(folder: Path) -> None:
    metier(folder, "record", stdin="\n".join(json.dumps({"message": f"run {n}" * 50}) for n in range(400)))
    command = f"'{METIER}' runs list --limit 400 --json | head -c 100"
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr


def test_a_record_that_is_far_too_large_is_refused_and_the_others_are_kept(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "big.jsonl"
    with file.open("wb") as out:
        out.write(b'{"message": "before"}\n{"message": "')
        for _ in range(100):
            out.write(b"x" * 1_000_000)
        out.write(b'"}\n{"message": "after"}\n')
    done = metier(folder, "record", str(file), "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["recorded"]) == (1, 2)
    assert report["refused"] == [{"line": 2, "reason": "the run is larger than 16 MiB (max_record_mb)"}]


def test_a_torn_first_line_does_not_cost_the_rest_of_a_large_file(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "large.jsonl"
    good = json.dumps({"message": "y" * 100_000}) + "\n"
    file.write_text('{"message": "torn\n' + good * 700)
    done = metier(folder, "record", str(file), "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["recorded"], [row["line"] for row in report["refused"]]) == (1, 700, [1])


def test_json_is_json_in_every_locale(folder: Path) -> None:
    metier(folder, "record", stdin='{"message": "größe"}')
    done = metier(folder, "runs", "list", "--json", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert json.loads(done.stdout)[0]["message"] == "größe"


def test_what_is_refused_makes_no_workspace(folder: Path, tmp_path: Path) -> None:
    for words in (
        ("import", "nonsense", "x"),
        ("import", "claude-code", "/nonexistent"),
        ("import", "claude-code"),
        ("restore", "/nonexistent", "--yes"),
        ("record", "/nonexistent"),
        ("record",),
    ):
        done = metier(folder, *words)
        assert done.returncode in (1, 2), words
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert list(folder.iterdir()) == []


def test_the_undo_that_is_named_never_reaches_further_than_the_command(folder: Path) -> None:
    first = metier(folder, "record", stdin='{"id": "1", "message": "x"}').stderr
    assert "Undo: metier runs delete" in first
    again = metier(folder, "record", stdin='{"id": "1", "message": "x"}').stderr
    assert "Undo" not in again


def test_ctrl_c_says_what_is_kept(folder: Path) -> None:
    import signal
    import time

    process = subprocess.Popen([METIER, "record"], cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b'{"message": "x"}\n')
    process.stdin.flush()
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Stopped. Everything saved so far is kept" in said.decode()


def test_ctrl_c_in_a_demo_names_its_folder_and_promises_no_continuation(folder: Path, tmp_path: Path) -> None:
    import signal
    import time

    kept = tmp_path / "kept"
    process = subprocess.Popen([METIER, "demo", "--keep", str(kept)], cwd=folder, stderr=subprocess.PIPE)
    until = time.monotonic() + 30
    while not (kept / "home").exists() and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert f"rm -r {kept}" in said.decode()
    assert said.decode().endswith("metier: Stopped.\n")


@pytest.mark.parametrize("columns", [30, 40, 60, 200])
def test_every_row_of_a_list_is_one_line_at_any_width(
    folder: Path, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rich.cells import cell_len

    from metier.cli import output

    monkeypatch.setattr(output, "WIDE", columns)
    rows = [("5b6766cb", "2026-11-15 21:21", "claude-code", "yes", "漢字 request " * 20, "one-skill, two-skill +3")] * 3
    text = output.table(("id", "when", "agent", "ok", "request", "skills"), rows, grow="request").plain
    assert len(text.splitlines()) == 4
    assert all(cell_len(line) <= columns for line in text.splitlines())
