"""From a run to a case: its request, the files it began with, and a scorer mined from how the run shows its success.

A scorer is made of what the run itself shows: a check that passed, a tool of the project's own that was called, the
shape of the answer, facts in the answer that tools had reported. Where it shows none of these there is no case, or, on
request, one that a model judges by a rubric. Nothing here runs anything.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.learning.lessons.facts import role_of
from metier.learning.lessons.session.commands import is_destructive
from metier.learning.lessons.session.episodes import is_reply
from metier.learning.procedures.actions import foreign_tool, shell_line
from metier.proof.infrastructure import failed_outside
from metier.proof.replay.kept_files import kept_files
from metier.types.trials import Case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.types import Record, Run

CHECKING = ("test", "types", "lint", "check", "build")
"""What commands are for whose exit code says whether the work is right."""
FACTS, TITLES, TOOLS = 5, 6, 4
"""Facts, headings and tools that a scorer asks for, at most."""
SHORT = 80
"""Characters of an answer that is one value."""
LONGEST = 4_000
"""Characters of a request that becomes a case."""
_FACT = re.compile(
    r"`([^`\s]{4,60})`|(?<![\w./-])((?:[\w.-]+/)+[\w.-]+\.\w{1,5})(?![\w/])|(?<![\w.])(\d[\d,]*\.?\d{2,}%?)(?![\w])"
)
"""What can be looked for in an answer: a name in code marks, a path, a number of three digits or more."""
_HEADING = re.compile(r"^#{1,4} +(.{3,60}?)\s*$", re.MULTILINE)
_SHELL = re.compile(r"[|&;<>$`*?()\[\]{}\\\n]")
"""Signs that a shell would have to read; a check is one plain command."""

Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCase:
    """A run that cannot become a case, and why."""

    run: str
    reason: str


def case_of(record: Record, *, success: bool | None, rubric: bool = False) -> Case | NoCase:
    """The case that a run makes; `success`: how it went, as far as anybody knows. `rubric`: a model may judge it."""
    run = record.run
    if problem := _unfit(run, success=success):
        return NoCase(run=record.id, reason=problem)
    files = kept_files(run)
    parts = [*_checks(run, [path for path, _ in files]), *(_shown_by_success(run) if success else ())]
    if not parts and rubric:
        parts = [_rubric(run, success=bool(success))]
    if not parts:
        why = "it succeeded, but shows nothing that could be checked" if success else "it failed without a check"
        return NoCase(run=record.id, reason=why)
    scorer = parts[0] if len(parts) == 1 else {"kind": "all", "of": parts}
    text = json.dumps(scorer, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return Case(
        id=f"run-{sha256(record.id.encode()).hexdigest()[:12]}",
        input=run.message.strip(),
        expected=run.output.strip() if _is_value(run.output) and success else "",
        scorer=text,
        tags=("succeeded",) if success else ("failed",),
        origin=f"run:{record.id}",
        files=files,
    )


def _unfit(run: Run, *, success: bool | None) -> str:
    if success is None:
        return "nobody knows how it went"
    if outside := failed_outside(run):
        return outside
    if is_reply(run.message):
        return "a reply: it belongs to the task before it"
    if not run.message.strip() or len(run.message) > LONGEST:
        return "its request is empty or too long"
    return ""


def _checks(run: Run, files: Sequence[str]) -> Iterator[Json]:
    """The last check that the run made, if it can be made again: one plain command on files that were kept."""
    for call in reversed(run.tools) if files else ():
        line = shell_line(call)
        if line is None or role_of(line) not in CHECKING:
            continue
        named = [word for word in line.split() if "/" in word and not word.startswith(("-", "./node_modules"))]
        if not _SHELL.search(line) and not is_destructive(line) and all(_is_kept(word, files) for word in named):
            yield {"kind": "command", "command": shlex.split(line)}
        return


def _is_kept(path: str, files: Sequence[str]) -> bool:
    """Whether a file or folder that a command names is there to be checked."""
    plain = path.partition("::")[0].removeprefix("./").rstrip("/")
    return any(one == plain or one.startswith(f"{plain}/") for one in files)


def _shown_by_success(run: Run) -> Iterator[Json]:
    own = list(dict.fromkeys(filter(None, (foreign_tool(call) for call in run.tools if call.ok))))
    if own:
        yield {"kind": "tool-called", "tools": own[:TOOLS]}
    yield from _shape(run.output.strip())
    if facts := _facts(run):
        yield {"kind": "contains", "texts": facts}


def _shape(answer: str) -> Iterator[Json]:
    """The form of an answer: one value, a JSON document, headings."""
    if _is_value(answer):
        yield {"kind": "exact"}
    elif answer.startswith(("{", "[")):
        try:
            json.loads(answer)
        except (ValueError, RecursionError):
            return
        yield {"kind": "regex", "pattern": r"(?s)[\{\[].*[\}\]]", "full": True}
    elif len(titles := list(dict.fromkeys(_HEADING.findall(answer)))) > 1:
        yield {"kind": "section", "titles": titles[:TITLES]}


def _is_value(answer: str) -> bool:
    """Whether an answer is one value: a number, a name, a path."""
    plain = answer.strip()
    return 0 < len(plain) <= SHORT and len(plain.split()) == 1 and plain.strip(".!?").casefold() not in _CHATTER


_CHATTER = frozenset(("done", "ok", "okay", "yes", "no", "fixed", "finished", "pushed", "committed"))


def _facts(run: Run) -> list[str]:
    """What the answer reports and tools had said, and the request does not give away."""
    if _is_value(run.output):
        return []
    seen = "\n".join(call.output for call in run.tools if call.ok)
    named = [found[found.lastindex or 0] for found in _FACT.finditer(run.output)]
    return [one for one in dict.fromkeys(named) if one in seen and one not in run.message][:FACTS]


def _rubric(run: Run, *, success: bool) -> Json:
    """What a model is asked about an answer: the request itself, and what the person said to put the run right."""
    criteria = ["It does what the task asks for, completely."]
    if run.correction and not success:
        criteria.append(f"It does not have to be corrected as follows: {' '.join(run.correction.split())[:300]}")
    return {"kind": "rubric", "criteria": criteria}
