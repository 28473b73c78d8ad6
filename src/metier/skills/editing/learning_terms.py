"""Remove the learner's words from a proposed text: plain titles and labels, no lines about records."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.skills.document.lines import DocumentLine, lines_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

TITLES = {
    "learned shortcut update": "Shortcut Update",
    "learned shortcut": "Shortcut",
    "learned evolution": "Usage Notes",
    "learned pattern": "Usage Pattern",
    "learned context": "Procedure Notes",
    "source skills": "Procedure Details",
}
"""What a section is called in a skill, by what a learner calls it."""
_LEAD = r"\s*(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)])\s+)?[*_]*"
_LABEL = re.compile(
    r"\b(l)earned (task(?=[*_]{0,3}\s{0,9}:)|pattern(?=[*_]{0,3}\s{0,9}:)|workflow for )", re.IGNORECASE
)
_FROM = re.compile(r"\bfrom learned pattern: ", re.IGNORECASE)
_BASED = re.compile(rf"\A({_LEAD})Learned from(?=[\s:])")
_ANNOUNCED = re.compile(
    r"(description:\s*[\"']?)(?:create|refresh)\s+(?:"
    r"(?:combined\s+)?shortcut\s+[a-z0-9-]+\s+for:\s+"
    r"|(?:combined\s+)?shortcut\s+(?=[a-z0-9-]+[\"']?\s*\Z)"
    r"|(?:(?:combined\s+)?shortcut\s+)?[a-z0-9-]+\s+(?:from|for|with)\s+learned\s+pattern:\s+)",
    re.IGNORECASE,
)
"""How a learner announces a draft, where a skill says what it does."""
_RECORD_ID = re.compile(r"\bsource[_ -]record[_ -]ids?\b", re.IGNORECASE)
_ABOUT_RECORDS = re.compile(
    r"\s*[-*+]\s+[*_]*validated\s+examples[*_]*\s*:[*_]*\s*\S"
    rf"|{_LEAD}(?:source\s+records?[*_]*\s*:"
    r"|(?:evidence|validated\s+examples|task\s+records)[*_]*\s*:[*_]*\s*(?:\d+\s+(?:cases?|runs?|tasks?|records?|examples?)\b"
    r"|success\s+rate\b|learned\s+from\b)"
    r"|learned\s+from\s+(?:the\s+)?(?:task|pattern|source|learning)\s+records?\b)",
    re.IGNORECASE,
)


def rewrite_learning_terms(body: str) -> str:
    """The text without lines that only name records, with plain titles and labels; code is not changed.

    Words that the text is about, by its frontmatter or title, are its own and stay.
    """
    lines = lines_of(body).lines
    subject = " ".join(line.text for line in lines if line.kind == "front" or line.level == 1).casefold()
    own = "source record" in subject or "source-record" in subject
    return text_of(_with_content(lines if own else _without_records(lines)))


def _without_records(lines: Sequence[DocumentLine]) -> list[DocumentLine]:
    """The lines without those about records, and without a second blank line where one was."""
    kept: list[DocumentLine] = []
    gone = False
    for line in lines:
        if _is_about_records(line):
            gone = True
        elif not (gone and line.kind == "blank" and kept and kept[-1].kind == "blank"):
            kept.append(line)
            gone = gone and line.kind == "blank"
    return kept


def _is_about_records(line: DocumentLine) -> bool:
    if line.kind == "front":
        return bool(re.match(r"source_record_ids?\s*:", line.text))
    return line.kind == "text" and bool(_RECORD_ID.search(line.bare) or _ABOUT_RECORDS.match(line.bare))


def _plain(line: DocumentLine) -> DocumentLine:
    """A line in a skill's words."""
    if line.kind == "heading":
        title = TITLES.get(_key(line.title))
        return replace(line, text=line.text.replace(line.title, title, 1), title=title) if title else line
    if line.kind == "front":
        line = replace(line, text=_ANNOUNCED.sub(r"\1", line.text, count=1))
    if line.kind not in ("text", "front") or "learned" not in line.text.casefold():
        return line
    text = _BASED.sub(r"\1Based on", line.text) if line.kind == "text" else line.text
    return replace(line, text=_LABEL.sub(_without_learned, _FROM.sub("for: ", text)))


def _without_learned(found: re.Match[str]) -> str:
    """A label without the word `learned`; the next word gets the capital letter."""
    rest = found[2]
    return f"{rest[:1].upper() if found[1].isupper() else rest[:1]}{rest[1:]}"


def _with_content(lines: Sequence[DocumentLine]) -> list[DocumentLine]:
    """The lines without renamed sections that are empty now; one blank line stays in their place."""
    renamed = set(TITLES.values())
    found: list[DocumentLine] = []
    after: DocumentLine | None = None
    for line in reversed([_plain(line) for line in lines]):
        if line.title in renamed and (after is None or 0 < after.level <= line.level):
            while len(found) > 1 and found[-1].kind == "blank":
                found.pop()
            continue
        found.append(line)
        after = line if line.kind != "blank" else after
    return found[::-1]


def _key(title: str) -> str:
    return " ".join(title.strip(" *_:.`").casefold().split())
