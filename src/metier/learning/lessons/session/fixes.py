"""Errors and what made them go away, seen in one session."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.learning.lessons.session.commands import is_destructive, parts_of
from metier.learning.lessons.session.steps import (
    error_line,
    is_no_trouble,
    is_of_the_code,
    lines_of,
    was_persons_doing,
)
from metier.learning.procedures.actions import foreign_tool
from metier.types.sightings import How, Repair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.learning.lessons.session.commands import Part
    from metier.learning.lessons.session.steps import SessionStep
    from metier.types import Record

AHEAD = 24
"""Steps after a failure in which its remedy is looked for."""
MESSAGES = 2
"""Messages of the person that may lie between."""
NEAR = 2
"""Steps after a failure in which another way is taken, where there is one."""
TOGETHER = 2
"""Commands that may be put before one on its line."""
TRIES = 3
"""Other commands that may lie between a failure and the same command passing, for one of them to be the remedy."""
_NAMED = re.compile(
    r"[`'\"“‘]([a-z][\w.-]*(?: [\w./:@=-]+){0,6})[`'\"”’]"
    r"|(?:^|: |[Rr]un |[Uu]se |[Tt]ry )((?:[a-z][\w-]+)(?: [\w./:@=-]+){1,6})\s*$"
)
_MISSING = re.compile(r"command not found:? ?([\w.-]+)?|([\w.-]+): (?:command )?not found|No module named '?([\w.-]+)")


_PREPARING = frozenset(("source", ".", "export", "mkdir", "touch", "set"))
"""Commands that only prepare for the one behind them."""


def repairs_of(steps: Sequence[SessionStep], session: str) -> list[Repair]:
    """Every failed command of a session with what made it work, where that was seen."""
    acting = [step for step in steps if step.kind != "command" or step.parts]
    found = [_repair(acting, at, session) for at, step in enumerate(acting) if step.parts and not step.ok]
    return [one for one in found if one is not None]


def tool_failures(session: Sequence[Record], name: str) -> list[Repair]:
    """Failed calls of tools that are neither a shell nor the harness's own: what they say went wrong."""
    found: list[Repair] = []
    for record in session:
        for call in record.run.tools:
            text = call.error or call.output
            if (call.ok and not call.error) or foreign_tool(call) is None or was_persons_doing(text):
                continue
            if error := error_line(text):
                moment = record.run.started or ""
                tool = call.name.rsplit("__", 1)[-1]
                found.append(
                    Repair(
                        run=record.id, session=name, moment=moment, program=tool, error=error, failed=call.input[:300]
                    )
                )
    return found


def _repair(steps: Sequence[SessionStep], at: int, session: str) -> Repair | None:
    failed = steps[at]
    if is_of_the_code(failed.error) or is_no_trouble(failed.error):
        return None
    fix, how, program, tries = _remedy(steps, at)
    if fix and is_destructive(fix):
        fix, how = "", "none"
    return Repair(
        run=failed.run,
        session=session,
        moment=failed.moment,
        program=program or _program(failed),
        error=failed.error,
        failed=failed.line[:300],
        fix=fix,
        how=how,
        tries=tries,
    )


def _program(failed: SessionStep) -> str:
    """The head of the part that most likely failed: one whose program the error names, else the last one."""
    said = failed.error.casefold()
    for part in failed.parts:
        if re.search(rf"\b{re.escape(part.words[0].rsplit('/', 1)[-1].casefold())}\b", said):
            return part.head
    return failed.parts[-1].head


def _remedy(steps: Sequence[SessionStep], at: int) -> tuple[str, How, str, int]:
    failed = steps[at]
    between: list[SessionStep] = []
    messages = tries = 0
    for step in steps[at + 1 : at + 1 + AHEAD]:
        if step.kind == "message":
            messages += 1
            if messages > MESSAGES:
                break
            continue
        if step.kind == "edit":
            between.append(step)
            continue
        tries += 1
        pair = _same(failed, step)
        if pair is None:
            if step.ok:
                between.append(step)
        elif step.ok:
            return (*_difference(failed, step, pair, between), tries)
        elif step.error == failed.error and step.line == failed.line:
            break  # the same again: the later failure looks for its own remedy
    return (*_after(failed, between), tries)


def _after(failed: SessionStep, between: Sequence[SessionStep]) -> tuple[str, How, str]:
    """Another thing that the same program was told to do at once, where the first was never tried again."""
    done = [step for step in between[:NEAR] if step.kind == "command" and len(step.parts) == 1]
    program = _program(failed)
    for step in done:
        part = step.parts[0]
        if part.words[0] == program.split()[0] and (part.head == program or program.split()[-1] in failed.error):
            return part.text, "after", program
    return "", "none", program


def _same(failed: SessionStep, step: SessionStep) -> tuple[Part, Part] | None:
    """The parts of two lines that run the same, the one that changed first."""
    mine = [part for part in failed.parts if part.words[0] not in _PREPARING]
    pairs = [(one, other) for one in mine for other in step.parts if one.head == other.head]
    missing = _missing(failed.error)
    if not pairs and missing:
        pairs = [(failed.parts[-1], part) for part in step.parts if missing in (*part.words, part.head)]
    if not pairs:
        return None
    changed = [pair for pair in pairs if pair[0].plain != pair[1].plain]
    return next(iter([*changed, *pairs]))


def _missing(error: str) -> str:
    found = _MISSING.search(error)
    return next((group for group in found.groups() if group), "") if found else ""


def _difference(
    failed: SessionStep, step: SessionStep, pair: tuple[Part, Part], between: Sequence[SessionStep]
) -> tuple[str, How, str]:
    """What the line that passed has and the one that failed has not, or what lay between."""
    one, other = pair
    if named := _named_command(failed, [*between, step]):
        return named, "named", _program(failed)
    if new := _put_before(failed, step, other):
        return " && ".join([*(part.text for part in new), other.head]), "together", one.head
    if one.plain != other.plain:
        return (other.text, "instead", one.head) if _explains(failed, one, other) else ("", "none", one.head)
    if (folder := _folder(step.line)) and folder != _folder(failed.line):
        return f"cd {folder} && {other.text}", "folder", one.head
    return _before(between, failed)


def _put_before(failed: SessionStep, step: SessionStep, other: Part) -> list[Part]:
    """What the line that passed runs before the command, and the other did not; staging files is no remedy."""
    known = {part.plain for part in failed.parts}
    earlier = step.parts[: step.parts.index(other)]
    new = [part for part in earlier if part.plain not in known and part.head != other.head]
    if not _missing(failed.error) and any(part.head == "git add" for part in new):
        return []
    return new if len(new) <= TOGETHER else []


def _before(between: Sequence[SessionStep], failed: SessionStep) -> tuple[str, How, str]:
    """The one command that lay between a failure and the same command passing; edits make it work of its own."""
    commands = [step for step in between if step.kind == "command"]
    if len(commands) == len(between) and 1 <= len(commands) <= TRIES:
        last = commands[-1]
        if len(last.parts) == 1:
            return last.parts[0].text, "before", _program(failed)
    return "", "none", _program(failed)


def _explains(failed: SessionStep, one: Part, other: Part) -> bool:
    """Whether the change can have been what mattered: a flag or word more, or one less that the error names."""
    mine, theirs = set(one.words), set(other.words)
    gone, new = mine - theirs, theirs - mine
    flags = {
        word for word in new if word.startswith("-") and word.split("=")[0] not in ("-m", "--message", "-n", "-v", "-q")
    }
    if flags:
        return True
    said = failed.error
    return any(len(word) > 2 and word.strip("\"'") in said for word in gone) or (not gone and bool(new))


def _named_command(failed: SessionStep, later: Sequence[SessionStep]) -> str:
    """A command that the failed call's output names and that was run afterwards with success."""
    known = {part.plain for part in failed.parts}
    ran = [part for step in later if step.kind == "command" and step.ok for part in step.parts]
    new = [part for part in ran if part.plain not in known]
    for named in _commands_in(failed.output):
        if _is_other(named, failed):
            for part in new:
                if _begins_like(part.plain, named.plain):
                    return part.text
    return ""


def _commands_in(output: str) -> Iterator[Part]:
    """The commands that an output speaks of."""
    for line in lines_of(output)[:60]:
        for match in _NAMED.finditer(line):
            parts = parts_of((match[1] or match[2]).strip())
            if len(parts) == 1 and len(parts[0].words) > 1 and not parts[0].looks:
                yield parts[0]


def _is_other(named: Part, failed: SessionStep) -> bool:
    """Whether a named command is more than the one that failed, said again."""
    flags = {word for word in named.words if word.startswith("-")}
    return all(part.head != named.head or flags - set(part.words) for part in failed.parts)


def _begins_like(plain: str, named: str) -> bool:
    """Whether a command is one that was named; what is a value may differ."""
    mine, theirs = plain.split(), named.split()
    return mine[:2] == theirs[:2] and {w for w in theirs if w.startswith("-")} <= set(mine)


def _folder(line: str) -> str:
    return next((part.words[1] for part in parts_of(line) if part.words[0] == "cd" and len(part.words) > 1), "")


def fixes_in(steps: Sequence[SessionStep], session: str) -> Iterator[Repair]:
    """Only those that have a remedy."""
    return (one for one in repairs_of(steps, session) if one.how != "none")
