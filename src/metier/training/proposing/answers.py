"""What the optimiser answers, as pydantic types: read here, handed on as values."""

from __future__ import annotations

import re
from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, Field, JsonValue, WithJsonSchema

TEXT: dict[str, JsonValue] = {"type": "string"}
FIELDS: dict[str, JsonValue] = {
    "op": {"type": "string", "enum": ["append", "insert_after", "replace", "delete"]},
    "target": TEXT,
    "content": TEXT,
    "file": TEXT,
    "support_count": {"type": "integer"},
}
LooseEdit = Annotated[JsonValue, WithJsonSchema({"type": "object", "properties": FIELDS, "required": ["op"]})]
"""Anything in the place of an edit: one that is none is reported as such and spoils no other."""
LooseIndex = Annotated[JsonValue, WithJsonSchema({"type": "integer"})]
"""Anything in the place of an index: one that is none is left out."""
NOTE_KEYS = ("note", "content", "pattern", "description", "text")
"""Where an object in the place of a note holds its text."""


def read_notes(value: object) -> list[str]:
    """The texts of a list, one text, or objects that hold one each; whatever else there is counts for nothing."""
    if isinstance(value, str):
        found = _lines_of(value)
    else:
        items = cast("list[object]", value) if isinstance(value, list) else [value]
        found = [_note_of(one) for one in items]
    return [text.strip() for text in found if text.strip()]


def _lines_of(text: str) -> list[str]:
    """The lines of a text that is a list, without their bullets; else the text."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    listed = all(line.startswith(("- ", "* ", "#")) for line in lines)
    return [line.removeprefix("- ").removeprefix("* ") for line in lines] if listed else [text]


def _note_of(value: object) -> str:
    if isinstance(value, str):
        return value
    fields = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    texts = (fields.get(key) for key in NOTE_KEYS)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def read_labels(value: object) -> list[str]:
    """The labels of a list, one label, objects that hold one each, or an object with a label for each case."""
    match value:
        case str():
            return [value.strip().upper()]
        case dict():
            fields = cast("dict[str, object]", value)
            return read_labels([fields["label"]] if "label" in fields else list(fields.values()))
        case list():
            return [label for one in cast("list[object]", value) for label in read_labels(one)]
        case _:
            return []


def read_count(value: object) -> object:
    """A number of edits as a model writes it: 2, 2.0, "3 edits"; less than 0 is 0. Without a number: no answer."""
    if isinstance(value, float) and value.is_integer():
        return max(0, int(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return max(0, value)
    found = re.search(r"-?\d{1,9}", str(value))
    if found is None or isinstance(value, bool):
        raise ValueError("Input should be a number of edits, such as 2")
    return max(0, int(found[0]))


def _text_or_nothing(value: object) -> object:
    return value if isinstance(value, str) else ""


Notes = Annotated[list[str], BeforeValidator(read_notes)]
Labels = Annotated[list[str], BeforeValidator(read_labels)]
Remark = Annotated[str, BeforeValidator(_text_or_nothing)]
"""What is nice to have: anything but a text counts for nothing."""


class Patched(BaseModel):
    """Edits in order."""

    reasoning: Remark = ""
    edits: list[LooseEdit]


class Suggested(BaseModel):
    """One thing a rewrite should take up."""

    title: str = ""
    instruction: str
    support_count: int = 0


class Suggestions(BaseModel):
    """Suggestions in order."""

    reasoning: Remark = ""
    suggestions: list[Suggested]


class Rewritten(BaseModel):
    """A whole document."""

    reasoning: Remark = ""
    new_skill: str = Field(min_length=1)


class Analysis(BaseModel):
    """What an analyst has to say beside its proposals."""

    failure_patterns: Notes = []


class Aware(Analysis):
    """The same, from an analyst who tells defects of the skill from lapses in following it."""

    labels: Labels = []
    """SKILL_DEFECT or EXECUTION_LAPSE, one for each case; edits are for defects alone."""
    appendix_notes: Notes = []


class AnalysedPatch(Analysis, Patched):
    """An analyst's edits."""


class AnalysedSuggestions(Analysis, Suggestions):
    """An analyst's suggestions."""


class AnalysedDocument(Analysis, Rewritten):
    """An analyst's document."""


class AwarePatch(Aware, AnalysedPatch):
    """An analyst's edits and reminders."""


class AwareSuggestions(Aware, AnalysedSuggestions):
    """An analyst's suggestions and reminders."""


class AwareDocument(Aware, AnalysedDocument):
    """An analyst's document and reminders."""


class Ranking(BaseModel):
    """Which proposals come first, counted from 0."""

    reasoning: Remark = ""
    selected_indices: list[LooseIndex]


class LearningRate(BaseModel):
    """How many proposals to take up now."""

    reasoning: Remark = ""
    learning_rate: Annotated[int, BeforeValidator(read_count)]


class Guidance(BaseModel):
    """What the comparison of two epochs teaches whoever uses the skill."""

    reasoning: Remark = ""
    slow_update_content: str


class Strategy(BaseModel):
    """What the optimiser wants to remember about optimising this skill."""

    reasoning: Remark = ""
    meta_skill_content: str


class Consolidated(BaseModel):
    """Fewer reminders that say the same."""

    appendix_notes: Notes
