"""The Pareto pool: what wins on different cases is kept, may be a parent, and two lineages can become one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from training_toys import Rules, Teacher, package, run

from metier.training.crossing import crossed, merged_text
from metier.training.gates.strict import Measure, Scores
from metier.training.pareto import MOST, Variant, front
from metier.training.presets import default_spec
from metier.training.result import Judged
from metier.training.rollouts.pool import Threads
from metier.training.spec import Spec
from metier.types.trials import Scored

if TYPE_CHECKING:
    from metier.skills.package import Package
    from metier.types.trials import Case, Score

HEAD = "---\nname: toy\ndescription: d\n---\n\n"
SPEC = Spec(parents="pareto", epochs=3, batch=6, slow=False, meta=False, baselines=False, merge_every=2)


def variant(name: str, *passed: int, cases: int = 6) -> Variant:
    scores = tuple((f"v{n}", Scored(hard=float(n in passed), soft=0.0)) for n in range(cases))
    return Variant(package=package(name), name=name, scores=Scores(cases=scores))


def kept(*variants: Variant, best: str) -> list[tuple[str, int]]:
    return [(one.name, won) for one, won in front(variants, Measure(), best)]


def test_what_wins_no_case_that_another_does_not_win_is_dropped() -> None:
    found = kept(variant("a", 0, 1, 2), variant("b", 0, 1), variant("c", 3), best="a")
    assert found == [("a", 3), ("c", 1)]


def test_a_case_that_all_win_says_nothing() -> None:
    assert kept(variant("a", 0, 1), variant("b", 0, 2), best="a") == [("a", 1), ("b", 1)]


def test_the_best_one_stays_even_if_others_win_all_its_cases() -> None:
    found = kept(variant("a", 0, 3), variant("b", 0, 1), variant("c", 2, 3), best="a")
    assert found[0][0] == "a"


def test_the_pool_is_bounded() -> None:
    many = [variant(str(n), n, cases=30) for n in range(30)]
    assert len(kept(*many, best="0")) == MOST


def test_a_section_that_only_one_changed_is_taken_from_it() -> None:
    old = f"{HEAD}# T\n\n## One\n\na\n\n## Two\n\nb\n"
    better, other = old.replace("a\n", "A\n"), old.replace("b\n", "B\n")
    assert merged_text(old, better, other) == f"{HEAD}# T\n\n## One\n\nA\n\n## Two\n\nB\n"


def test_lines_that_both_added_to_a_section_are_all_there_once() -> None:
    old = f"{HEAD}# T\n\n- a\n"
    made = merged_text(old, old + "- b\n- c\n", old + "- c\n- d\n")
    assert made == old + "- b\n- c\n- d\n"


def test_where_both_changed_the_same_line_the_better_one_has_its_way() -> None:
    old = f"{HEAD}# T\n\n- a\n\n## More\n\nx\n"
    other = old.replace("- a", "- c").replace("x\n", "y\n")
    assert merged_text(old, old.replace("- a", "- b"), other) == old.replace("- a", "- b").replace("x\n", "y\n")


def test_a_section_that_one_added_or_took_out_is_added_or_taken_out() -> None:
    old = f"{HEAD}# T\n\n## One\n\na\n\n## Two\n\nb\n"
    without = f"{HEAD}# T\n\n## Two\n\nb\n"
    more = f"{HEAD}# T\n\n## One\n\na\n\n## New\n\nn\n\n## Two\n\nb\n"
    assert merged_text(old, without, more) == f"{HEAD}# T\n\n## New\n\nn\n\n## Two\n\nb\n"
    assert merged_text(old, more, without) == f"{HEAD}# T\n\n## New\n\nn\n\n## Two\n\nb\n"


def test_merging_with_the_ancestor_or_with_itself_changes_nothing() -> None:
    old, new = f"{HEAD}# T\r\n\r\n- a\r\n", f"{HEAD}# T\r\n\r\n- a\r\n- b"
    assert merged_text(old, new, old) == merged_text(old, old, new) == merged_text(old, new, new) == new


def test_a_protected_region_is_never_torn() -> None:
    old = f"{HEAD}# T\n\n- a\n"
    region = "\n<!-- APPENDIX_START -->\nn\n<!-- APPENDIX_END -->\n"
    made = merged_text(old + region, old + "- b\n" + region, old + region.replace("\nn\n", "\nm\n"))
    assert made.count("<!-- APPENDIX_START -->") == made.count("<!-- APPENDIX_END -->") == 1


def test_other_files_come_from_whoever_changed_them() -> None:
    old = package(**{"a.md": "a", "b.md": "b"})
    made = crossed(old, package(**{"a.md": "A", "b.md": "b"}), package(**{"a.md": "a", "c.md": "c"}))
    assert {path: content for path, content in made.files.items() if path != "SKILL.md"} == {
        "a.md": b"A",
        "c.md": b"c",
    }


class Forgetful(Rules):
    """A world in which a skill's last rules are followed only: what is better for some cases is worse for others."""

    def _score(self, case: Case, skill: Package | None) -> Score:
        lines = skill.document.decode().splitlines() if skill else []
        there = float(f"- {case.tags[0]}" in [line for line in lines if line.startswith("- rule")][-3:])
        return Scored(hard=there, soft=there)


@pytest.mark.parametrize("gate", ["strict", "adaptive"])
def test_parents_are_drawn_and_threads_change_nothing(gate: str) -> None:
    spec = default_spec(parents="pareto", merge_every=2, gate=gate, epochs=2, batch=2, screen_edits=3)
    one = run(spec, world=Forgetful())
    with Threads(8) as pool:
        again = run(spec, world=Forgetful(slow=0.001), model=Teacher(0.001), pool=pool)
    assert again.trained == one.trained
    assert one.of("parent")
    assert one.trained.best_step > 0


def test_two_lineages_become_one_candidate_that_the_gate_judges() -> None:
    ran = run(replace(SPEC, batch=2), world=Forgetful())
    merges = [one.merged for one in ran.trained.steps if isinstance(one.merged, Judged)]
    assert merges
    decided = [one for one in ran.events if one.kind == "decided" and one.change == "merge"]
    assert len(decided) == len(merges)


def test_no_rollout_is_made_for_the_pool() -> None:
    world = Rules()
    ran = run(SPEC, world=world)
    assert set(world.made.values()) == {1}
    val = {(name, sample) for case, name, sample in world.made if case.startswith("val")}
    judged = {one.outcome.skill_hash for one in ran.trained.steps if isinstance(one.outcome, Judged)}
    judged |= {one.merged.skill_hash for one in ran.trained.steps if isinstance(one.merged, Judged)}
    assert {name for name, _ in val} <= {*judged, package().hash()}
    assert {sample for _, sample in val} == {0}


def test_without_it_no_parent_is_drawn_and_nothing_is_merged() -> None:
    ran = run(Spec(epochs=2, batch=6))
    assert not ran.of("parent")
    assert all(one.merged is None for one in ran.trained.steps)
