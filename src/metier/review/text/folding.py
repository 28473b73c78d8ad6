"""Letters that look alike become one letter, letters that cannot be seen disappear."""

from __future__ import annotations

from functools import cache
from unicodedata import category, combining, normalize

_LOOKALIKES = dict(
    zip(
        "аеорсхуіјѕһԁԛԝкмтвнгпзьёӏАЕОРСХУІЈЅҺԀԚԜКМТВНɑɡɩıʟɴʀꜱοανρτυχικβεγωηΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcxyijshdqwkmtbhrnzbelAEOPCXYIJSHDQWKMTBHagiilnrsoavptuxikbeywnABEZHIKMNOPTYX",
        strict=True,
    )
)
"""Letters of other alphabets by the Latin letter they look like."""
_SIGNS = {"‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‟": '"', "′": "'", "″": '"'}
_STROKES = dict.fromkeys("‐‑‒–—―−﹣－", "-") | {"⁄": "/", "∕": "/", "｜": "|", "∣": "|", "ǀ": "|", "∼": "~", "ﹾ": ""}
INVISIBLE = frozenset("\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u2800\u3164\uffa0\ufeff")
"""Characters that show nothing, besides those that Unicode calls format characters."""


_RANGES = ((0x80, 0x3400), (0xA000, 0xAC00), (0xF900, 0x10000), (0x1D100, 0x1D250), (0xE0000, 0xE01F0))
"""Where invisible and combining characters are; ideographs and syllables have none."""


@cache
def table() -> dict[int, str | None]:
    """What `str.translate` needs: looks-alike letters to Latin ones, invisible and combining characters to nothing."""
    made: dict[int, str | None] = {ord(char): None for char in INVISIBLE}
    made.update((code, None) for start, end in _RANGES for code in range(start, end) if _shows_nothing(chr(code)))
    for known in (_LOOKALIKES, _SIGNS, _STROKES):
        made.update({ord(char): plain for char, plain in known.items()})
    return made


def _shows_nothing(char: str) -> bool:
    """Format characters, marks on another character, and selectors of a variant."""
    return category(char) == "Cf" or combining(char) > 0 or "\ufe00" <= char < "\ufe10" or char >= "\U000e0000"


def fold_lookalikes(text: str) -> str:
    """Text in compatibility form without accents, invisible characters and foreign look-alikes; case is kept."""
    return text if text.isascii() else normalize("NFKD", text).translate(table())


def lookalikes() -> frozenset[str]:
    """The letters of other alphabets that pass for a Latin one."""
    return frozenset(_LOOKALIKES)
