"""`metier eval`: selection measured on labelled queries, and newcomers held against their neighbours."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from metier.selection.evaluation.samples import QUERIES, SKILLS, documents, lines

if TYPE_CHECKING:
    from pathlib import Path

    from cli_shell import Shell

QUERY = {"query": "test_cart_expires is flaky, make it stable", "gold": ["flaky-tests"], "kind": "asked"}
NONE = {"query": "book me a table for two", "gold": [], "kind": "none"}


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    return written(tmp_path / "q.jsonl", QUERY, NONE)


def written(file: Path, *rows: object) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def stocked(root: Path, *names: str) -> Path:
    for name in names:
        folder = root / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(documents()[name], encoding="utf-8")
    return root


def test_the_json_has_its_shape(shell: Shell, queries: Path) -> None:
    stocked(shell.folder / ".agents" / "skills", "flaky-tests", "release-notes")
    shell.trust()
    found = shell.json("eval", "selection", "--queries", str(queries))
    assert found.keys() >= {"queries", "recall", "mrr", "abstain", "latency_ms", "precision", "stages", "intervals"}
    assert (found["queries"], found["skills"]) == (2, 2)
    assert found["recall"] == {"1": 1.0, "5": 1.0, "12": 1.0}
    assert found["mrr"] == found["abstain"]["nothing"] == 1.0
    assert found["latency_ms"].keys() == {"p50", "p95"}
    assert found["stages"].keys() == {"retrieve", "choose"}
    assert found["kinds"].keys() == {"asked", "none"}
    assert 0 < found["intervals"]["recall"]["1"][0] < 1


@pytest.mark.parametrize("form", ["folder", "jsonl", "jsonl.gz"])
def test_skills_come_from_a_folder_or_from_json_lines_without_a_workspace(
    shell: Shell, tmp_path: Path, queries: Path, form: str
) -> None:
    packed = "\n".join(lines(SKILLS)).encode()
    if form == "folder":
        place, count = stocked(tmp_path / "library", "flaky-tests", "docker-images"), 2
    else:
        place, count = tmp_path / f"library.{form}", len(lines(SKILLS))
        place.write_bytes(gzip.compress(packed) if form.endswith("gz") else packed)
    shell.folder = tmp_path / "nowhere"
    shell.folder.mkdir()
    found = shell.json("eval", "selection", "--queries", str(queries), "--skills", str(place))
    assert (found["skills"], found["recall"]["1"]) == (count, 1.0)


def test_without_queries_the_shipped_ones_are_asked(shell: Shell) -> None:
    found = shell.json("eval", "selection")
    assert (found["queries"], found["skills"]) == (len(lines(QUERIES)), len(lines(SKILLS)))
    assert found["recall"]["1"] > 0.85
    assert found["recall"]["5"] > 0.95
    assert found["abstain"]["auc"] > 0.85
    assert found["precision"] > 0.8


def test_a_person_reads_tables_with_intervals(shell: Shell) -> None:
    page = shell.ok("eval", "selection", "--wrong")
    for words in ("recall@1", "95 % interval", "precision", "milliseconds", "no skill", "line  wanted"):
        assert words in page


def test_recall_can_be_asked_at_other_places(shell: Shell, queries: Path) -> None:
    stocked(shell.folder / ".agents" / "skills", "flaky-tests")
    options = ("eval", "selection", "--queries", str(queries), "--k", "20", "--k", "3")
    assert shell.json(*options)["recall"].keys() == {"3", "20"}


def test_every_bad_line_is_named_and_nothing_is_measured(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"query": "x"}\n{\n{"query": "y", "gold": []}\n', encoding="utf-8")
    said = shell.run("eval", "selection", "--queries", str(file))
    assert (said.code, said.out) == (1, "")
    assert f"{file}:1 is not a query: gold: missing; write a list" in said.err
    assert f"{file}:2 is not a query: not JSON" in said.err
    assert "2 lines are not a query. Nothing was measured" in said.err


def test_a_bad_line_of_skills_is_named_too(shell: Shell, tmp_path: Path, queries: Path) -> None:
    file = written(tmp_path / "s.jsonl", {"description": "no name"}, {"name": "a", "body": 5}, [])
    said = shell.run("eval", "selection", "--queries", str(queries), "--skills", str(file))
    assert said.code == 1
    for words in (
        f"{file}:1 is not a skill: name: missing",
        ":2 is not a skill: body: not a text",
        ":3 is not a skill",
    ):
        assert words in said.err


@pytest.mark.parametrize("name", ["nothing.jsonl", "empty.jsonl", "broken.jsonl.gz", "odd.txt"])
def test_a_file_that_cannot_be_used_is_an_error_with_its_name(shell: Shell, tmp_path: Path, name: str) -> None:
    if name != "nothing.jsonl":
        (tmp_path / name).write_bytes(b"" if name.startswith("empty") else b"\x1f\x8bnot packed")
    option = "--queries" if name.startswith(("nothing", "empty")) else "--skills"
    said = shell.run("eval", "selection", option, str(tmp_path / name))
    assert (said.code, name in said.err) == (1, True)


def test_a_skill_that_is_not_there_counts_as_missed_and_is_named(shell: Shell, tmp_path: Path, queries: Path) -> None:
    library = stocked(tmp_path / "library", "docker-images")
    said = shell.run("eval", "selection", "--queries", str(queries), "--skills", str(library), "--json")
    assert json.loads(said.out)["recall"]["12"] == 0.0
    assert "q.jsonl:1 wants flaky-tests" in json.loads(said.out)["notes"][0]


def test_two_libraries_are_compared_query_by_query(shell: Shell, tmp_path: Path, queries: Path) -> None:
    good = stocked(tmp_path / "good", "flaky-tests", "docker-images")
    bad = stocked(tmp_path / "bad", "docker-images")
    options = ("eval", "selection", "--queries", str(queries), "--skills", str(good), "--compare", str(bad))
    found = shell.json(*options)
    assert found["difference"]["recall"]["1"]["value"] == -1.0
    assert (found["difference"]["worse"], found["difference"]["better"]) == ([1], [])
    assert found["compare"]["skills"] == 1
    assert "only this one on 1 (line 1)" in shell.ok(*options)


def test_two_settings_are_compared(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "strict.toml"
    file.write_text("threshold = 1.1\n")
    found = shell.json("eval", "selection", "--compare", str(file))
    assert found["compare"]["abstain"]["kept"] == 0.0
    assert found["difference"]["nothing"]["value"] >= 0.0
    assert found["difference"]["recall"]["1"]["value"] == 0.0
    file.write_text("treshold = 1.1\n")
    said = shell.run("eval", "selection", "--compare", str(file))
    assert said.code == 2
    assert "treshold: unknown; known are top_k, max_detailed, threshold" in said.err


def newcomer(root: Path, description: str) -> Path:
    folder = root / "test-doctor"
    folder.mkdir()
    document = f"---\nname: test-doctor\ndescription: {description}\n---\n\n# Test doctor\n\n{description}\n"
    (folder / "SKILL.md").write_text(document, encoding="utf-8")
    return folder


def test_a_newcomer_that_says_what_another_says_takes_its_tasks_over(shell: Shell, tmp_path: Path) -> None:
    stocked(shell.folder / ".agents" / "skills", "flaky-tests", "release-notes", "docker-images")
    shell.trust()
    said = "Finds out why a test fails only now and then and makes it stable, a flaky test, a test that fails."
    folder = newcomer(tmp_path, said)
    found = shell.json("eval", "admission", str(folder), code=1)
    assert not found["accepted"]
    assert {one["from"] for one in found["taken"]} == {"flaky-tests"}
    assert "flaky-tests" in shell.run("eval", "admission", str(folder)).out


def test_a_newcomer_with_a_trade_of_its_own_is_admitted(shell: Shell, tmp_path: Path, queries: Path) -> None:
    library = tmp_path / "library.jsonl"
    library.write_text("\n".join(lines(SKILLS)), encoding="utf-8")
    folder = newcomer(tmp_path, "Orders coffee for the office. Use when the beans run out.")
    found = shell.json("eval", "admission", str(folder), "--skills", str(library))
    assert (found["accepted"], found["taken"], len(found["neighbours"])) == (True, [], 12)
    labelled = shell.json("eval", "admission", str(folder), "--skills", str(library), "--queries", str(queries))
    assert (labelled["asked"], labelled["neighbours"]) == (1, ["flaky-tests"])
    assert "takes over no task" in shell.ok("eval", "admission", str(folder), "--skills", str(library))
