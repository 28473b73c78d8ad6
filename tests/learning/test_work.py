"""The generated work is what the learning stage is measured by: the same for a seed, mixed, in two languages."""

from __future__ import annotations

from collections import Counter

import work


def test_the_same_seed_gives_the_same_runs_and_another_one_others() -> None:
    assert work.samples() == work.samples()
    assert work.samples() != work.samples(seed=2)


def test_there_are_two_hundred_runs_of_twelve_tasks_and_noise_that_comes_once() -> None:
    made = work.samples()
    labels = Counter(one.label for one in made)
    assert len(made) > 200
    assert len(labels) - 1 >= 12
    assert min(labels.values()) >= work.PER_TASK
    single = [one.run.message for one in made if one.label is None]
    assert len(set(single)) == len(single) == 40


def test_no_request_of_a_task_is_worded_like_another_and_tasks_mix_over_time() -> None:
    for task in work.TASKS:
        messages = [record.run.message for record in work.of_task(task.label)]
        assert len(set(messages)) == len(messages)
    first = [one.label for one in work.samples()][:40]
    assert len(set(first)) > 8


def test_failures_corrections_outcomes_and_several_sessions_are_in_it() -> None:
    for task in work.TASKS:
        records = work.of_task(task.label)
        assert 0.7 <= sum(record.success is True for record in records) / len(records) < 1
        assert any(record.run.correction for record in records)
        assert len({record.run.session for record in records}) > 4
        assert len({record.run.agent for record in records}) == 3
    assert {task.language for task in work.TASKS} == {"en", "de"}
