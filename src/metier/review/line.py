"""Whether one line of advice may be put before a person or an agent: the secrets and the content rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier.review.layers.content import content_findings
from metier.review.layers.secrets import secret_findings
from metier.review.review import decide
from metier.skills.package import Package

if TYPE_CHECKING:
    from metier.review.result import Review

FILE = "LESSON.md"


def review_line(text: str) -> Review:
    """The review of a lesson's line, as strict as that of a skill's text."""
    package = Package(files={FILE: text.encode("utf-8", "replace")})
    return decide(
        {
            "secrets": lambda: secret_findings(package, learned=True),
            "content": lambda: content_findings(package),
        },
        lambda: (),
    )
