"""A run folder of SkillOpt's trainer as values: its skills in order, its steps, and the edits it saw rejected."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from metier.errors import InputError
from metier.skills.package import MAX_FILE_BYTES
from metier.training.proposing.memory import RejectedEdit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Json = dict[str, object]
ITEMS = ("edits", "revise_suggestions", "skill_candidates")
"""Where `ranked_edits.json` has its proposals, by the way the trainer updates a skill."""
IMPORTED = "SkillOpt"
"""The target of a training that was taken over: nothing here can run it."""
ACCEPTED = ("accept", "accept_new_best", "force_accept")
_SKILL = re.compile(r"skill_v(\d{1,9})\.md\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillOptStep:
    """One step: what was proposed, what the gate said, and the scores before and of the candidate."""

    step: int
    epoch: int
    action: str
    """`accept`, `accept_new_best`, `force_accept`, `reject`, or a reason that begins with `skip`."""
    before: float | None
    score: float | None
    current: float | None
    best: float | None
    cases: int
    failed: int
    budget: int | None
    edits: tuple[Json, ...]
    candidate: str
    """The document that was judged; empty: none."""
    calls: int
    tokens: int

    def rejected(self) -> tuple[RejectedEdit, ...]:
        """Its edits as the next training is told of them; none unless the gate rejected them."""
        if self.action != "reject":
            return ()
        loss = self.before - self.score if self.before is not None and self.score is not None else 0.0
        found = [_fields(edit) for edit in self.edits]
        return tuple(
            RejectedEdit(op=op, target=target, content=content, loss=round(loss, 6), together=len(found))
            for op, target, content in found
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillOptRun:
    """What a run folder holds."""

    name: str
    """What it trained for, else the folder's name."""
    best: str
    best_step: int
    skills: tuple[tuple[int, str], ...]
    """Each skill that differs from the one before, with the step after which it was current; 0: at the start."""
    steps: tuple[SkillOptStep, ...]
    initial_score: float | None
    best_score: float | None
    test_score: float | None
    seed: int
    target: str
    optimiser: str


def read_skillopt_run(folder: Path) -> SkillOptRun:
    """The run in a folder; an InputError names the file that cannot be read, and why."""
    history = _history(folder)
    config, summary = _object(folder / "config.json"), _object(folder / "summary.json")
    initial = _number(summary.get("baseline_selection_hard"))
    steps = tuple(_steps(folder, history, initial))
    skills = tuple(_skills(folder))
    best_step = _whole(history[-1].get("best_step")) if history else 0
    return SkillOptRun(
        name=str(config.get("env") or folder.resolve().name),
        best=_best(folder, skills, best_step),
        best_step=best_step,
        skills=skills,
        steps=steps,
        initial_score=steps[0].before if steps and initial is None else initial,
        best_score=steps[-1].best if steps else initial,
        test_score=_number(summary.get("test_hard")),
        seed=_whole(config.get("seed")),
        target=str(config.get("target_model") or ""),
        optimiser=str(config.get("optimizer_model") or ""),
    )


def _history(folder: Path) -> tuple[Json, ...]:
    history = _json(folder / "history.json")
    if history is None or not (folder / "skills").is_dir():
        raise InputError(
            f"{folder} is not a SkillOpt run folder: it needs history.json and skills/. "
            "Name the folder of one run (out_root)."
        )
    if not isinstance(history, list):
        raise InputError(f"{folder / 'history.json'} holds no list of steps.")
    return _objects(cast("object", history))


def _best(folder: Path, skills: tuple[tuple[int, str], ...], best_step: int) -> str:
    best = _text(folder / "best_skill.md")
    if best is None:  # a run that was ended early has not written it
        best = next((text for step, text in reversed(skills) if step <= best_step), "")
    if not best.strip():
        raise InputError(f"{folder} holds no best_skill.md, and no skill to take in its place.")
    return best


def _steps(folder: Path, history: tuple[Json, ...], initial: float | None) -> Iterator[SkillOptStep]:
    before = initial
    for record in history:
        step = _step(folder, record, before)
        before = step.current if step.current is not None else before
        yield step


def _step(folder: Path, listed: Json, before: float | None) -> SkillOptStep:
    number = _whole(listed.get("step"))
    place = folder / "steps" / f"step_{number:04d}"
    record = {**_object(place / "step_record.json"), **listed}
    digest = _object(place / "trajectory_digest.json")
    ranked = _object(place / "ranked_edits.json")
    edits = next(
        (found for key in ITEMS if (found := _objects(ranked.get(key)))), _objects(digest.get("rejected_edits"))
    )
    known = _number(digest.get("score_before"))
    used = [cast("Json", one) for one in cast("Json", record.get("tokens") or {}).values() if isinstance(one, dict)]
    return SkillOptStep(
        step=number,
        epoch=_whole(record.get("epoch")),
        action=str(record.get("action") or "skip"),
        before=before if known is None else known,
        score=_number(record.get("candidate_gate_score", record.get("selection_hard"))),
        current=_number(record.get("current_score")),
        best=_number(record.get("best_score")),
        cases=_whole(record.get("rollout_n", digest.get("n_total"))),
        failed=_whole(digest.get("n_fail")),
        budget=_whole(record["edit_budget"]) if record.get("edit_budget") is not None else None,
        edits=edits,
        candidate=_text(place / "candidate_skill.md") or "",
        calls=sum(_whole(one.get("calls")) for one in used),
        tokens=sum(_whole(one.get("prompt_tokens")) + _whole(one.get("completion_tokens")) for one in used),
    )


def _skills(folder: Path) -> Iterator[tuple[int, str]]:
    named = [(int(match[1]), file) for file in (folder / "skills").iterdir() if (match := _SKILL.match(file.name))]
    last = ""
    for step, file in sorted(named):
        text = _text(file) or ""
        if text.strip() and text != last:
            yield step, text
            last = text


def _fields(edit: Mapping[str, object]) -> tuple[str, str, str]:
    """Operation, target and content, as the memory of a training has them."""
    if "op" in edit:
        return str(edit["op"]), str(edit.get("target") or ""), str(edit.get("content") or "")
    if "instruction" in edit:
        return "suggestion", str(edit.get("title") or ""), str(edit["instruction"])
    return "rewrite", "", str(edit.get("new_skill") or edit.get("title") or "")[:200]


def _text(path: Path) -> str | None:
    """The text of a file; None where there is none."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    if len(raw) > MAX_FILE_BYTES:
        raise InputError(f"{path} has more than {MAX_FILE_BYTES:,} bytes.")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text.") from None


def _json(path: Path) -> object:
    text = _text(path)
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not valid JSON: {str(error)[:120]}.") from None


def _object(path: Path) -> Json:
    value = _json(path)
    return cast("Json", value) if isinstance(value, dict) else {}


def _objects(value: object) -> tuple[Json, ...]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(cast("Json", one) for one in items if isinstance(one, dict))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
