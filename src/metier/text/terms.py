"""The words of a text that say what it is about."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

Language = Literal["en", "de"]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = re.compile(r"[^\W\d_](?:[^\W_]|[.'’-](?=[^\W_]))*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENGLISH = _names(
    """a about after again all also am an and any are as at be because been before being but by can could did do does
    done down each for from get give go got had has have he her here him his how i if in into is it its just let like
    look make many may me more most much must my need needs new no not now of off on once one only or our out over own
    please put same see shall she should so some still such sure take than thank thanks that the their them then there
    these they this those through to today tomorrow too under until up us use very want was way we were what when
    where which while who why will with would yes yesterday you your hi hello hey morning urgent kindly every
    last something someone somebody really again's it's let's us's can't don't i'm we're mr ms mrs dr"""
)
_GERMAN = _names(
    """aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist bitte da damit danke dann das
    dass dein deine dem den der des die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen
    einer eines einmal er erst es für gegen gerade habe haben hallo hat hatte heute hier ich ihm ihn ihr ihre im in ins
    ist ja jetzt kann kannst kein keine könnte könntest machen mach mal man mehr mein meine mich mir mit moin morgen
    muss müssen nach nicht noch nun nur ob oder ohne raus schon sehr sein seine seit sich sie sind so soll sollen sollte
    soweit über um und uns unser unsere unter vom von vor war was weil wenn wer werden wie wieder wir wird wo würde zu
    zum zur brauchen brauche braucht eilt nr herr frau"""
)
_STOPS = _ENGLISH | _GERMAN
_ONLY_ENGLISH, _ONLY_GERMAN = _ENGLISH - _GERMAN, _GERMAN - _ENGLISH
_ENDINGS = ("ungen", "ings", "ing", "ies", "ied", "ern", "est", "ed", "es", "en", "er", "em", "s", "e", "n")


@lru_cache(maxsize=512)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in small letters, in order; scripts without spaces give pairs of characters."""
    plain = text.casefold()
    found = _WORD.findall(plain)
    wide = [] if plain.isascii() else _WIDE.findall(plain)
    if not wide:
        return tuple(found)
    narrow = [word for word in found if not _WIDE.search(word)]
    return (*narrow, *(left + right for left, right in zip(wide, wide[1:] or wide, strict=False)))


def terms_of(text: str) -> list[str]:
    """The words that carry meaning, in order."""
    return [word for word in words_of(text) if word not in _STOPS and len(word) > 1]


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its ending: rough, and the same for `renewing` and `renewed`."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=2048)
def stems_of(text: str) -> frozenset[str]:
    """The meaning words of a text without their endings."""
    return frozenset(map(stem, terms_of(text)))


def language_of(texts: Iterable[str]) -> Language:
    """German where its small words outnumber the English ones; everything else is answered in English."""
    words = [word for text in texts for word in words_of(text)]
    german = sum(map(_ONLY_GERMAN.__contains__, words))
    return "de" if german and german > sum(map(_ONLY_ENGLISH.__contains__, words)) else "en"
