"""The skills a hook may hand out: their words in the full-text index, and the finished text of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from metier.store.engines.dialect import space_cjk
from metier.store.tables.selection import skill_index
from metier.store.tables.selection.skill_index import ContentKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.store.engines.engine import Transaction, Value
    from metier.store.tables.selection.skill_index import SkillText

INDEXED = 6_000
"""Characters of a body whose words can be found."""
SAME = "selectable.hash = excluded.hash AND selectable.always = excluded.always"
"""Whether a finished text still holds: a pinned skill is given whole, another one may be named only."""
COLUMNS = "name, hash, document, stamp, always, factor, checked, agents"


@dataclass(frozen=True, slots=True, kw_only=True)
class InUse:
    """A skill in use as a hook sees it."""

    name: str
    hash: str
    document: str
    """The path of its SKILL.md."""
    stamp: str
    """The state of its folder; in any other state a hook does not hand the skill out."""
    always: bool = False
    factor: float = 1.0
    """What its score is multiplied with; 0: hooks leave it alone."""
    agents: str = ""
    """The agents it may be handed to, each between two commas; empty: all."""
    checked: str = ""
    """By what it was looked at before it was found fit for handing out, or not; empty: by nobody yet."""

    @property
    def content(self) -> ContentKey:
        """What its text is kept under."""
        return ContentKey(self.hash, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOut:
    """The finished text of a skill, for a hook that has no time to make one."""

    content: ContentKey
    checked: str
    text: str = ""
    """Empty: it may not be handed out."""
    tokens: int = 0


def keep(transaction: Transaction, texts: Sequence[SkillText]) -> None:
    """Keep texts and put their words into the index; those that are there already stay as they are."""
    known = skill_index.summaries(transaction, [one.content for one in texts])
    fresh = {one.content: one for one in texts if one.content not in known}
    skill_index.put_texts(transaction, fresh.values())
    transaction.many(transaction.dialect.words_insert, _words(transaction, list(fresh)))


def index_all(transaction: Transaction) -> None:
    """Put the words of all kept texts into an empty index."""
    rows = transaction.all("SELECT hash, name FROM skill_texts ORDER BY number")
    contents = [ContentKey(str(digest), str(name)) for digest, name in rows]
    transaction.many(transaction.dialect.words_insert, _words(transaction, contents))


def drop(transaction: Transaction, contents: Sequence[ContentKey]) -> None:
    """Take the words of texts out of the index, and drop all that is known of them."""
    transaction.many(transaction.dialect.words_delete, _words(transaction, contents))
    skill_index.forget(transaction, contents)


def list_all(transaction: Transaction) -> dict[str, InUse]:
    """The skills in use of a workspace, by name."""
    rows = transaction.all(f"SELECT {COLUMNS} FROM selectable WHERE workspace = ?", (transaction.workspace,))
    return {
        str(name): InUse(
            name=str(name),
            hash=str(digest),
            document=str(document),
            stamp=str(stamp),
            always=bool(always),
            factor=cast("float", factor),
            checked=str(checked),
            agents=str(agents),
        )
        for name, digest, document, stamp, always, factor, checked, agents in rows
    }


def put(transaction: Transaction, skills: Iterable[InUse]) -> None:
    """Note skills as they are in use now; the finished text of another content goes."""
    rows: list[tuple[Value, ...]] = [
        (transaction.workspace, one.name, one.hash, one.document, one.stamp, int(one.always), one.factor, one.agents)
        for one in skills
    ]
    transaction.many(
        "INSERT INTO selectable"
        " (workspace, name, hash, document, stamp, always, factor, agents, checked, tokens, context)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', 0, '') ON CONFLICT (workspace, name) DO UPDATE SET"
        f" checked = CASE WHEN {SAME} THEN selectable.checked ELSE '' END,"
        f" context = CASE WHEN {SAME} THEN selectable.context ELSE '' END,"
        " hash = excluded.hash, document = excluded.document, stamp = excluded.stamp,"
        " always = excluded.always, factor = excluded.factor, agents = excluded.agents",
        rows,
    )


def finish(transaction: Transaction, texts: Iterable[HandOut]) -> None:
    """Keep finished texts, as long as the skills are still those they were made of."""
    transaction.many(
        "UPDATE selectable SET checked = ?, context = ?, tokens = ? WHERE workspace = ? AND hash = ? AND name = ?",
        [(one.checked, one.text, one.tokens, transaction.workspace, *one.content) for one in texts],
    )


def forget(transaction: Transaction, names: Iterable[str]) -> None:
    """Note that skills are not in use any more."""
    rows = [(transaction.workspace, name) for name in names]
    transaction.many("DELETE FROM selectable WHERE workspace = ? AND name = ?", rows)


def search(transaction: Transaction, words: Sequence[str], limit: int) -> list[tuple[str, float]]:
    """The skills of a workspace that hold any of the words, the best first, with how good they are."""
    query = transaction.dialect.words_query(words)
    if not query:
        return []
    good = {cast("int", row[0]): cast("float", row[1]) for row in _matches(transaction, query, limit)}
    marks = ", ".join("?" * len(good))
    sql = (
        "SELECT s.name, t.number FROM selectable s JOIN skill_texts t ON t.hash = s.hash AND t.name = s.name"
        f" WHERE s.workspace = ? AND t.number IN ({marks})"
    )
    rows = transaction.all(sql, (transaction.workspace, *good)) if good else []
    found = [(str(name), good[cast("int", number)]) for name, number in rows]
    return sorted(found, key=lambda one: (-one[1], one[0]))


def _matches(transaction: Transaction, query: str, limit: int) -> list[tuple[Value, ...]]:
    return transaction.all(transaction.dialect.words_match, (query, limit))


def _words(transaction: Transaction, contents: Sequence[ContentKey]) -> list[tuple[Value, ...]]:
    """The rows of the index that some kept texts make: always the same ones for the same texts."""
    rows: list[tuple[Value, ...]] = []
    for content in contents:
        sql = "SELECT number, name, description, body FROM skill_texts WHERE hash = ? AND name = ?"
        for number, name, description, body in transaction.all(sql, content):
            rows.append((number, str(name), space_cjk(str(description)), space_cjk(str(body)[:INDEXED])))
    return rows
