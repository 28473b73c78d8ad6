from __future__ import annotations

import time

import pytest
from selection_world import skill

from metier.selection.candidates.eligibility import covers, eligible_skills
from metier.selection.types import Selectable, Task

HERE = Task(text="x", agent="claude-code", path="services/shop/api/main.py", workspace="w1")


def kept(*skills: Selectable, task: Task = HERE, excluded: tuple[str, ...] = ()) -> list[str]:
    return [one.name for one in eligible_skills(skills, task, excluded).skills]


def test_without_skills_there_are_no_candidates() -> None:
    found = eligible_skills((), HERE)
    assert found.skills == ()
    assert found.stage().line() == "candidates: 0 of 0 by rule"


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (skill(status="archived"), "archived"),
        (skill(status="deleted"), "deleted"),
        (skill(shadowed=True), "comes first"),
        (skill("secret"), "excluded"),
        (skill(" "), "no name"),
        (skill(agents=("codex",)), "for codex"),
        (skill(workspaces=("w2",)), "other workspaces"),
        (skill(paths=("docs/**", "*.md")), "for docs/**, *.md"),
    ],
)
def test_what_may_not_be_selected_is_left_out_with_the_reason(one: Selectable, reason: str) -> None:
    found = eligible_skills((skill("other"), one), HERE, {"secret"})
    assert [each.name for each in found.skills] == ["other"]
    assert reason in found.left_out[0].reason
    assert reason in found.stage().line()


def test_cold_and_provisional_skills_and_those_for_this_place_may_be_selected() -> None:
    fitting = skill("d", agents=("codex", "Claude-Code"), workspaces=("w1",), paths=("services/*/api",))
    assert kept(skill("b", status="cold"), skill("c", status="provisional"), fitting) == ["b", "c", "d"]


def test_pinned_skills_come_first_and_only_the_first_of_a_name_counts() -> None:
    assert kept(skill("a"), skill("b"), skill("c", pinned=True), skill("a", version="9")) == ["c", "a", "b"]


def test_a_skill_for_some_paths_is_not_for_a_task_without_one() -> None:
    assert kept(skill(paths=("src/**",)), task=Task(text="x")) == []
    assert kept(skill(agents=("codex",)), task=Task(text="x")) == []


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src", "src/a/b.py", True),
        ("src/*", "src/a/b.py", True),
        ("src/*.py", "src/b.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("**/*.py", "b.py", True),
        ("**/*.py", "src/a/b.py", True),
        ("src/**/test", "src/test/x.py", True),
        ("src/**/test", "src/a/b/test/x.py", True),
        ("src/**/test", "lib/a/test", False),
        ("src/**", "src/a", True),
        ("**", "anything/at/all", True),
        ("./src/", "src/a", True),
        ("src\\a", "src/a/b", True),
        ("a?c", "abc", True),
        ("src/a/b", "src/a", False),
        ("*", "x/y", True),
        ("", "x", False),
        ("src", "", False),
        ("Src", "src", False),
    ],
)
def test_a_pattern_covers_paths_and_what_lies_below_them(pattern: str, path: str, expected: bool) -> None:
    assert covers(pattern, path) is expected


def test_no_pattern_takes_long() -> None:
    began = time.perf_counter()
    covers("*a" * 5_000 + "b", "a" * 10_000)
    covers("/".join(["**", "*a"] * 200), "/".join(["a" * 50] * 5_000))
    assert time.perf_counter() - began < 2


def test_ten_thousand_skills_are_sifted_at_once() -> None:
    began = time.perf_counter()
    found = eligible_skills([skill(f"s{n}", paths=("src/**",) if n % 2 else ()) for n in range(10_000)], HERE)
    assert (len(found.skills), len(found.left_out)) == (5_000, 5_000)
    assert time.perf_counter() - began < 3
    assert len(found.stage().line()) < 2_000
