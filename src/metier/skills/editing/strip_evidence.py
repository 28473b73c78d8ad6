"""The part of a proposed text that ships: what the skill is for and how to do it, not where it was learned."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from metier.skills.document.lines import DocumentLine, lines_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PROVENANCE = frozenset(
    ("source evidence", "source runs", "evidence runs", "supporting runs", "supporting evidence", "run evidence")
)
"""Titles of sections that never teach anything."""
_AMBIGUOUS = frozenset(("evidence", "provenance", "sources of evidence"))
"""Titles that may be what the skill itself is about."""
_TITLES = _PROVENANCE | _AMBIGUOUS
_HEX = (
    r"(?:[0-9a-f]{24}|(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,64}|(?=[a-f]*[0-9])[0-9a-f]{3,24}(?:…|\.\.\.))"
    r"(?![./-]?\w)"
)
_ID = rf"[`*'\"]*{_HEX}[`*'\"]*"
_IDS = rf"{_ID}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+)(?:…|\.\.\.|{_ID}))*"
_LEAD = r"\s*(?:<!--\s*)?(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)])\s+)?[*_]*"
_LABEL = r"(?:source\s+)?(?:evidence|provenance|sources?|runs?|run\s+ids?|learned\s+from|derived\s+from)"
_EVIDENCE = re.compile(
    rf"{_LEAD}(?:"
    rf"(?:source\s+|from\s+)?runs?[*_]*(?:\s*:)?[*_]*\s+{_ID}(?:\W|\Z)"  # run 3f9a…
    rf"|(?:source\s+|from\s+)?runs?\s+[0-9a-f]{{8,64}}\W*\Z"  # run 12345678, and no more
    rf"|{_LABEL}[*_]*\s*:[*_]*\s*(?:(?:from\s+)?runs?(?:\s*:)?\s+)?{_IDS}"  # Evidence: run 3f9a…
    r"|runs[*_]*\s*:[*_]*\s*(?=.*[a-f])(?:[`\s]*(?=[a-f]*[0-9])[0-9a-f]{4,}`?(?:,|\s*\Z))+\Z"  # Runs: a1b2, c3d4
    r"|[`]?[0-9a-f]{24}[`]?\s*\Z"  # an id alone
    r")",
    re.IGNORECASE,
)
_LABEL_ALONE = re.compile(rf"{_LEAD}{_LABEL}[*_]*\s*:[*_]*\s*\Z", re.IGNORECASE)
_ASIDE = re.compile(
    rf"(?<!\s)\s*[(\[](?:(?:see|from|in|by|evidence|source|learned from):?\s+)?runs?(?:\s*:)?\s+{_IDS}\s*[)\]]",
    re.IGNORECASE,
)
_SAID = re.compile(
    rf"(?:,|(?<=[^\s,]))\s+(?:as\s+)?(?:seen\s+|observed\s+|learned\s+|shown\s+)?(?:in|from|by|see|per)\s+runs?\s+{_IDS}",
    re.IGNORECASE,
)
_LEFT = re.compile(r"\bruns?\s+[0-9a-f]{24}\b", re.IGNORECASE)
_CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_SIGN = re.compile(
    r"\b\d{1,9}\s{1,9}(?:\w{1,30}\s{1,9})?(?:runs?|times|sessions?|successes)\b"
    r"|\b(?:runs|learned|succeeded|success ratio|winning path)\b",
    re.IGNORECASE,
)
PASSES = 20
"""Only a text that was made for it needs more than three: each pass takes something out, so that there is an end."""
LONG = 4_000
"""Characters of a line above which nobody looks for inline code in it."""
_DEEP_FENCE = re.compile(r"(?: {4}|\t)[ \t]*(?:```|~~~)")


def strip_evidence(body: str) -> str:
    """The text without sections and lines that only say which runs taught it.

    Code is never changed, nor is what the skill itself is about: evidence to collect, tests to run, commits to take
    back. A section `Evidence` or `Provenance` goes only where it speaks of runs.
    """
    for _ in range(PASSES):
        before, body = body, _without_provenance(body)
        if body == before:
            break
    return body


def _without_provenance(body: str) -> str:
    """The text after one pass; removing lines can turn the rest into frontmatter or code."""
    lines = lines_of(body).lines
    return text_of(_without_sections(_without_lines(_without_sections(lines))))  # a section may be empty by now


def _without_sections(lines: Sequence[DocumentLine]) -> list[DocumentLine]:
    """The lines without sections of provenance."""
    subject = _subject(lines)
    kept: list[DocumentLine] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        title = _plain(line.title)
        end = _end(lines, at) if title in _TITLES else at
        if end == at or not _goes(title, subject, lines[at + 1 : end]):
            kept.append(line)
            at += 1
            continue
        _seam(kept, lines[end : end + 1])
        at = end
    return kept


def _goes(title: str, subject: str, content: Sequence[DocumentLine]) -> bool:
    if title in _PROVENANCE:
        return True
    if title not in _AMBIGUOUS or any(word in subject for word in title.split() if len(word) > 2):
        return False
    said = [line for line in content if line.kind != "blank"]
    return not said or any(
        _EVIDENCE.match(line.bare) or _LEFT.search(line.bare) or _SIGN.search(line.bare) for line in said
    )


def _subject(lines: Sequence[DocumentLine]) -> str:
    """What the text says it is about: its frontmatter, and its title."""
    titles = (line for line in lines if line.level == 1 and _plain(line.title) not in _TITLES)
    told = [line.text for line in lines if line.kind == "front"]
    return " ".join([*told, *(line.text for line in islice(titles, 1))]).casefold()


def _end(lines: Sequence[DocumentLine], at: int) -> int:
    """The line after the section that starts there."""
    level = lines[at].level
    return next((n for n in range(at + 1, len(lines)) if 0 < lines[n].level <= level), len(lines))


def _without_lines(lines: Sequence[DocumentLine]) -> list[DocumentLine]:
    """The lines without those that name runs as evidence."""
    gone = _evidence(lines)
    kept: list[DocumentLine] = []
    for number, line in enumerate(lines):
        if number in gone:
            _seam(kept, lines[number + 1 : number + 2])
        else:
            kept.append(_without_asides(line) if line.kind == "text" and not _is_deep(line) else line)
    return kept


def _evidence(lines: Sequence[DocumentLine]) -> set[int]:
    """Numbers of the lines that are evidence, and of labels with nothing else below them."""
    gone = {number for number in _outside_deep_code(lines) if _is_evidence(lines[number])}
    following: int | None = None
    for number in range(len(lines) - 1, -1, -1):
        if lines[number].kind == "text" and following in gone and _LABEL_ALONE.match(lines[number].bare):
            gone.add(number)
        following = following if lines[number].kind == "blank" else number
    return gone


def _is_evidence(line: DocumentLine) -> bool:
    text = line.bare.rstrip()
    if line.kind == "comment" and text.lstrip().startswith("<!--") and text.endswith("-->"):
        text = text.removesuffix("-->")
    elif line.kind != "text":
        return False
    return bool(_EVIDENCE.match(text)) or _still_names(text)


def _outside_deep_code(lines: Sequence[DocumentLine]) -> Iterator[int]:
    """Numbers of all lines except indented code blocks inside list items."""
    deep = False
    for number, line in enumerate(lines):
        if _DEEP_FENCE.match(line.text):
            deep = not deep
        elif deep and line.kind != "blank" and not line.text.startswith((" ", "\t")):
            deep = False
        if not deep:
            yield number


def _still_names(text: str) -> bool:
    """Whether a line still has a run's whole id after removing asides; inline code is a command and does not count."""
    if not _LEFT.search(text):
        return False
    bare = _SAID.sub("", _ASIDE.sub("", text))
    return bool(_LEFT.search(_CODE_SPAN.sub("", bare) if len(bare) < LONG else bare))


def _is_deep(line: DocumentLine) -> bool:
    return line.text.startswith(("    ", "\t"))


def _without_asides(line: DocumentLine) -> DocumentLine:
    if "run" not in line.text.casefold():
        return line
    end = line.text[len(line.bare) :]
    return replace(line, text=_SAID.sub("", _ASIDE.sub("", line.bare)) + end)


def _seam(kept: list[DocumentLine], rest: Sequence[DocumentLine]) -> None:
    """Leave one blank line, not two, where something was taken out."""
    if rest and rest[0].kind == "blank":
        while kept and kept[-1].kind == "blank":
            kept.pop()


def _plain(title: str) -> str:
    """A title without emphasis, case and the colon at its end."""
    return " ".join(title.strip(" *_:.`").casefold().split())


TITLES = {
    "learned shortcut update": "Shortcut Update",
    "learned shortcut": "Shortcut",
    "learned evolution": "Usage Notes",
    "learned pattern": "Usage Pattern",
    "learned context": "Procedure Notes",
    "source skills": "Procedure Details",
}
"""What a section is called in a skill, by what a learner calls it."""
_LINE_LEAD = r"\s*(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)])\s+)?[*_]*"
_LEARNED_LABEL = re.compile(
    r"\b(l)earned (task(?=[*_]{0,3}\s{0,9}:)|pattern(?=[*_]{0,3}\s{0,9}:)|workflow for )", re.IGNORECASE
)
_FROM = re.compile(r"\bfrom learned pattern: ", re.IGNORECASE)
_BASED = re.compile(rf"\A({_LINE_LEAD})Learned from(?=[\s:])")
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
    rf"|{_LINE_LEAD}(?:source\s+records?[*_]*\s*:"
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


def _in_plain_words(line: DocumentLine) -> DocumentLine:
    """A line in a skill's words."""
    if line.kind == "heading":
        title = TITLES.get(_key(line.title))
        return replace(line, text=line.text.replace(line.title, title, 1), title=title) if title else line
    if line.kind == "front":
        line = replace(line, text=_ANNOUNCED.sub(r"\1", line.text, count=1))
    if line.kind not in ("text", "front") or "learned" not in line.text.casefold():
        return line
    text = _BASED.sub(r"\1Based on", line.text) if line.kind == "text" else line.text
    return replace(line, text=_LEARNED_LABEL.sub(_without_learned, _FROM.sub("for: ", text)))


def _without_learned(found: re.Match[str]) -> str:
    """A label without the word `learned`; the next word gets the capital letter."""
    rest = found[2]
    return f"{rest[:1].upper() if found[1].isupper() else rest[:1]}{rest[1:]}"


def _with_content(lines: Sequence[DocumentLine]) -> list[DocumentLine]:
    """The lines without renamed sections that are empty now; one blank line stays in their place."""
    renamed = set(TITLES.values())
    found: list[DocumentLine] = []
    after: DocumentLine | None = None
    for line in reversed([_in_plain_words(line) for line in lines]):
        if line.title in renamed and (after is None or 0 < after.level <= line.level):
            while len(found) > 1 and found[-1].kind == "blank":
                found.pop()
            continue
        found.append(line)
        after = line if line.kind != "blank" else after
    return found[::-1]


def _key(title: str) -> str:
    return " ".join(title.strip(" *_:.`").casefold().split())
