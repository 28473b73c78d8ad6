"""What Metier said is known again in a transcript, by its fixed headings."""

from __future__ import annotations

import pytest

from metier.formats.handed_text import is_denial, is_handed_text
from metier.hooks.notes import Note
from metier.hooks.wording import denial_text, told_text


@pytest.mark.parametrize("kind", ["rule", "fix", "fact"])
def test_notes_that_were_told_are_no_words_of_the_person(kind: str) -> None:
    assert is_handed_text("\n" + told_text([Note("start", "Use uv.", kind=kind)]))
    assert not is_handed_text("Standing instructions are in AGENTS.md. Read it.")


def test_a_denied_call_is_known_by_its_reason() -> None:
    said = denial_text(Note("before", "Use uv.", check={"program": ["pip"]}, denies=True))
    assert is_denial(f"Command blocked by PreToolUse hook: {said}. Command: pip install x")
    assert not is_denial("Not run. The tests failed.")
