"""A pattern adds up all its evidence; enough successes at a sufficient ratio make it ready."""

from __future__ import annotations

from dataclasses import replace

import pytest

from metier.learning.patterns import (
    Group,
    PatternEvidence,
    Thresholds,
    Waiting,
    begin_pattern,
    extend_pattern,
    is_stable,
    late_added,
    pattern_id,
    standing,
    winning_path,
)
from metier.runs.derive import record_of
from metier.types import Pattern, Record, Run, SkillTrace, Snapshot

NEEDED = Thresholds()


def record(name: str, path: tuple[str, ...] = (), *snapshots: Snapshot) -> Record:
    run = Run(message="m", output="o", status="completed", external_id=name, skills=SkillTrace(path=path))
    return replace(record_of(replace(run, snapshots=snapshots), "w", "t"), id=name)


def evidence(text: str, path: tuple[str, ...] = (), first: int = 0) -> PatternEvidence:
    """Runs from signs: `+` a success, `-` a failure, `?` unknown."""
    words = {"+": True, "-": False, "?": None}
    runs = [record(f"r{first + number}", path) for number in range(len(text))]
    success = {run.id: words[sign] for run, sign in zip(runs, text, strict=True)}
    return PatternEvidence(records=tuple(runs), success=success)


def group(text: str) -> Group:
    return Group(label="Release-Notes", summary="write release notes", evidence=evidence(text), reason="same words")


def ready(text: str, needed: Thresholds = NEEDED) -> Pattern:
    made = begin_pattern(group(text), "w", needed, "now")
    assert isinstance(made, Pattern)
    return made


def test_the_id_is_stable_for_a_label_in_a_workspace() -> None:
    assert pattern_id("w", "release-notes") == pattern_id("w", " Release-Notes ")
    assert len({pattern_id("w", "a"), pattern_id("v", "a"), pattern_id("w", "b")}) == 3


def test_a_group_becomes_a_pattern_with_its_successes_in_order() -> None:
    made = ready("+-+?+")
    assert (made.runs, made.successes, made.failures) == (("r0", "r2", "r4"), 3, 1)
    assert (made.label, made.summary, made.reason, made.status) == (
        "Release-Notes", "write release notes", "same words", "ready",
    )  # fmt: skip
    assert (made.created, made.updated) == ("now", "now")


@pytest.mark.parametrize("text", ["+", "-", "+-", "---", "?????", "+??"])
def test_a_group_with_too_few_successes_waits_and_says_so(text: str) -> None:
    made = begin_pattern(group(text), "w", NEEDED, "now")
    assert isinstance(made, Waiting)
    assert made.reason.endswith("of 2 runs a pattern needs")
    assert len(made.runs) == len(text)


def test_min_runs_counts_successes_and_unknown_counts_nowhere() -> None:
    assert ready("++???").status == "ready"
    assert isinstance(begin_pattern(group("++--"), "w", Thresholds(min_runs=3), "now"), Waiting)


@pytest.mark.parametrize(("text", "ratio", "status"), [
    ("+++++++---", 0.7, "ready"), ("++++++----", 0.7, "forming"), ("++----------", 0.0, "ready"), ("+++", 1.0, "ready"),
])  # fmt: skip
def test_a_ratio_that_is_just_reached_passes(text: str, ratio: float, status: str) -> None:
    assert ready(text, Thresholds(min_success_ratio=ratio)).status == status


def test_the_ratio_is_taken_over_stored_counts_and_new_evidence() -> None:
    pattern = ready("++++++++")
    worse = extend_pattern(pattern, evidence("---", first=8), NEEDED, "later")
    assert (worse.successes, worse.failures, worse.status) == (8, 3, "ready")
    bad = extend_pattern(worse, evidence("-", first=11), NEEDED, "later still")
    assert (bad.success_ratio, bad.status) == (8 / 12, "forming")
    assert standing(bad, NEEDED) == "8 of 12 runs succeeded, 0.70 needed"
    good = extend_pattern(bad, evidence("++++", first=12), NEEDED, "at last")
    assert (good.status, good.created, good.updated) == ("ready", "now", "at last")


def test_a_run_is_counted_once_and_moves_over_when_it_turns_out_a_failure() -> None:
    pattern = ready("+++++++")
    assert extend_pattern(pattern, evidence("++"), NEEDED, "later").successes == 7
    moved = extend_pattern(pattern, evidence("-"), NEEDED, "later")
    assert (moved.successes, moved.failures, moved.runs[0]) == (6, 1, "r1")


def test_a_retired_pattern_stays_retired() -> None:
    retired = replace(ready("++"), status="retired")
    assert extend_pattern(retired, evidence("++++", first=5), NEEDED, "later").status == "retired"


def test_the_winning_path_is_the_most_frequent_one_and_ties_go_to_the_smallest() -> None:
    assert winning_path({("b",): 2, ("a", "c"): 2, ("z",): 1, (): 9}) == ("a", "c")
    assert winning_path({("b",): 3, ("a",): 2}) == ("b",)
    assert winning_path({(): 5}) == ()


def test_the_winning_path_counts_earlier_runs_too() -> None:
    pattern = extend_pattern(ready("++"), evidence("++", ("x",), 2), NEEDED, "t")
    other = evidence("+++", ("y",), 4)
    assert extend_pattern(pattern, replace(other, paths={("x",): 9}), NEEDED, "t").winning_path == ("x",)
    assert extend_pattern(pattern, replace(other, paths={("x",): 2}), NEEDED, "t").winning_path == ("y",)


def test_late_added_skills_are_those_of_the_last_snapshot_and_not_of_the_one_before() -> None:
    one = record(
        "a", (),
        Snapshot(sequence=3, trigger="tool_failed", skills=("Base", "rescue", "extra")),
        Snapshot(sequence=1, trigger="initial_build", skills=("old",)),
        Snapshot(sequence=2, trigger="retry", skills=("base",)),
    )  # fmt: skip
    alone = record("b", (), Snapshot(sequence=1, trigger="initial_build", skills=("x",)))
    assert late_added([one, alone]) == (("rescue", "extra"), "tool_failed")
    assert late_added([alone]) == ((), "")


PATH = ("fetch-report", "mail-report")
CHAIN = Pattern(id="p", workspace="w", label="l", summary="send the weekly figures", winning_path=PATH, successes=4)


def test_a_path_is_stable_when_at_least_half_of_the_runs_with_one_took_it() -> None:
    assert is_stable(CHAIN, {PATH: 3, ("x",): 3, (): 50})
    assert not is_stable(CHAIN, {PATH: 3, ("x",): 4})
    assert not is_stable(CHAIN, {PATH: 1})
    assert not is_stable(replace(CHAIN, winning_path=("x",)), {("x",): 9})
