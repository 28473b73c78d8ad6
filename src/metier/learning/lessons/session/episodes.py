"""The tasks of a session: which messages ask for something new, and which only answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.capture.reading.corrections import is_correction
from metier.types.lessons import Episode, EpisodeOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.types import Record

REPLY = 6
"""Words of a message that only answers."""
_REPLY = re.compile(
    r"(?:(?:yes|yep|yeah|yup|ok|okay|k|sure|no|nope|nah|go|go on|go ahead|do it|do that|"
    r"do so|continue|carry on|proceed|next|"
    r"keep going|resume|retry|try again|again|please|thanks|thank you|thx|ty|cheers|great|"
    r"good|nice|perfect|cool|awesome|"
    r"looks good|lgtm|sounds good|fine|right|correct|exactly|agreed|approved?|done|push|push it|commit|commit it|"
    r"commit and push|merge|merge it|ship it|now|then|and|it|that|this|one|two|three|[a-d]|[0-9]+|"
    r"ja|nein|weiter|danke|gut|mach|mach weiter|oui|non|merci|si|sí|vale|gracias|sigue|да|нет|"
    r"好|好的|继续|はい|いいえ|続けて)"
    r"[\s,.!?;:)-]*)+",
    re.IGNORECASE,
)
_PRAISE = re.compile(
    r"\b(?:thanks|thank you|great|perfect|nice|awesome|lgtm|looks good|danke|merci|gracias)\b", re.IGNORECASE
)
_MARKER = re.compile(r"\s*\[Request interrupted|\s*<(?:command|local-command|task-notification|system-reminder)")


def is_reply(message: str) -> bool:
    """Whether a message only answers the one before: `ok`, `continue`, `yes, push it`."""
    text = message.strip()
    if _MARKER.match(text):
        return True
    return bool(text) and (len(text.split()) <= REPLY and _REPLY.fullmatch(text) is not None)


def belongs_to_before(message: str) -> bool:
    """Whether a message belongs to the task before it."""
    return is_reply(message) or is_correction(message)


def episodes_of(session: Sequence[Record]) -> list[Episode]:
    """The tasks of one session, each with the replies and corrections to it."""
    groups: list[list[Record]] = []
    for record in session:
        if groups and belongs_to_before(record.run.message):
            groups[-1].append(record)
        else:
            groups.append([record])
    name = session[0].run.session if session else ""
    return [Episode(session=name, runs=tuple(one.id for one in group), outcome=_outcome(group)) for group in groups]


def _outcome(group: Sequence[Record]) -> EpisodeOutcome:
    later = [one.run.message for one in group[1:]]
    if any(map(is_correction, later)) or any(one.run.correction for one in group):
        return "corrected"
    return "good" if any(_PRAISE.search(one) for one in later) else "unknown"
