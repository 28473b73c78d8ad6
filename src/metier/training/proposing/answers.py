"""What the optimiser answers, as pydantic types: read here, handed on as values."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, JsonValue, WithJsonSchema

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


class Patched(BaseModel):
    """Edits in order."""

    reasoning: str = ""
    edits: list[LooseEdit]


class Suggested(BaseModel):
    """One thing a rewrite should take up."""

    title: str = ""
    instruction: str
    support_count: int = 0


class Suggestions(BaseModel):
    """Suggestions in order."""

    reasoning: str = ""
    suggestions: list[Suggested]


class Rewritten(BaseModel):
    """A whole document."""

    reasoning: str = ""
    new_skill: str = Field(min_length=1)


class Analysis(BaseModel):
    """What an analyst has to say beside its proposals."""

    failure_patterns: list[str] = []


class Aware(Analysis):
    """The same, from an analyst who tells defects of the skill from lapses in following it."""

    labels: list[str] = []
    """SKILL_DEFECT or EXECUTION_LAPSE, one for each case; edits are for defects alone."""
    appendix_notes: list[str] = []


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

    reasoning: str = ""
    selected_indices: list[LooseIndex]


class LearningRate(BaseModel):
    """How many proposals to take up now."""

    reasoning: str = ""
    learning_rate: int


class Guidance(BaseModel):
    """What the comparison of two epochs teaches whoever uses the skill."""

    reasoning: str = ""
    slow_update_content: str


class Strategy(BaseModel):
    """What the optimiser wants to remember about optimising this skill."""

    reasoning: str = ""
    meta_skill_content: str


class Consolidated(BaseModel):
    """Fewer reminders that say the same."""

    appendix_notes: list[str]
