"""How near is near enough comes from the requests themselves, and what was done counts beside what was said."""

from __future__ import annotations

import json
import subprocess
import sys
from random import Random

import numpy as np
import work

from metier.learning.clustering.cluster import EXEMPLARS, UserRequest, hints_of
from metier.learning.clustering.linkage import Chance, Groups
from metier.learning.clustering.placement import embed_requests, nearest, place
from metier.models.embedder import StaticEmbedder
from metier.types import Run, ToolCall

EMBEDDER = StaticEmbedder()


def square(size: int, nearness: float) -> np.ndarray:
    near = np.full((size, size), nearness, dtype=np.float32)
    np.fill_diagonal(near, 1)
    return near


def test_two_must_be_nearer_than_ten_and_among_many_nearer_than_among_few() -> None:
    few, many = Chance(spread=0.08, total=20), Chance(spread=0.08, total=20_000)
    assert few.exceeded(square(10, 0.3))
    assert not few.exceeded(square(2, 0.3))
    assert few.exceeded(square(2, 0.5))
    assert not many.exceeded(square(2, 0.5))


def separation(near: np.ndarray, groups: list[list[int]]) -> float:
    made = Groups(near, [1] * len(near))
    for first, *others in groups:
        for row in others:
            made.merge(first, row)
    return made.separation(near, np.arange(len(near)))


def test_groups_as_they_are_separate_better_than_any_others() -> None:
    near = np.kron(np.eye(3), np.full((4, 4), 0.6)).astype(np.float32) + np.eye(12, dtype=np.float32) * 0.4
    true = [list(range(start, start + 4)) for start in (0, 4, 8)]
    others = ([list(range(12))], [[row] for row in range(12)], [[*true[0], *true[1]], true[2]])
    assert all(separation(near, true) > separation(near, some) for some in others)


def test_what_is_alone_separates_nothing_and_a_group_by_how_much_nearer_it_is_to_itself() -> None:
    near = np.array([[1, 0.75, 0.25], [0.75, 1, 0.25], [0.25, 0.25, 1]], dtype=np.float32)
    assert separation(near, [[0], [1], [2]]) == 0
    assert separation(near, [[0, 1], [2]]) == (0.5 + 0.5 + 0) / 3


def test_every_recurring_task_becomes_one_cluster_and_noise_none() -> None:
    made = work.samples()
    label = {str(one.run.external_id): one.label for one in made}
    asked = [UserRequest(id=str(one.run.external_id), text=one.run.message, hints=hints_of(one.run)) for one in made]
    found = [{label[name] for name in group} for group in place(asked, (), (), EMBEDDER).formed]
    assert sorted(map(str, found)) == sorted(str({task.label}) for task in work.TASKS)


def test_hints_are_commands_files_and_tools_without_values() -> None:
    run = Run(
        message="",
        tools=(
            ToolCall(name="Bash", input=json.dumps({"command": "git log v2.1..HEAD --oneline"})),
            ToolCall(
                name="Edit", input=json.dumps({"file_path": "tests/test_cart.py", "old_string": "", "new_string": "x"})
            ),
            ToolCall(name="Bash", input=json.dumps({"command": "git log v2.2..HEAD"})),
        ),
    )
    assert hints_of(run) == ("git log", "edit tests/*.py")


def test_the_same_commands_alone_bring_nothing_together() -> None:
    hints = ("git status", "read README.md")
    asked = [
        UserRequest(id="a", text="write a haiku about lighthouses", hints=hints),
        UserRequest(id="b", text="which port does the database use", hints=hints),
    ]
    assert place(asked, (), (), EMBEDDER).formed == ()


def test_the_nearest_waiting_requests_come_first_and_no_more_than_asked_for() -> None:
    waiting = embed_requests(
        [
            UserRequest(id=str(at), text=text)
            for at, text in enumerate(("paint the fence", "book a flight", "fix a bug"))
        ],
        EMBEDDER,
    )
    new = embed_requests([UserRequest(id="n", text="book me a flight to Oslo")], EMBEDDER)
    assert [one.id for one in nearest(new, waiting, 1)] == ["1"]
    assert len(nearest(new, waiting, 5)) == 3
    assert nearest(new, waiting[::-1], 3) == nearest(new, waiting, 3)
    assert nearest((), waiting, 3) == nearest(new, (), 3) == ()


def test_a_cluster_keeps_a_fair_sample_of_its_members_whatever_their_order() -> None:
    asked = [UserRequest(id=f"r{at}", text=f"fix the login bug number {at}") for at in range(40)]
    mixed = list(asked)
    Random(5).shuffle(mixed)
    one, other = (place(some, (), (), EMBEDDER).clusters[0] for some in (asked, mixed))
    assert len(one.exemplars) == EXEMPLARS
    assert [kept.draw for kept in one.exemplars] == [kept.draw for kept in other.exemplars]


def test_the_number_of_threads_changes_no_byte() -> None:
    code = """
import hashlib, work
from metier.learning.clustering.cluster import UserRequest
from metier.learning.clustering.placement import place
from metier.models.embedder import StaticEmbedder
asked = [UserRequest(id=str(one.run.external_id), text=one.run.message) for one in work.samples()]
placed = place(asked, (), (), StaticEmbedder())
means = b"".join(one.centroid.tobytes() for one in placed.clusters)
print(hashlib.sha256(repr(placed.formed).encode() + means).hexdigest())
"""
    folder = work.__file__.rpartition("/")[0]
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"OPENBLAS_NUM_THREADS": count, "PYTHONPATH": folder},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for count in ("1", "2")
    }
    assert len(said) == 1
