"""Runs that hold words, newest first: how each engine finds them quickly among a million.

A word also finds words that begin so. Both engines are quick with whole words and with rare beginnings, and slow with
the beginning of a word that very many runs hold: they put together the list of all of those first. SQLite is therefore
asked for the whole words that begin so. PostgreSQL looks at the newest runs one by one, and goes on like that while
many of them match; otherwise it takes the rare words from its index and looks for the others in what it found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from metier.store.engines.dialect import CJK, PLAIN_WORD, WORD, fold, space_cjk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.store.engines.engine import Transaction

    Term = tuple[str, ...]
    """The parts of a word that stand side by side; runs hold the last one, or a word that begins so."""

PIECE = 100
"""Matches that are handed on at once."""
STEP = 400
"""Matches that SQLite is asked for at once."""
BEGINNINGS = 32
"""Whole words that stand for the beginning of a word, at most."""
WINDOW = 1000
"""Runs that PostgreSQL looks at one by one."""
DENSE = 50
"""If fewer than one in so many match, the index is quicker."""
MOST = 4000
"""Matches that an index is asked for."""
FEW = 20_000
"""Runs that hold a word which is still rare."""

NEXT_WORD = "SELECT term FROM runs_text_terms WHERE term >= ? ORDER BY term LIMIT 1"
HELD = (
    "SELECT runs_text.rowid FROM runs_text CROSS JOIN runs WHERE runs_text MATCH ? AND runs_text.rowid < ?"
    " AND runs.sequence = runs_text.rowid AND runs.workspace = ? ORDER BY runs_text.rowid DESC LIMIT ?"
)
NEWEST = (
    "SELECT coalesce(min(sequence), 0), count(*),"
    " coalesce(string_agg(sequence::text, ' ' ORDER BY sequence DESC) FILTER (WHERE words @@ ?::tsquery), '')"
    " FROM (SELECT runs.sequence, words FROM runs JOIN runs_text ON runs_text.sequence = runs.sequence"
    " WHERE workspace = ? AND runs.sequence < ? ORDER BY runs.sequence DESC LIMIT ?) AS newest"
)
INDEXED = (
    "WITH found AS MATERIALIZED (SELECT sequence FROM runs_text WHERE words @@ ?::tsquery AND sequence < ?"
    " AND (words @@ ?::tsquery) IS TRUE) SELECT runs.sequence FROM found JOIN runs ON runs.sequence = found.sequence"
    " WHERE workspace = ? ORDER BY runs.sequence DESC LIMIT ?"
)
"""The second condition is written so that no index is asked for it."""
ESTIMATE = "EXPLAIN (FORMAT JSON) SELECT 1 FROM runs_text WHERE words @@ ?::tsquery"


def find_matches(transaction: Transaction, words: str, below: int = 0, window: int = WINDOW) -> Iterator[list[int]]:
    """Sequences of the workspace's runs that hold all the words, newest first, piece by piece; 0: from the newest."""
    terms = [parts for word in WORD.findall(words) if (parts := tuple(PLAIN_WORD.findall(space_cjk(word))))]
    if not terms:
        return
    if transaction.dialect.name == "sqlite":
        batches = _by_whole_words(transaction, terms, below or 2**62)
    else:
        batches = _by_newest_and_rare(transaction, terms, below or 2**62, window)
    for batch in batches:
        yield from (batch[first : first + PIECE] for first in range(0, len(batch), PIECE))


def _by_whole_words(transaction: Transaction, terms: Sequence[Term], below: int) -> Iterator[list[int]]:
    query = " AND ".join(_sqlite_term(transaction, term) for term in terms)
    while rows := transaction.all(HELD, (query, below, transaction.workspace, STEP)):
        yield [below := cast("int", row[0]) for row in rows]
        if len(rows) < STEP:
            return


def _sqlite_term(transaction: Transaction, term: Term) -> str:
    """One word as FTS5 takes it; its own folding of other letters than a to z is not ours to repeat."""
    if CJK.search(term[-1]):
        return f'"{" ".join(term)}"'
    if len(term) == 1 and term[0].isascii() and (known := _words_beginning(transaction, term[0].lower())):
        return "(" + " OR ".join(f'"{one}"' for one in known) + ")"
    return f'"{" ".join(term)}"*'


def _words_beginning(transaction: Transaction, beginning: str) -> list[str]:
    """The words of all runs that begin so; none if there are very many."""
    found: list[str] = []
    after = beginning
    while rows := transaction.all(NEXT_WORD, (after,)):
        word = str(rows[0][0])
        if not word.startswith(beginning):
            break
        if len(found) == BEGINNINGS:
            return []
        found.append(word)
        after = f"{word}\x01"
    return found


def _by_newest_and_rare(
    transaction: Transaction, terms: Sequence[Term], below: int, window: int
) -> Iterator[list[int]]:
    queries = [_postgres_term(term) for term in terms]
    query = " & ".join(queries)
    while True:
        values = (query, transaction.workspace, below, window)
        last, looked_at, matching = transaction.all(NEWEST, values)[0]
        matches = [int(one) for one in str(matching).split()]
        is_last = cast("int", looked_at) < window
        if not is_last and len(matches) * DENSE < window:
            break
        yield matches
        if is_last:
            return
        below = cast("int", last)
    rare = " & ".join(_rare_ones(transaction, queries))
    rows = transaction.all(INDEXED, (rare, below, query, transaction.workspace, MOST))
    yield [cast("int", row[0]) for row in rows]


def _postgres_term(term: Term) -> str:
    *first, last = (fold(part) for part in term)
    ending = f"'{last}'" if CJK.search(last) else f"'{last}':*"
    return "(" + " <-> ".join([*(f"'{part}'" for part in first), ending]) + ")"


def _rare_ones(transaction: Transaction, queries: Sequence[str]) -> list[str]:
    """The words that few runs hold, as the server's statistics have it; the two rarest if there are none such."""
    ordered = sorted((_estimate(transaction, query), query) for query in queries)
    return [query for size, query in ordered if size <= FEW] or [query for _, query in ordered[:2]]


def _estimate(transaction: Transaction, query: str) -> int:
    plan = cast("Any", transaction.all(ESTIMATE, (query,))[0][0])
    return int(plan[0]["Plan"]["Plan Rows"])
