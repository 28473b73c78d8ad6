"""Settings that go together, by name: the classic trainer's, and ours."""

from __future__ import annotations

from typing import Any

from metier.errors import UsageError
from metier.training.spec import Spec

PRESETS: dict[str, dict[str, Any]] = {
    "classic": {},
    "default": {"gate": "adaptive", "quick": 2, "one_shot_first": True, "split_rewrites": True},
}
"""What each changes in `Spec()`."""


def spec_of(preset: str = "classic", **changes: Any) -> Spec:
    """The settings of a preset with some of them changed."""
    if preset not in PRESETS:
        raise UsageError(f"There is no preset {preset!r}; choose one of {', '.join(PRESETS)}.")
    values: dict[str, Any] = {**PRESETS[preset], **changes, "preset": preset}
    return Spec.of(**values)


def default_spec(**changes: Any) -> Spec:
    """Our settings with some of them changed; each idea can be turned off by itself."""
    return spec_of("default", **changes)
