"""The demo: two screens at most, the same words each time, and what it says is what happened."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import forked
import pytest
from homes import picture

from metier.cli.demo import open_stage
from metier.cli.demo.capture import capture_scene
from metier.cli.demo.learning import learn_scene
from metier.cli.demo.next_run import next_run_scene
from metier.cli.demo.samples.transcripts import read_sessions, secrets, two_weeks
from metier.hooks.places import state_home
from metier.learning.stages.digest import digest_of

if TYPE_CHECKING:
    import subprocess

pytestmark = pytest.mark.xdist_group("demo")
LINES, COLUMNS = 60, 100
TIME = re.compile(r"\d\d:\d\d|\d+(?:\.\d+)? (?:s|ms|seconds)\b|\b20\d\d-")


def demo(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": "/usr/bin:/bin", "HOME": "/dev/null/home", "PYTHONUTF8": "1"} | environment
    return forked.run(["metier", *arguments], env=environ)


def kept(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in a kept demo, as the demo's last lines say."""
    return demo("--home", state_home({"HOME": str(folder / "home")}), "-w", str(folder), *words)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A kept demo and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / "kept"
    done = demo("demo", "--keep", str(folder))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder, done.stdout


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The same as data, in a checkout and with settings and a home around that must not matter."""
    folder, home = tmp_path_factory.mktemp("facts"), tmp_path_factory.mktemp("home")
    (folder / ".git").mkdir()
    environment = {"METIER_HOME": str(folder / "state"), "METIER_ENABLED": "false", "XDG_STATE_HOME": str(home)}
    environment["CLAUDE_PROJECT_DIR"] = str(home)
    done = demo("demo", "--keep", str(folder / "kept"), "--json", **environment, HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert sorted(one.name for one in folder.iterdir()) == [".git", "kept"]
    assert list(picture(folder / ".git")) == list(picture(home)) == []
    return json.loads(done.stdout)["scenes"]


def test_the_demo_is_two_screens_of_plain_text_without_a_time(told: tuple[Path, str]) -> None:
    folder, output = told
    lines = output.splitlines()
    assert len(lines) <= LINES
    assert "\x1b" not in output
    assert [line for line in lines if len(line) > COLUMNS and str(folder) not in line and "/metier" not in line] == []
    assert [line for line in lines if TIME.search(line)] == []
    assert f"metier --home {state_home({'HOME': str(folder / 'home')})} -w {folder} ui --open" in output


def test_two_demos_say_the_same_also_without_a_home_that_can_be_written(told: tuple[Path, str], tmp_path: Path) -> None:
    folder, output = told
    other = tmp_path / "other"
    again = demo("demo", "--keep", str(other), HOME=str(tmp_path), USER="somebody")
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.replace(str(other), "") == output.replace(str(folder), "")
    assert [one.name for one in tmp_path.iterdir() if one.name != "home"] == ["other"]


def test_every_session_is_captured_once_and_the_token_is_taken_out(facts: dict[str, Any]) -> None:
    scene = facts["Two weeks are captured"]
    people = sum(turn.who == "person" for session in two_weeks() for turn in session.turns)
    assert (scene["sessions"], scene["runs"], scene["again"]) == (len(two_weeks()), people, 0)
    assert scene["redacted"] == 1
    assert scene["corrected"] == 5


def test_lessons_come_in_the_persons_words_and_what_the_page_said_is_learned_by_nothing(facts: dict[str, Any]) -> None:
    scene = facts["They are judged, and teach"]
    lessons = scene["lessons"]
    assert lessons["no, please always use pnpm, not npm: a second lock file breaks the build"] == 4
    assert lessons["Schreib jeden Commit bitte immer auf Englisch, nicht auf Deutsch."] == 2
    assert any("gh pr create --fill" in text for text in lessons)
    assert scene["skills"]["bump-dependency"] == 5
    assert scene["went_wrong"] == 6  # also the one whose only call failed
    assert scene["learned_from_the_page"] == []
    assert scene["handed_in"]["status"] == "quarantined"
    assert {"conceal-from-user", "download-and-run"} <= set(scene["handed_in"]["rules"])
    assert "looks like a secret" in scene["refused"]


def test_the_rule_is_broken_before_and_kept_since_because_the_hook_denies(facts: dict[str, Any]) -> None:
    scene = facts["The next run gets it"]
    assert (scene["given"], scene["given_to_a_poem"]) == (True, False)
    assert scene["before"] == [6, 10]
    wanted = [turn for one in read_sessions("next_week.txt") for turn in one.turns if turn.text.startswith("npm ")]
    assert scene["since"] == [0, len(wanted)]
    assert scene["denied"] == len(wanted)


def test_the_harmful_draft_is_stopped_by_replay_alone(facts: dict[str, Any]) -> None:
    scene = facts["A draft that does harm is stopped"]
    assert (scene["findings"], scene["cases"], scene["decision"], scene["shipped"]) == (0, 7, "reject", False)
    assert "-100.0 points on 7 fresh cases" in scene["reason"]


def test_the_change_is_taken_back_to_the_byte(facts: dict[str, Any]) -> None:
    scene = facts["A change is taken back"]
    assert scene == {"versions": ["apply", "hand-edit", "rollback"], "as_it_was": True}


def test_the_training_accepts_some_changes_and_the_last_gate_says_yes(facts: dict[str, Any]) -> None:
    scene = facts["A skill is trained"]
    assert 0 < scene["accepted"] < scene["steps"]
    assert scene["decision"]["action"].startswith("accept")


def test_the_training_shows_one_result_on_fresh_cases_before_the_curve(told: tuple[Path, str]) -> None:
    folder, output = told
    scene = output.partition("A skill is trained")[2]
    assert re.findall(r"[+-][\d.]+ points", scene) == ["+27.5 points"]
    assert scene.index("fresh cases that nothing had looked at") < scene.index("while it searched")
    shown = kept(folder, "train", "show").stdout
    search = "at first, at best 62.5% while searching, 55% measured again"
    for words in ("13 steps, 3 accepted, 7 lines added", search):
        assert words in scene
        assert words in " ".join(shown.split())
    assert "scripted answers" in shown
    assert "model call" not in shown


def test_no_secret_is_in_the_store_or_on_the_screen(told: tuple[Path, str]) -> None:
    folder, output = told
    (token,) = secrets().values()
    texts = {"the output": output.encode()} | {
        str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.parent.name != "sessions"
    }
    assert any(name.endswith("metier.db") for name in texts)
    assert [name for name, content in texts.items() if token.encode() in content] == []
    assert any(token in file.read_text("utf-8") for file in (folder / "sessions").iterdir())  # the agent's own file


def test_the_shipped_stories_hold_places_for_secrets_and_no_secret() -> None:
    import metier.cli.demo.samples
    from metier.redaction import Redactor

    for file in Path(metier.cli.demo.samples.__file__).parent.glob("*.txt"):
        text = file.read_text(encoding="utf-8")
        found = [text[hit.start : hit.end] for hit in Redactor(b"key").find(text)]
        assert [secret for secret in found if "@@" not in secret] == []


def test_the_kept_workspace_can_be_looked_at_again(told: tuple[Path, str]) -> None:
    folder, _ = told
    done = kept(folder, "runs", "list", "--limit", "100", "--json")
    assert len(json.loads(done.stdout)) == 34 + len(read_sessions("next_week.txt"))
    why = kept(folder, "skills", "blame", "bump-dependency", "--json")
    assert {len(one["runs"]) for one in json.loads(why.stdout)} == {5}


def test_the_kept_workspace_says_that_the_skill_was_given_once_as_the_demo_does(told: tuple[Path, str]) -> None:
    folder, output = told
    assert "the agent is given the skill bump-dependency" in output
    why = kept(folder, "skills", "why", "bump-dependency").stdout
    assert "given once" in why
    assert "never given" not in why


def test_what_no_model_answered_is_named_as_scripted(told: tuple[Path, str]) -> None:
    _, output = told
    assert "A scripted agent answers 7 requests of the two weeks again" in output
    assert "(German: always commit in English)" in " ".join(output.split())


def test_the_shipped_requests_are_about_shipped_skills_and_some_are_about_none() -> None:
    from metier.selection.evaluation.samples import QUERIES, documents, lines

    asked = [json.loads(line) for line in lines(QUERIES)]
    assert len(asked) >= 40
    assert sum(not one["gold"] for one in asked) >= 10
    assert {name for one in asked for name in one["gold"]} == documents().keys()
    assert len({one["query"] for one in asked}) == len(asked)


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    done = demo("demo", "--keep", str(folder))
    assert done.returncode == 1
    assert "is not empty" in done.stderr
    assert [file.name for file in folder.iterdir()] == ["mine.txt"]


def test_the_story_ends_yesterday_whatever_day_it_is_and_says_the_same(tmp_path: Path) -> None:
    said: list[object] = []
    for name, today in (("now", None), ("then", date(2031, 1, 31))):
        (tmp_path / name).mkdir()
        with open_stage(tmp_path / name, today) as stage:
            lines = [one.plain for scene in (capture_scene, learn_scene, next_run_scene) for one in scene(stage).lines]
            said.append(lines)
            ends = today or datetime.now(UTC).date()
            newest = max(one.run.started or "" for one in stage.ws.runs(limit=1_000))
            assert (ends - date.fromisoformat(newest[:10])).days <= 4
            assert stage.clock.now.date() == ends - timedelta(days=1)
            digest = digest_of(stage.ws.context)
            assert (len(digest.checked), digest.unused) == (1, ())
            assert "expired" not in [one.status for one in stage.ws.lessons()]
    assert said[0] == said[1]
    assert "npm in the week since" in str(said[0])
    assert "5 attempts denied, 0 got through" in str(said[0])


def test_the_learned_skill_holds_no_value_of_one_run(told: tuple[Path, str]) -> None:
    text = (told[0] / ".agents/skills/bump-dependency/SKILL.md").read_text("utf-8")
    assert "Bump the dependency DEPENDENCY to VERSION" in text
    assert "`git commit -am 'Bump <dependency> to <version>'`" in text
    assert "Taken from the request: `<dependency>`. Different each time, for you to find: `<version>`." in text
    assert not re.search(r"sqlalchemy|httpx|stripe|\d+\.\d+|\bto 12\b", text)
