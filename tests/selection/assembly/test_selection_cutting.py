from __future__ import annotations

import re
import time

from hypothesis import given
from hypothesis import strategies as st

from metier.selection.assembly.token_budget import MARK, cut, cut_to_tokens, ends, tokens

TEXTS = st.text(max_size=400) | st.lists(st.sampled_from(["word ", "\n", "    ", "字", "ß", "🙂", "12345", "`x`"])).map(
    "".join
)


def test_the_mark_is_a_new_line_and_truncated() -> None:
    assert cut("x" * 11, 10) == "x" * 10 + "\n...[truncated]"
    assert cut("x" * 10, 10) == "x" * 10


@given(TEXTS, st.integers(0, 500))
def test_a_cut_text_is_its_beginning_and_the_mark(text: str, limit: int) -> None:
    shown = cut(text, limit)
    assert shown == text if len(text) <= limit else shown == text[:limit] + MARK


@given(TEXTS, st.integers(0, 500))
def test_a_text_shown_by_its_ends_is_bounded(text: str, limit: int) -> None:
    shown = ends(text, limit)
    assert len(shown) <= limit + len(MARK) + 1
    assert shown.startswith(text[: limit - limit // 4])


@given(TEXTS, st.integers(-5, 200))
def test_a_text_cut_to_tokens_fits_and_begins_as_the_text_does(text: str, limit: int) -> None:
    shown = cut_to_tokens(text, limit)
    assert tokens(shown) <= max(0, limit)
    assert shown == text or not shown or (shown.endswith(MARK) and text.startswith(shown.removesuffix(MARK)))


SIGNS = st.text("aZ09 \t\n\x85\xa0éЖ\u1680\u2003\u3042.-_🙂\u1fff\u2000\xbf\xc0", max_size=80)


@given(TEXTS | SIGNS)
def test_tokens_are_counted_kind_by_kind(text: str) -> None:
    kinds = {r"[A-Za-z]+": 6, r"[0-9]+": 3, r"[\u00c0-\u167f\u1681-\u1fff]+": 2}
    expected, rest = 0, text
    for kind, letters in kinds.items():
        expected += sum(-(-len(found) // letters) for found in re.findall(kind, text))
        rest = re.sub(kind, "", rest)
    expected += sum(-(-(len(found) - 1) // 12) for found in re.findall(r"\s+", text))
    expected += sum(3 if sign >= "\U00010000" else 1 for sign in re.sub(r"\s+", "", rest))
    assert tokens(text) == expected


@given(TEXTS, TEXTS)
def test_more_text_is_never_fewer_tokens(first: str, second: str) -> None:
    assert tokens(first) <= tokens(first + second)


def test_the_estimate_is_near_what_tokenizers_count() -> None:
    english = "Run the release script, wait for the health check and tell the channel what has been shipped."
    assert 18 <= tokens(english) <= 27  # 19 with the usual vocabularies
    assert tokens("部署前先运行测试") == 8
    assert tokens("") == 0


def test_a_huge_text_is_cut_in_no_time() -> None:
    began = time.perf_counter()
    assert tokens(cut_to_tokens("word " * 1_000_000, 2_000)) <= 2_000
    assert time.perf_counter() - began < 2
