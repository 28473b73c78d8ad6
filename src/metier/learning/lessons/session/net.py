"""What the person said that may be meant for next time: sentences with a signal, recall first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.learning.lessons.session.sightings import Said
from metier.learning.lessons.session.signals import (
    ANGRY,
    CUE_WORDS,
    CUES,
    DATA,
    END,
    FENCE,
    NOT_SAID,
    ONE_CASE,
    PASTED,
    PROCESS,
)
from metier.text.terms import terms_of as meaning_words
from metier.text.words import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.types import Record

LOOKED_AT, OPENING = 1_500, 500
"""Characters of a message that a person writes; of a longer one, which holds something pasted, only the opening."""
SHORTEST, LONGEST = 12, 400
"""Characters of a sentence that can be a wish."""


def said_in(session: Sequence[Record], name: str) -> Iterator[Said]:
    """The sentences of a session's messages that carry a signal."""
    for at, record in enumerate(session):
        before = session[at - 1].run if at else None
        for sentence in sentences_of(record.run.message):
            cues = cues_of(sentence)
            if cues and PROCESS.search(sentence):
                yield Said(
                    run=record.id,
                    session=name,
                    moment=record.run.started or "",
                    text=sentence,
                    cues=cues,
                    terms=terms_of(sentence),
                    before=(before.tools[-1].input if before.tools else before.output)[:300] if before else "",
                    reply=record.run.output[:300],
                )


def sentences_of(message: str) -> Iterator[str]:
    """What a person wrote themselves, sentence by sentence; what they pasted is left out."""
    if NOT_SAID.match(message):
        return
    own = message if len(message) <= LOOKED_AT else message[:OPENING]
    for line in END.split(FENCE.sub("\n", own)):
        text = " ".join(line.split())
        if (
            SHORTEST <= len(text) <= LONGEST
            and not NOT_SAID.match(line)
            and not DATA.search(text)
            and not ANGRY.search(text)
            and text.isprintable()
        ):
            yield text


def cues_of(sentence: str) -> tuple[str, ...]:
    """The signals of a sentence."""
    plain = sentence.replace("’", "'")
    return tuple(name for name, _, pattern in CUES if pattern.search(plain))


def weight_of(sentence: str, cues: Sequence[str]) -> float:
    """How much a sentence sounds like a wish for next time; what is about one case only, or pasted, less."""
    found = sum(weight for name, weight, _ in CUES if name in cues)
    if ONE_CASE.search(sentence):
        found *= 0.4
    if not 20 <= len(sentence) <= 180:
        found *= 0.6
    return found * (0.3 if PASTED.match(sentence) else 1.0)


def process_terms(sentence: str) -> frozenset[str]:
    """The words of a sentence that name a way of working, without their endings."""
    return frozenset(stem(found.casefold().strip("`")) for found in PROCESS.findall(sentence))


def terms_of(sentence: str) -> tuple[str, ...]:
    """What a sentence is about: stems of its content words."""
    found = (stem(word) for word in meaning_words(sentence) if not CUE_WORDS.fullmatch(word))
    return tuple(dict.fromkeys(term for term in found if len(term) > 1))
