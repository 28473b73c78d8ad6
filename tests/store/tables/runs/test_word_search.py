"""Words find the same runs in the same order on both engines, however many runs hold them."""

from __future__ import annotations

import random
import re
import unicodedata
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from metier.runs.derive import record_of
from metier.store.tables.runs import full_text, runs
from metier.store.tables.runs.word_search import find_matches
from metier.types import Run

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine

NOW = "2026-01-05T12:00:00Z"
COUNT, WINDOW = 300, 40
PARTS = (
    *("docker", "dockerfile", "Docker-Compose", "kubectl", "skill-7", "src/500.py", "foo_bar", "x1e5", "v1.2.3"),
    *("Café", "naïve", "ÄRGER", "example.com/login?a=b", "me@host.example", "-12", "日本語", "페이지", "1²"),
)
QUERIES = (
    *("docker", "dock", "docker compose", "docker kubectl", "kubectl skill-7", "7", "500", "500.py", "py", "src/500"),
    *("foo", "bar", "foo_bar", "foo_b", "1e5", "x1", "1.2.3", "v1.2", "cafe", "CAFÉ", "caf", "ärger", "arger", "naive"),
    *(
        "example",
        "com login",
        "host",
        "me@host",
        "12",
        "日本",
        "本語",
        "語日",
        "페이",
        "rare",
        "rarest",
        "every",
        "every rare",
    ),
    *("every docker kubectl", "old", "every old", "missing", "every missing"),
)


def text_of(number: int, dice: random.Random) -> str:
    """A few of the parts; one word in all runs, one in two of them, one in the oldest ones alone."""
    chosen = " ".join(dice.sample(PARTS, 3))
    return f"every {chosen}" + " rarest" * (number in (3, 200)) + " old" * (number < 60)


def words_of(text: str) -> list[str]:
    bare = "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
    spaced = re.sub("([\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])", r" \1 ", unicodedata.normalize("NFC", bare))
    return re.findall(r"[^\W_]+", spaced.lower())


def is_in(term: list[str], held: list[str]) -> bool:
    """Whether words stand side by side in a text, the last of them as the beginning of a word."""
    places = range(len(held) - len(term) + 1)
    return any(
        held[at : at + len(term) - 1] == term[:-1] and held[at + len(term) - 1].startswith(term[-1]) for at in places
    )


def holds(text: str, query: str) -> bool:
    return all(is_in(words_of(word), words_of(text)) for word in re.findall(r"\w+", query))


@pytest.fixture
def texts(engine: Engine) -> list[str]:
    """What runs of this workspace say, the oldest first; between them are runs of another one."""
    dice = random.Random(5)
    found = [text_of(number, dice) for number in range(COUNT)]
    with engine.write() as transaction:
        for number, text in enumerate(found):
            for place in ("w", "other"):
                runs.keep(transaction, [record_of(Run(message=text, external_id=f"{number}", agent="a"), place, NOW)])
        while full_text.catch_up(transaction):
            pass
    return found


def test_words_find_the_same_runs_in_the_same_order_on_both_engines(engine: Engine, texts: list[str]) -> None:
    with engine.read() as transaction:
        at = {record.sequence: int(record.run.external_id or "") for record in runs.page(transaction, limit=COUNT)}
        assert len(at) == COUNT
        for query in QUERIES:
            wanted = [number for number in reversed(range(COUNT)) if holds(texts[number], query)]
            found = [at[one] for one in chain.from_iterable(find_matches(transaction, query, window=WINDOW))]
            assert found == wanted, query


def test_a_search_goes_on_below_a_run(engine: Engine, texts: list[str]) -> None:
    with engine.read() as transaction:
        for query in ("every", "docker", "old", "rare"):
            every = list(chain.from_iterable(find_matches(transaction, query, window=WINDOW)))
            assert every == sorted(every, reverse=True)
            middle = every[len(every) // 2]
            rest = list(chain.from_iterable(find_matches(transaction, query, middle, window=WINDOW)))
            assert rest == [one for one in every if one < middle]
    assert texts
