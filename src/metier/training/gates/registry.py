"""All gates by the name that the setting `gate` gives them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from metier.errors import UsageError

if TYPE_CHECKING:
    from metier.training.gates.gate import Gate
    from metier.training.spec import Spec

GATES = {
    "strict": "strict:StrictGate",
    "off": "strict:OffGate",
    "staged": "staged:StagedGate",
    "screen": "screen:ScreenGate",
    "adaptive": "adaptive:AdaptiveGate",
}
"""Each gate and its `module:class` in this folder; the class has a `from_spec`."""
OWN = "own"
"""The name of a gate that is handed in, in Python."""


def gate_of(spec: Spec) -> Gate:
    """The gate that the settings ask for."""
    if spec.gating.gate == OWN:
        raise UsageError("A gate of your own (gate=own) must be handed in: `ws.train(..., gate=...)` in Python.")
    module, _, name = GATES[spec.gating.gate].partition(":")
    return getattr(import_module(f"metier.training.gates.{module}"), name).from_spec(spec)
