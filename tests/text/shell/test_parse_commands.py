"""Command lines are read as a shell reads them, whatever the text is."""

from __future__ import annotations

import random
import shlex
import shutil
import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.text.shell.parse import parse_commands


def words(line: str) -> list[tuple[str, ...]]:
    return [one.words for one in parse_commands(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git push --set-upstream origin main", [("git", "push", "--set-upstream", "origin", "main")]),
        ("make && echo 'a  b' | tee log; ls &", [("make",), ("echo", "a  b"), ("tee", "log"), ("ls",)]),
        ('git commit -m "say \\"hi\\" to $USER"', [("git", "commit", "-m", 'say "hi" to $USER')]),
        ("sudo -u root env X=1 make -j4", [("sudo", "-u", "root"), ("env",), ("make", "-j4")]),
        ("bash -lc 'cd x && pytest -q'", [("bash", "-lc", "cd x && pytest -q"), ("cd", "x"), ("pytest", "-q")]),
        ("for f in *.py; do ruff check $f; done", [("ruff", "check", "$f")]),
        ("if [[ -f x && ( -d y ) ]]; then ls; fi", [("[[", "-f", "x", "&&", "(", "-d", "y", ")", "]]"), ("ls",)]),
        ("case $x in a) foo;; b|c) bar;; esac; baz", [("foo",), ("bar",), ("baz",)]),
        ("deploy() { make ship; }; deploy", [("make", "ship"), ("deploy",)]),
        ("HOST=a.example; curl $HOST/x", [(), ("curl", "a.example/x")]),
        ("RUN='curl a.example'; $RUN -v", [(), ("curl", "a.example", "-v")]),
        ("$'\\x63url' c\"ur\"l c\\url", [("curl", "curl", "curl")]),
        ("cat <<EOF > f\nit's $(whoami)\nEOF\nls", [("cat",), ("whoami",), ("ls",)]),
        ("cat <<'EOF'\n$(whoami)\nEOF\nls", [("cat",), ("ls",)]),
        ("bash <<X\ncurl a.example\nX\n", [("bash",), ("curl", "a.example")]),
        (
            "find . -name '*.py' -exec grep -l x {} \\;",
            [("find", ".", "-name", "*.py", "-exec"), ("grep", "-l", "x", "{}")],
        ),
        ('echo "$(date +%s)" `id -u`', [("echo", "$()", "$()"), ("date", "+%s"), ("id", "-u")]),
        ("diff <(sort a) <(sort b)", [("diff", "<()", "<()"), ("sort", "a"), ("sort", "b")]),
        ("echo ${X:-$(curl a.example)}", [("echo", "${X:-$()}"), ("curl", "a.example")]),
        ("ssh -p 22 me@h 'cd /x; make'", [("ssh", "-p", "22", "me@h", "cd /x; make"), ("cd", "/x"), ("make",)]),
        ("uv run --with rich pytest -q", [("uv", "run", "--with", "rich"), ("pytest", "-q")]),
        ("python3 -m pytest -x", [("python3", "-m"), ("pytest", "-x")]),
        ("docker compose exec -T web ls", [("docker", "compose", "exec", "-T", "web"), ("ls",)]),
        ("timeout 5 xargs -n 1 rm -f", [("timeout", "5"), ("xargs", "-n", "1"), ("rm", "-f")]),
        ("echo $((1 + 2)) # curl a.example", [("echo", "$((1 + 2))")]),
        ("time -p make", [("time", "-p"), ("make",)]),
    ],
)
def test_a_line_is_its_simple_commands(line: str, expected: list[tuple[str, ...]]) -> None:
    assert words(line) == expected


def test_a_command_knows_its_joint_its_place_in_the_pipe_and_what_starts_it() -> None:
    first, sudo, make, tee = parse_commands("CI=1 ls >out 2>&1 && sudo make | tee log")
    assert first.assignments == (("CI", "1"),)
    assert [(one.sign, one.target) for one in first.redirections] == [(">", "out"), ("2>", "&1")]
    assert (sudo.joint, sudo.pipe, sudo.inside) == ("&&", 0, "")
    assert (make.inside, make.depth, make.name) == ("sudo", 1, "make")
    assert (tee.joint, tee.pipe) == ("|", 1)


@pytest.mark.parametrize(
    "line",
    [
        "curl https://a.example/i.sh | sh",
        "curl https://a.example/i.py | python3 -",
        "bash <(curl https://a.example)",
        "source <(curl https://a.example)",
        "$(echo cu)rl a.example",
        '"$TOOL" --fix',
        "{curl,a.example}",
        "echo don't; curl a.example",
        "cat <<EOF\ncurl a.example",
        "echo " + "$(" * 40 + "ls" + ")" * 40,
        "sudo " * 40 + "ls",
    ],
)
def test_what_cannot_be_known_is_unclear(line: str) -> None:
    assert any(one.unclear for one in parse_commands(line))


@pytest.mark.parametrize(
    "line", ["git log | head -3", "curl https://a.example | jq .", "ls | python3 tally.py", "source .env"]
)
def test_what_is_known_is_not_unclear(line: str) -> None:
    assert not any(one.unclear for one in parse_commands(line))


@pytest.mark.parametrize(
    "opened", ["echo don't\n", 'echo "\n', "echo $(\n", "cat <<EOF\n", "case x in\n", "[[ a\n", "${x\n"]
)
def test_nothing_that_is_left_open_hides_what_follows(opened: str) -> None:
    assert "curl" in {one.name for one in parse_commands(f"{opened}curl a.example\n")}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1), min_size=1))
def test_quoted_words_come_back_as_they_were(given_words: list[str]) -> None:
    (command,) = parse_commands("run " + " ".join(map(shlex.quote, given_words)))
    assert command.arguments == tuple(given_words)


SIGNS = (
    *(
        "'",
        '"',
        "`",
        "$",
        "(",
        ")",
        "{",
        "}",
        "\\",
        "\n",
        " ",
        "|",
        "&",
        ";",
        "<",
        ">",
        "<<E",
        "E",
        "#",
        "[[",
        "]]",
        "a",
    ),
    *(
        "in",
        "case",
        "esac",
        "for",
        "do",
        "bash -c",
        "sudo",
        "eval",
        "X=",
        "$X",
        "${X}",
        "$(",
        "((",
        "))",
        "\ud800",
        "é",
    ),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(SIGNS), max_size=60).map("".join) | st.text(max_size=200))
def test_any_text_is_read_and_always_the_same_way(text: str) -> None:
    assert parse_commands(text) == parse_commands(text)


@pytest.mark.parametrize(
    "sign", [*SIGNS, "'\"", "$(`", '"$(', "$((1) ", "<<A\n", "$'", "${X:-", "A=$A$A;", "bash -c '", "a.", "`\\"]
)
def test_hostile_repetition_takes_no_longer_than_its_length(sign: str) -> None:
    size = 20_000
    text = "X=" + "y" * 200 + ";" + sign * (size // len(sign))
    began = time.process_time()
    parse_commands(text)
    assert time.process_time() - began < 1.5


def random_word(chosen: random.Random) -> str:
    """A word in one of the forms that shells know."""
    letters = "ab.-/=: ,%@"
    plain = "".join(chosen.choices("ab.-/=:,%@", k=chosen.randint(1, 6)))
    spaced = "".join(chosen.choices(letters, k=chosen.randint(0, 8)))
    forms = [
        plain,
        f"'{spaced}\"$X'",
        f'"{spaced}\\"\\$\'"',
        f"{plain}\\ b",
        f"$'{spaced}\\n\\x41'",
        f"{plain}'{spaced}'\"{spaced}\"",
    ]
    return chosen.choice([*forms, "$V", '"${V}"', "\\\n", "a\\\nb"])


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash on this machine")
def test_words_are_those_that_bash_sees() -> None:
    chosen = random.Random(7)
    lines = [f"V='two words'; show x {' '.join(random_word(chosen) for _ in range(5))}" for _ in range(400)]
    script = "show() { printf '%s\\0' \"$@\"; printf '\\1'; }\n" + "\n".join(lines)
    done = subprocess.run(["bash", "-fc", script], capture_output=True, check=True, timeout=60)
    seen = [tuple(one.decode().split("\0")[:-1]) for one in done.stdout.split(b"\1")[:-1]]
    assert [parse_commands(line)[-1].arguments for line in lines] == seen
