"""The steps of a session: what each did, whether it failed, and the line of its error that tells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from metier.formats.handed_text import is_denial
from metier.learning.lessons.session.commands import main_parts, parts_of
from metier.learning.procedures.actions import edited_paths, shell_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.learning.lessons.session.commands import Part
    from metier.types import Record, ToolCall

LOOKED_AT = 6_000
"""Characters of an output that are looked at: the beginning and the end, half of it each."""
LONGEST_ERROR = 160
"""Characters of an error line that are kept."""

_TERMINAL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)?|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_BREAK = re.compile(r"\r?\n|\\n")
_LEAD = re.compile(
    r"^(?:\s|[│×✘✗❌⨯•>*|+-]|(?:(?:Error|ERROR|error): )+(?=Error|ERROR|error|fatal)|(?:Exit|"
    r"exit) code:? \d+|Error: (?=\(|[a-z]+: |Exit|\[)|\(eval\):\w*:?\d*:|"
    r"(?:/(?:usr/)?bin/)?(?:ba|z|da)?sh: (?:line )?\d+:|(?:ba|z)sh:|remote:|npm (?:ERR!|"
    r"error)|\[(?:ERROR|error|WARN)\]|"
    r"</?\w+_error>|:\d+:)\s*"
)
_PROMPT = re.compile(r"^\S{1,40}@\S{1,40}[ :].{0,60}[%$#] |^[%$#] ")
_RANKED = (
    re.compile(r"\bcommand not found\b|\bNo module named\b|\bCannot find (?:module|package)\b|\bModuleNotFoundError\b"),
    re.compile(r"^(?:fatal|FATAL|error|ERROR|Error|err|E)\b ?(?:\[\w+\])?: ?\S|^error\[?\w*\]?: "),
    re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b\)?:? \S|^\*\* \(\w+"),
    re.compile(
        r"\b(?:no such|not found|denied|refus\w+|unknown|unrecogni[sz]ed|unexpected argument|missing|required|"
        r"must (?:be|provide|specify)|invalid|not allowed|blocked|rejected|ignored by|already exists|conflict\w*|"
        r"cannot|can't|could not|couldn't|unable|no upstream|not a git|does not exist|did not match|"
        r"modified by this hook|timed? ?out|not installed|not formatted|no changes|nothing to commit)\b",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:fail(?:ed|ure|ures|s)?|error|errors|exception|fatal)\b", re.IGNORECASE),
)
"""What makes a line the one that matters, the surest sign first."""
_NOT_IT = re.compile(
    r"^\s*(?:at |File \"|hint:|Use |Usage:|usage:|Traceback|\d+ (?:passed|tests?)|#|\"|'|import |from |def |class )"
    r"|\b0 (?:errors?|fail\w*)\b|(?:Passed|Skipped)\s*$",
)
_FLAG = re.compile(r"-{1,2}[a-z][a-z-]*(?:, --[a-z-]+)?|[a-z]{3,12}")
_PLAIN_QUOTE = re.compile(r"(?<!\w)['\"`][a-z]+['\"`]")
_GENERIC = re.compile(r"^(?:error|fatal): ?", re.IGNORECASE)
_DOTS = re.compile(r"\.{4,}|={4,}|-{4,}|_{4,}")
_ASSERTED = re.compile(
    r"^-* ?FAIL\b|\bexpect\(|\bassert|\bExpected\b|\bReceived\b|^[✓✗×√(]|\d+ (?:fail|error|pass|test)|"
    r"\[\d+(?:\.\d+)?m?s\]|\bFAILED\b|test session|:\d+:\d+:? |\b[A-Z]\d{3}\b|^\d+:\d+\b|^[\w/.-]+:\d+:|\(\d+,\d+\)|"
    r"\berror TS\d+|\berror\[E\d+\]|could not compile|compilation (?:failed|error)|\bbuild failed\b|"
    r"undefined(?: reference|:)|\b(?:Syntax|Type|Name|Reference|Attribute|Indentation|Key|Value|Index|Range)Error\b|"
    r"is not defined|merge conflict",
    re.IGNORECASE,
)
_IDLE = re.compile(
    (
        r"nothing to commit|no changes added to commit|working tree clean|up[- ]to[- ]date|no changes to|"
        r"already (?:on|installed)"
    ),
    re.IGNORECASE,
)
_NAMED_AFTER = re.compile(
    r"\b(branch|tag|commit|worktree|session|user|host|container|pod|image|project|workspace|remote) "
    r"'?(?=[\w./#-]*[-_/#.\d])[\w./#-]{3,}'?",
    re.IGNORECASE,
)
"""A name behind a word that says what it is the name of."""
_PERSON = re.compile(
    r"doesn't want to (?:proceed|take)|tool use was rejected|User rejected|tell Claude what to do|Interrupted by user|"
    r"Request interrupted|Sibling tool call|interrupted by the user|was cancelled by|user (?:denied|declined|aborted)|"
    r"requires? approval|permission to use|haven't granted",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(?<!\w)'[^'\n]{1,120}'|\"[^\"\n]{1,120}\"|`[^`\n]{1,120}`|‘[^’\n]{1,120}’")
_PATH = re.compile(r"(?:https?://|git@|file://)\S+|(?:~|\.{1,2})?/[\w.@#%+~-][^\s'\"`,;:()]*|\b[\w.@#-]+/[\w./@#-]+")
_FILE = re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{1,5}\b(?!\()")
_HEX = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b|\b[0-9a-f]{8}-[0-9a-f-]{20,}\b")
_ID = re.compile(r"\b(?=[\w#-]*\d)(?=[\w#-]*[A-Za-z])[\w#-]{3,}\b")
_NUMBER = re.compile(r"#?\d+(?:[.,:]\d+)*")


def was_persons_doing(text: str) -> bool:
    """Whether a call did not go through because a person or the harness stopped it: that is no error of the work."""
    return is_denial(text[:LOOKED_AT]) or bool(_PERSON.search(text[:LOOKED_AT]))


def is_no_trouble(line: str) -> bool:
    """Whether a command only says that there was nothing to do."""
    return bool(_IDLE.search(line))


def is_of_the_code(line: str) -> bool:
    """Whether an error is about the code at hand (an assertion, a place in a file): mended by work, not by a lesson."""
    return not line or bool(_ASSERTED.search(line))


@lru_cache(maxsize=8192)
def error_line(text: str) -> str:
    """The one line of a failed call's output that says what went wrong; empty: none does."""
    best, found = len(_RANKED), ""
    lines = lines_of(text)
    for line in lines:
        rank = _rank(line)
        if rank < best:
            best, found = rank, line
    return found[:LONGEST_ERROR].rstrip()


def lines_of(text: str) -> list[str]:
    """The lines of an output, cleaned of marks, prompts and prefixes that say nothing."""
    half = LOOKED_AT // 2
    cut = text if len(text) <= LOOKED_AT else f"{text[:half]}\n{text[-half:]}"
    found = (_cleaned(line) for line in _BREAK.split(_TERMINAL.sub("", cut)))
    return [line for line in found if len(line) > 3]


@lru_cache(maxsize=8192)
def error_key(line: str) -> str:
    """What two error lines share when they are the same trouble: without paths, numbers, names and hashes."""
    text = _GENERIC.sub("", _PLAIN_QUOTE.sub("'…'", masked(line)))
    return " ".join(text.casefold().replace("'…'", "…").split())[:120].rstrip(" .:…")


@lru_cache(maxsize=8192)
def masked(line: str) -> str:
    """The line with a hole for every value: quoted texts, paths, numbers, ids."""
    text = _NAMED_AFTER.sub(r"\1 …", _QUOTED.sub(_quoted, line))
    for pattern in (_PATH, _HEX, _FILE, _ID, _NUMBER):
        text = pattern.sub("…", text)
    return " ".join(text.split())


def _quoted(found: re.Match[str]) -> str:
    """A quoted flag or plain word stays: it says what was wrong."""
    inner = found[0][1:-1]
    return found[0] if _FLAG.fullmatch(inner) else "'…'"


def _cleaned(line: str) -> str:
    before, text = "", _DOTS.sub(" ", _PROMPT.sub("", line.strip()))
    while before != text:
        before, text = text, _LEAD.sub("", text, count=1)
    return " ".join(text.split())


def _rank(line: str) -> int:
    if len(line) > 400 or _NOT_IT.search(line):
        return len(_RANKED)
    return next((rank for rank, pattern in enumerate(_RANKED) if pattern.search(line)), len(_RANKED))


LONGEST = 1_000
"""Characters of a command line that can teach."""
_FILTERS = frozenset(("tail", "head", "cat", "grep", "tee", "less", "sed", "awk", "rg"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStep:
    """One call."""

    kind: Literal["command", "edit", "message"]
    run: str
    moment: str
    line: str = ""
    """The command line, the path that was edited, or what the person said."""
    parts: tuple[Part, ...] = ()
    """What of the line does something."""
    programs: tuple[Part, ...] = ()
    """All of the line's commands, also those that only look."""
    ok: bool = True
    error: str = ""
    """The line of the output that says what went wrong; empty: nothing did, or nobody knows."""
    output: str = ""


def steps_of(session: Sequence[Record]) -> list[SessionStep]:
    """The steps of a session's runs, in order; calls that a person stopped are left out."""
    return [step for record in session for step in _of_run(record)]


def _of_run(record: Record) -> Iterator[SessionStep]:
    moment = record.run.started or ""
    yield SessionStep(kind="message", run=record.id, moment=moment, line=record.run.message)
    for call in record.run.tools:
        if (line := shell_line(call)) is not None:
            if step := _command(record.id, moment, line, call):
                yield step
        else:
            for path in edited_paths(call):
                yield SessionStep(
                    kind="edit", run=record.id, moment=moment, line=path, ok=call.ok and call.error is None
                )


def _command(run: str, moment: str, line: str, call: ToolCall) -> SessionStep | None:
    text = call.error or call.output
    ok = call.ok and call.error is None
    if (len(line) > LONGEST and "<<" not in line[:LONGEST]) or (not ok and was_persons_doing(text)):
        return None
    error = _hidden_error(line, text) if ok else error_line(text)
    return SessionStep(
        kind="command",
        run=run,
        moment=moment,
        line=line,
        parts=tuple(main_parts(line)),
        programs=parts_of(line),
        ok=ok and not error,
        error=error,
        output=text,
    )


def _hidden_error(line: str, text: str) -> str:
    """The error of a command whose exit code says that it went well; empty if it is not sure."""
    error = error_line(text) if _hides_failure(line) else ""
    return error if _is_sure(error) else ""


def _hides_failure(line: str) -> bool:
    """Whether the exit code of a line is that of a filter behind a pipe, or of `|| true`."""
    last = parts_of(line)[-1:]
    return (
        bool(last)
        and (last[0].joint == "|" or last[0].words[0] in ("true", "echo"))
        and (last[0].words[0] in _FILTERS or last[0].joint == "||")
    )


def _is_sure(line: str) -> bool:
    return line.startswith(("fatal:", "error:", "Error:", "ERROR:")) or "command not found" in line
