"""Any command is a target: real processes in throw-away folders, killed for real, with nothing left behind."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import running, until

from metier.errors import UsageError
from metier.processes import PREFIX, ProcessLimits, sweep
from metier.skills.package import Package
from metier.training.scoring.scorer import Means, Ran
from metier.training.scoring.scorers import Scorers
from metier.training.targets.checks import CommandChecks
from metier.training.targets.command import CommandTarget, agent_target, command_target
from metier.training.targets.known_agents import AGENTS, known_agent
from metier.training.targets.target import Attempt, Broken
from metier.types.trials import Case, Scored

LINUX = sys.platform == "linux"
on_linux = pytest.mark.skipif(not LINUX, reason="only Linux shows the environment of processes")
ENVIRON = {
    "PATH": os.environ["PATH"],
    "LANG": "C.UTF-8",
    "API_KEY": "sk-verysecretvalue",
    "OTHER_SECRET": "hidden-value",
}
CASE = Case(id="c", input="Say hi; $(id) `id` {skill_dir}", files=(("data/a.txt", "old"),))
SKILL = Package(
    files={
        "SKILL.md": b"---\nname: greet\ndescription: d\n---\nSay hi.\n",
        "scripts/run.sh": b"#!/bin/sh\necho ran\n",
        "evals/evals.json": b"the answers",
    },
    executable=frozenset({"scripts/run.sh"}),
)


def shell(script: str, **settings: object) -> CommandTarget:
    """A command that is a shell script; the places are its arguments."""
    words = ("sh", "-c", script, "agent", "{task_file}", "{skill_dir}")
    return CommandTarget(words=words, environ=ENVIRON, **settings)  # type: ignore[arg-type]


def tried(target: CommandTarget, case: Case = CASE, skill: Package | None = SKILL) -> Attempt:
    attempt = target.run(case, skill, 0)
    assert isinstance(attempt, Attempt), attempt
    return attempt


def broken(target: CommandTarget, case: Case = CASE) -> Broken:
    found = target.run(case, SKILL, 0)
    assert isinstance(found, Broken), found
    return found


@pytest.fixture(autouse=True)
def nothing_left_behind() -> object:
    """After every test: no folder of ours, no process of ours."""
    yield
    assert list(Path(tempfile.gettempdir()).glob(f"{PREFIX}{os.getpid()}-*")) == []
    assert [pid for pid in processes() if marked(pid)] == []


def processes() -> list[str]:
    return [name for name in os.listdir("/proc") if name.isdigit()] if LINUX else []


def marked(pid: str) -> bool:
    try:
        return f"TRY_OF_METIER={os.getpid()}-".encode() in Path("/proc", pid, "environ").read_bytes()
    except OSError:
        return False


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def test_a_command_finds_the_task_the_files_and_the_skill_where_agents_look() -> None:
    script = 'cat "$1"; echo; cat data/a.txt; cd .agents/skills/greet; cat SKILL.md; scripts/run.sh; echo "$2"'
    attempt = tried(shell(script))
    lines = attempt.output.splitlines()
    assert lines[0] == CASE.input
    assert lines[1] == "old---"
    assert lines[-2] == "ran"
    assert lines[-1].endswith("/work/.agents/skills/greet")
    assert (attempt.exit_code, attempt.seconds > 0) == (0, True)


def test_the_skill_goes_where_the_agent_looks() -> None:
    assert tried(shell("ls .claude/skills", skills=".claude/skills")).output == "greet"
    odd = Package(files={"SKILL.md": b"---\nname: ../../../etc\n---\n"})
    assert tried(shell("ls .agents/skills"), skill=odd).output == "skill"


def test_without_a_skill_there_is_none_to_be_found() -> None:
    assert tried(shell('ls -A; ls -A "$2"'), skill=None).output == "data"


def test_the_evals_of_a_skill_are_not_shown_to_the_agent() -> None:
    assert tried(shell("ls .agents/skills/greet")).output == "SKILL.md\nscripts"


def test_places_are_filled_once_and_never_read_by_a_shell() -> None:
    target = CommandTarget(words=("printf", "%s", "<{task}>"), environ=ENVIRON)
    assert tried(target).output == f"<{CASE.input}>"


def test_a_shell_is_used_when_asked_and_sees_quoted_values() -> None:
    target = CommandTarget(words=("printf %s {task} | tr a-z A-Z",), environ=ENVIRON, shell=True)
    assert tried(target).output == CASE.input.upper()


def test_a_command_that_names_no_task_gets_it_on_its_standard_input() -> None:
    long = replace(CASE, input="--help " + "x" * 300_000)
    assert tried(CommandTarget(words=("cat",), environ=ENVIRON), long).output == long.input
    assert tried(shell("cat")).output == ""


def test_a_task_too_long_for_an_argument_is_said_to_be_that() -> None:
    found = broken(CommandTarget(words=("echo", "{task}"), environ=ENVIRON), replace(CASE, input="x" * 3_000_000))
    assert (found.again, "Argument list too long" in found.reason) == (False, True)


def test_no_secret_is_inherited() -> None:
    printed = tried(shell("env")).output
    names = {line.split("=")[0] for line in printed.splitlines()}
    assert names <= {"PATH", "LANG", "HOME", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_", "TRY_OF_METIER"}
    home = next(line for line in printed.splitlines() if line.startswith("HOME="))
    assert Path(home[5:]).parent.name.startswith(PREFIX)


def test_a_variable_is_passed_when_named_and_its_value_is_kept_out_of_what_is_kept() -> None:
    attempt = tried(shell('echo "key $API_KEY"; echo "$API_KEY" >&2; test -z "$OTHER_SECRET"', passed=("API_KEY",)))
    assert (attempt.output, attempt.trace) == ("key [API_KEY]", "[API_KEY]")
    assert broken(shell('echo "$API_KEY" >&2; exit 1', passed=("API_KEY",))).reason == "exit code 1: [API_KEY]"


@on_linux
def test_a_command_that_hangs_is_ended_with_all_its_children(tmp_path: Path) -> None:
    begun = (f"{how} sleep 60 & echo $! > {tmp_path}/{name}; " for how, name in (("", "one"), ("setsid", "two")))
    script = f"{''.join(begun)} echo $$ > {tmp_path}/self; sleep 60"
    began = time.monotonic()
    found = broken(shell(script, limits=ProcessLimits(seconds=0.5)))
    assert found == Broken(reason="it was still running after 0.5 s", again=True)
    assert time.monotonic() - began < 10
    assert not any(alive(int((tmp_path / name).read_text())) for name in ("one", "two", "self"))


@on_linux
def test_what_a_command_leaves_running_ends_with_it(tmp_path: Path) -> None:
    leaving = f"(setsid sh -c 'echo $$ > {tmp_path}/pid; exec sleep 60' >/dev/null 2>&1 &)"
    script = f"{leaving}; while ! test -s {tmp_path}/pid; do :; done; echo done"
    assert tried(shell(script)).output == "done"
    assert not alive(int((tmp_path / "pid").read_text()))


def test_a_command_that_does_not_stop_printing_is_ended() -> None:
    found = broken(shell("yes", limits=ProcessLimits(seconds=30, output=100_000)))
    assert (found.reason, found.again) == ("it printed more than 100,000 bytes", False)


def test_running_commands_end_when_told_to_stop() -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    assert broken(shell("sleep 60", limits=ProcessLimits(stop=stop))).reason == "it was stopped"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("printf '\\377\\376'", "its output is not text (exit code 0)"),
        ("echo no >&2; exit 3", "exit code 3: no"),
        ("exit 4", "exit code 4: no error output"),
        ("kill -9 $$", "signal 9: no error output"),
    ],
)
def test_garbage_and_unexpected_ends_say_nothing_about_the_skill(script: str, reason: str) -> None:
    assert broken(shell(script)) == Broken(reason=reason)


def test_exit_codes_that_are_expected_make_an_attempt_and_can_be_scored() -> None:
    attempt = tried(shell("echo x; exit 3", exits=(0, 3)))
    case = replace(CASE, scorer='{"kind": "exit-code", "code": 3}')
    assert Scorers().score(case, attempt) == Scored(hard=1, soft=1)


def test_a_missing_command_is_named() -> None:
    found = broken(CommandTarget(words=("no-such-agent", "x"), environ=ENVIRON))
    assert found == Broken(reason="'no-such-agent' cannot be started: it is not on the PATH", again=False)
    found = broken(CommandTarget(words=("/etc/passwd",), environ=ENVIRON))
    assert found == Broken(reason="'/etc/passwd' cannot be started: Permission denied", again=False)


def test_a_case_cannot_write_outside_the_folder() -> None:
    found = broken(shell("true"), replace(CASE, files=(("../../x", "y"),)))
    assert (found.again, "cannot be written" in found.reason) == (False, True)


def test_a_case_whose_file_stands_where_the_skill_goes_is_said_to_be_that() -> None:
    for path in (".agents/skills/greet/SKILL.md", ".agents"):
        said = broken(shell("true"), replace(CASE, files=((path, "mine"),)))
        assert said.reason == "a file of the case is in the place of the skill, .agents/skills"
        assert not said.again
    tried(shell("true"), replace(CASE, files=((".agents/skills/other/SKILL.md", "beside it"),)))


def test_a_misspelt_place_is_not_taken_for_a_word_and_other_braces_are() -> None:
    with pytest.raises(UsageError, match=r"\{taks\} is not a placeholder of a command; did you mean \{task\}\?"):
        command_target("agent {taks}", ENVIRON)
    assert tried(command_target("printf {body}", ENVIRON)).output == "{body}"


def test_files_are_taken_along_when_asked_but_no_links_and_no_binaries() -> None:
    odd = "ln -s /etc/passwd out/l.py; printf '\\377' > out/b.py; mkfifo out/f.py"
    script = f"echo new > data/a.txt; mkdir out; echo 1 > out/r.py; {odd}"
    attempt = tried(shell(script, collect=("out/*", "data/a.txt")))
    assert sorted(attempt.files) == [("data/a.txt", "new\n"), ("out/r.py", "1\n")]
    assert tried(shell(script)).files == ()


def test_folders_that_may_not_be_written_are_taken_away_all_the_same() -> None:
    assert tried(shell("mkdir -p a/b; touch a/b/c; chmod -R 555 a; echo ok")).output == "ok"


def test_many_run_at_once_without_seeing_each_other() -> None:
    target = shell("touch mine; ls | wc -l; cat $1")
    cases = [replace(CASE, id=str(number), input=f"task {number}", files=()) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        outputs = [attempt.output for attempt in pool.map(lambda case: tried(target, case, None), cases)]
    assert outputs == [f"1\ntask {number}" for number in range(8)]


def test_whatever_shapes_attempts_is_in_the_identity_and_no_secret_is() -> None:
    target = shell("x", passed=("API_KEY",))
    changes: list[dict[str, object]] = [
        {"words": ("y",)},
        {"skills": "s"},
        {"shell": True},
        {"passed": ()},
        {"exits": (1,)},
        {"collect": ("*",)},
        {"limits": ProcessLimits(seconds=1)},
    ]
    found = {target.identity, *(replace(target, **change).identity for change in changes)}  # type: ignore[arg-type]
    assert len(found) == len(changes) + 1
    assert target.identity.startswith("command sh ")
    assert ENVIRON["API_KEY"] not in target.identity + repr(target)


@pytest.mark.parametrize("settings", [{"words": ()}, {"words": (" ",)}, {"words": ("x",), "skills": "../up"}])
def test_an_impossible_command_is_refused_at_once(settings: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        CommandTarget(environ=ENVIRON, **settings)  # type: ignore[arg-type]


def test_a_command_is_written_as_in_a_shell() -> None:
    assert tried(command_target("printf '%s!' {task}", ENVIRON)).output == f"{CASE.input}!"
    with pytest.raises(UsageError, match="No closing quotation"):
        command_target("echo '", ENVIRON)


def test_every_known_agent_is_a_target() -> None:
    for name in AGENTS:
        target = agent_target(name, ENVIRON)
        assert target.words[0]
        assert not {"API_KEY", "OTHER_SECRET"} & set(target.passed)
    with pytest.raises(UsageError, match="did you mean 'claude-code'"):
        known_agent("claude")


def test_what_a_known_agent_prints_is_read(tmp_path: Path) -> None:
    fake = tmp_path / "claude"
    fake.write_text(
        """#!/bin/sh
task=$(cat)
echo '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Skill","input":{"skill":"greet"}}]}}'
echo "{\\"type\\":\\"result\\",\\"result\\":\\"$task, $(ls .claude/skills)\\",\\"total_cost_usd\\":0.25}"
"""
    )
    fake.chmod(0o755)
    environ = ENVIRON | {"PATH": f"{tmp_path}:{ENVIRON['PATH']}"}
    attempt = tried(agent_target("claude-code", environ), replace(CASE, input="hello"))
    assert (attempt.output, attempt.tools, attempt.cost_usd) == ("hello, greet", ("Skill",), 0.25)
    fake.write_text("#!/bin/sh\necho nonsense\n")
    assert "does not end with a result" in broken(agent_target("claude-code", environ)).reason


def test_a_check_runs_among_the_files_and_its_exit_code_decides() -> None:
    checks = CommandChecks(environ=ENVIRON)
    case = Case(
        id="c",
        input="task",
        expected="hi",
        files=(("check.sh", "diff -q output.txt expected.txt"),),
        scorer='{"kind": "command", "command": "sh check.sh", "seconds": 5}',
    )
    scorers = Scorers(Means(commands=checks))
    scorers.check([case])
    assert scorers.score(case, Attempt(output="hi")) == Scored(hard=1, soft=1)
    assert scorers.score(case, Attempt(output="ho")) == Scored(hard=0, soft=0)
    assert checks.check(("sh", "-c", 'echo "$API_KEY"; exit 7'), {}, 5) == Ran(code=7, output="\n")
    assert checks.check(("sleep", "60"), {}, 0.2) == Broken(reason="it was still running after 0.2 s")
    assert checks.check(("no-such",), {}, 5) == Broken(
        reason="'no-such' cannot be started: it is not on the PATH", again=False
    )
    assert "cannot be written" in getattr(checks.check(("true",), {"../x": ""}, 5), "reason", "")


@on_linux
def test_what_a_killed_process_left_is_swept_up() -> None:
    code = (
        "import os; from metier.processes import *\n"
        "words = ['sh', '-c', 'echo $$ > pid; exec sleep 60']\n"
        "with folder() as place: run(words, place, environment(place, os.environ), ProcessLimits())"
    )
    with running([sys.executable, "-c", code]) as child:

        def places() -> list[Path]:
            assert child.poll() is None, "it ended before it could be killed"
            found = Path(tempfile.gettempdir()).glob(f"{PREFIX}{child.pid}-*/pid")
            return [file.parent for file in found if file.read_text().strip()]

        until(places, "a command that has begun")
        [place] = places()
        child.kill()
    left = int((place / "pid").read_text())
    assert alive(left)
    sweep()
    for _ in range(200):
        if not alive(left):
            break
        time.sleep(0.01)
    assert not alive(left)
    assert not place.exists()
