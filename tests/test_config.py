from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from metier.config import GROUPS, PARSERS, Config, load, state_folder, user_file, variable
from metier.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

HOME = {"HOME": "/nowhere"}


def write(folder: Path, text: str) -> Path:
    file = folder / ".metier" / "metier.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def test_without_any_file_everything_has_its_default(tmp_path: Path) -> None:
    settings = load(tmp_path, environ=HOME)
    assert settings.config == Config()
    assert set(settings.sources.values()) == {"default"}


def test_each_layer_wins_over_the_one_below_and_is_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    user = user_file({"HOME": str(home)})
    user.parent.mkdir(parents=True)
    user.write_text("mode = 'draft'\nmin_runs = 3\nmin_success_ratio = 0.1\nlock_wait = 1")
    own = write(tmp_path, "min_runs = 4\nmin_success_ratio = 0.2\nlock_wait = 2")
    environ = {"HOME": str(home), "METIER_MIN_SUCCESS_RATIO": "0.3", "METIER_LOCK_WAIT": "3"}
    settings = load(tmp_path, {"lock_wait": "4"}, environ)
    config = settings.config
    assert (config.mode, config.learning.min_runs, config.learning.min_success_ratio, config.lock_wait) == (
        "draft",
        4,
        0.3,
        4.0,
    )
    named = [settings.sources[name] for name in ("mode", "min_runs", "min_success_ratio", "lock_wait", "trigger")]
    assert named == [str(user), str(own), "METIER_MIN_SUCCESS_RATIO", "flag", "default"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mod = 'draft'", r"Unknown setting 'mod' in .*metier.toml \(did you mean 'mode'\?\)"),
        ("mode = 'draf'", r"'mode' .* is 'draf'; expected one of observe, draft, apply \(did you mean 'draft'\?\)"),
        ("mode = 3", "expected one of observe, draft, apply"),
        ("min_runs = 0", "expected a whole number from 1 to"),
        ("min_runs = 2.5", "expected a whole number"),
        ("min_runs = true", "expected a whole number"),
        ("min_success_ratio = 1.01", "expected a number from 0 to 1"),
        ("min_success_ratio = nan", "expected a number from 0 to 1"),
        ("enabled = 'perhaps'", "expected true or false"),
        ("times = ['3:05']", "times such as 03:05"),
        ("times = ['24:00']", "times such as 03:05"),
        ("ignore = [3]", "expected text"),
        ("ignore = 3", "expected a list of texts"),
        ("store = 'postgresql://evil.example/x'", "store cannot be set there: .* metier config set store"),
        ("second_opinions = ['sh']", "second_opinions cannot be set there"),
        ("model_url = 'https://evil.example'", "model_url cannot be set there"),
        ("model_key = 'AWS_SECRET_ACCESS_KEY'", "model_key cannot be set there"),
        ("budget_usd = 1000", "budget_usd cannot be set there"),
        ("skill_roots = ['~/x']", "skill_roots cannot name a folder outside the project"),
        ("skill_roots = ['skills', '../x']", "skill_roots cannot name a folder outside the project"),
        ("skill_roots = ['/etc']", "skill_roots cannot name a folder outside the project"),
        ("state_dir = '/x'", "state_dir cannot be set in a file inside it. Set METIER_HOME"),
        ("mode = ", "is not valid TOML"),
    ],
)
def test_an_unknown_key_or_value_is_an_error_that_says_what_to_write(tmp_path: Path, text: str, says: str) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigError, match=says):
        load(tmp_path, environ=HOME)


def test_an_unknown_variable_is_an_error_with_the_nearest_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"METIER_MODES is not a setting \(did you mean 'METIER_MODE'\?\)"):
        load(tmp_path, environ=HOME | {"METIER_MODES": "draft"})


def test_words_are_trimmed_and_their_case_does_not_matter(tmp_path: Path) -> None:
    write(tmp_path, "mode = ' Draft '\ntrigger = 'SCHEDULED'\ntimes = ['03:05', '03:05', '12:00']")
    config = load(tmp_path, environ=HOME).config
    assert (config.mode, config.learning.trigger, config.learning.times) == ("draft", "scheduled", ("03:05", "12:00"))


def test_zero_is_allowed_as_a_ratio(tmp_path: Path) -> None:
    write(tmp_path, "min_success_ratio = 0")
    assert load(tmp_path, environ=HOME).config.learning.min_success_ratio == 0


def test_lists_can_come_from_a_variable(tmp_path: Path) -> None:
    environ = HOME | {"METIER_IGNORE": "~/private, */secret-*"}
    assert load(tmp_path, environ=environ).config.ignore == ("~/private", "*/secret-*")


def test_the_state_folder_follows_metier_home_and_its_settings_come_with_it(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "metier.toml").write_text("mode = 'apply'")
    write(tmp_path, "mode = 'draft'")
    settings = load(tmp_path, environ=HOME | {"METIER_HOME": str(elsewhere)})
    assert (settings.config.mode, settings.config.state_dir) == ("apply", str(elsewhere))
    assert settings.sources["state_dir"] == "METIER_HOME"
    assert state_folder(tmp_path, "") == tmp_path / ".metier"


def test_a_settings_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    write(tmp_path, "").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"metier\.toml cannot be read"):
        load(tmp_path, environ=HOME)


def test_every_setting_has_a_parser_and_a_variable() -> None:
    known = {field.name for kind in (Config, *GROUPS.values()) for field in fields(kind)} - GROUPS.keys()
    assert set(PARSERS) == set(Config().flat()) == known
    assert len({variable(name) for name in PARSERS}) == len(PARSERS)


@pytest.mark.parametrize("name", ["second_opinions", "model_url", "model_key", "embed_headers"])
def test_what_runs_programs_or_sends_keys_is_never_taken_from_a_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / ".metier").mkdir()
    (tmp_path / ".metier" / "metier.toml").write_text(f'{name} = "x"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=f"{name} cannot be set there"):
        load(tmp_path, environ={"HOME": str(tmp_path)})
    user = tmp_path / ".config" / "metier"
    user.mkdir(parents=True)
    (tmp_path / ".metier" / "metier.toml").unlink()
    (user / "metier.toml").write_text(f'{name} = "x"\n', encoding="utf-8")
    assert load(tmp_path, environ={"HOME": str(tmp_path)}).sources[name].endswith("metier.toml")
