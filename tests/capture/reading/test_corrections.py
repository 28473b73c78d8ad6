"""Corrections are noticed in several languages, ordinary next steps are not taken for them."""

from __future__ import annotations

import pytest

from metier.capture.reading.corrections import is_correction, is_own_prompt


@pytest.mark.parametrize(
    "said",
    [
        "no, that's not what I meant",
        "no, never run git add . here: stage files by name",
        "no, always run the tests first",
        "That is wrong, use the other table",
        "it still doesn't work",
        "you forgot the tests",
        "undo that",
        "I said staging, not production",
        "nein, das ist falsch",
        "Das funktioniert immer noch nicht.",
        "du hast die Tests vergessen",
        "不对，应该用另一个表",
        "还是报错",
        "違います、別のテーブルです",
        "まだ動かない",
        "non, ce n'est pas ça",
        "ça ne marche pas",
        "no, eso no es lo que pedí",
        "sigue sin funcionar",
    ],
)
def test_a_correction_is_noticed(said: str) -> None:
    assert is_correction(said)


@pytest.mark.parametrize(
    "said",
    [
        "thanks, now push it",
        "add a test for the parser",
        "what is wrong with the login page?",
        "create the beads",
        "did you push?",
        "perfekt, danke",
        "好的，谢谢",
        "ありがとう、次は文書を",
        "merci, parfait",
        "gracias, ahora los tests",
        "no problem, go on with the next one",
        "",
    ],
)
def test_an_ordinary_next_step_is_no_correction(said: str) -> None:
    assert not is_correction(said)


def test_metiers_own_prompts_are_known() -> None:
    assert is_own_prompt("metier: judge this")
    assert is_own_prompt("[metier:judge] …")
    assert is_own_prompt("<!-- metier:draft -->\nwrite")
    assert not is_own_prompt("what is metier: a word?")
