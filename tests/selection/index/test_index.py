from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.selection.index.entries import IndexEntry, dumps, entry_of, loads, with_history
from metier.selection.index.index import SkillIndex
from metier.selection.types import Selectable

SHOP = (
    Selectable(
        name="flaky-tests",
        description="Mends tests that fail now and then. Use when a test is flaky.",
        body="# Flaky tests\n\nRun the test fifty times and look for shared state.",
    ),
    Selectable(
        name="sql-style", description="How SQL is written here.", body="Keywords in upper case, joins explicit."
    ),
    Selectable(name="invoices", description="Writes invoices.", body="Ask the ledger for open orders of a customer."),
    Selectable(name="公众号文章下载", description="批量下载公众号的所有文章", body="把文章导出成表格。"),
    Selectable(name="perevod", description="Перевод писем клиентов на английский", body="Сохраняй имена и даты."),
    Selectable(name="mawaid", description="ترتيب المواعيد في التقويم", body="اسأل عن الوقت أولا"),
)


def index_of(*skills: Selectable) -> SkillIndex:
    return SkillIndex.of((skill.name, entry_of(skill)) for skill in skills)


def found(index: SkillIndex, task: str, k: int = 12) -> list[str]:
    return [hit.name for hit in index.search(task, k)]


@pytest.fixture(scope="module")
def shop() -> SkillIndex:
    return index_of(*SHOP)


# ---- what is found ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("one of my tests is flaking again", "flaky-tests"),
        ("review the joins in this query", "sql-style"),
        ("bill the customer for her open orders", "invoices"),
        ("下载这个公众号的文章", "公众号文章下载"),
        ("нужен перевод письма клиента", "perevod"),
        ("أريد ترتيب مواعيد الأسبوع", "mawaid"),
    ],
)
def test_a_skill_is_found_by_its_words_in_any_language(shop: SkillIndex, task: str, name: str) -> None:
    assert found(shop, task)[0] == name


def test_a_skill_is_found_by_its_body_alone(shop: SkillIndex) -> None:
    assert found(shop, "shared state")[0] == "flaky-tests"


def test_a_skill_is_found_by_meaning_without_a_word_in_common(shop: SkillIndex) -> None:
    assert found(shop, "database statements")[0] == "sql-style"


def test_words_that_follow_each_other_count_more_than_the_same_words_apart() -> None:
    apart = Selectable(name="a", description="Writes the release plan, then the notes of the meeting.")
    together = Selectable(name="b", description="Plan of the meeting, then it writes the release notes.")
    assert found(index_of(apart, together), "write release notes")[0] == "b"


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    many = [Selectable(name=f"deploy-{at}", description="Deploy the service.") for at in range(30)]
    rare = Selectable(name="zz", description="About kubernetes.")
    assert found(index_of(*many, rare), "deploy kubernetes")[0] == "zz"


def test_scores_lie_between_0_and_1_fall_and_say_what_they_are_made_of(shop: SkillIndex) -> None:
    hits = shop.search("a flaky test and an invoice", 12)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 < hit.score <= 1 for hit in hits)
    assert [key for key, _ in hits[0].parts] == ["words", "pairs", "name", "meaning", "nearest", "coverage", "evidence"]


def test_a_task_in_full_has_more_coverage_and_evidence_than_chatter(shop: SkillIndex) -> None:
    task, chatter = (dict(shop.search(text, 1)[0].parts) for text in ("a test fails now and then", "see you then"))
    assert task["coverage"] > 0.5
    assert task["evidence"] > 2 * chatter["evidence"]


# ---- edges ------------------------------------------------------------------------------------------------------


def test_nothing_is_found_where_nothing_is() -> None:
    assert SkillIndex().search("anything", 12) == ()
    assert SkillIndex.of([]).search("anything", 12) == ()


@pytest.mark.parametrize("task", ["", "  \n", "…", "\ud800"])
def test_a_task_that_says_nothing_finds_nothing_that_fits(shop: SkillIndex, task: str) -> None:
    assert all(hit.score < 0.3 for hit in shop.search(task, 12))


def test_one_skill_is_found_if_it_fits_and_has_no_evidence_if_not() -> None:
    index = index_of(SHOP[0])
    assert found(index, "a flaky test") == ["flaky-tests"]
    assert all(dict(hit.parts)["evidence"] < 0.1 for hit in index.search("bake a cake", 12))


def test_an_empty_skill_harms_nobody(shop: SkillIndex) -> None:
    shop = index_of(*SHOP, Selectable(name="empty"), Selectable(name="-", description="."))
    assert found(shop, "a flaky test")[0] == "flaky-tests"


def test_of_skills_that_are_the_same_the_names_decide() -> None:
    names = [f"s{at:05d}" for at in range(3_000)]
    entry = entry_of(replace(SHOP[0], name="same"))
    index = SkillIndex.of([(name, entry) for name in reversed(names)])
    hits = index.search("my test is flaky", 5)
    assert [hit.name for hit in hits] == names[:5]
    assert all(dict(hit.parts)["evidence"] < 0.1 for hit in hits), "what all of them hold tells none of them apart"


def test_k_and_those_allowed_limit_what_is_found(shop: SkillIndex) -> None:
    assert len(shop.search("test sql invoice", 2)) == 2
    assert shop.search("test", 0) == ()
    assert [hit.name for hit in shop.search("a flaky test", 5, within=["invoices", "unknown"])] in (["invoices"], [])
    assert shop.search("a flaky test", 5, within=[]) == ()


def test_a_megabyte_of_task_takes_bounded_time(shop: SkillIndex) -> None:
    words = " ".join(f"word{at}" for at in range(120_000))
    began = time.perf_counter()
    for text in ("a" * 10**6, "的" * 10**6, words, f"a flaky test {words}"):
        shop.search(text, 12)
    assert time.perf_counter() - began < 4
    assert found(shop, f"a flaky test {words}")[0] == "flaky-tests"


@given(st.text(max_size=200), st.text(max_size=200))
@settings(deadline=None, max_examples=50)
def test_any_text_can_be_indexed_kept_and_asked(text: str, task: str) -> None:
    entry = loads(dumps(entry_of(Selectable(name="any", description=text, body=text))))
    hits = SkillIndex.of([("any", entry)]).search(task, 3)
    assert all(0 < hit.score <= 1 for hit in hits)


# ---- one skill costs one skill ----------------------------------------------------------------------------------


def test_adding_and_removing_gives_what_a_new_index_would() -> None:
    grown = index_of(*SHOP[:2])
    for skill in SHOP[2:]:
        grown.add(skill.name, entry_of(skill))
    grown.remove("sql-style")
    grown.remove("unknown")
    fresh = index_of(*(skill for skill in SHOP if skill.name != "sql-style"))
    assert len(grown) == len(fresh) == 5
    for task in ("a flaky test", "SQL", "open orders", "文章"):
        assert found(grown, task) == found(fresh, task)


def test_a_skill_of_the_same_name_takes_the_place_of_the_one_before() -> None:
    index = index_of(*SHOP)
    index.add("invoices", entry_of(Selectable(name="invoices", description="Waters the plants.")))
    assert len(index) == len(SHOP)
    assert found(index, "water plants")[0] == "invoices"
    assert dict(index.search("open orders of a customer ledger", 12, within=["invoices"])[0].parts)["words"] == 0


def test_a_thousand_changes_leave_an_index_as_small_as_it_was() -> None:
    index, entry = index_of(*SHOP), entry_of(SHOP[0])
    for _ in range(1_000):
        index.add("flaky-tests", entry)
    assert len(index) == len(SHOP)
    assert len(index._names) < 200  # pyright: ignore[reportPrivateUsage]
    for task in ("a flaky test", "open orders"):
        hits, fresh = index.search(task, 12), index_of(*SHOP).search(task, 12)
        assert [(hit.name, hit.score) for hit in hits] == [(hit.name, hit.score) for hit in fresh]


# ---- kept -------------------------------------------------------------------------------------------------------


def same(one: IndexEntry, other: IndexEntry) -> bool:
    return all(np.array_equal(getattr(one, key), getattr(other, key)) for key in IndexEntry.__slots__)


def test_an_entry_comes_back_from_its_bytes_and_is_the_same_every_time() -> None:
    for skill in SHOP:
        assert same(loads(dumps(entry_of(skill))), entry_of(skill))


@pytest.mark.parametrize("cut", [0, 3, 15, 17, -1])
def test_damaged_bytes_are_no_entry(cut: int) -> None:
    with pytest.raises(ValueError, match=r"entry|buffer"):
        loads(dumps(entry_of(SHOP[0]))[:cut])


# ---- history ----------------------------------------------------------------------------------------------------


def test_a_request_a_skill_served_finds_it_again_and_others_are_found_as_before() -> None:
    before = index_of(*SHOP)
    past = with_history(entry_of(SHOP[2]), ["the quarterly thing for Acme, please"])
    after = SkillIndex.of((skill.name, past if skill is SHOP[2] else entry_of(skill)) for skill in SHOP)
    task = "please do the quarterly thing for Acme again"
    assert dict(before.search(task, 12, within=["invoices"])[0].parts)["coverage"] < 0.2
    assert found(after, task)[0] == "invoices"
    assert dict(after.search(task, 1)[0].parts)["coverage"] > 0.2
    for other in ("a flaky test", "review the joins in this SQL", "下载公众号文章"):
        assert found(after, other)[0] == found(before, other)[0]


def test_no_history_changes_nothing() -> None:
    entry = entry_of(SHOP[0])
    assert same(with_history(entry, ["", "  "]), entry)


# ---- another embedder -------------------------------------------------------------------------------------------


def test_nearness_by_another_embedder_takes_the_place_of_the_meaning() -> None:
    index = SkillIndex.of([(skill.name, entry_of(skill)) for skill in SHOP[:3]])
    assert index.search("qqq", 3, near={"sql-style": 0.0, "invoices": 1.0, "gone": 1.0})[0].name == "invoices"
    assert index.search("qqq", 3, near={"sql-style": 1.0, "invoices": 0.0})[0].name == "sql-style"
    index.add("new", entry_of(Selectable(name="new")))
    best = index.search("qqq", 3, near={"sql-style": -1.0, "new": 1.0})[0]
    assert (best.name, dict(best.parts)["meaning"]) == ("new", pytest.approx(1.0))
