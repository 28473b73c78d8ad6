"""Requests of one meaning come together, others stay apart, in whatever order and pieces they arrive."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.learning.clustering.cluster import Cluster, Placement, UserRequest
from metier.learning.clustering.placement import embed_requests, place
from metier.models.embedder import StaticEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

EMBEDDER = StaticEmbedder()
TASKS = {
    "login": ["fix the login bug", "the login bug needs a fix", "please fix this bug in the login", "login bug fix"],
    "flight": ["please can you help me book a flight", "book a flight to Rome", "i need to book a flight for monday"],
    "report": ["write the weekly sales report", "i need the weekly sales report", "weekly sales report please"],
    "zh-login": ["请帮我修复登录错误", "修复一下登录的错误", "登录错误需要修复"],
    "ja-report": ["売上レポートを作成してください", "売上レポートの作成をお願いします"],
    "de-invoice": ["Kannst du bitte die Rechnung als PDF exportieren", "Exportiere die Rechnung als PDF"],
}
NOISE = ["why is the sky blue", "rotate the tls certificates", "draw me a cat", "what does mitochondria mean"]


def asked(texts: Sequence[str], start: int = 0) -> list[UserRequest]:
    return [UserRequest(id=f"r{number:04d}", text=text) for number, text in enumerate(texts, start)]


def everything() -> list[UserRequest]:
    return asked([*(text for texts in TASKS.values() for text in texts), *NOISE])


def groups(placement: Placement) -> set[frozenset[str]]:
    return {frozenset(group) for group in placement.formed}


def together(*texts: str) -> bool:
    return place(asked(texts), (), (), EMBEDDER).formed == (tuple(one.id for one in asked(texts)),)


def test_every_task_becomes_one_group_and_noise_waits() -> None:
    requests = everything()
    by_text = {request.text: request.id for request in requests}
    placed = place(requests, (), (), EMBEDDER)
    assert groups(placed) == {frozenset(by_text[text] for text in texts) for texts in TASKS.values()}
    assert set(placed.left) == {by_text[text] for text in NOISE}


def test_paraphrases_come_together() -> None:
    assert together("fix the login bug", "the login bug needs a fix")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("please can you help me book a flight", "please can you help me debug a segfault"),
        ("i would like you to show me the weather", "i would like you to show me my invoices"),
        ("Kannst du mir bitte helfen, einen Flug zu buchen", "Kannst du mir bitte helfen, einen Absturz zu finden"),
        ("请帮我预订机票", "请帮我调试程序崩溃"),
        ("レポートを作成してください", "バグを修正してください"),
        ("s'il vous plaît aidez-moi à réserver un vol", "s'il vous plaît aidez-moi à trouver un bogue"),
    ],
)
def test_a_polite_opening_brings_nothing_together(one: str, other: str) -> None:
    assert place(asked([one, other]), (), (), EMBEDDER).formed == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("resize /home/ann/photos/cat.png to 800 pixels", "resize ./img/dog.jpg to 1200 pixels"),
        ("close issue #123", "close issue #98765"),
        ('translate "good morning" into french', "translate 'see you later' into french"),
        ("summarise https://example.org/a?b=1", "summarise https://news.example.com/2024/05/x"),
        ("what happened on 2024-05-01", "what happened on 31.12.1999"),
        ("open commit 3f2a9c1d", "open commit 99aa00ff12"),
        ("把 /var/log/a.log 压缩", "把 /tmp/b.log 压缩"),
    ],
)
def test_concrete_values_make_no_difference(one: str, other: str) -> None:
    assert together(one, other)


def test_a_new_request_joins_the_cluster_it_belongs_to() -> None:
    first = place(everything(), (), (), EMBEDDER)
    known = [replace(cluster, id=f"k{number}") for number, cluster in enumerate(first.clusters)]
    home = next(cluster.id for cluster in known if "flight" in cluster.words)
    second = place(asked(["could you book me a flight to Oslo", "paint the fence"], start=100), known, (), EMBEDDER)
    assert second.joined == {home: ("r0100",)}
    assert second.left == ("r0101",)
    assert second.clusters[0].size == next(cluster.size for cluster in known if cluster.id == home) + 1


def test_what_waits_forms_a_cluster_with_a_newcomer() -> None:
    waiting = asked(["rotate the tls certificates"])
    placed = place(asked(["the tls certificates must be rotated"], start=5), (), waiting, EMBEDDER)
    assert placed.formed == (("r0000", "r0005"),)
    assert placed.left == ()


def test_nothing_new_places_nothing_and_keeps_what_waits() -> None:
    placed = place((), (), asked(["draw me a cat"]), EMBEDDER)
    assert (placed.joined, placed.formed, placed.left) == ({}, (), ("r0000",))


@settings(deadline=None, max_examples=25)
@given(st.randoms(use_true_random=False))
def test_the_order_of_requests_clusters_and_waiting_makes_no_difference(random: Random) -> None:
    requests = embed_requests(everything(), EMBEDDER)
    known = place(requests[:8], (), (), EMBEDDER)
    rest, waiting = list(requests[8:]), [one for one in requests[:8] if one.id in known.left]
    expected = place(rest, known.clusters, waiting, EMBEDDER)
    clusters = list(known.clusters)
    for some in (rest, waiting, clusters):
        random.shuffle(some)
    placed = place(rest, clusters, waiting, EMBEDDER)
    assert (placed.joined, placed.formed, placed.left) == (expected.joined, expected.formed, expected.left)
    assert [one.centroid.tobytes() for one in placed.clusters] == [one.centroid.tobytes() for one in expected.clusters]


def test_one_by_one_ends_where_all_at_once_ends() -> None:
    requests = list(embed_requests(everything(), EMBEDDER))
    by_id = {request.id: request for request in requests}
    Random(3).shuffle(requests)
    members: dict[str, set[str]] = {}
    known: dict[str, Cluster] = {}
    waiting: tuple[UserRequest, ...] = ()
    for request in requests:
        placed = place([request], tuple(known.values()), waiting, EMBEDDER)
        for cluster, ids in zip(placed.clusters, (*placed.joined.values(), *placed.formed), strict=True):
            known[cluster.id] = cluster
            members.setdefault(cluster.id, set()).update(ids)
        waiting = tuple(by_id[name] for name in placed.left)
    assert {frozenset(ids) for ids in members.values()} == groups(place(requests, (), (), EMBEDDER))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(max_size=40), max_size=12), st.integers(0, 12))
def test_any_text_is_placed_exactly_once(texts: list[str], cut: int) -> None:
    requests = asked(texts)
    first = place(requests[:cut], (), (), EMBEDDER)
    waiting = [one for one in requests[:cut] if one.id in first.left]
    second = place(requests[cut:], first.clusters, waiting, EMBEDDER)
    settled = [one for group in first.formed for one in group]
    moved = [one for group in (*second.joined.values(), *second.formed) for one in group]
    assert sorted([*settled, *moved, *second.left]) == [one.id for one in requests]


def test_requests_without_words_wait() -> None:
    assert place(asked(["", "!!!", "🎉🎉"]), (), (), EMBEDDER).left == ("r0000", "r0001", "r0002")


def test_the_same_id_twice_is_one_request() -> None:
    again = asked(["fix the login bug"]) * 2
    assert place(again, (), again, EMBEDDER).left == ("r0000",)


def test_more_than_a_block_still_finds_every_task() -> None:
    random = Random(1)
    texts = [random.choice(TASKS[name]) for name in ("login", "flight", "report") for _ in range(700)]
    placed = place(asked(texts), (), (), EMBEDDER)
    assert sorted(len(group) for group in placed.formed) == [700, 700, 700]


def test_a_stored_vector_is_not_computed_again() -> None:
    class Refusing:
        def embed(self, texts: Sequence[str]) -> np.ndarray:
            raise AssertionError(f"embedded again: {texts}")

    requests = embed_requests(everything(), EMBEDDER)
    assert groups(place(requests, (), (), Refusing())) == groups(place(requests, (), (), EMBEDDER))


def test_a_huge_request_is_placed_by_its_beginning() -> None:
    long = "fix the login bug\n" + "stack trace line\n" * 200_000
    placed = place([*asked([long]), *asked(["fix the login bug"], start=1)], (), (), EMBEDDER)
    assert len(placed.left) + sum(map(len, placed.formed)) == 2
