"""What surrounds a message and says that it corrects, in any language: a stop, a repeat, a revert, an apology."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from metier.formats.strict_json import load_json
from metier.learning.lessons.session.commands import parts_of
from metier.learning.procedures.actions import shell_line
from metier.text.terms import terms_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.types import Record, Run, ToolCall

AROUND = ("apology", "interrupted", "asked again", "reverted")
"""The names of these signals."""
AGAIN, LEAST = 0.7, 3
"""Share of words that a request has in common with one before when it is asked again; words it needs for that."""
BACK = 3
"""Messages before it that a message is compared with."""
OPENING = 200
"""Characters of an answer in which somebody apologises."""
INTERRUPTED = re.compile(r"\s*\[Request interrupted")
APOLOGY = re.compile(
    r"\byou(?:'|’)?(?:re| are) (?:absolutely |completely )?right\b|\bi apologi[sz]e\b|\bmy (?:mistake|apologies)\b|"
    r"\bsorry\b|"
    r"\bdu hast recht\b|\bsie haben recht\b|\bentschuldig\w+|\b(?:tu as|vous avez) raison\b|\bdésolé|\bje m'excuse\b|"
    r"\btienes razón\b|\bdisculpa|\bperdón\b|\bvocê tem razão\b|\bdesculp[ea]|"
    r"\b(?:ты прав|вы правы)|\bизвини|\bпрошу прощения|"
    r"你说得对|您说得对|抱歉|对不起|おっしゃる通り|おっしゃるとおり|申し訳|すみません",
    re.IGNORECASE,
)
_BACKWARDS = frozenset(("revert", "restore", "reset"))


def surrounding_cues(session: Sequence[Record], at: int) -> tuple[str, ...]:
    """The signals around the message of a run, by its place in the session."""
    run = session[at].run
    before = [one.run for one in session[max(0, at - BACK) : at]]
    return tuple(name for name, found in _signals(run, before) if found)


def _signals(run: Run, before: Sequence[Run]) -> Iterator[tuple[str, bool]]:
    reply = next((one.reply for one in run.exchanges if not one.message and one.reply), run.output)
    yield "apology", bool(before) and APOLOGY.search(reply[:OPENING]) is not None
    yield "interrupted", bool(before) and _was_interrupted(before[-1])
    yield "asked again", any(_is_again(run.message, one.message) for one in before)
    yield "reverted", _reverts(run, before)


def _was_interrupted(run: Run) -> bool:
    return INTERRUPTED.match(run.message) is not None or run.status in ("interrupted", "aborted", "cancelled")


def _is_again(message: str, earlier: str) -> bool:
    """Whether a message asks for what was asked before, in other words: a copy is no second time."""
    if message == earlier:
        return False
    mine, theirs = set(terms_of(message)), set(terms_of(earlier))
    return len(mine) >= LEAST and len(mine & theirs) >= AGAIN * max(len(mine), LEAST)


def _reverts(run: Run, before: Sequence[Run]) -> bool:
    """Whether the first thing that was done about a message takes back what was done before it."""
    first = run.tools[:3]
    if any(_goes_back(call) for call in first):
        return True
    texts = {texts for one in before for call in one.tools if (texts := _replaced(call))}
    return any((new, old) in texts for call in first if (found := _replaced(call)) for old, new in (found,))


def _goes_back(call: ToolCall) -> bool:
    line = shell_line(call)
    if line is None or "git" not in line:
        return False
    return any(
        part.words[0] == "git" and (_BACKWARDS & set(part.words[1:2]) or part.words[1:3] == ("checkout", "--"))
        for part in parts_of(line)
    )


def _replaced(call: ToolCall) -> tuple[str, str] | None:
    """What an edit took out and what it put in; None: it is no edit of a text."""
    if '"old_string"' not in call.input:
        return None
    try:
        fields = load_json(call.input)
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    old, new = (cast("dict[str, object]", fields).get(name) for name in ("old_string", "new_string"))
    return (old, new) if isinstance(old, str) and isinstance(new, str) and old else None
