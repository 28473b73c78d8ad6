"""What a server turned out not to understand, so that it is not sent again."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from metier.models.failures import Refused

if TYPE_CHECKING:
    from metier.models.failures import Failure
    from metier.models.model import Request

LimitField = Literal["max_completion_tokens", "max_tokens"]
SCHEMA_WORDS = re.compile(r"response_format|output_config|output_format|structured output|schema", re.IGNORECASE)
THINKING_WORDS = re.compile(r"thinking|reasoning|chat_template_kwargs", re.IGNORECASE)
UNKNOWN_FIELD = re.compile(r"not supported|unsupported|unknown|unrecogni[sz]ed|not permitted|unexpected", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class WireDialect:
    """The optional parts of a protocol, as this server and model take them."""

    temperature: bool = True
    schema: bool = True
    thinking: bool = True
    limit_field: LimitField = "max_tokens"


def simpler(dialect: WireDialect, request: Request, failure: Failure) -> WireDialect | None:
    """The dialect to try instead after a refusal; None if what was refused is not a matter of dialect.

    Reasoning models take no temperature, older ones no schema, others have no switch for thinking, newer ones another
    name for the token limit; the refusals cost nothing and name the field.
    """
    if not isinstance(failure, Refused) or failure.status not in (400, 404, 422):
        return None
    said = failure.reason
    if dialect.limit_field in said and UNKNOWN_FIELD.search(said):
        other: LimitField = "max_tokens" if dialect.limit_field == "max_completion_tokens" else "max_completion_tokens"
        return replace(dialect, limit_field=other)
    return _without(dialect, request, said)


def _without(dialect: WireDialect, request: Request, said: str) -> WireDialect | None:
    """The dialect without the part that a refusal speaks of."""
    if dialect.thinking and request.thinking is not None and THINKING_WORDS.search(said):
        return replace(dialect, thinking=False)
    if dialect.temperature and "temperature" in said:
        return replace(dialect, temperature=False)
    if dialect.schema and request.schema and SCHEMA_WORDS.search(said):
        return replace(dialect, schema=False)
    return None
