"""The demo: what it says is what happened, and no secret of its samples reaches the disk or the screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import forked
import pytest
from adopting import IDENTITY

from metier.cli.demo.samples import samples, secrets
from metier.cli.demo.samples.figures import task_of

if TYPE_CHECKING:
    import subprocess

pytestmark = pytest.mark.xdist_group("demo")


def demo(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": "/usr/bin:/bin", "HOME": "/dev/null/home", "PYTHONUTF8": "1", **IDENTITY} | environment
    return forked.run(["metier", *arguments], env=environ)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A kept demo and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / "kept"
    done = demo("demo", "--keep", str(folder))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder, done.stdout


def test_the_figures_are_those_of_the_samples_whatever_settings_and_workspace_are_around(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    before = {*tmp_path.iterdir(), tmp_path / "kept"}
    environment = {"METIER_HOME": str(tmp_path / "state"), "METIER_ENABLED": "false"}
    done = demo("demo", "--keep", str(tmp_path / "kept"), "--json", **environment)
    assert done.returncode == 0, done.stderr
    assert set(tmp_path.iterdir()) == before
    figures = json.loads(done.stdout)
    runs = samples()
    assert figures["workspace"] == str(tmp_path / "kept")
    assert figures["runs"] == len(runs) == 30
    assert figures["delivered"] == {"new": 30, "updated": 0, "duplicate": 0, "skipped": 0, "refused": 0}
    assert figures["delivered_again"] == {"new": 0, "updated": 0, "duplicate": 30, "skipped": 0, "refused": 0}
    assert sum(figures["redacted"].values()) == 12
    assert len(figures["redacted"]) == len(secrets())
    assert figures["success"] == {"yes": 23, "no": 6, "unknown": 1}
    assert figures["tasks"].keys() == {task_of(run) for run in runs}
    assert sum(sum(found.values()) for found in figures["tasks"].values()) == 30
    assert len(figures["search"]["found"]) == 4
    served, unserved = figures["selection"]["selections"]
    assert (served["chosen"], unserved["chosen"]) == (["bump-dependency"], [])
    assert len(served["candidates"]) > 1
    assert figures["selection"]["evaluation"]["recall"]["5"] > 0.95


def test_no_secret_of_the_samples_is_on_disk_or_on_screen(told: tuple[Path, str]) -> None:
    folder, output = told
    parts = [line for value in secrets().values() for line in value.splitlines() if "PRIVATE" not in line]
    texts = {"the output": output.encode()} | {
        str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }
    assert any(name.endswith("metier.db") for name in texts)
    for name, content in texts.items():
        assert not [part for part in parts if part.encode() in content], name


def test_every_secret_stands_in_some_sample() -> None:
    whole = "\n".join(
        text for run in samples() for text in (run.message, *(t for c in run.tools for t in (c.input, c.output)))
    )
    assert [name for name, value in secrets().items() if value not in whole] == []


def test_the_shipped_file_holds_places_for_secrets_and_no_secret() -> None:
    import metier.cli.demo.samples
    from metier.redaction import Redactor

    text = Path(metier.cli.demo.samples.__file__).with_name("runs.jsonl").read_text(encoding="utf-8")
    found = [text[hit.start : hit.end] for hit in Redactor(b"key").find(text)]
    assert [secret for secret in found if "@@" not in secret] == []


def test_the_page_is_plain_and_fits_eighty_columns(told: tuple[Path, str]) -> None:
    folder, output = told
    assert "\x1b" not in output
    assert [
        line for line in output.splitlines() if len(line) > 80 and str(folder) not in line and "PATH" not in line
    ] == []
    for words in (
        "Recorded 30 runs",
        "0 new, 30 already known",
        "[REDACTED:stripe-key:",
        f"metier -w {folder} runs list",
    ):
        assert words in output


def test_the_kept_workspace_can_be_looked_at_again(told: tuple[Path, str]) -> None:
    folder, _ = told
    done = demo("-w", str(folder), "runs", "list", "--json")
    assert len(json.loads(done.stdout)) == 30 + 2 + 8  # the samples, the imported session's, and those of a chore


def test_without_a_home_that_can_be_written_the_demo_has_a_key_of_its_own(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    done = demo("demo", "--keep", str(kept), METIER_IDENTITY="")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"HOME={kept} metier -w {kept} runs list" in done.stdout
    again = demo("-w", str(kept), "runs", "list", "--json", METIER_IDENTITY="", HOME=str(kept))
    assert len(json.loads(again.stdout)) == 40


def test_a_chore_becomes_a_skill_and_the_skill_learns_one_more_step(told: tuple[Path, str]) -> None:
    folder, output = told
    document = (folder / ".agents" / "skills" / "bump-dependency" / "SKILL.md").read_text(encoding="utf-8")
    for step in ("uv add", "pytest -q", "git commit", "pip-audit"):
        assert step in document
    assert [line for line in document.splitlines() if line.strip() and line[:70] not in output] == []
    blame = json.loads(demo("-w", str(folder), "skills", "blame", "bump-dependency", "--json").stdout)
    assert {(one["version"], len(one["runs"])) for one in blame} == {(1, 4), (2, 7)}
    assert [one["version"] for one in blame if "pip-audit" in one["text"]] == [2]


def test_the_shipped_requests_are_about_shipped_skills_and_some_are_about_none() -> None:
    from metier.selection.evaluation.samples import QUERIES, documents, lines

    asked = [json.loads(line) for line in lines(QUERIES)]
    assert len(asked) >= 40
    assert sum(not one["gold"] for one in asked) >= 10
    assert {name for one in asked for name in one["gold"]} == documents().keys()
    assert len({one["query"] for one in asked}) == len(asked)


def test_the_next_request_gets_the_skill_that_was_learned_and_another_gets_none(told: tuple[Path, str]) -> None:
    _, output = told
    scene = output.partition("metier select TASK")[2]
    assert scene.index("chosen") < scene.index("bump-dependency") < scene.index("close")
    assert "No skill fits" in scene
    assert scene.index("metier eval selection") < scene.index("recall@1")


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    done = demo("demo", "--keep", str(folder))
    assert done.returncode == 1
    assert "is not empty" in done.stderr
    assert [file.name for file in folder.iterdir()] == ["mine.txt"]
