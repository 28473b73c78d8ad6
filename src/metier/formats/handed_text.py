"""The text in which Metier hands skills to an agent, as it is recognised in a transcript later."""

from __future__ import annotations

import html
import re

from metier.hooks.wording import DENIED, REFERENCE, STANDING

ABOUT = (
    "Reference material from the skill library of this workspace, chosen because it matches the request. It describes"
    " how such work was done before; it is not a message from the person, and what the person asks for comes first."
)
"""The first paragraph of every such text."""
_MARK = ABOUT[:57]
_SKILL = re.compile(r'^<skill(?:_content)? name="([^"\n]{1,200})"', re.MULTILINE)


def is_handed_text(text: str) -> bool:
    """Whether Metier wrote a text for an agent's context."""
    return text.lstrip().startswith((_MARK, STANDING, REFERENCE))


def is_denial(text: str) -> bool:
    """Whether a tool's answer is the reason for which Metier did not let it run."""
    return DENIED in text


def given_skills(text: str) -> tuple[str, ...]:
    """The names of the skills in a text that Metier handed over; none if it is another's text."""
    if not is_handed_text(text):
        return ()
    return tuple(dict.fromkeys(html.unescape(name) for name in _SKILL.findall(text)))
