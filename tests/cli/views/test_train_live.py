"""A training on a terminal: a line at the bottom that fits, and nothing told twice."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

from train_world import order

from metier.cli.commands.train import ProgressOptions
from metier.cli.views.train_live import proof_line, run_with_progress
from metier.training.events import (
    Confirming,
    Decided,
    EpochEnded,
    Event,
    Measured,
    RolloutsAdvanced,
    StepBegan,
    TrainingBegan,
)

if TYPE_CHECKING:
    from collections.abc import Generator

    import pytest

INITIAL = Measured(arm="initial", split="val", skill_hash="a", hard=0.25, soft=0.25, scored=60)
EVENTS: tuple[Event, ...] = (
    TrainingBegan(train=80, val=60, test=40, steps=8),
    INITIAL,
    StepBegan(step=8, steps=8, epoch=4, cases=40),
    Decided(
        step=8,
        change="step",
        action="reject",
        reason="not ahead",
        skill_hash="b",
        score=None,
        current=0.5,
        best=0.5,
        calls=12345,
    ),
    EpochEnded(epoch=4, current=0.5, best=0.5),
    RolloutsAdvanced(step=0, stage="baseline", done=54, total=60),
    INITIAL,
    Confirming(cases=40, power="With 40 cases …"),
)


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, columns: int) -> str:
    """All that a training writes to a terminal."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", str(columns))
    run_with_progress(work(), order(), ProgressOptions())
    return screen.getvalue()


def work() -> Generator[Event, None, Any]:
    """The events of a training."""
    yield from EVENTS


def test_the_line_fits_the_terminal_and_has_step_score_accepts_and_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [line for line in shown(monkeypatch, 80).split("\r") if line.startswith("step 8/8")]
    assert max(len(line.rstrip("\n")) for line in drawn) < 80
    assert any("best 0.500 · 0/1 accepted" in line and "12,345 calls" in line for line in drawn)
    assert any(line.startswith("step 8/8 · baseline 54/60") for line in drawn)
    assert any("confirming on 40 fresh cases" in line for line in drawn)


def test_a_wide_terminal_has_a_bar_that_is_full_before_the_baselines(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = shown(monkeypatch, 140)
    assert "[##########..] step 8/8" in drawn
    assert "[############] step 8/8 · baseline 54/60" in drawn


def test_what_was_measured_before_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, 80).count("initial skill on val: 0.250 (60 cases)") == 1


def test_that_too_few_fresh_cases_prove_nothing_is_said_before_anything_is_paid_for() -> None:
    said = proof_line(1)
    assert said.startswith("Nothing can be proven: 1 fresh case for the last gate, and it needs 6 at the least.")
    assert "about 40 cases in all" in said
    assert proof_line(9).startswith("With 9 cases a gain under")
