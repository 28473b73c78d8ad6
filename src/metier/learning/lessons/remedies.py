"""Fixes from many sessions: one for each trouble whose remedy is clear."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, assert_never

from metier.learning.lessons.facts import role_of
from metier.learning.lessons.session.commands import parts_of
from metier.learning.lessons.session.steps import error_key
from metier.learning.lessons.wording import COMMAND, command_wording, error_wording, is_forced_add, trigger_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metier.types.sightings import Repair


SAME = 0.8
"""Share of words, place by place, that two errors of one program share when they are the same trouble."""
SHARED = 12
"""Characters that the errors of one remedy have in common, for these to be looked for."""
SHORTEST = 8
"""Characters of an error that says something."""
FEW = 9
"""Words of a remedy that was seen once."""
_ENTERING = re.compile(r"(?:source|\.|export|eval|nvm|conda|pyenv|asdf|mise|direnv) ")
"""Commands that enter an environment."""
SOON = 2
"""Tries until it worked, where only one session shows it."""
_PREPARING = frozenset(("install", "format", "migrate", "generate", "build"))
"""What commands are for that make another one work."""
HOLES = 2
"""Holes in an error that was seen once: with more it is about this one case."""
_UNDER_WAY = re.compile(r"--(?:continue|abort|skip|amend)\b")
"""Commands in the middle of something: they mend this once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A trouble, its remedy, and how often both were seen."""

    program: str
    error: str
    trigger: str
    command: str
    how: str
    sightings: tuple[Repair, ...]
    """Those that show the remedy, oldest first."""
    sessions: int
    """Sessions in which the remedy worked."""
    troubled: int
    """Sessions in which the error appeared."""
    tries: int

    @property
    def text(self) -> str:
        """The lesson's line."""
        lead = f"When `{self.program}` fails with “{self.error}”"
        if self.how == "before":
            return f"{lead}: run `{self.command}` first, then again."
        return f"{lead}: `{self.command}`"

    @property
    def entering(self) -> str:
        """What the remedy puts before the program to enter its environment."""
        before, _, program = self.command.rpartition(" && ")
        return before if _ENTERING.match(before) and program.split()[0] == self.program.split()[0] else ""


def fixes_from(repairs: Iterable[Repair]) -> list[Fix]:
    """The fixes that sessions agree on; one remedy for errors that say nearly the same is one fix."""
    found: list[Fix] = []
    for one in sorted(filter(None, map(_fix, by_trouble(repairs))), key=lambda fix: (-fix.sessions, fix.error)):
        twin = next((at for at, other in enumerate(found) if _is_twin(one, other)), None)
        if twin is None:
            found.append(one)
        else:
            found[twin] = _joined(found[twin], one)
    return found


def _is_twin(one: Fix, other: Fix) -> bool:
    """Whether two fixes have one remedy, and errors that share most of their words."""
    if (one.program, one.command, one.how) != (other.program, other.command, other.how):
        return False
    mine, theirs = (set(re.findall(r"[\w-]+", fix.error)) for fix in (one, other))
    return len(mine & theirs) * 2 > len(mine | theirs)


def _joined(fix: Fix, twin: Fix) -> Fix:
    """A fix that is looked for by what both errors say."""
    words = fix.trigger.split()
    match = SequenceMatcher(None, words, twin.trigger.split(), autojunk=False).find_longest_match()
    shared = " ".join(words[match.a : match.a + match.size]).strip(" .:,;'\"")
    return replace(fix, trigger=shared if len(shared) >= SHARED else fix.trigger)


def _fix(group: Sequence[Repair]) -> Fix | None:
    """The remedy of one trouble; None: there is none, or it is not clear."""
    best = _best(group)
    sessions = len(_sessions(best))
    if not best or not _is_clear(best, sessions):
        return None
    command = command_wording([one.fix for one in best], [one.session for one in best])
    error = error_wording([one.error for one in best], sessions, f"{best[-1].program} {best[-1].fix}")
    if len(command) > COMMAND or not _says_enough(error, sessions) or _forces_anything(command):
        return None
    programs = Counter(one.program for one in best)
    return Fix(
        program=programs.most_common(1)[0][0],
        error=error,
        trigger=trigger_of(error),
        command=command,
        how="before" if _is_other_program(best[-1]) else "instead",
        sightings=tuple(best),
        sessions=sessions,
        troubled=len(_sessions(group)),
        tries=sum(one.tries for one in group),
    )


def _forces_anything(command: str) -> bool:
    """Whether a remedy adds whatever is told to be left out: a habit nobody wants taught."""
    return any(is_forced_add(part.words) and "PATH" in part.words for part in parts_of(command))


def _says_enough(error: str, sessions: int) -> bool:
    return len(error) >= SHORTEST and (sessions > 1 or error.count("…") <= HOLES)


def _best(group: Sequence[Repair]) -> list[Repair]:
    """The sightings of the remedy that most sessions agree on; of two, the newer one."""
    remedies: dict[tuple[str, ...], list[Repair]] = defaultdict(list)
    for one in group:
        if one.fix:
            remedies[_skeleton(one)].append(one)
    if not remedies:
        return []
    return max(remedies.values(), key=lambda found: (len(_sessions(found)), found[-1].moment, found[-1].fix))


def _is_clear(best: Sequence[Repair], sessions: int) -> bool:
    """Two sessions agree; or one shows it at once, and the error itself names it or the change is small."""
    if sessions > 1:
        return True
    one = best[-1]
    if len(one.fix.split()) > FEW or _UNDER_WAY.search(one.fix) or "TEXT" in command_wording([one.fix], [""]):
        return False
    match one.how:
        case "named":
            return True
        case "together" | "instead" | "before":
            return one.tries <= SOON and _is_small(one)
        case "folder" | "after" | "none":
            return False
        case _:
            assert_never(one.how)


def _is_small(one: Repair) -> bool:
    """Whether a remedy is a change of the same command, or a step that only prepares it."""
    if one.how == "together":
        return bool(_ENTERING.match(one.fix))
    return one.how != "before" or role_of(one.fix) in _PREPARING or one.fix.startswith("git add ")


def _is_other_program(one: Repair) -> bool:
    return one.how in ("before", "named") and all(part.head != one.program for part in parts_of(one.fix))


def _skeleton(one: Repair) -> tuple[str, ...]:
    """What two remedies share: programs, what they are told to do, and their flags."""
    found: list[str] = []
    for part in parts_of(one.fix):
        found.append(part.head if one.how != "together" else part.words[0])
        if one.how != "together":
            found += sorted({word.split("=")[0] for word in part.words if word.startswith("-")})
    return tuple(found)


def _sessions(found: Iterable[Repair]) -> set[str]:
    return {one.session for one in found}


def by_trouble(repairs: Iterable[Repair]) -> list[list[Repair]]:
    """Failures of one program with one meaning together, in the order they first appeared."""
    exact: dict[tuple[str, str], list[Repair]] = defaultdict(list)
    for one in repairs:
        exact[one.program.split()[0], error_key(one.error)].append(one)
    groups: list[tuple[str, list[str], list[Repair]]] = []
    for (program, key), found in exact.items():
        words = key.split()
        near = next((group for group in groups if group[0] == program and is_near(group[1], words)), None)
        if near is None:
            groups.append((program, words, list(found)))
        else:
            near[2].extend(found)
    return [found for _, _, found in groups]


def is_near(one: list[str], other: list[str]) -> bool:
    """Whether two errors have the same words at nearly all places."""
    if len(one) != len(other) or len(one) < 4:
        return one == other
    return sum(a == b for a, b in zip(one, other, strict=True)) >= SAME * len(one)
