"""Many commands become one: what they share stays, what differs gets a name."""

from __future__ import annotations

import pytest

from metier.learning.procedures.shell import head, likeness
from metier.learning.procedures.slot_names import names_for
from metier.learning.procedures.template import template_of, widen_slots


def filled(*commands: str, requests: tuple[str, ...] = ()) -> str:
    asked = requests or ("",) * len(commands)
    template = widen_slots(template_of(list(enumerate(commands))), asked)
    return names_for([template], asked).fill(template)


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        (("make test", "make test"), "make test"),
        (("gh run view 91 --log", "gh run view 92 --log", "gh run view 93 --log"), "gh run view <number> --log"),
        (("git log v1.2.0..HEAD", "git log v1.3.0..HEAD"), "git log <version>..HEAD"),
        (("pytest tests/test_a.py -q", "pytest tests/test_b.py -q"), "pytest tests/test_<name>.py -q"),
        (("x --limit 4", "x --limit 20"), "x --limit <limit>"),
        (("git commit -m 'fix a bug'", "git commit -m 'add it now'"), 'git commit -m "<message>"'),
        (("x -m 'Bump rich to 14.0.0'", "x -m 'Bump uv to 0.3.1'"), "x -m 'Bump <name> to <version>'"),
        (("git checkout -b fix/a", "git checkout -b fix/b"), "git checkout -b fix/<branch>"),
        (("docker push r/a:1.0.0", "docker push r/b:2.0.0"), "docker push r/<name>:<version>"),
        (("pytest -q", "pytest -q", "pytest -q -x"), "pytest -q"),
        (("cat x | tail -3", "cat x", "cat x"), "cat x"),
        (("faketime 2026-03-05 make", "faketime 2026-03-05 make"), "faketime <date> make"),
        (("make x | tail -3", "make x | head -2", "make x && ls"), "make x"),
        (("uv add a && uv sync", "uv add b && uv sync", "uv add c && pytest"), "uv add <name> && uv sync"),
        (("single run", ), "single run"),
    ],
)  # fmt: skip
def test_a_template_has_slots_only_where_runs_differ(commands: tuple[str, ...], expected: str) -> None:
    assert filled(*commands) == expected


def test_a_value_most_runs_agree_on_stays() -> None:
    assert filled("x --jobs 4", "x --jobs 4", "x --jobs 4", "x --jobs 8") == "x --jobs 4"


def test_a_slot_grows_to_the_name_that_people_use() -> None:
    asked = ("fix test_cart please", "test_search is flaky", "look at test_login")
    commands = ("pytest t.py::test_cart", "pytest t.py::test_search", "pytest t.py::test_login")
    assert filled(*commands, requests=asked) == "pytest t.py::<name>"


def test_a_slot_is_called_what_people_call_it() -> None:
    asked = ("add the column note", "new column phone, please", "the column vat is missing")
    assert filled("add note", "add phone", "add vat", requests=asked) == "add <column>"


def test_the_same_value_has_the_same_name_everywhere_and_others_have_others() -> None:
    first = template_of([(0, "build a:1.0"), (1, "build b:2.0"), (2, "build c:3.0")])
    second = template_of([(0, "ship a --tag 1.0 x9"), (1, "ship b --tag 2.0 y8"), (2, "ship c --tag 3.0 z7")])
    names = names_for([first, second], ("", "", ""))
    assert names.fill(first) == "build <name>:<tag>"
    assert names.fill(second) == "ship <name> --tag <tag> <name-2>"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git log --oneline", "git log"),
        ("gh run view 5 --log", "gh run view"),
        ("kubectl -n staging rollout status deployment/x", "kubectl rollout status"),
        ("npm run i18n:check -- --fix", "npm run i18n:check"),
        ("python -m pytest -q", "pytest"),
        ("python3 manage.py migrate shop", "python3 manage.py migrate"),
        ("FOO=1 sudo /usr/bin/docker build .", "docker build"),
        ("", ""),
        ("'unterminated", "unterminated"),
    ],
)
def test_the_head_of_a_command_is_its_program_and_what_it_is_told_to_do(command: str, expected: str) -> None:
    assert head(command) == expected


def test_other_programs_are_not_alike_and_the_same_one_is_by_its_words() -> None:
    assert likeness("git push", "git pull") == 0.0
    assert 0.5 <= likeness("pytest a -q", "pytest b -x") < likeness("pytest a -q", "pytest a -x") < 1.0
