from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from metier.runs.derive import record_of
from metier.store.tables.runs import full_text as search
from metier.store.tables.runs import runs
from metier.types import Run, ToolCall

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine

NOW = "2026-01-05T12:00:00Z"
TEXTS = {
    "login": "Fix the flaky login test",
    "german": "Bitte die Datenbank-Migration für Bestellungen schreiben",
    "chinese": "请修复登录页面的错误",
    "japanese": "ログインのテストを直してください",
    "tool": "Bump the dependency",
}


def filled(engine: Engine) -> None:
    given = [Run(message=text, external_id=name, session="s") for name, text in TEXTS.items()]
    given[-1] = Run(
        message=TEXTS["tool"], external_id="tool", tools=(ToolCall(name="Bash", input="uv lock --upgrade"),)
    )
    with engine.write() as transaction:
        runs.keep(transaction, [record_of(run, "w", NOW) for run in given])
        while search.catch_up(transaction, 2):
            pass


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("flaky", ["login"]),
        ("FLAKY login", ["login"]),
        ("flak", ["login"]),
        ("login missing", []),
        ("bestellungen", ["german"]),
        ("für", ["german"]),
        ("登录", ["chinese"]),
        ("修复 错误", ["chinese"]),
        ("録登", []),
        ("テスト", ["japanese"]),
        ("upgrade", ["tool"]),
        ("", []),
        ("!!! --- \"'", []),
        ("NEAR( AND OR NOT *", []),
        ("'; DROP TABLE runs; --", []),
    ],
)
def test_words_find_runs_in_any_script_and_never_break_the_query(engine: Engine, words: str, found: list[str]) -> None:
    filled(engine)
    with engine.read() as transaction:
        assert [record.run.external_id for record in search.search(transaction, words, 10)] == found


def test_the_index_knows_how_far_it_is_behind(engine: Engine) -> None:
    with engine.write() as transaction:
        runs.keep(transaction, [record_of(Run(message=str(n), external_id=str(n)), "w", NOW) for n in range(7)])
        assert search.behind(transaction) == 7
        assert [search.catch_up(transaction, 5), search.catch_up(transaction, 5), search.catch_up(transaction, 5)] == [
            5,
            2,
            0,
        ]
        assert search.behind(transaction) == 0


def test_a_changed_run_is_found_by_its_new_words_only(engine: Engine) -> None:
    filled(engine)
    changed = Run(message=TEXTS["login"], external_id="login", session="s", output="because of the cookie")
    with engine.write() as transaction:
        [kept] = runs.keep(transaction, [record_of(changed, "w", NOW)])
        search.refresh(transaction, [kept.id])
        assert len(search.search(transaction, "cookie", 10)) == 1


def test_a_search_passes_over_other_workspaces_without_losing_its_own(engine: Engine) -> None:
    with engine.write() as transaction:
        mine = [record_of(Run(message="needle", external_id="mine"), "w", NOW)]
        others = [record_of(Run(message="needle", external_id=str(n)), "other", NOW) for n in range(30)]
        runs.keep(transaction, mine + others)
        search.catch_up(transaction, 100)
        assert [record.run.external_id for record in search.search(transaction, "needle", 5)] == ["mine"]
