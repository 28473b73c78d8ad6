"""Everything in which SQLite and PostgreSQL differ: types, placeholders, full text. All other SQL is portable."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CJK = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af])")
WORD = re.compile(r"\w+")
PLAIN_WORD = re.compile(r"[^\W_]+")

INDEXED, LONGEST, LAST_PLACE = 250_000, 500, 16_383
"""What of a text PostgreSQL indexes, at most: characters, characters of a word, and places that it tells apart."""

NOT_TEXT = "That holds bytes that are not text, so nothing here is called so. Check what you typed."
STEMMED = "porter unicode61 remove_diacritics 2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one engine says what the other says differently."""

    name: str
    serial: str
    blob: str
    placeholder: str
    bytewise: str
    """Said of a text that is compared byte by byte, whatever the language of the database: `$bytewise`."""
    create_fulltext: tuple[str, ...]
    renew_fulltext: tuple[str, ...]
    """What lets words be found as they are since schema 25."""
    fulltext_insert: str
    fulltext_delete: str
    fulltext_erase: tuple[str, ...]
    """What makes deleted words vanish from the index itself."""
    create_words: tuple[str, ...]
    """The words of skills; all of the following take a skill's number first, then name, description and body."""
    create_moments: tuple[str, ...]
    """What finds runs since a moment, where the engine weighs whether that is shorter than going through the newest."""
    words_insert: str
    words_delete: str
    words_match: str
    """Numbers of the skills that hold any of the words, the best first, with how good; takes a query and a limit."""
    own_serial: str
    """Stands in an INSERT that brings serial numbers along."""
    last_serial: str
    """The highest serial number ever given in a $table's $column."""
    set_serial: tuple[str, ...]
    """Statements after which the next number in a $table's $column is higher than the one they take."""

    def sql(self, text: str) -> str:
        """A portable statement in this engine's words."""
        text = text.replace("$serial", self.serial).replace("$blob", self.blob).replace("$bytewise", self.bytewise)
        return text if self.placeholder == "?" else text.replace("?", self.placeholder)

    def fulltext_entry(self, text: str) -> str:
        """A text as its engine's index takes it; PostgreSQL gets words, because its own parser has other ones."""
        return text if self.name == "sqlite" else word_positions(text)

    def words_query(self, words: Iterable[str]) -> str:
        """Words as a query for any of them; empty when there are none."""
        terms = [part for word in words for part in PLAIN_WORD.findall(space_cjk(word))]
        return " OR ".join(f'"{term}"' for term in terms) if self.name == "sqlite" else " | ".join(map(repr, terms))


def word_positions(text: str) -> str:
    """A text as PostgreSQL writes a tsvector: each word with its places, folded as FTS5 folds words."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(PLAIN_WORD.findall(fold(text[:INDEXED])), 1):
        if len(word) <= LONGEST:
            places.setdefault(word, []).append(min(place, LAST_PLACE))
    return " ".join(f"'{word}':{','.join(map(str, found))}" for word, found in places.items())


def fold(text: str) -> str:
    """Small letters without accents."""
    if text.isascii():
        return text.lower()
    bare = "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
    return unicodedata.normalize("NFC", bare).lower()


def space_cjk(text: str) -> str:
    """Text with a space around each character of a script that puts none between words, so each is a word."""
    return " ".join(CJK.sub(r" \1 ", text).split()) if CJK.search(text) else text


SQLITE = Dialect(
    name="sqlite",
    serial="INTEGER PRIMARY KEY AUTOINCREMENT",
    blob="BLOB",
    placeholder="?",
    bytewise="",
    create_fulltext=("CREATE VIRTUAL TABLE runs_text USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')",),
    renew_fulltext=("CREATE VIRTUAL TABLE runs_text_terms USING fts5vocab(runs_text, instance)",),
    fulltext_insert="INSERT INTO runs_text (rowid, text) VALUES (?, ?)",
    fulltext_delete="DELETE FROM runs_text WHERE rowid = ?",
    fulltext_erase=("INSERT INTO runs_text (runs_text) VALUES ('optimize')",),
    create_words=(
        f"CREATE VIRTUAL TABLE skill_words USING fts5(name, description, body, content = '', tokenize = '{STEMMED}')",
    ),
    create_moments=(),
    words_insert="INSERT INTO skill_words (rowid, name, description, body) VALUES (?, ?, ?, ?)",
    words_delete="INSERT INTO skill_words (skill_words, rowid, name, description, body) VALUES ('delete', ?, ?, ?, ?)",
    words_match="SELECT rowid, -bm25(skill_words, 8.0, 6.0, 1.0) AS good FROM skill_words WHERE skill_words MATCH ?"
    " ORDER BY good DESC LIMIT ?",
    own_serial="",
    last_serial="SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '$table'), 0)",
    set_serial=(
        "INSERT INTO sqlite_sequence SELECT '$table', 0 WHERE '$table' NOT IN (SELECT name FROM sqlite_sequence)",
        "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = '$table'",
    ),
)

POSTGRESQL = Dialect(
    name="postgresql",
    serial="BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    blob="BYTEA",
    placeholder="%s",
    bytewise=' COLLATE "C"',
    create_fulltext=(
        "CREATE TABLE runs_text (sequence BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)",
        "CREATE INDEX runs_text_words ON runs_text USING GIN (words)",
    ),
    renew_fulltext=(
        "TRUNCATE runs_text",
        "UPDATE meta SET value = '0' WHERE name = 'fulltext.indexed'",
    ),
    fulltext_insert="INSERT INTO runs_text (sequence, words) VALUES (?, ?::tsvector)"
    " ON CONFLICT (sequence) DO UPDATE SET words = excluded.words",
    fulltext_delete="DELETE FROM runs_text WHERE sequence = ?",
    fulltext_erase=(),
    create_words=(
        "CREATE TABLE skill_words (number BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)",
        "CREATE INDEX skill_words_words ON skill_words USING GIN (words)",
    ),
    create_moments=("CREATE INDEX runs_by_moment ON runs (coalesce(started, recorded))",),
    words_insert="INSERT INTO skill_words (number, words) VALUES (?, setweight(to_tsvector('english', ?), 'A') ||"
    " setweight(to_tsvector('english', ?), 'B') || to_tsvector('english', left(?, 250000)))"
    " ON CONFLICT (number) DO NOTHING",
    words_delete="DELETE FROM skill_words WHERE number = ? AND coalesce(?::text, ?::text, ?::text) IS NOT NULL",
    words_match="SELECT number, ts_rank(words, query)::double precision AS good"
    " FROM skill_words, to_tsquery('english', ?) AS query WHERE words @@ query ORDER BY good DESC, number LIMIT ?",
    own_serial="OVERRIDING SYSTEM VALUE",
    last_serial="SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('$table', '$column')::regclass), 0)",
    set_serial=("SELECT setval(pg_get_serial_sequence('$table', '$column'), greatest(1, ?))",),
)
