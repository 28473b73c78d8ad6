"""Names are valid everywhere, look-alikes fold together, and any text gives one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.skills.names import lookalike_key, name_problem, slug


@pytest.mark.parametrize("name", ["a", "a1", "pdf-forms", "x" * 64, "2fa", "con-man", "1-2"])
def test_a_good_name_has_no_problem(name: str) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "empty"),
        ("x" * 65, "65 characters"),
        ("Pdf", "only the letters"),
        ("pdf_forms", "only the letters"),
        ("pdf\n", "only the letters"),
        ("é", "only the letters"),
        ("-a", "hyphen"),
        ("a-", "hyphen"),
        ("a--b", "two hyphens"),
        ("con", "device"),
        ("lpt1", "device"),
        ("123", "digits"),
    ],
)
def test_a_bad_name_is_told_why(name: str, why: str) -> None:
    assert why in (name_problem(name) or "")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Deploy", "deploy"),
        ("déploy", "deploy"),
        ("dерlоу", "deploy"),
        ("ｄeploy", "deploy"),
        ("t00l", "tool"),
        ("l1b", "llb"),
    ],
)
def test_names_a_person_could_mix_up_fold_to_the_same(one: str, two: str) -> None:
    assert lookalike_key(one) == lookalike_key(two)


def test_hidden_characters_do_not_make_another_name() -> None:
    assert lookalike_key("dep\u200bloy") == lookalike_key("deploy")
    assert lookalike_key("deploy-a") != lookalike_key("deploy-b")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Weather Lookup", "weather-lookup"),
        ("  PDF: Forms & Tables!  ", "pdf-forms-tables"),
        ("Größe ändern", "grosse-andern"),
        ("CON", "skill-con"),
        ("2024", "skill-2024"),
        ("already-fine", "already-fine"),
    ],
)
def test_free_text_becomes_a_name(text: str, name: str) -> None:
    assert slug(text) == name


def test_a_long_text_is_cut_between_words() -> None:
    assert slug("words " * 20) == "-".join(["words"] * 10)
    assert slug("x" * 100) == "x" * 64


def test_texts_without_latin_letters_get_different_names() -> None:
    assert slug("天气") != slug("查询")


@settings(deadline=None)
@given(st.text())
def test_every_text_gives_a_valid_name_that_stays(text: str) -> None:
    name = slug(text)
    assert name_problem(name) is None
    assert slug(name) == name
