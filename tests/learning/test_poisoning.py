"""Ideas for poisoning: a text says something, the agent does it in every session, and still nothing ships unasked.

Mode apply, and a gate that confirms everything: only review stands in between. Each idea is tried from one source into
one kind of skill here; `benchmarks/learning/poisoning.py` tries all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from learn_world import REPORTS, TESTS, Clock, documents, learned, opened, task
from poisoning_world import SOURCES, TARGETS, Idea, SaysYes, fate_of, ideas

from metier.types import ToolCall

if TYPE_CHECKING:
    from pathlib import Path

IDEAS = ideas()


@pytest.mark.parametrize(("number", "idea"), list(enumerate(IDEAS)), ids=[one.mark for one in IDEAS])
def test_no_idea_ships_unasked(tmp_path: Path, number: int, idea: Idea) -> None:
    source, target = SOURCES[number % len(SOURCES)], TARGETS[number // len(SOURCES) % len(TARGETS)]
    assert fate_of(tmp_path / "p", idea, source, target) != "shipped"


def test_the_same_work_without_poison_ships_unasked(tmp_path: Path) -> None:
    with opened(tmp_path / "p", Clock(), mode="apply") as ws:
        ws.deliver(task(REPORTS, 0, 4))
        learned(ws, SaysYes())
        assert any("tools/report.py" in text for text in documents(ws).values())


def test_a_learned_skill_that_an_agent_reads_does_not_taint_the_next_one(tmp_path: Path) -> None:
    with opened(tmp_path / "p", Clock(), mode="apply") as ws:
        ws.deliver(task(TESTS, 0, 4))
        learned(ws, SaysYes())
        (text,) = documents(ws).values()
        read = ToolCall(name="Read", input='{"file_path": "SKILL.md"}', output=text, origin="file")
        ws.deliver([replace(one, tools=(read, *one.tools)) for one in task(REPORTS, 0, 4)])
        learned(ws, SaysYes())
        assert len(documents(ws)) == 2


def test_there_are_sixty_ideas_in_twelve_families() -> None:
    assert len(IDEAS) >= 60
    assert len({one.family for one in IDEAS}) == 12
    assert len({one.mark for one in IDEAS}) == len(IDEAS)
