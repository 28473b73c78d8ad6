"""Scorers that look at the answer's text: exact, contains, not-contains, regex, section, length, no-refusal."""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, cast

from metier.errors import InputError
from metier.formats.strict_json import word
from metier.skills.document.sections import sections
from metier.training.scoring.scorer import Kind, score_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

    from metier.formats.strict_json import StrictObject
    from metier.training.scoring.scorer import Judge, Means
    from metier.training.targets.target import Attempt
    from metier.types.trials import Case, Scored

UNITS: dict[str, Callable[[str], Sized]] = {"characters": str, "words": str.split, "lines": str.splitlines}
OPENING = 400
"""Characters of an answer in which a refusal is looked for: later on the words are about something else."""
_UNWILLING = (
    *("i can't", "i cannot", "i can not", "i won't", "i will not", "i'm unable to", "i am unable to"),
    *("i'm not able to", "i am not able to", "i'm not going to", "i must decline to", "i have to decline to"),
)
_ASKED = (
    "help you",
    "help with",
    "assist",
    "provide",
    "comply",
    "fulfill",
    "fulfil",
    "do that",
    "do this",
    "answer th",
)
REFUSALS = (
    *(f"{one} {other}" for one in _UNWILLING for other in _ASKED),
    *("i must decline", "i have to decline", "i'm sorry, but i can", "i am sorry, but i can", "i apologize, but i can"),
)


_NUMBER = re.compile(r"(?:\d+(?:\.\d+)*[.):]|\d+(?:\.\d+)+|\d{1,2})\s+")
"""The number before a heading's words: `1. `, `2.1) `, `3.2 `, `4 `; a year is none."""


class _Pattern(Protocol):
    def search(self, text: str) -> object: ...
    def fullmatch(self, text: str) -> object: ...


def answers(settings: StrictObject, case: Case, key: str = "answers") -> tuple[str, ...]:
    """What counts as right: what the case expects, and further texts from the settings."""
    found = tuple(one for one in (case.expected, *settings.each(key, word)) if one)
    if not found:
        raise InputError(f"{settings.where}: nothing to compare with; give the case an 'expected', or '{key}' here")
    return found


def _exact(settings: StrictObject, case: Case) -> Judge:
    fold = _folding(settings)
    wanted = {fold(one.strip()) for one in answers(settings, case)}
    return lambda attempt, _: score_of(fold(attempt.output.strip()) in wanted)


def _contains(settings: StrictObject, case: Case) -> Judge:
    fold = _folding(settings)
    wanted = settings.each("texts", word) or answers(settings, case, "texts")
    return lambda attempt, _: _portion([fold(one) in fold(attempt.output) for one in wanted])


def _not_contains(settings: StrictObject, case: Case) -> Judge:
    fold = _folding(settings)
    unwanted = settings.each("texts", word) or answers(settings, case, "texts")
    return lambda attempt, _: _portion([fold(one) not in fold(attempt.output) for one in unwanted])


def _regex(settings: StrictObject, case: Case) -> Judge:
    source = settings.text("pattern") or case.expected
    if not source:
        raise InputError(f"{settings.where}.pattern: missing; write one, or put it into the case's 'expected'")
    pattern = _compiled(source, settings.truth("ignore_case", default=False), settings.where)
    full = settings.truth("full", default=False)

    def judge(attempt: Attempt, _: Means) -> Scored:
        text = attempt.output.strip()
        return score_of(bool(pattern.fullmatch(text) if full else pattern.search(text)))

    return judge


def _section(settings: StrictObject, case: Case) -> Judge:
    wanted = [
        title.lstrip("# ").casefold() for title in settings.each("titles", word) or answers(settings, case, "titles")
    ]

    def judge(attempt: Attempt, _: Means) -> Scored:
        document = attempt.output.encode("utf-8", "replace")
        titles = [one.title.casefold() for one in sections(document) if document[slice(*one.body)].strip()]
        filled = {*titles, *(_NUMBER.sub("", title, count=1) for title in titles if _NUMBER.match(title))}
        return _portion([title in filled for title in wanted])

    return judge


def _length(settings: StrictObject, _: Case) -> Judge:
    unit = settings.text("unit") or "characters"
    if unit not in UNITS:
        raise InputError(f"{settings.where}.unit: {unit!r} is unknown; write one of {', '.join(UNITS)}")
    least, most = settings.count("min"), settings.count("max")
    if not (least or most) or (most and least > most):
        raise InputError(f"{settings.where}: write a min, a max, or both, the min no larger than the max")

    def judge(attempt: Attempt, _: Means) -> Scored:
        size = len(UNITS[unit](attempt.output.strip()))
        return score_of(size >= least and (not most or size <= most))

    return judge


def _no_refusal(settings: StrictObject, _: Case) -> Judge:
    phrases = (*REFUSALS, *(one.casefold() for one in settings.each("phrases", word)))

    def judge(attempt: Attempt, _: Means) -> Scored:
        opening = " ".join(attempt.output[:OPENING].replace("’", "'").casefold().split())
        return score_of(bool(opening) and not any(phrase in opening for phrase in phrases))

    return judge


class _Folding(Protocol):
    def __call__(self, text: str, /) -> str: ...


def _folding(settings: StrictObject) -> _Folding:
    return str.casefold if settings.truth("ignore_case", default=False) else str


def _portion(found: list[bool]) -> Scored:
    return score_of(all(found), sum(found) / len(found))


@lru_cache(maxsize=1024)
def _compiled(source: str, ignore_case: bool, where: str) -> _Pattern:  # noqa: FBT001 - a setting's value
    """A pattern for RE2, whose time grows with the text alone, whatever the pattern."""
    re2 = importlib.import_module("re2")
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.dot_nl = options.log_errors = False
    try:
        return cast("_Pattern", re2.compile(source, options))
    except re2.error as error:
        said = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
        raise InputError(f"{where}.pattern: {said}; RE2 has no look-around and no back references") from None


KINDS = {
    "exact": Kind(fields=("answers", "ignore_case"), make=_exact),
    "contains": Kind(fields=("texts", "ignore_case"), make=_contains),
    "not-contains": Kind(fields=("texts", "ignore_case"), make=_not_contains),
    "regex": Kind(fields=("pattern", "ignore_case", "full"), make=_regex),
    "section": Kind(fields=("titles",), make=_section),
    "length": Kind(fields=("unit", "min", "max"), make=_length),
    "no-refusal": Kind(fields=("phrases",), make=_no_refusal),
}
