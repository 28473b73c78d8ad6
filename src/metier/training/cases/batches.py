"""Which train cases come when: every one once an epoch, in an order the seed decides."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from metier.errors import InputError

if TYPE_CHECKING:
    from metier.training.cases.splits import Splits
    from metier.training.spec import Spec
    from metier.types.trials import Case

Batch = tuple["Case", ...]


def check_splits(splits: Splits) -> None:
    """InputError unless there is something to learn from and to decide with, and no two cases go by one id."""
    if not splits.train or not splits.val:
        raise InputError("Training needs train cases to learn from and val cases to decide by.")
    seen: set[str] = set()
    for case in (*splits.train, *splits.val, *splits.test, *splits.confirm):
        if case.id in seen:
            raise InputError(f"Two cases have the id {case.id!r}. Give each case its own id.")
        seen.add(case.id)


def batches(train: tuple[Case, ...], spec: Spec, epoch: int) -> tuple[Batch, ...]:
    """The batches of one epoch; the last may be short."""
    order = list(train)
    Random(spec.seed_for(f"epoch {epoch}")).shuffle(order)  # noqa: S311 - no secret
    return tuple(tuple(order[start : start + spec.batch]) for start in range(0, len(order), spec.batch))


def comparison_cases(train: tuple[Case, ...], spec: Spec, epoch: int) -> Batch:
    """The cases on which an epoch is compared with the one before, in their own order."""
    return tuple(train[index] for index in _comparison_indices(len(train), spec, epoch))


def remaining_cases(train: tuple[Case, ...], spec: Spec, epoch: int) -> Batch:
    """The cases on which it is not, in an order the seed decides."""
    compared = set(_comparison_indices(len(train), spec, epoch))
    order = [case for index, case in enumerate(train) if index not in compared]
    Random(spec.seed_for(f"top up {epoch}")).shuffle(order)  # noqa: S311
    return tuple(order)


def _comparison_indices(train: int, spec: Spec, epoch: int) -> list[int]:
    count = min(spec.epoch_end.slow_cases, train)
    return sorted(Random(spec.seed_for(f"slow {epoch}")).sample(range(train), count))  # noqa: S311


def steps_in(train: int, spec: Spec) -> int:
    """How many steps an epoch has."""
    return -(-train // spec.batch)
