"""Everything in which SQLite and PostgreSQL differ: types, placeholders, full text. All other SQL is portable."""

from __future__ import annotations

import re
from dataclasses import dataclass

CJK = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af])")
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one engine says what the other says differently."""

    name: str
    serial: str
    blob: str
    placeholder: str
    create_fulltext: tuple[str, ...]
    fulltext_insert: str
    fulltext_delete: str
    fulltext_match: str
    """Sequences of matching runs, newest first; takes a query, a sequence to stay below and a limit."""
    fulltext_erase: tuple[str, ...]
    """What makes deleted words vanish from the index itself."""

    def sql(self, text: str) -> str:
        """A portable statement in this engine's words."""
        text = text.replace("$serial", self.serial).replace("$blob", self.blob)
        return text if self.placeholder == "?" else text.replace("?", self.placeholder)

    def fulltext_query(self, words: str) -> str:
        """What a person typed as a query for all those words; empty when it holds no word."""
        terms = [spaced(word) for word in WORD.findall(words)]
        if self.name == "sqlite":
            return " ".join(f'"{term}"*' if " " not in term else f'"{term}"' for term in terms)
        return " & ".join(" <-> ".join(f"'{part}':*" for part in term.split()) for term in terms)


def spaced(text: str) -> str:
    """Text with a space around each character of a script that puts none between words, so each is a word."""
    return " ".join(CJK.sub(r" \1 ", text).split()) if CJK.search(text) else text


SQLITE = Dialect(
    name="sqlite",
    serial="INTEGER PRIMARY KEY AUTOINCREMENT",
    blob="BLOB",
    placeholder="?",
    create_fulltext=("CREATE VIRTUAL TABLE runs_text USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')",),
    fulltext_insert="INSERT INTO runs_text (rowid, text) VALUES (?, ?)",
    fulltext_delete="DELETE FROM runs_text WHERE rowid = ?",
    fulltext_match="SELECT rowid FROM runs_text WHERE runs_text MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?",
    fulltext_erase=("INSERT INTO runs_text (runs_text) VALUES ('optimize')",),
)

POSTGRESQL = Dialect(
    name="postgresql",
    serial="BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    blob="BYTEA",
    placeholder="%s",
    create_fulltext=(
        "CREATE TABLE runs_text (sequence BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)",
        "CREATE INDEX runs_text_words ON runs_text USING GIN (words)",
    ),
    fulltext_insert="INSERT INTO runs_text (sequence, words) VALUES (?, to_tsvector('simple', left(?, 250000)))"
    " ON CONFLICT (sequence) DO UPDATE SET words = excluded.words",
    fulltext_delete="DELETE FROM runs_text WHERE sequence = ?",
    fulltext_match="SELECT sequence FROM runs_text WHERE words @@ to_tsquery('simple', ?) AND sequence < ?"
    " ORDER BY sequence DESC LIMIT ?",
    fulltext_erase=(),
)
