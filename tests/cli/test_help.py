"""The help of the command line: in groups, nothing cut off, and a hand held out after a typing error."""

from __future__ import annotations

from pathlib import Path

import forked
import pytest

from metier.cli.app import COMMANDS
from metier.cli.help import GROUPS, summary_of
from metier.cli.output import wrap_line
from metier.context.audit import subject_words
from metier.types.audit import AuditEntry

HERE = Path(__file__).parent


def test_no_command_stands_in_two_groups_and_nearly_all_in_one() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert len(grouped) == len(set(grouped))
    assert len(COMMANDS.keys() - set(grouped)) <= 3


@pytest.mark.parametrize("words", [(), ("skills",), ("lessons",), ("runs",), ("drafts",), ("train",), ("config",)])
@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_no_summary_is_cut_off_and_every_line_fits(words: tuple[str, ...], columns: str, tmp_path: Path) -> None:
    environ = {"COLUMNS": columns, "PATH": "/usr/bin", "HOME": str(tmp_path)}
    done = forked.metier(*words, "--help", cwd=HERE, env=environ)
    assert done.returncode == 0, done.stderr
    assert "..." not in done.stdout.replace("[ARGS]...", "").replace("]...", "")
    assert max(map(len, done.stdout.splitlines())) <= int(columns)


def test_the_groups_come_in_their_order() -> None:
    shown = forked.metier("--help", cwd=HERE).stdout
    places = [shown.index(f"\n{title}:\n") for title, names in GROUPS.items() if COMMANDS.keys() & set(names)]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("lern",), "'learn'"),
        (("lesons", "list"), "'lessons'"),
        (("qqqq",), "metier --help"),
        (("skills", "shwo"), "'show'"),
    ],
)
def test_a_typing_error_gets_the_likeliest_command(words: tuple[str, ...], meant: str) -> None:
    done = forked.metier(*words, cwd=HERE)
    assert done.returncode == 2
    assert meant in done.stderr


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("Learn from new runs: find lessons.\n\nExample: x", "Learn from new runs"),
        ("Stop at once: nothing is recorded.", "Stop at once: nothing is recorded"),
        ("Do this.\nAnd that. More.", "Do this"),
        ("", ""),
    ],
)
def test_a_summary_is_the_first_sentence(text: str, summary: str) -> None:
    assert summary_of(text) == summary


def test_a_long_line_goes_on_indented_and_no_word_is_cut() -> None:
    line = "  you said (run 095c8217): no, not git add . again: stage only the files you changed"
    first, second = wrap_line(line, 80).splitlines()
    assert first == "  you said (run 095c8217): no, not git add . again: stage only the files you"
    assert second == "      changed"
    assert wrap_line("  short  and plain", 80) == "  short  and plain"
    assert wrap_line("label   a value that is long", 20, 8) == "label   a value that\n        is long"


def test_an_action_names_its_subject_without_hashes() -> None:
    def entry(action: str, subject: str) -> AuditEntry:
        return AuditEntry(happened="2026-01-05T12:00:00Z", actor="me", action=action, subject=subject)

    assert subject_words(entry("apply draft", f"{'ab' * 6} {'0' * 64}")) == "abababab"
    assert subject_words(entry("approve lesson", "abababababab Ask first.")) == "Ask first."
    assert subject_words(entry("skill archive", "deploy v3")) == "deploy"
