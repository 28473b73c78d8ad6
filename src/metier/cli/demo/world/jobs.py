"""The jobs of the simulated world as cases, and what its agent answers to one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from metier.types.trials import Case

if TYPE_CHECKING:
    from metier.cli.demo.world.world import World

JOB = re.compile(r"\bJob ([a-z]\d{4,})\b")
"""How a request names its job."""
OPEN = re.compile(r"\b([a-z]\d{4,})-open-[0-9a-f]{4}\b")
"""How an answer says that a job was not done: whoever reads the answers of a prompt can tell."""
Part = Literal["train", "val", "test", "confirm"]
LETTERS: dict[Part, str] = {"train": "t", "val": "v", "test": "e", "confirm": "c"}
"""First letter of a job's name; those of `u` are the ones the truth is taken over."""


def cases(world: World, part: Part, count: int, first: int = 0) -> tuple[Case, ...]:
    """This many cases for one part, counted from `first`; no job is in two parts."""
    return tuple(_case(world, part, f"{LETTERS[part]}{number:04d}") for number in range(first, first + count))


def right_answer(world: World, job: str) -> str:
    """The right answer."""
    return f"{job}-done-{_digits(world, job, 'done')}"


def answer_to(world: World, job: str, text: str, sample: int = 0) -> str:
    """What the agent answers to a job with a skill's text: the right word, or a word for an unfinished job."""
    return right_answer(world, job) if world.passes(job, text, sample) else f"{job}-open-{_digits(world, job, sample)}"


def _case(world: World, part: Part, job: str) -> Case:
    asked = f"Job {job}: do it by the rules you know, and answer with its closing word alone."
    split = None if part == "confirm" else part
    return Case(id=job, input=asked, expected=right_answer(world, job), split=split, origin="simulated")


def _digits(world: World, *parts: object) -> str:
    return f"{int(world.uniform('word', *parts) * 65536):04x}"
