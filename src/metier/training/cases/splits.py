"""Which case is for learning, which for choosing, which for proof: the same answer at every call."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from math import floor, isfinite
from random import Random
from typing import TYPE_CHECKING, Literal, get_args

from metier.errors import InputError, UsageError
from metier.training.cases.read import overlap, task_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from metier.types.trials import Case

Part = Literal["train", "val", "test", "confirm"]
PARTS: tuple[Part, ...] = get_args(Part)
UNSEEN: tuple[Part, ...] = ("test", "confirm")
"""What the search never sees."""
FINEST = 1_000_000
"""The largest denominator of a share as a fraction: of equal remainders the first is taken, not that of a rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How much of the cases goes where; only the proportions count."""

    train: float = 0.4
    val: float = 0.3
    test: float = 0.15
    confirm: float = 0.15
    """Set aside for the last gate before anything ships."""

    def __post_init__(self) -> None:
        given = [getattr(self, part) for part in PARTS]
        if not all(isfinite(one) and one >= 0 for one in given) or not self.train or not self.val:
            raise UsageError("Shares are numbers from 0 up, and both train and val need one above 0.")

    def of(self, parts: Iterable[Part]) -> dict[Part, float]:
        """The shares of some parts, adding up to 1; all of it to the first when none has any."""
        given: dict[Part, float] = {part: getattr(self, part) for part in parts}
        whole = sum(given.values())
        return {part: one / whole if whole else float(part == next(iter(given))) for part, one in given.items()}


DEFAULT = Shares()


@dataclass(frozen=True, slots=True, kw_only=True)
class Splits:
    """The cases of a suite, by what they are for, each in the order given."""

    train: tuple[Case, ...]
    val: tuple[Case, ...]
    test: tuple[Case, ...] = ()
    confirm: tuple[Case, ...] = field(default=())
    """Fresh cases that neither the search nor the test looks at."""


def by_hash(cases: Sequence[Case], shares: Shares = DEFAULT, seed: int = 0) -> Splits:
    """Each case goes by its own id: it never changes sides when others come or go."""
    return _split(cases, shares, lambda some, parts: [_hashed(case, parts, seed) for case in some])


def by_ratio(cases: Sequence[Case], shares: Shares = DEFAULT, seed: int = 0) -> Splits:
    """As near to the shares as whole cases allow; for small suites, where chance would leave a part empty."""
    return _split(cases, shares, lambda some, parts: _dealt(some, parts, seed))


def _split(
    cases: Sequence[Case], shares: Shares, assign: Callable[[Sequence[Case], dict[Part, float]], list[Part]]
) -> Splits:
    """Given sides stand; those marked test are shared out between test and confirm."""
    sides: dict[str, Part] = {case.id: case.split for case in cases if case.split in ("train", "val")}
    free = [case for case in cases if case.split is None]
    kept = [case for case in cases if case.split == "test"]
    for some, parts in ((free, PARTS), (kept, UNSEEN)):
        sides |= zip([case.id for case in some], assign(some, shares.of(parts)), strict=True)
    made = Splits(**{part: tuple(case for case in cases if sides[case.id] == part) for part in PARTS})
    _check(made, sides)
    return made


def hashed_part(case: Case, shares: Shares = DEFAULT, seed: int = 0) -> Part:
    """The part that a case's own id puts it into."""
    return _hashed(case, shares.of(PARTS), seed)


def _hashed(case: Case, parts: dict[Part, float], seed: int) -> Part:
    digest = sha256(f"{seed}\0{case.id}".encode("utf-8", "replace")).digest()
    at = int.from_bytes(digest[:8]) / 2**64
    for part, one in parts.items():
        if at < one:
            return part
        at -= one
    return next(part for part in reversed(parts) if parts[part])


def _dealt(cases: Sequence[Case], parts: dict[Part, float], seed: int) -> list[Part]:
    """Sizes by largest remainder, places drawn from the seed, whatever the order the cases came in."""
    exact = {part: Fraction(one).limit_denominator(FINEST) * len(cases) for part, one in parts.items()}
    sizes = {part: floor(one) for part, one in exact.items()}
    by_remainder: list[Part] = sorted(parts, key=lambda part: sizes[part] - exact[part])
    for part in by_remainder[: len(cases) - sum(sizes.values())]:
        sizes[part] += 1
    ids = sorted(case.id for case in cases)
    Random(f"split {seed}").shuffle(ids)  # noqa: S311 - nobody's secret
    row: list[Part] = [part for part in parts for _ in range(sizes[part])]
    dealt = dict(zip(ids, row, strict=True))
    return [dealt[case.id] for case in cases]


def _check(made: Splits, sides: dict[str, Part]) -> None:
    for part, why in (("train", "to learn from"), ("val", "to choose by")):
        if not getattr(made, part):
            total = len(sides)
            raise InputError(
                f'None of the {total} cases is left {why}: mark some with "split": "{part}", or add cases.'
            )
    tasks: dict[object, list[Case]] = defaultdict(list)
    for case in (*made.train, *made.val, *made.test, *made.confirm):
        tasks[task_of(case)].append(case)
    for same in tasks.values():
        if len({"unseen" if sides[case.id] in UNSEEN else sides[case.id] for case in same}) > 1:
            raise InputError(f"The cases cannot be split: {overlap(same)}.")
