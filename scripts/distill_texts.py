"""The short texts that the static table is fitted on: definitions, some worded as requests, and sentences on computing.

The definitions and examples are WordNet's (WordNet licence), the sentences on computing the Jargon File's (public
domain). Made-up requests of many templates were tried beside them and brought nothing.
"""

from __future__ import annotations

import gzip
import re
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOUNS, MODIFIERS = 22_000, 4_000
"""Definitions of nouns, and of adjectives and adverbs each, that are taken."""
# fmt: off
ACTIONS = (
    "how do i {}", "can you {}", "please {}", "i need to {}", "i want to {}", "help me {}", "could you please {}",
    "what is the best way to {}", "is it possible to {}", "i would like to {}", "{}", "{}", "{}", "{} for me",
    "show me how to {}", "let's {}", "why can't i {}", "we should {}", "{} please", "tell me how to {}",
    "remind me to {}", "what happens if i {}",
)
THINGS = (
    "what is {}", "show me {}", "i am looking for {}", "do you know about {}", "tell me about {}",
    "where can i find {}", "give me a list of {}", "i need {}", "{}", "{}", "{}", "explain {}", "who knows {}",
)
# fmt: on


def corpus(root: Path) -> list[str]:
    """Short texts of many subjects."""
    random = Random(1)  # noqa: S311 - a sample, not a secret
    found = [*defined(root / "usr/share/wordnet", random), *computing(root / "usr/share/dictd/jargon.dict.dz")]
    return sorted(set(found))


def defined(dictionary: Path, random: Random) -> Iterator[str]:
    """Definitions and examples of WordNet, some of them worded as requests."""
    for kind, forms, most in (
        ("noun", THINGS, NOUNS),
        ("verb", ACTIONS, None),
        ("adj", ("{}",), MODIFIERS),
        ("adv", ("{}",), MODIFIERS),
    ):
        meanings = list(definitions(dictionary, kind))
        yield from (example for _, examples in meanings for example in examples)
        short = [text for text, _ in meanings if 10 < len(text) < 120]
        yield from short if most is None else ()
        some = short if most is None else random.sample(short, min(len(short), most))
        yield from (random.choice(forms).format(text) for text in some)


def definitions(dictionary: Path, kind: str) -> Iterator[tuple[str, list[str]]]:
    """Each meaning in WordNet: its definition, and example sentences."""
    for line in (dictionary / f"data.{kind}").read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            gloss = line.split("|", 1)[1].strip()
            short = re.sub(r"^\([^)]*\)\s*", "", gloss.split('; "')[0].split(";")[0].strip())
            yield short, re.findall(r'"([^"]{12,120})"', gloss)


def computing(file: Path) -> list[str]:
    """Sentences of the Jargon File."""
    text = gzip.decompress(file.read_bytes()).decode("utf-8", "replace")
    sentences = {re.sub(r"[{}]", "", " ".join(one.split())) for one in re.split(r"(?<=[a-z][.!?])\s", text)}
    return sorted(one for one in sentences if 25 < len(one) < 160)
