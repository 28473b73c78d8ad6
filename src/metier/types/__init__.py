"""The nouns of Metier, as frozen values: read this folder first (runs, drafts, reviews, skills, passes …).

`docs/concepts.md` explains each noun in a sentence; the same words are used in tables, JSON, commands and pages. The
nouns of the other files are imported from there, so that small commands start faster. This folder imports nothing
else of Metier.
"""

from metier.types.drafts import (
    Draft,
    DraftKind,
    DraftStatus,
    DraftType,
    Finding,
    Pattern,
    PatternStatus,
    Provenance,
    Severity,
    SkillGuidance,
    StoredFile,
)
from metier.types.edits import Append, Delete, Edit, InsertAfter, Patch, Replace
from metier.types.runs import (
    Delivery,
    Exchange,
    LearningState,
    Origin,
    Outcome,
    Passage,
    Record,
    Run,
    ShownSkill,
    SkillTrace,
    Snapshot,
    Tokens,
    ToolCall,
    Verdict,
)
from metier.types.selections import Candidate, Selection

__all__ = [
    "Append",
    "Candidate",
    "Delete",
    "Delivery",
    "Draft",
    "DraftKind",
    "DraftStatus",
    "DraftType",
    "Edit",
    "Exchange",
    "Finding",
    "InsertAfter",
    "LearningState",
    "Origin",
    "Outcome",
    "Passage",
    "Patch",
    "Pattern",
    "PatternStatus",
    "Provenance",
    "Record",
    "Replace",
    "Run",
    "Selection",
    "Severity",
    "ShownSkill",
    "SkillGuidance",
    "SkillTrace",
    "Snapshot",
    "StoredFile",
    "Tokens",
    "ToolCall",
    "Verdict",
]
