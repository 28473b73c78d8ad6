"""A yes in a terminal: a person sees what it is about, and types one word of it."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from metier.cli.output import ask_key, talk, visible
from metier.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Generator

SHORTEST, LONGEST = 4, 16
"""Letters of a word that is typed."""
_WORD = re.compile(r"[^\W\d_]+")


def has_terminal() -> bool:
    """Whether a person can be shown something and asked."""
    return bool(sys.stdin) and sys.stdin.isatty() and sys.stdout.isatty()


@contextmanager
def deciding() -> Generator[None]:
    """What a person decides here: refused without a terminal; a yes meanwhile is kept as said in one."""
    from shlex import join

    from metier.context.audit import yes_by

    if not has_terminal():
        said = visible(join(("metier", *sys.argv[1:])))
        raise RefusedError(
            f"Only a person decides this. Run it in a terminal: {said}   In the browser: metier ui --open"
        )
    with yes_by("terminal"):
        yield


def word_of(text: str, otherwise: str) -> str:
    """The word of a text that a person types: the longest that is not too long; else an id."""
    words = [one for one in _WORD.findall(text) if SHORTEST <= len(one) <= LONGEST]
    return max(words, key=len, default=otherwise)


def ask_word(word: str) -> None:
    """Wait for the word that means yes, and refuse anything else."""
    if not is_typed(word):
        raise RefusedError("That is not the word. Nothing was decided.")


def is_typed(word: str) -> bool:
    """Whether a person types the word that means yes."""
    return _is(typer.prompt(f"To say yes, type: {visible(word)}", default="", show_default=False, err=True), word)


def ask_key_or_word(keys: str, word: str, default: str) -> str:
    """The key that a person pressed; `y` stands for the word."""
    talk(f"To say yes, type: {visible(word)}")
    return ask_key(keys, default, lambda said: "y" if _is(said, word) else "")


def _is(said: str, word: str) -> bool:
    return said.strip().casefold() == word.casefold()
