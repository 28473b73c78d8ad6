"""A yes of a person at a terminal: one typed word."""

from __future__ import annotations

import sys

import typer

WORD = "yes"


def has_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()  # pyright: ignore[reportUnnecessaryComparison]


def typed_yes(question: str) -> bool:
    """Whether the person at the terminal types the word; without a terminal the answer is no."""
    if not has_terminal():
        return False
    return typer.prompt(f"{question} Type {WORD}", default="", show_default=False, err=True).strip() == WORD
