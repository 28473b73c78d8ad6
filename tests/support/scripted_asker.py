"""An asker that gives prepared replies, and keeps what it was asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from metier.types.questions import NoAnswer, Question

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T", bound=BaseModel)


@dataclass
class ScriptedAsker:
    """Replies in order: a text is read as JSON, as a model's would be; when none is left, nobody answers."""

    replies: Sequence[str | NoAnswer] = ()
    name: str = "scripted"
    asked: list[Question] = field(default_factory=list[Question])

    def ask(self, question: Question, kind: type[T]) -> T | NoAnswer:
        self.asked.append(question)
        place = len(self.asked) - 1
        reply = self.replies[place] if place < len(self.replies) else NoAnswer(reason="connection refused")
        if isinstance(reply, NoAnswer):
            return reply
        try:
            return kind.model_validate_json(reply, strict=True)
        except ValidationError as error:
            return NoAnswer(reason=f"not usable: {error.error_count()} problems", answered=True)


MALFORMED = {
    "not JSON": "I would rather not.",
    "half of it": '{"success": tr',
    "empty": "",
    "null": "null",
    "a list": "[]",
    "no fields": "{}",
    "wrong types": '{"success": "yes", "reason": 7, "target": 1, "kind": 2, "body": [], "summary": {}}',
    "another shape": '{"answer": {"success": true, "reason": "fine"}}',
    "huge": '{"success": 1, "junk": "' + "x" * 1_000_000 + '"}',
}
"""What models answer when they do not answer."""
