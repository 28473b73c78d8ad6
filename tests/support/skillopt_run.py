"""A run folder as SkillOpt's trainer leaves it: three steps, one accepted, one rejected, one skipped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

INITIAL = "# Household tasks\n\nLook around before you act.\n"
BEST = f"{INITIAL}\nOpen what is closed before you search it.\n"
REJECTED = f"{BEST}\nAlways begin in the kitchen.\n"
LAST = f"{BEST}\n<!-- SLOW_UPDATE_START -->\n<!-- SLOW_UPDATE_END -->\n"
GOOD = {
    "op": "append",
    "content": "Open what is closed before you search it.",
    "source_type": "failure",
    "support_count": 3,
}
BAD = {"op": "append", "content": "Always begin in the kitchen.", "source_type": "failure", "support_count": 2}


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    path.write_text(text, encoding="utf-8")


def _record(step: int, action: str, **more: object) -> dict[str, object]:
    return {
        "step": step,
        "epoch": 1,
        "step_in_epoch": step - 1,
        "timing": {"rollout_s": 12.5},
        "tokens": {"rollout": {"calls": 8, "prompt_tokens": 900, "completion_tokens": 100}},
        "rollout_hard": 0.25,
        "rollout_soft": 0.4,
        "rollout_n": 8,
        "action": action,
        "skill_len": len(BEST),
        "wall_time_s": 31.0,
        **more,
    }


def _digest(step: int, action: str, **more: object) -> dict[str, object]:
    pattern = {"pattern": "gave up early", "count": 6, "task_ids": ["t1", "t2"]}
    return {"step": step, "action": action, "n_total": 8, "n_fail": 6, "failure_patterns": [pattern], **more}


def write_run(folder: Path) -> Path:
    """The folder, as it is on disk after the last step."""
    judged = {"edit_budget": 4, "n_edits_ranked": 1, "gate_metric": "hard"}
    history = [
        _record(
            1, "accept_new_best", **judged, candidate_gate_score=0.6, current_score=0.6, best_score=0.6, best_step=1
        ),
        _record(2, "reject", **judged, candidate_gate_score=0.5, current_score=0.6, best_score=0.6, best_step=1),
        _record(3, "skip_no_patches", current_score=0.6, best_score=0.6, best_step=1),
    ]
    _write(folder / "history.json", history)
    _write(folder / "best_skill.md", BEST)
    _write(folder / "config.json", {"env": "alfworld", "seed": 42, "num_epochs": 1, "target_model": "small"})
    summary = {"baseline_selection_hard": 0.4, "best_selection_hard": 0.6, "test_hard": 0.55, "total_steps": 3}
    _write(folder / "summary.json", summary)
    for step, document in enumerate((INITIAL, BEST, BEST, LAST)):
        _write(folder / "skills" / f"skill_v{step:04d}.md", document)
    steps = [folder / "steps" / f"step_{step:04d}" for step in (1, 2, 3)]
    for place, record in zip(steps, history, strict=True):
        _write(place / "step_record.json", record)
    for place, edit, candidate in ((steps[0], GOOD, BEST), (steps[1], BAD, REJECTED)):
        _write(place / "ranked_edits.json", {"reasoning": "seen", "edits": [edit]})
        _write(place / "candidate_skill.md", candidate)
    _write(steps[0] / "trajectory_digest.json", _digest(1, "accept_new_best"))
    short = {"op": "append", "content": BAD["content"], "target": ""}
    rejected = _digest(2, "reject", score_before=0.6, score_after=0.5, rejected_edits=[short])
    _write(steps[1] / "trajectory_digest.json", rejected)
    return folder
