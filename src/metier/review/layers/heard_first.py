"""Parts of a learned text that an untrusted text said before the agent did them: a person has to agree to each."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.review.reach.document_commands import FENCE, KNOWN, SPAN, command_texts, parse_known
from metier.review.rules.catalogue import finding
from metier.review.text.tokens import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.review.layers.evidence import RunText
    from metier.review.layers.timeline import Timeline
    from metier.review.text.views import ReviewedText
    from metier.text.shell.command import SimpleCommand
    from metier.types import Finding

PHRASE = 5
"""So many words of prose in a row that an untrusted text said first are looked at by a person."""
MOST = 12
"""Findings of one file that are told; more say nothing new."""
_HOLE = re.compile(r"[^\s'\"]*(?:‹[^›]*›|…)[^\s'\"]*")
_GENERIC = frozenset(
    word
    for line in (
        "status log diff test tests build run check show list add commit push pull main master src lib docs all",
        "install start stop init config get set create delete update dev help version true false origin head file",
        "files data name new old default out output input json csv md txt py js ts html yes no the a of to in on",
        "for and or with",
    )
    for word in line.split()
)
"""Words that every project uses: alone they come from nowhere."""


def heard_first_findings(source: ReviewedText, timeline: Timeline, own: Sequence[str] = ()) -> list[Finding]:
    """One finding for each command, span or phrase of a file with a part that an untrusted text said first.

    `own` are sentences of the writer of drafts, which come from nobody else.
    """
    found: dict[str, Finding] = {}
    for shown, parts in _groups(source):
        for part in parts:
            if _says_something(part) and (told := timeline.heard_before(part)) is not None:
                found.setdefault(part, _finding(source, shown, f"`{_short(part)}` {_by(told)}"))
                break
    for window, told in _phrases(source, timeline, own):
        one = _finding(source, window, f"“{window}” {_by(told)}")
        if not any(other.line == one.line for other in found.values()):
            found[window] = one
    return list(found.values())[:MOST]


def _by(told: RunText) -> str:
    where = f"run {told.run + 1}, {told.where}" if told.run >= 0 else f"{told.where} in another run of the session"
    return f"comes from {where} ({told.origin}): it was there before the agent used it, and no person said it."


def _finding(source: ReviewedText, shown: str, reason: str) -> Finding:
    at = source.text.find(shown)
    if at < 0:
        place = re.search(r"[\W_]+".join(map(re.escape, words(shown)[:PHRASE])), source.text, re.IGNORECASE)
        span = place.span() if place else (0, 1)
    else:
        span = (at, at + len(shown))
    return replace(finding(source, "heard-first", span), reason=reason)


def _groups(source: ReviewedText) -> Iterator[tuple[str, list[str]]]:
    """What stands in code, each with its parts: whole commands first, then their words."""
    text = source.plain.text
    taken: set[str] = set()
    for line in command_texts(text, script=source.script, learned=True):
        taken.add(line)
        for command in parse_known(line):
            yield _place(line), [*_pieces(command), *_words(command)]
    for span in SPAN.finditer(FENCE.sub("\n", text)):
        said = span[2].strip()
        if said not in taken:
            yield said, [said]


def _place(line: str) -> str:
    """What to look for in the text to find a command: up to the first placeholder."""
    return line.partition("‹")[0].strip() or line


def _pieces(command: SimpleCommand) -> Iterator[str]:
    """The command as a whole, cut where a value stands that is another one each time."""
    for piece in _HOLE.split(" ".join(command.words)):
        if len(words(piece)) > 1:
            yield piece


def _words(command: SimpleCommand) -> Iterator[str]:
    if command.name not in KNOWN:
        yield command.program
    for name, value in command.assignments:
        yield from (f"{name}={value}", name, value)
    for one in (*command.arguments, *(one.target for one in command.redirections)):
        if _HOLE.search(one):
            yield from (piece for piece in _HOLE.split(one) if piece)
            continue
        yield one
        if "=" in one:
            yield from one.split("=")


def _says_something(part: str) -> bool:
    """Whether a part can come from somewhere: not a number, a letter, or what every project uses (`git status`)."""
    said = words(part)
    return any(len(word) > 2 and not word.isdigit() and word not in _GENERIC and word not in KNOWN for word in said)


def _phrases(source: ReviewedText, timeline: Timeline, own: Sequence[str]) -> Iterator[tuple[str, RunText]]:
    """Stretches of prose that an untrusted text said first, the first of each line."""
    prose = FENCE.sub("\n", source.plain.text)
    for sentence in own:
        prose = prose.replace(sentence, "\n")
    lines = [words(line) for line in prose.splitlines()]
    windows = {
        " ".join(line[at : at + PHRASE]): number
        for number, line in enumerate(lines)
        for at in range(len(line) - PHRASE + 1)
    }
    told: set[int] = set()
    for window, by in timeline.heard_windows(set(windows), PHRASE).items():
        if windows[window] not in told:
            told.add(windows[window])
            yield window, by


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
