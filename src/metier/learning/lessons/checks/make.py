"""From a lesson's line to a check, where it names a command or a path; most lines name neither, and get none."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.text.shell.parse import parse_commands
from metier.types.lessons import LessonCheck

if TYPE_CHECKING:
    from metier.types.lessons import Lesson

_NEVER = re.compile(
    r"\b(?:never|don'?t|do not|stop|avoid|no more|not allowed to|must not|mustn'?t|shouldn'?t|should not)\b",
    re.IGNORECASE,
)
_RUN = r"(?:(?:use|using|run|running|call|calling|do|doing|execute|type|try|stage|staging)\s+(?:with\s+|the\s+)?)?"
_MORE = re.compile(r"\s*(?:,|or|nor|and|/)\s+`(-{1,2}[\w-]+)`", re.IGNORECASE)
"""Further flags that are forbidden in one breath."""
_ONLY_SOMETIMES = re.compile(r"\b(?:when|if|while|unless|until|except|during|for|in)\b", re.IGNORECASE)
_FORBIDDEN = re.compile(rf"{_NEVER.pattern}\s+{_RUN}`([^`]+)`", re.IGNORECASE)
_TOUCHED = re.compile(
    rf"{_NEVER.pattern}\s+(?:\w+,?\s+(?:or\s+)?){{0,4}}?(?:read|touch|open|edit|modify|change|"
    rf"write|delete|search|access)"
    r"(?:\w*,?\s+(?:or\s+)?(?:\w+\s+)?){0,3}?(?:in\s+|to\s+|from\s+)?`([\w.~/-]+)`",
    re.IGNORECASE,
)
_LOOKED_AT = re.compile(r"\b(?:read|touch|open|search|access)", re.IGNORECASE)
_INSTEAD = (
    re.compile(r"`([^`]+)`\s*,?\s*(?:instead of|rather than|over|not|never)\s+`([^`]+)`", re.IGNORECASE),
    re.compile(
        r"^\W*(?:please\s+|always\s+|no,?\s+)*(?:use|prefer|run)\s+([\w.+-]+)\s*,?\s*"
        r"(?:instead of|rather than|over|not|never)\s+([\w.+-]+)\b",
        re.IGNORECASE,
    ),
)
_OTHER_WAY = re.compile(r"\binstead of\s+`([^`]+)`,?\s+(?:use|run)\s+`([^`]+)`", re.IGNORECASE)
_USE_INSTEAD = re.compile(r"\b(?:use|run)\s+`([^`]+)`\s*,?\s+instead\b", re.IGNORECASE)
_USAGE = re.compile(r"missing required|must be provided|is required", re.IGNORECASE)
_UNKNOWN = re.compile(
    r"(?:unknown|unexpected|unrecogni[sz]ed|invalid|no such) (?:option|argument|flag)s?:? '?(--?[\w-]+)", re.IGNORECASE
)
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
"""Options that an error names: any of them will do."""
_FIX = re.compile(r"When `([^`]+)` fails with “([^”]+)”: (?:run )?`([^`]+)`")


def check_of(lesson: Lesson, programs: frozenset[str]) -> LessonCheck | None:
    """The check that a lesson can be held to; `programs` are those that this project's sessions run."""
    if lesson.kind == "fix":
        return _of_fix(lesson.text)
    return _of_rule(lesson.text, programs) if lesson.kind == "rule" else None


def _of_fix(text: str) -> LessonCheck | None:
    """A call that can never work, as its error says; a fix that depends on the moment has no check."""
    found = _FIX.match(text)
    if found is None:
        return None
    program, error, command = tuple(found[1].split()), found[2], found[3]
    if unknown := _UNKNOWN.search(error):
        return LessonCheck(program=program, wrong=(unknown[1],), instead=command)
    if _USAGE.search(error) and (flags := _FLAG.findall(error)) and _words(command)[: len(program)] == program:
        return LessonCheck(program=program, needs=tuple(dict.fromkeys(flags)), instead=command)
    return None


def _of_rule(text: str, programs: frozenset[str]) -> LessonCheck | None:
    plain = text.replace("’", "'")
    if (found := _OTHER_WAY.search(plain)) and found[1] != found[2]:
        return _forbidding(found[1], programs, instead=found[2])
    for pattern in _INSTEAD:
        if (found := pattern.search(plain)) and not _ONLY_SOMETIMES.search(plain):
            check = _forbidding(found[2], programs, instead=found[1])
            if check is not None:
                return check
    if (found := _TOUCHED.search(plain)) and ("/" in found[1] or "." in found[1]):
        return LessonCheck(path=found[1], reading=_LOOKED_AT.search(found[0]) is not None)
    return _of_forbidden(plain, programs)


def _of_forbidden(plain: str, programs: frozenset[str]) -> LessonCheck | None:
    found = _FORBIDDEN.search(plain)
    if found is None:
        return None
    better = _USE_INSTEAD.search(plain)
    instead = better[1] if better and better[1] != found[1] else ""
    return _with_more(_forbidding(found[1], programs, instead=instead), plain[found.end() :])


def _with_more(check: LessonCheck | None, rest: str) -> LessonCheck | None:
    """A check with the flags that are named right after its own: `git add .` or `-A`."""
    while check is not None and check.wrong and (more := _MORE.match(rest)):
        check, rest = replace(check, wrong=(*check.wrong, more[1])), rest[more.end() :]
    return check


def _forbidding(said: str, programs: frozenset[str], *, instead: str = "") -> LessonCheck | None:
    """A check that a command is not run; None: what was said is no command that anybody runs here."""
    words = _words(said)
    if not words or words[0] not in programs:
        return None
    told = [word for word in words[1:] if re.fullmatch(r"[a-z][a-z-]*", word)][:1]
    program = (words[0], *told)
    wrong = tuple(word for word in words[1:] if word not in told)
    return LessonCheck(program=program, wrong=wrong, instead=instead)


def _words(text: str) -> tuple[str, ...]:
    commands = parse_commands(text)
    return commands[0].words if len(commands) == 1 else ()
