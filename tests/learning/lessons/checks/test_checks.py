"""Lessons as tests on calls: command lines are parsed, never matched."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sessions import ran, records, said

from metier.learning.lessons.checks import check_call, check_line, check_of
from metier.learning.lessons.tally import tally
from metier.types import Record, ToolCall
from metier.types.lessons import Lesson, LessonCheck

PROGRAMS = frozenset(("git", "pip", "uv", "grep", "rg", "bun", "npm", "tool"))


def lesson(text: str, kind: str = "rule") -> Lesson:
    return Lesson(id="1", workspace="w", kind="fix" if kind == "fix" else "rule", text=text, subject="s")


def check(text: str, kind: str = "rule") -> LessonCheck:
    found = check_of(lesson(text, kind), PROGRAMS)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("git add .", "violated"),
        ("git add ./", "violated"),
        ("git add . && git commit -m x", "violated"),
        ("cd app; sudo git -C app add .", "violated"),
        ("bash -c 'git add .'", "violated"),
        ("git add .github", "obeyed"),
        ("git add .gitignore src/a.py", "obeyed"),
        ("git add src/.", "obeyed"),
        ("git commit -m 'git add .'", None),
        ("echo git add .", None),
        ("git status", None),
        ('printf "git add ." > note.txt', None),
    ],
)
def test_a_forbidden_argument_is_found_by_parsing(line: str, held: str | None) -> None:
    assert check_line(check("Stage files by name; never `git add .`"), line) == held


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("pip install x", "violated"),
        ("python -m venv . && pip install x", "violated"),
        ("uv pip install x", "obeyed"),
        ("uv add x", "obeyed"),
        ("pip --help", None),
        ("echo pip", None),
        ("pipx run x", None),
    ],
)
@pytest.mark.parametrize("text", ["use uv, not pip", "Use `uv` instead of `pip`", "instead of `pip`, use `uv`"])
def test_one_program_in_the_place_of_another(text: str, line: str, held: str | None) -> None:
    assert check_line(check(text), line) == held


def test_a_command_that_must_not_be_run_at_all() -> None:
    never = check("no, never `bun link` a session version.")
    assert check_line(never, "bun link") == "violated"
    assert check_line(never, "cd s && bun link --force") == "violated"
    assert check_line(never, "bun install") is None


def test_what_to_run_instead_may_stand_behind() -> None:
    found = check("No, never run `pip install` here, always run `uv pip install` instead.")
    assert (found.program, found.instead) == (("pip", "install"), "uv pip install")
    assert check_line(found, "uv pip install x") == "obeyed"


def test_flags_that_are_forbidden_in_one_breath_all_count() -> None:
    never = check("Never stage with `git add .` or `-A`: stage files by name")
    assert [check_line(never, f"git add {word}") for word in (".", "-A", "a.py")] == ["violated", "violated", "obeyed"]


def test_letters_of_flags_may_stand_together() -> None:
    never = check("Never `git add -A`")
    assert check_line(never, "git add -Av") == "violated"
    assert check_line(never, "git add -v") == "obeyed"


def test_a_call_that_can_never_work_is_checked_and_one_that_depends_on_the_moment_is_not() -> None:
    usage = check("When `tool pr` fails with “either --session or --path must be provided”: `tool pr --path .`", "fix")
    assert check_line(usage, "tool pr") == "violated"
    assert check_line(usage, "tool pr --path=docs > x") == "obeyed"
    assert check_line(usage, "tool pr --session s1") == "obeyed"
    unknown = check("When `tool get` fails with “unknown option '--task'”: `tool get NAME`", "fix")
    assert check_line(unknown, "tool get --task 3") == "violated"
    assert check_line(unknown, "tool get task3") == "obeyed"
    moment = "When `git push` fails with “has no upstream branch”: `git push --set-upstream origin BRANCH`"
    assert check_of(lesson(moment, "fix"), PROGRAMS) is None


def test_an_error_that_names_no_option_makes_no_check() -> None:
    missing = "When `tool start` fails with “missing required argument 'session'”: `tool start NAME --task N`"
    assert check_of(lesson(missing, "fix"), PROGRAMS) is None


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("tool -rf x", "violated"),
        ("tool -r -f x", "violated"),
        ("tool -fr x", "violated"),
        ("tool -rvf x", "violated"),
        ("tool -r x", "obeyed"),
        ("tool -f x && tool -r y", "obeyed"),
        ("tool --rf x", "obeyed"),
        ("tool -friendly x", "obeyed"),
    ],
)
def test_options_of_one_letter_count_in_any_order_and_apart(line: str, held: str) -> None:
    assert check_line(check("never use `tool -rf`"), line) == held


def test_a_script_is_the_same_with_a_dot_before_it() -> None:
    never = LessonCheck(program=("bun", "run", "src/cli.ts"), wrong=("--task",))
    assert check_line(never, "bun run ./src/cli.ts --task 3") == "violated"


@pytest.mark.parametrize(
    ("call", "held"),
    [
        (ToolCall(name="Edit", input=json.dumps({"file_path": "/home/ada/p/CHANGELOG.md"})), "violated"),
        (ToolCall(name="Read", input=json.dumps({"file_path": "/home/ada/p/CHANGELOG.md"})), None),
        (ran("cat CHANGELOG.md"), None),
        (ran("echo x >> CHANGELOG.md"), "violated"),
        (ran("sed -i s/a/b/ CHANGELOG.md"), "violated"),
        (ran("sed -n 1,3p CHANGELOG.md"), None),
        (ran("cp notes.md CHANGELOG.md"), "violated"),
        (ran("cp CHANGELOG.md notes.md"), None),
        (ran("git checkout main -- CHANGELOG.md"), "violated"),
        (ran("git add CHANGELOG.md"), None),
        (ran("tool < CHANGELOG.md"), None),
    ],
)
def test_a_path_that_must_not_be_changed_may_be_read(call: ToolCall, held: str | None) -> None:
    assert check_call(check("Never edit `CHANGELOG.md`"), call) == held


def test_a_path_that_must_not_be_touched() -> None:
    diary = check("Never read or edit `dev-log/` without asking")
    read = ToolCall(name="Read", input=json.dumps({"file_path": "/home/ada/p/dev-log/day1.md"}))
    assert check_call(diary, read) == "violated"
    assert check_call(diary, ran("cat dev-log/day1.md")) == "violated"
    assert check_call(diary, ran("sort < dev-log/day1.md")) == "violated"
    assert check_call(diary, ToolCall(name="Grep", input='pattern: "uv|pip", path: "dev-log"')) == "violated"
    assert check_call(diary, ToolCall(name="Read", input="dev-log/day2.md")) == "violated"
    assert check_call(diary, ran("cat dev-logs.md")) is None
    assert check_call(diary, ran('git commit -m "how it handles dev-log/ files"')) is None


@pytest.mark.parametrize(
    "text",
    [
        "always run the tests before you push",
        "never forget who you are working for",
        "don't use `frobnicate`, nobody has it",
        "use the fixture, not the mock",
        "when you parse JSON use rg, not grep",
        "Write short commit messages",
    ],
)
def test_what_names_no_command_of_this_project_gets_no_check(text: str) -> None:
    assert check_of(lesson(text), PROGRAMS) is None


@pytest.mark.parametrize(
    ("text", "program", "wrong"),
    [
        ("no, never run git add .", ("git", "add"), (".",)),
        ("Stage files by name; never git add .", ("git", "add"), (".",)),
        ("I am tired of this; don’t use git add -A.", ("git", "add"), ("-A",)),
        ("Do not run npm install.", ("npm", "install"), ()),
        ("you were told not to run npm", ("npm",), ()),
        ("never use npm, it is slow", ("npm",), ()),
        ("Work on a branch. Never git push --force or git reset --hard", ("git", "push"), ("--force",)),
        ("never git add . Stage files for this change.", ("git", "add"), (".",)),
        ("never run git add . — name the files", ("git", "add"), (".",)),
        ("Never use npm. It is slow in CI.", ("npm",), ()),
        ("never run make -j8", ("make",), ("-j8",)),
        ("don't use make!", ("make",), ()),
    ],
)
def test_plain_words_that_forbid_a_command_are_a_check(
    text: str, program: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    found = check_of(lesson(text), PROGRAMS | {"make", "go", "find", "touch", "test", "docker"})
    assert found is not None
    assert (found.program, found.wrong) == (program, wrong)


@pytest.mark.parametrize(
    "text",
    [
        "never make changes without asking",
        "don't go there",
        "don't test",
        "never run test suites in parallel",
        "do not touch the config",
        "don't find excuses",
        "never use git history as evidence",
        "never use npm packages",
        "don't use docker images from strangers",
        "never run git push before the tests pass",
        "never run git push, unless I say so",
        "do not run npm install without the lock file",
        "if you don't run npm install, the tests fail",
        "why do you not run npm install? they don't run npm install",
        "why don't run npm install",
        "don't run npm install yet",
        "never git push --force to main",
        "don't forget to git add the file",
        "never run npm install and forget the lock file",
        "when you release, never run git push",
        "stop docker",
        "never run npm install or Yarn unless I ask",
        "never run git push, not without my yes",
    ],
)
def test_prose_with_the_name_of_a_program_is_no_check(text: str) -> None:
    assert check_of(lesson(text), PROGRAMS | {"make", "go", "find", "touch", "test", "docker"}) is None


def test_calls_are_counted_before_and_after_the_yes_with_examples() -> None:
    early = records(said("go", ran("git add ."), ran("git add a.py"), ran("ls")), said("go", ran("git add .")))
    late = records(said("go", ran("git add b.py"), ran("git add b.py")))
    found = tally(check("never `git add .`"), [*early, *late], periods=())
    assert (found.before.applies, found.before.violated, found.after.applies) == (5, 2, 0)
    assert (found.violated, found.obeyed) == (("git add .",), ("git add b.py", "git add a.py"))
    calls = [(one.text, one.held) for one in found.calls_before]
    assert calls[:3] == [("git add b.py", "obeyed"), ("git add b.py", "obeyed"), ("git add .", "violated")]
    assert [one.run for one in found.calls_before] == [one.id for one in (*late, *late, *early[::-1], early[0])]
    since = tally(check("never `git add .`"), late, periods=[("2026-01-01", "")])
    assert (len(since.calls_before), len(since.calls_after)) == (0, 2)
    assert (since.before.applies, since.after.applies, since.after.share) == (0, 2, 0.0)


def test_calls_while_the_lesson_was_out_of_use_count_on_neither_side() -> None:
    def on(day: str) -> Record:
        moment = f"2026-01-{day}T10:00:00Z"
        return replace(records(replace(said("go", ran("git add .")), started=moment))[0], recorded=moment)

    periods = [("2026-01-03T00:00:00Z", "2026-01-10T00:00:00Z"), ("2026-01-20T00:00:00Z", "")]
    found = tally(check("never `git add .`"), [on(day) for day in ("01", "05", "15", "25")], periods)
    assert [one.moment[8:10] for one in found.calls_before] == ["01"]
    assert [one.moment[8:10] for one in found.calls_after] == ["25", "05"]
    ahead = replace(on("12"), recorded="2026-01-09T10:00:00Z")  # the agent's clock is three days ahead
    assert tally(check("never `git add .`"), [ahead], periods).after.applies == 1


@pytest.mark.parametrize("line", ["", "git add", "'", "git add $(", "git 'add' \"", "\0", "a" * 30_000])
def test_any_line_is_held_to_a_check_without_an_error(line: str) -> None:
    check_line(check("never `git add .`"), line)
