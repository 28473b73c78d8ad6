"""Checks: a lesson that names a command or a path, as a test on what agents do.

First from a line to a check, then one call against it, then many. Command lines are parsed, never matched:
`git add .github` is not `git add .`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.learning.procedures.actions import edited_paths, read_paths, shell_line
from metier.text.shell.checks import changed_paths, check_line, named_paths, touches
from metier.text.shell.parse import parse_commands
from metier.types.lessons import LessonCheck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.text.shell.checks import Held
    from metier.types import ToolCall
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
_PLAIN = re.compile(
    r"\b(?:never|don'?t|do not|not to|must not|mustn'?t|shouldn'?t|should not)\s+"
    r"(?P<verb>(?:run|call|execute|type|use)\s+)?(?P<said>[\w.+-]+(?:\s+[^\s,;:!?()“”\"`]+)*)",
    re.IGNORECASE,
)
"""Plain words that forbid something, up to the end of their clause: a command only if `_plain_command` says so."""
_SIGNS = re.compile(r"-{1,2}\w[\w-]*(?:=\S+)?|\.{1,2}|\S*[/*]\S*")
"""An argument that no prose has: an option, a path, a pattern."""
_CLAUSE_END = re.compile(r"\s+(?:or|nor|[-–—]+)\s+|(?<=\w)\.\s+|(?<=\s\.)\s+(?=[A-Z])")
_SENTENCE_END = re.compile(r"^\s+(?=[A-Z])|[;!?]|\.\s")
_TALE = re.compile(r"\bwhy\b|\b(?:i|they|it)\s*$", re.IGNORECASE)
"""What stands before such words where they tell or ask something."""
_ENGLISH = re.compile(
    "act|air|alias|at|awk|break|cat|column|continue|cut|date|dig|env|exit|expand|export|file|find|fold|format|go|head|"
    "history|install|jobs|join|just|kill|less|link|look|make|man|mount|more|nice|open|paste|patch|ping|play|print|"
    "read|return|rush|script|set|sleep|sort|source|split|start|stop|tail|task|tee|test|time|top|touch|type|wait|"
    "watch|which|who|write|yes"
)
"""Programs whose names are words of everyday English as well."""
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
        return _of_plain_words(plain, programs)
    better = _USE_INSTEAD.search(plain)
    instead = better[1] if better and better[1] != found[1] else ""
    return _with_more(_forbidding(found[1], programs, instead=instead), plain[found.end() :])


def _of_plain_words(plain: str, programs: frozenset[str]) -> LessonCheck | None:
    """A check of plain words: never, and then at once a command with nothing behind it that could be prose."""
    for found in _PLAIN.finditer(plain):
        before = re.split(r"[;!?]|\.\s", plain[: found.start()])[-1]
        clause = _CLAUSE_END.split(found["said"])[0]
        rest = before + _SENTENCE_END.split(plain[found.start("said") + len(clause) :])[0]
        command = _plain_command(clause, (found["verb"] or "").strip().casefold(), programs)
        if command and not (_TALE.search(before) or _ONLY_SOMETIMES.search(rest) or "without" in rest.split()):
            return _forbidding(command, programs)
    return None


def _plain_command(clause: str, verb: str, programs: frozenset[str]) -> str:
    """The command that plain words say; empty: they are prose, or nobody can tell."""
    words = [word.rstrip(".") or word for word in clause.split()]
    if words[0] not in programs:
        return ""
    told = [word for word in words[1:2] if re.fullmatch(r"[a-z][a-z-]*", word)]
    signs = words[1 + len(told) :]
    if not all(_SIGNS.fullmatch(word) for word in signs):
        return ""
    return "" if not signs and _may_be_prose(words[0], verb, told) else " ".join(words)


def _may_be_prose(program: str, verb: str, told: Sequence[str]) -> bool:
    """Whether a program's name and the word behind it may be plain English: to use git history runs nothing."""
    is_noun = verb == "use" and bool(told)
    return is_noun or (_ENGLISH.fullmatch(program) is not None and (bool(told) or not verb))


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


def check_call(check: LessonCheck, call: ToolCall) -> Held | None:
    """How a call stands to a check; None: the check does not apply to it."""
    line = shell_line(call)
    if check.path:
        paths = _touched(call, line or "") if check.reading else [*edited_paths(call), *changed_paths(line or "")]
        return "violated" if touches(check.path, paths) else None
    return None if line is None else check_line(check, line)


def _touched(call: ToolCall, line: str) -> list[str]:
    """The paths that a call reads or changes."""
    return [*edited_paths(call), *read_paths(call), *named_paths(line)]


def may_apply(check: LessonCheck, text: str) -> bool:
    """Whether a call is worth parsing: a word of the check stands in it."""
    if check.path:
        return check.path.strip("/").rpartition("/")[2] in text
    words = (check.program[0], check.instead.split()[0] if check.instead else check.program[0])
    return any(word in text for word in words)
