"""A model's grouping, checked: labels that can be used, sentences that can be kept."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictStr

from metier.formats.strict_json import clean
from metier.learning.drafting.sanitise import is_risky, without_marks

LABEL, WORDS = 64, 8
"""Characters and words of a label, at most."""
SENTENCE = 200
"""Characters of a summary or a reason that are kept."""
EVERYTHING = frozenset(
    ("everything", "general", "misc", "miscellaneous", "none", "null", "other", "others", "rest", "unknown", "various")
)
"""Labels that say nothing."""
_VALUE = re.compile(r"\d+|(?=.*\d)[0-9a-f]{7,}")
_GAP = re.compile(r"[\s_]+")
_Short = Annotated[StrictStr, Field(max_length=2_000)]


class ClusterOfRuns(BaseModel):
    """Runs that a model puts together."""

    model_config = ConfigDict(extra="ignore")

    label: _Short
    summary: _Short
    runs: Annotated[list[_Short], Field(max_length=500)]
    reason: _Short


class ClusterAnswer(BaseModel):
    """What a model says of one batch."""

    model_config = ConfigDict(extra="ignore")

    clusters: Annotated[list[ClusterOfRuns], Field(max_length=200)]


def label_key(text: str) -> str:
    """What two spellings of one label share."""
    return _GAP.sub("-", unicodedata.normalize("NFKC", text).strip().casefold())


def usable_label(text: str) -> str | None:
    """The label in small letters and hyphens; None: it names a value, says nothing, or is none."""
    label = _GAP.sub("-", unicodedata.normalize("NFKC", text).strip().lower())
    parts = label.split("-")
    if len(label) > LABEL or len(parts) > WORDS or label in EVERYTHING:
        return None
    return label if all(map(_is_word, parts)) and not label[0].isdigit() else None


def sentence(text: str) -> str:
    """A text of a model in one line of bounded length, without control characters and marks."""
    plain = "".join(char if char.isprintable() else " " for char in without_marks(clean(text)))
    return " ".join(plain.split())[:SENTENCE].rstrip()


def summary_for(label: str, text: str) -> str:
    """A summary that may go into a skill; the label's words where there is none, or it names what can do harm."""
    said = sentence(text)
    return label.replace("-", " ") if not said or is_risky(said) else said


def _is_word(part: str) -> bool:
    known = bool(part) and all(unicodedata.category(char)[0] in "LMN" for char in part)
    return known and _VALUE.fullmatch(part) is None
