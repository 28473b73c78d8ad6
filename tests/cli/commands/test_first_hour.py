"""What a newcomer meets in the first hour: bare groups, misspelt names, broken settings, drafts whose pattern fell."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from states import state_of

from metier.cli.app import stopped_words
from metier.cli.views.learn import explanation
from metier.models.check import check_models
from metier.models.price import price_of_own
from metier.models.scripted import Scripted, on, says
from metier.models.spec import parse_spec
from metier.types import Tokens
from metier.types.passes import Fate, Learned
from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from cli_shell import Shell


def test_only_a_command_that_goes_on_promises_it() -> None:
    assert "Run the same command again" in stopped_words("learn")
    assert {stopped_words(one) for one in ("demo", "ui", "drafts", None)} == {"Stopped."}


@pytest.mark.parametrize("group", ["lessons", "drafts", "skills", "runs"])
def test_a_bare_group_lists(shell: Shell, chores: list[str], group: str) -> None:
    shell.run("learn")
    bare, listed = shell.run(group), shell.run(group, "list")
    assert (bare.code, bare.out) == (0, listed.out)


def test_a_pass_that_ships_says_why_it_did_not_and_counts_no_draft_twice(shell: Shell, chores: list[str]) -> None:
    shell.run("learn")
    again = shell.run("learn", "--apply")
    assert "1 written" not in again.err
    assert "Not shipped (" in again.err
    assert "metier drafts review" in again.err


def test_reasons_are_not_cut_in_a_pipe(shell: Shell) -> None:
    reason = " ".join(["because"] * 100)
    with Workspace.open(shell.folder) as ws:
        parts = list(explanation(ws, Learned(fates=(Fate(run="r1", where="waits", reason=reason),))))
    assert reason in "".join(str(part) for part in parts)


def test_a_draft_whose_pattern_fell_below_the_limit_says_so(shell: Shell, chores: list[str]) -> None:
    shell.run("learn")
    (draft,) = shell.json("drafts", "list")
    shell.ok("config", "set", "min_success_ratio", "1.0")
    pattern = shell.json("patterns", "show", shell.json("patterns", "list")[0]["label"])
    run = pattern["runs"][0]["run"] if isinstance(pattern["runs"][0], dict) else pattern["runs"][0]
    shell.ok("runs", "mark", run, "bad")
    shell.run("learn")
    shown = shell.run("drafts", "show", draft["id"]).out
    assert "by now (the limit is 100%)" in shown
    applied = shell.run("drafts", "apply", draft["id"])
    assert (applied.code, "the limit is 100%" in applied.err) == (0, True)


def test_a_misspelt_skill_gets_the_one_that_was_meant(shell: Shell, chores: list[str]) -> None:
    shell.run("learn")
    shell.ok("drafts", "apply", shell.json("drafts", "list")[0]["id"])
    name = shell.json("skills", "list")[0]["name"]
    assert f"Did you mean '{name}'?" in shell.run("skills", "show", name + "s").err


def test_a_bare_word_in_the_settings_is_told_to_get_quotes(shell: Shell) -> None:
    shell.run("runs")
    (state_of(shell.folder) / "metier.toml").write_text("mode = draft\n", encoding="utf-8")
    assert 'Text needs quotes: mode = "draft"' in shell.run("runs").err


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("record_headless = yes", "record_headless needs true or false: record_headless = true"),
        ("enabled = Off", "enabled needs true or false: enabled = false"),
        ("record_headless = perhaps", "record_headless needs true or false."),
        ("min_runs = two", "min_runs needs a whole number from 1 to"),
        ("ignore = private", 'Text needs quotes: ignore = ["private"]'),
        ("unheard_of = word", 'Text needs quotes: unheard_of = "word"'),
    ],
)
def test_a_bare_word_in_the_settings_is_told_what_it_should_be(shell: Shell, line: str, hint: str) -> None:
    (state_of(shell.folder) / "metier.toml").write_text(f"{line}\n", encoding="utf-8")
    said = shell.run("runs").err
    assert hint in said
    assert "Text needs quotes" not in said.replace(hint, "")


def test_a_model_without_its_key_is_one_problem_and_not_also_fine() -> None:
    found = check_models(parse_spec("anthropic:claude-haiku-4-5"), {}, datetime(2026, 3, 1, tzinfo=UTC))
    assert [one.state for one in found] == ["problem"]


def test_scripted_answers_cost_nothing() -> None:
    assert price_of_own(Scripted(on(".", says("x"))))(Tokens(input=5)) == 0


def test_a_dry_run_of_init_names_the_folders_that_would_be_made(shell: Shell, tmp_path: Path) -> None:
    home = tmp_path / "new-home"
    (home / ".claude").mkdir(parents=True)
    shell.monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"):
        shell.monkeypatch.delenv(name, raising=False)
    shell.folder = tmp_path / "other"
    shell.folder.mkdir()
    said = shell.run("init", "--dry-run", "--agents", "claude-code")
    assert "~/.local/state/metier  (its state" in said.out
    assert "~/.local/state/metier/user  (your own keys" in said.out
    assert [one.name for one in home.iterdir()] == [".claude"]
