"""Which gate a setting means."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from metier.errors import UsageError
from metier.training.gates.adaptive import AdaptiveGate
from metier.training.gates.screen import ScreenGate
from metier.training.gates.staged import StagedGate
from metier.training.gates.strict import OffGate, StrictGate
from metier.training.scores import Metric

if TYPE_CHECKING:
    from metier.training.gates.gate import Gate
    from metier.training.spec import Spec


def gate_of(spec: Spec) -> Gate:
    """The gate that the settings ask for."""
    metric = Metric.of_settings(spec.gating)
    match spec.gating.gate:
        case "strict":
            return StrictGate(metric=metric, max_loss=spec.gating.max_loss)
        case "off":
            return OffGate(metric=metric)
        case "staged":
            return StagedGate(spec)
        case "screen":
            return ScreenGate(spec, spec.gating.screen_passes)
        case "adaptive":
            return AdaptiveGate(spec)
        case "own":
            raise UsageError("A gate of your own (gate=own) must be handed in: `ws.train(..., gate=...)` in Python.")
        case _:
            assert_never(spec.gating.gate)
