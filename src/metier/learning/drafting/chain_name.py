"""The name of a shortcut: from the words of its pattern, else from the skills of its chain."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

from metier.skills.names import name_problem, slug
from metier.text.stop_words import ENGLISH, GERMAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WORDS = 4
_WORD = re.compile(r"[a-z0-9]+")
_FUNCTION_WORDS = ENGLISH | GERMAN


def shortcut_name(summary: str, path: Sequence[str]) -> str:
    """The name of a shortcut: the first of the cascade that is valid."""
    return next(
        (name for name in _candidates(summary, path) if name_problem(name) is None),
        slug(f"{path[0]}-to-{path[-1]}-shortcut"),
    )


def _candidates(summary: str, path: Sequence[str]) -> Iterator[str]:
    names = [slug(name) for name in path]
    words = _words(summary)
    kind = _shared_kind(names)
    meaningful = [word for word in words if word not in _FUNCTION_WORDS]
    if kind and len(meaningful) == 1 and meaningful[0].isdigit():
        yield f"calculate-{meaningful[0]}-via-{_plural(kind)}"
    if len(words) >= 2:
        first = "-".join(_opening(words))
        if kind:
            yield f"{first}-via-{_plural(kind)}"
        yield f"{first}-shortcut"
    yield f"combined-{'-'.join(_compressed(names, kind))}"
    yield f"{names[0]}-to-{names[-1]}-shortcut"


def _opening(words: Sequence[str]) -> list[str]:
    """The first few words; where that cuts a sentence short, without the function words it would end with."""
    first = list(words[:WORDS])
    while len(words) > WORDS and len(first) > 2 and first[-1] in _FUNCTION_WORDS:
        first.pop()
    return first


def _shared_kind(names: Sequence[str]) -> str:
    """The last word that all names share; empty: there is none, or only one name."""
    last = {name.rsplit("-", 1)[-1] for name in names}
    return last.pop() if len(names) >= 2 and len(last) == 1 else ""


def _compressed(names: Sequence[str], kind: str) -> list[str]:
    """The names; a last word that all of them share is said once, at the end."""
    if not kind:
        return list(names)
    own = [name.removesuffix(kind).strip("-") for name in names]
    return [*(name for name in own if name), _plural(kind)]


def _plural(word: str) -> str:
    return word if word.endswith("s") else f"{word}s"


def _words(text: str) -> list[str]:
    plain = "".join(char for char in normalize("NFKD", text.casefold()) if not combining(char))
    return _WORD.findall(plain)
