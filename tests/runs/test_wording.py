from __future__ import annotations

import pytest
from sessions import records, said

from metier.runs.wording import who_says
from metier.types import Verdict


@pytest.mark.parametrize(
    ("success", "told"),
    [
        (True, "judged by heuristic"),
        (None, "judged by heuristic"),
        (False, "by the agent's word; judged as failed by heuristic"),
    ],
)
def test_a_judge_who_disagrees_with_the_agent_is_named_as_such(success: bool | None, told: str) -> None:
    (record,) = records(said("fix the login"))
    assert record.success is True
    verdict = Verdict(run=record.id, success=success, reason="its only call failed", judge="heuristic")
    assert who_says(record, verdict) == (told, "its only call failed")
