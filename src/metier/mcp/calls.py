"""What each tool does: it looks, notes an agent's word, or hands in a draft."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from metier.hooks.notes import Note
from metier.hooks.wording import told_text
from metier.library.delivery.notes_file import in_use, shared_notes
from metier.library.delivery.ways import holds_now
from metier.library.proposals.hand_in import hand_in_document
from metier.runs.verdicts import note_agents_word
from metier.selection.assembly.render import inline, make_harmless
from metier.selection.hand_out import hand_out
from metier.text.counts import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from metier.mcp.opened import OpenedWorkspace
    from metier.types import Record
    from metier.types.lessons import Lesson
    from metier.workspace import Workspace

    Arguments = Mapping[str, object]

SHOWN = 20
"""Runs that are shown unless told otherwise."""
SIGNS = {True: "yes", False: "no", None: "unknown"}


def select(opened: OpenedWorkspace, given: Arguments) -> str:
    """The text of the skills that fit; no model is asked, so that no agent starts another one."""
    path = str(given.get("path") or "")
    found = opened.get().select(str(given["task"]), agent=opened.agent, path=path, model=False)
    return found.render("mcp") or "No skill of this project fits this task."


def skill(opened: OpenedWorkspace, given: Arguments) -> str:
    """The text of one skill."""
    return hand_out(opened.get().pool, str(given["name"])).text


def runs(opened: OpenedWorkspace, given: Arguments) -> str:
    """One line of JSON for each run."""
    ws, limit = opened.get_newest(), int(str(given.get("limit") or SHOWN))
    query = str(given.get("query") or "").strip()
    found = ws.search(query, limit) if query else ws.runs(limit)
    if not found:
        return ws.context.loss_text or (
            "No run contains all of these words." if query else "No runs are recorded here yet."
        )
    return "\n".join(json.dumps(_row(record), ensure_ascii=False) for record in found)


def lessons(opened: OpenedWorkspace, given: Arguments) -> str:
    """The lessons in use as hooks say them, and how many wait for a decision: no text reaches an agent before a yes."""
    ws, limit = opened.get_newest(), int(str(given.get("limit") or SHOWN))
    words = str(given.get("query") or "").casefold().split()
    found = [one for one in ws.lessons() if _has_one_of(words, one.text)]
    told = _told(ws, found, words)[:limit]
    parts = [told_text(told)] if told else []
    if waiting := sum(one.is_open for one in found):
        parts.append(f"{plural(waiting, 'lesson')} to review; only the person decides: metier lessons review")
    if not parts and (text := ws.context.loss_text):
        return text
    return "\n".join(parts) or ("No lesson has one of these words." if words else "There are no lessons here yet.")


def _told(ws: Workspace, found: Sequence[Lesson], words: Sequence[str]) -> list[Note]:
    """The lessons in use, of this project and of all projects of the person."""
    used = [one for one in in_use(ws.context, found) if holds_now(ws.context, one)]
    shared = [one for one in shared_notes(ws.context) if _has_one_of(words, one.text)]
    return [*(Note("", one.text, kind=one.kind) for one in used), *shared]


def _has_one_of(words: Sequence[str], text: str) -> bool:
    return not words or any(word in text.casefold() for word in words)


def mark(opened: OpenedWorkspace, given: Arguments) -> str:
    """Note how a run went, as the agent's word."""
    ws = opened.get_writable()
    record = note_agents_word(
        ws.context, str(given["run"]), good=given["verdict"] == "good", reason=str(given.get("reason") or "")
    )
    return (
        f"Noted: run {record.id} went {'well' if record.success else 'badly'}. Undo: metier runs mark {record.id} unset"
    )


def propose(opened: OpenedWorkspace, given: Arguments) -> str:
    """Hand in a draft."""
    draft = hand_in_document(
        opened.get_writable().library, str(given["name"]), str(given["document"]), str(given["summary"])
    )
    found = f" Review found {len(draft.findings)} things to look at." if draft.findings else ""
    return (
        f"Saved as draft {draft.id} ({draft.status}). Nothing changed yet.{found} "
        f"The person decides: metier drafts show {draft.id}"
    )


def _row(record: Record) -> dict[str, object]:
    return {
        "id": record.id[:12],
        "started": record.run.started,
        "agent": inline(record.run.agent),
        "success": SIGNS[record.success],
        "request": make_harmless(record.summary)[:300],
        "skills": [inline(name) for name in record.used],
    }


CALLS: dict[str, Callable[[OpenedWorkspace, Arguments], str]] = {
    "select": select,
    "skill": skill,
    "runs": runs,
    "lessons": lessons,
    "mark": mark,
    "propose": propose,
}
