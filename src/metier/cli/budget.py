"""What a training may take, as `--budget NAME=N` names it."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from metier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.training.service.order import TrainLimits


def limits_from(pairs: Sequence[str]) -> TrainLimits:
    """What a training may take, as it was named."""
    from metier.training.service.order import TrainLimits

    given: dict[str, object] = {}
    for pair in pairs:
        name, equals, text = (part.strip() for part in pair.partition("="))
        if not equals or name not in ("rollouts", "calls", "tokens", "usd", "seconds"):
            raise UsageError(f"--budget needs rollouts=N, calls=N, tokens=N, usd=N or seconds=N; got '{pair}'.")
        if name in given:
            raise UsageError(f"--budget sets {name} twice. Remove one.")
        try:
            given[name] = _amount(name, text)
        except (ValueError, ArithmeticError):
            whole = "" if name in ("usd", "seconds") else "whole "
            raise UsageError(f"--budget {name} must be a {whole}number, 0 or more, not '{text}'.") from None
    return TrainLimits(**cast("dict[str, Any]", given))


def _amount(name: str, text: str) -> object:
    if name == "usd":
        return str(Decimal(text.lstrip("$")))
    if name == "seconds":
        unit = {"s": 1, "m": 60, "h": 3600}.get(text[-1:], 0)
        return float(text[:-1]) * unit if unit else float(text)
    return int(text.replace("_", "").replace(",", ""))
