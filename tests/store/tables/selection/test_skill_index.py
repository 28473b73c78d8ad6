"""Texts of skills, what is worked out from them, and their words, on both engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoping import in_workspace

from metier.hooks import rank
from metier.store.engines import dialect
from metier.store.engines.migrate import known_migrations, migrate
from metier.store.tables.selection import hook_skills as skill_words
from metier.store.tables.selection import selections, skill_index
from metier.store.tables.selection.hook_skills import HandOut, InUse
from metier.store.tables.selection.skill_index import ContentKey, SkillSummary, SkillText

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine, Transaction

NOW = "2026-01-05T12:00:00Z"
FLAKY = ContentKey("aa", "flaky-tests")
CHINESE = ContentKey("bb", "chinese")


def text(content: ContentKey, description: str = "", body: str = "") -> SkillText:
    return SkillText(
        content=content, description=description, said=SkillSummary(tools=("Read",), always=True), body=body
    )


def in_use(content: ContentKey, **more: object) -> InUse:
    return InUse(name=content.name, hash=content.hash, document="/s/SKILL.md", stamp="1 2 3", **more)  # type: ignore[arg-type]


def filled(transaction: Transaction) -> None:
    texts = [
        text(FLAKY, "Mends tests that fail now and then.", "Run the failing test fifty times, don't guess; foo_bar."),
        text(CHINESE, "修复登录页面的错误"),
    ]
    skill_words.keep(transaction, texts)
    skill_words.put(transaction, [in_use(FLAKY), in_use(CHINESE)])


def test_a_text_comes_back_without_its_body_until_that_is_asked_for(engine: Engine) -> None:
    with engine.write() as transaction:
        filled(transaction)
        found = skill_index.summaries(transaction, [FLAKY, ContentKey("aa", "other"), ContentKey("cc", "flaky-tests")])
        assert list(found) == [FLAKY]
        assert found[FLAKY].said == SkillSummary(tools=("Read",), always=True)
        assert found[FLAKY].body == ""
        assert skill_index.bodies(transaction, [FLAKY])[FLAKY].startswith("Run the failing test")


def test_entries_count_for_their_version_alone_and_replace_those_of_another(engine: Engine) -> None:
    with engine.write() as transaction:
        skill_index.put_entries(transaction, "1", {FLAKY: b"\0one", CHINESE: b"two"})
        assert skill_index.entries(transaction, "1", [FLAKY, CHINESE]) == {FLAKY: b"\0one", CHINESE: b"two"}
        assert skill_index.entries(transaction, "2", [FLAKY]) == {}
        skill_index.put_entries(transaction, "2", {FLAKY: b"new"})
        assert skill_index.entries(transaction, "1", [FLAKY, CHINESE]) == {CHINESE: b"two"}


def test_vectors_are_kept_by_embedder(engine: Engine) -> None:
    with engine.write() as transaction:
        skill_index.put_vectors(transaction, "e", {FLAKY: b"\x00\x01"})
        assert skill_index.vectors(transaction, "e", [FLAKY, CHINESE]) == {FLAKY: b"\x00\x01"}
        assert skill_index.vectors(transaction, "f", [FLAKY]) == {}


def test_many_contents_are_found_in_parts(engine: Engine) -> None:
    contents = [ContentKey(f"{n:04x}", f"s{n}") for n in range(skill_index.AT_ONCE + 5)]
    with engine.write() as transaction:
        skill_words.keep(transaction, [text(one) for one in contents])
        assert skill_index.summaries(transaction, contents).keys() == set(contents)


def test_skills_are_found_by_any_of_their_words_in_any_script(engine: Engine) -> None:
    with engine.write() as transaction:
        filled(transaction)

        def found(*words: str) -> list[str]:
            return [name for name, _ in skill_words.search(transaction, words, 10)]

        assert found("mending", "nonsense") == ["flaky-tests"]
        assert found("登录") == ["chinese"]
        assert found("bar", "'; DROP TABLE", 'NEAR("') == ["flaky-tests"]
        assert found() == []
        assert skill_words.search(in_workspace(transaction, "other"), ["mend"], 10) == []


def test_what_no_skill_has_any_more_goes_from_the_index_too(engine: Engine) -> None:
    with engine.write() as transaction:
        filled(transaction)
        skill_index.put_entries(transaction, "1", {FLAKY: b"x"})
        skill_words.put(in_workspace(transaction, "elsewhere"), [in_use(CHINESE)])
        skill_words.forget(transaction, ["flaky-tests", "chinese"])
        unused = skill_index.unused_contents(transaction, [FLAKY, CHINESE])
        assert unused == [FLAKY]
        skill_words.drop(transaction, unused)
        assert skill_index.summaries(transaction, [FLAKY, CHINESE]).keys() == {CHINESE}
        assert skill_index.entries(transaction, "1", [FLAKY]) == {}
        skill_words.put(transaction, [in_use(FLAKY), in_use(CHINESE)])
        assert skill_words.search(transaction, ["mends", "登"], 10)[0][0] == "chinese"
        filled(transaction)
        assert [name for name, _ in skill_words.search(transaction, ["mends"], 10)] == ["flaky-tests"]


def test_a_text_that_is_kept_twice_is_in_the_index_once(engine: Engine) -> None:
    with engine.write() as transaction:
        filled(transaction)
        filled(transaction)
        assert len(skill_words.search(transaction, ["mends"], 10)) == 1
        skill_words.drop(transaction, [FLAKY])
        assert skill_words.search(transaction, ["mends"], 10) == []


def test_a_finished_text_lasts_as_long_as_the_content_it_was_made_of(engine: Engine) -> None:
    with engine.write() as transaction:
        filled(transaction)
        skill_words.finish(transaction, [HandOut(content=FLAKY, checked="1", text="ready", tokens=3)])
        assert {name: one.checked for name, one in skill_words.list_all(transaction).items() if one.checked} == {
            "flaky-tests": "1"
        }
        skill_words.put(transaction, [in_use(FLAKY, factor=0.8)])
        assert skill_words.list_all(transaction)["flaky-tests"].checked == "1"
        skill_words.put(transaction, [in_use(ContentKey("cc", "flaky-tests"))])
        assert skill_words.list_all(transaction)["flaky-tests"].checked == ""
        skill_words.finish(transaction, [HandOut(content=FLAKY, checked="1", text="ready")])
        assert skill_words.list_all(transaction)["flaky-tests"].checked == ""


def test_the_hook_and_the_store_part_the_same_signs() -> None:
    assert rank.CJK.pattern == dialect.CJK.pattern


def test_selections_of_the_version_before_are_still_there(bare_engine: Engine) -> None:
    migrate(bare_engine, NOW, known_migrations()[:4])
    with bare_engine.write() as transaction:
        transaction.all(
            "INSERT INTO selections (id, workspace, run, body) VALUES (?, ?, ?, ?)",
            ("s1", "w", "r1", '{"id": "s1", "workspace": "w", "query": "fix it", "chosen": ["a"], "run": "r1"}'),
        )
    migrate(bare_engine, NOW)
    with bare_engine.write() as transaction:
        [kept] = selections.list_all(transaction)
        assert (kept.query, kept.chosen, kept.session) == ("fix it", ("a",), "")
        selections.put(transaction, kept)
        filled(transaction)
        assert skill_words.search(transaction, ["mends"], 5)
