"""Average linkage: the same groups as merging the nearest pair again and again."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.learning.clustering.linkage import NEVER, link_rows


def plainly(near: np.ndarray, threshold: float) -> list[list[int]]:
    """The slow way: merge the two groups with the highest mean nearness until none reaches the threshold."""
    groups = [[row] for row in range(len(near))]
    while len(groups) > 1:
        best, one, other = max(
            (near[np.ix_(groups[a], groups[b])].mean(), -a, -b) for a in range(len(groups)) for b in range(a)
        )
        if best < threshold:
            break
        groups[-one] += groups.pop(-other) if -other > -one else []
        if -other < -one:
            groups[-other] += groups.pop(-one)
    return sorted(sorted(group) for group in groups)


@settings(deadline=None, max_examples=80)
@given(st.integers(0, 14), st.integers(0, 2**32 - 1), st.floats(-0.5, 0.9))
def test_it_finds_what_merging_the_nearest_pair_again_and_again_finds(count: int, seed: int, threshold: float) -> None:
    points = np.random.default_rng(seed).normal(size=(count, 5)).astype(np.float32)
    near = np.corrcoef(points).astype(np.float32) if count > 1 else np.ones((count, count), dtype=np.float32)
    near = (near + near.T) / 2
    assert link_rows(near, [1] * count, threshold) == plainly(near, threshold)


def test_two_that_must_stay_apart_never_share_a_group() -> None:
    near = np.ones((5, 5), dtype=np.float32)
    near[0, 1] = near[1, 0] = NEVER
    groups = link_rows(near, [50, 50, 1, 1, 1], 0.5)
    assert not [group for group in groups if 0 in group and 1 in group]


def test_ties_go_to_the_lower_number() -> None:
    assert link_rows(np.ones((4, 4), dtype=np.float32), [1] * 4, 0.5) == [[0, 1, 2, 3]]
    assert link_rows(np.zeros((3, 3), dtype=np.float32), [1] * 3, 0.5) == [[0], [1], [2]]
