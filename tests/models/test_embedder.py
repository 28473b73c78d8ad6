"""The embedder that ships: near in meaning is near in number, in any script, the same bytes every time."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_file import pack

from metier.models.embedder import FILE, StaticEmbedder, unpack

EMBEDDER = StaticEmbedder()


def near(one: str, other: str) -> float:
    first, second = EMBEDDER.embed([one, other])
    return float(first @ second)


def test_paraphrases_are_nearer_than_requests_with_the_same_opening() -> None:
    assert near("fix the login bug", "the login bug needs a fix") > 0.8
    assert near("book a plane ticket", "reserve a flight") > near("book a plane ticket", "book a plumber")
    assert near("cancel my subscription", "delete the account") > near("cancel my subscription", "bake a cake") + 0.2


@pytest.mark.parametrize(
    ("text", "same", "other"),
    [
        ("修复登录页面的错误", "登录页面有错误需要修复", "生成季度销售报告"),
        ("ログイン画面のバグを修正", "バグ修正：ログイン画面", "売上レポートを作成"),
        ("Rechnungen als PDF exportieren", "die Rechnung als PDF exportiert", "Server neu starten"),
        ("исправить ошибку входа", "ошибка входа исправлена", "создать отчёт о продажах"),
        ("로그인 오류를 수정", "로그인 오류 수정", "판매 보고서를 작성"),
        ("लॉगिन त्रुटि ठीक करें", "लॉगिन की त्रुटि ठीक करें", "बिक्री रिपोर्ट बनाएं"),
        ("แก้ไขข้อผิดพลาดการเข้าสู่ระบบ", "ข้อผิดพลาดการเข้าสู่ระบบต้องแก้ไข", "สร้างรายงานยอดขาย"),
        ("إصلاح خطأ تسجيل الدخول", "خطأ تسجيل الدخول إصلاح", "إنشاء تقرير المبيعات"),
    ],
)
def test_the_same_words_are_near_in_any_script(text: str, same: str, other: str) -> None:
    assert near(text, same) > 0.5
    assert near(text, same) > near(text, other) + 0.3


def test_case_accents_and_width_make_no_difference() -> None:
    assert near("Éxporter LE café", "exporter le cafe") == pytest.approx(1, abs=1e-6)
    assert near("ＡＢＣ report", "abc report") == pytest.approx(1, abs=1e-6)


def test_a_text_without_words_is_all_zeros() -> None:
    assert not EMBEDDER.embed(["", "   ", "!?…", "🎉"]).any()
    assert EMBEDDER.embed([]).shape == (0, EMBEDDER.dimensions)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=80), max_size=6))
def test_any_text_gets_a_unit_vector_or_zeros_whatever_stands_beside_it(texts: list[str]) -> None:
    together = EMBEDDER.embed(texts)
    assert together.dtype == np.float32
    for text, row in zip(texts, together, strict=True):
        length = float(np.linalg.norm(row))
        assert length == 0 or abs(length - 1) < 1e-5
        assert EMBEDDER.embed([text])[0].tobytes() == row.tobytes()


def test_a_lone_surrogate_is_a_character_like_any_other() -> None:
    assert EMBEDDER.embed(["\ud800 fix \udfff"]).any()


def test_a_huge_text_costs_no_more_than_its_beginning() -> None:
    began = time.process_time()
    EMBEDDER.embed(["word " * 2_000_000, "字" * 5_000_000, "x" * 5_000_000])
    assert time.process_time() - began < 2


def test_another_process_gives_the_same_bytes() -> None:
    texts = ["fix the login bug", "修复登录错误", "Straße überqueren", "kubectl rollout restart"]
    code = (
        "import hashlib, sys; from metier.models.embedder import StaticEmbedder;"
        f"print(hashlib.sha256(StaticEmbedder().embed({texts!r}).tobytes()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == hashlib.sha256(EMBEDDER.embed(texts).tobytes()).hexdigest()


def test_the_file_is_what_its_first_line_says_and_small() -> None:
    data = (files("metier.models") / "weights" / FILE).read_bytes()
    assert hashlib.sha256(data.partition(b"\n")[2]).hexdigest() == unpack(data).sha256
    assert len(data) <= 8_000_000
    assert EMBEDDER.name == f"{unpack(data).name}@{unpack(data).sha256[:12]}"
    assert (files("metier.models") / "weights" / "README.md").is_file()


def test_making_one_reads_nothing() -> None:
    began = time.process_time()
    for _ in range(1_000):
        StaticEmbedder()
    assert time.process_time() - began < 0.5


def test_a_packed_table_comes_back_within_a_step_of_eight_bits() -> None:
    vectors = np.random.default_rng(1).normal(size=(3, 8)).astype(np.float32)
    table = unpack(pack("tiny", ["a", "b", "##c"], vectors))
    back = table.rows * table.scales[:, None]
    assert np.abs(back - vectors).max() <= float(table.scales.max()) / 2 + 1e-6
    assert dict(table.vocabulary) == {"a": 0, "b": 1, "##c": 2}
    assert StaticEmbedder(table).embed(["a b ac"]).shape == (1, 8)


def test_a_cut_or_foreign_file_is_refused_with_a_reason() -> None:
    whole = pack("tiny", ["a"], np.ones((1, 4), dtype=np.float32))
    with pytest.raises(ValueError, match="install again"):
        unpack(whole[:-1])
    with pytest.raises(ValueError, match="not a static table"):
        unpack(b"{}\n")
