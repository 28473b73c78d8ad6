"""What some questions will cost, said before they are asked: tokens, and money where the price is known."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from metier.context.models.access import models_of
from metier.models.price import price_of
from metier.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.types.questions import Question

CHARACTERS, LEAST = 4, Decimal("0.0001")
"""Characters of a token, roughly; the least money that is named."""


def cost_words(ctx: Context, name: str, questions: Sequence[Question]) -> str:
    """How many questions and tokens, and the most money it can be if the workspace's own model is asked."""
    count = f"{len(questions)} question{'' if len(questions) == 1 else 's'}"
    given = sum(len(one.prompt) for one in questions) // CHARACTERS
    spec = models_of(ctx.settings).model
    if spec is None or f"{spec.provider}:{spec.name}" != name:
        return f"{count}, about {given:,} tokens"
    given += spec.extra_tokens * len(questions)
    answered = sum(one.max_tokens for one in questions)
    most = price_of(spec, ctx.clock())(Tokens(input=given, output=answered))
    if most is None:
        calls = f"{len(questions)} call{'' if len(questions) == 1 else 's'}"
        return f"{calls}, about {given:,} tokens, of a model whose price is not known (set model_price)"
    return f"{count}, about {given:,} tokens, ${max(most, LEAST):.4f} at most"
