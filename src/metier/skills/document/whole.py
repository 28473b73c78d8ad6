"""Whole documents and fragments: what a text needs to be a skill's document, and what it gets where that is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.skills.document.frontmatter import read, set_value
from metier.skills.document.lines import lines_of
from metier.skills.document.yaml_values import quote
from metier.skills.validation import MAX_DESCRIPTION

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_whole(body: str) -> bool:
    """Whether a text is a full document: it has a readable frontmatter and a title; anything else is a fragment."""
    front = read(_bytes(body))
    return front.layout.state == "present" and front.problem is None and bool(front.entries) and bool(_titles(body))


def complete_document(body: str, name: str, title: str, description: str) -> str:
    """The fragment as a full document: everything it says is kept, only what is missing is put around it."""
    front = read(_bytes(body))
    text = body
    if front.layout.state == "present" and (front.problem is not None or front.entries):
        start = front.layout.body.start
        own = front.get("description") if front.problem is None else None
        description = own.strip() if isinstance(own, str) and own.strip() else description
        text = _bytes(body)[start:].decode("utf-8", "replace")
    text = text.strip("\r\n")
    heading = "" if _titles(text) else f"# {title}\n\n"
    return f"---\nname: {name}\ndescription: {quote(short(description))}\n---\n\n{heading}{with_one_title(text)}\n"


def with_name(body: str, name: str) -> str:
    """The document with that name in its frontmatter."""
    return set_value(_bytes(body), "name", name).decode("utf-8", "replace")


def name_in(body: str) -> str:
    """The name a document gives itself, empty when it gives none."""
    value = read(_bytes(body)).get("name")
    return value.strip() if isinstance(value, str) else ""


def with_one_title(text: str) -> str:
    """The text with every first-level heading but the first one level down."""
    seen = False
    found: list[str] = []
    for line in lines_of(f"\n{text}").lines[1:]:
        down = line.level == 1 and seen
        seen = seen or line.level == 1
        found.append(line.text.replace("#", "##", 1) if down else line.text)
    return "".join(found)


def section_of(body: str, titles: Sequence[str]) -> str:
    """What stands under the first heading of one of these titles; empty when there is none."""
    wanted = {title.casefold() for title in titles}
    lines = lines_of(body).lines
    start = next((n for n, line in enumerate(lines) if line.level > 1 and line.title.casefold() in wanted), None)
    if start is None:
        return ""
    end = next((n for n in range(start + 1, len(lines)) if 0 < lines[n].level <= lines[start].level), len(lines))
    return "".join(line.text for line in lines[start + 1 : end]).strip()


def short(text: str, limit: int = MAX_DESCRIPTION) -> str:
    """A text in one line, cut at a readable place."""
    line = " ".join(text.split())
    return cut(line, limit)


def cut(text: str, limit: int) -> str:
    """The text within a limit: up to the last whole line, sentence or word that fits."""
    text = text.strip()
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    for mark, behind in (("\n", 0), (". ", 1), (" ", 0)):
        at = head.rfind(mark, limit // 2)
        if at > 0:
            kept = head[: at + behind].rstrip()
            return kept if mark != " " else f"{kept}…"
    return f"{head}…"


def _titles(body: str) -> list[str]:
    return [line.title for line in lines_of(body).lines if line.level == 1]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
