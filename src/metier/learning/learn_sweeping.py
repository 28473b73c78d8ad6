"""How often Python looks for garbage during a pass: seldom, as a pass makes many values and next to no garbage."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

SELDOM = (50_000, 20, 50)
"""New values before a look at the new ones, and how many of these looks before one at the older ones."""


@contextmanager
def seldom_swept() -> Generator[None]:
    """Look for garbage seldom, and afterwards as before; where somebody looks more seldom yet, that is left alone."""
    before = gc.get_threshold()
    if not 0 < before[0] < SELDOM[0]:
        yield
        return
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
