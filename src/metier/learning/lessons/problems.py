"""Work that keeps failing: nothing can be taught yet, but somebody should look at it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.learning.lessons.remedies import by_trouble
from metier.learning.lessons.session.steps import error_line
from metier.learning.lessons.wording import error_wording
from metier.learning.procedures.actions import foreign_tool
from metier.text.words import stems_of
from metier.types.lessons import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from metier.types import Pattern, Record, Run
    from metier.types.sightings import Repair

SHORTEST, LONGEST = 30, 240
"""Characters of a sentence that gives a reason."""
LEAST_SHARED = 2
"""Sessions that have to give the same reason."""
SAME = 0.5
"""Share of words that two sentences share when they give the same reason."""
PREFIX = 3
"""Letters that a word of a tool's name and one of a sentence share when they mean the same."""
_REASON = re.compile(
    r"\b(?:since|because|only (?:if|be|when|after|within)|cannot|can't|unable|must|unless|"
    r"not (?:allowed|eligible|possible|permitted)|please confirm|need (?:your|to) confirm)\b",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(r"\*\*|`|https?://|\b(?=\w*\d)(?=\w*[A-Z])\w{5,}\b|\d{4}-\d\d|[\w.]+@[\w.]+")
_END = re.compile(r"(?<=[.!?])\s+|\n+")


def reasons_given(records: Iterable[Record]) -> list[tuple[str, int]]:
    """The reasons that several successful sessions gave, the commonest first, with how many sessions."""
    groups: list[tuple[frozenset[str], dict[str, str]]] = []
    for record in records:
        if record.success:
            session = record.run.session or record.id
            for sentence in _sentences(record.run):
                _add(groups, sentence, session)
    found = [(min(said.values(), key=lambda text: (len(text), text)), len(said)) for _, said in groups]
    return sorted([one for one in found if one[1] >= LEAST_SHARED], key=lambda one: (-one[1], one[0]))


def reason_about(tool: str, reasons: Sequence[tuple[str, int]], tools: Iterable[str]) -> str:
    """The commonest reason that is about what a tool does; empty: none is."""
    words = telling_words(tool, tools)
    return next((text for text, _ in reasons if any(_is_about(word, text) for word in words)), "")


def said_before(tool: str, records: Iterable[Record]) -> str:
    """What agents said last before they used a tool, in half of the runs with it that went well; empty: nothing."""
    said = [_last_words(tool, record.run) for record in records if record.success]
    asked = [sentence for sentence in said if sentence is not None]
    counts = Counter(word for sentence in asked for word in stems_of(sentence))
    common = {word for word, count in counts.items() if count >= max(LEAST_SHARED, len(asked) / 2)}
    usable = [one for one in asked if one and not _ONE_OFF.search(one)]
    best = min(usable, key=lambda one: (-len(common & stems_of(one)), len(one), one), default="")
    return best if len(common & stems_of(best)) >= LEAST_SHARED else ""


def _last_words(tool: str, run: Run) -> str | None:
    """The last sentence before the first use of a tool; None: it was not used."""
    call = next((one for one in run.tools if foreign_tool(one) == tool), None)
    return None if call is None else " ".join(_END.split(call.said.strip())[-1].split())


def telling_words(tool: str, tools: Iterable[str]) -> list[str]:
    """The words of a tool's name that few other tools have."""
    names = list(tools)
    counts = Counter(word for name in names for word in set(_words(name)))
    return [word for word in _words(tool) if counts[word] <= max(1, len(names) // 4)]


def _add(groups: list[tuple[frozenset[str], dict[str, str]]], sentence: str, session: str) -> None:
    stems = stems_of(sentence)
    for known, said in groups:
        if stems and len(stems & known) >= SAME * max(len(stems), len(known)):
            said.setdefault(session, sentence)
            return
    groups.append((stems, {session: sentence}))


def _sentences(run: Run) -> Iterator[str]:
    texts = [*(one.text for one in run.context if one.origin == "model"), run.output]
    for text in texts:
        for sentence in _END.split(text):
            plain = " ".join(sentence.split())
            if SHORTEST <= len(plain) <= LONGEST and _REASON.search(plain) and not _ONE_OFF.search(plain):
                yield plain


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", name.casefold()) if len(word) >= PREFIX]


def _is_about(word: str, text: str) -> bool:
    return any(word.startswith(stem) or stem.startswith(word) for stem in stems_of(text) if len(stem) >= PREFIX)


LEAST = 2
"""Failed runs, or sessions with one error, from which on it is a problem."""
OFTEN = 3
"""Sessions in which a command's error has to stay without a remedy."""


def problem_of(pattern: Pattern, failed: Sequence[Record]) -> Problem | None:
    """A pattern that fails too often as a problem; None: it does not."""
    if len(failed) < LEAST:
        return None
    errors = Counter(filter(None, (error_of(one.run) for one in failed)))
    common = errors.most_common(1)
    return Problem(
        id=pattern.id[:12],
        label=pattern.label,
        failed=tuple(one.id for one in failed),
        sessions=len({one.run.session or one.id for one in failed}),
        error=error_wording([common[0][0]], common[0][1]) if common else "",
    )


def error_of(run: Run) -> str:
    """What went wrong last in a run, or why somebody says that it failed."""
    for call in reversed(run.tools):
        if (not call.ok or call.error) and (found := error_line(call.error or call.output)):
            return found
    return run.outcome.reason if run.outcome and not run.outcome.success else ""


def problems_from(repairs: Iterable[Repair]) -> list[Problem]:
    """Errors that come back in session after session and that nobody has found a remedy for."""
    found: list[Problem] = []
    for group in by_trouble(repairs):
        sessions = {one.session for one in group}
        solved = {one.session for one in group if one.fix}
        least = OFTEN if " " in group[-1].program or any(one.fix for one in group) else LEAST
        if len(sessions) >= least and len(solved) * 2 < len(sessions):
            wording = error_wording([one.error for one in group], len(sessions))
            label = f"{group[-1].program}: {wording}"
            found.append(
                Problem(
                    id=sha256(label.encode("utf-8", "replace")).hexdigest()[:12],
                    label=label,
                    failed=tuple(dict.fromkeys(one.run for one in group)),
                    sessions=len(sessions),
                    error=wording,
                )
            )
    return found


def failing_tools(records: Sequence[Record]) -> list[Problem]:
    """Tools of an agent's own world with which most runs failed, with the reason that other runs gave."""
    won: Counter[str] = Counter()
    lost: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        used = {tool for call in record.run.tools if (tool := foreign_tool(call)) is not None}
        if record.success:
            won.update(used)
        elif record.success is False:
            for tool in used:
                lost[tool].append(record)
    reasons = reasons_given(records) if lost else []
    failing = {tool: failed for tool, failed in lost.items() if len(failed) > won[tool]}
    found = (_failing_tool(tool, failed, won[tool]) for tool, failed in sorted(failing.items()))
    tools = {*won, *lost}
    return [replace(one, rule=_rule(one, reasons, tools, records)) for one in found if one is not None]


def _rule(problem: Problem, reasons: Sequence[tuple[str, int]], tools: set[str], records: Sequence[Record]) -> str:
    """What the runs that failed may have broken: a reason that others gave, and what they said before the tool."""
    tool = problem.label.partition(":")[0]
    before = said_before(tool, records)
    parts = [reason_about(tool, reasons, tools), f"Before it, runs that went well said: “{before}”" if before else ""]
    return " ".join(part for part in parts if part)


def _failing_tool(tool: str, failed: Sequence[Record], won: int) -> Problem | None:
    sessions = len({one.run.session or one.id for one in failed})
    if sessions < LEAST:
        return None
    errors = Counter(filter(None, (error_of(one.run) for one in failed))).most_common(1)
    return Problem(
        id=sha256(f"tool {tool}".encode("utf-8", "replace")).hexdigest()[:12],
        label=f"{tool}: {len(failed)} of {len(failed) + won} runs failed",
        failed=tuple(one.id for one in failed),
        sessions=sessions,
        error=error_wording([errors[0][0]], errors[0][1]) if errors else "",
    )
