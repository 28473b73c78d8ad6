"""How a hook finds the skill for a request: the rarest words in the full-text index, and a rule that is sure or silent.

The weights were fitted on labelled requests against libraries of 3 to 10,000 skills (`benchmarks/hook.py`).
"""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import os
import re
from math import exp, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from sqlite3 import Connection

READ = 4_000
"""Characters of a request that are looked at."""
ASKED, USED = 48, 16
"""Words of a request that are looked at, and the rarest of them that are searched."""
NEAREST, CLOSER = 12, 4
"""Skills that are searched, as some may belong elsewhere, and those of them that are looked at more closely."""
COMMON, SMALL = 0.2, 40
"""Words in more than this share of the skills say nothing, unless there are only so few skills."""
OTHERS = 100
"""Imagined skills without any of the words: in a library of three a word is not common because two have it."""
BIAS, HELD, HEAD, AHEAD, LENGTH = -10.5, 3.1, 2.8, 8.25, 3.1
"""Weights of: words held anywhere, in name or description, the lead before the next one, how much was said."""
SURE, LEAD = 0.7, 0.03
"""The probability from which on a skill is handed out, and the lead it must have at least."""
CJK = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af])")
"""As in the store, which puts a space around each of them, too."""
WORD = re.compile(r"[^\W_]+")
STOP = (
    " a an the and or of to in on for with is are was be been it its this that these those i you we he she they my your"
    " our me us them do does did can could would should will have has had not no so if then than as at by from into"
    " about what which who how when where why please help want need get make let just there here up out "
)
"""Words that say nothing, each between two spaces."""


class Skill:
    """A skill that comes into question."""

    __slots__ = ("context", "document", "factor", "hash", "head", "held", "name", "number", "stamp", "tokens")

    def __init__(self, row: Sequence[object]) -> None:
        self.number, self.name, self.hash, self.document = int(str(row[0])), str(row[1]), str(row[2]), str(row[3])
        self.stamp, self.factor, self.tokens = str(row[4]), float(str(row[5])), int(str(row[6]))
        self.context = str(row[7])
        self.held = self.head = 0.0

    @property
    def score(self) -> float:
        """How much of what was said it holds, from 0 to 1."""
        return self.factor * (self.held + self.head) / 2


def chosen(connection: Connection, workspace: str, prompt: str) -> tuple[list[Skill], Skill | None]:
    """The skills wanted in every run, and the one that surely fits this request, if there is one."""
    ask = statements()
    always = [Skill(row) for row in connection.execute(ask["always"], (workspace,))]
    pinned = {one.name for one in always}
    near, words = nearest(connection, ask, workspace, words_of(prompt))
    near = [one for one in near if one.name not in pinned]
    if not near:
        return [one for one in always if is_unchanged(one)], None
    first = near[0]
    ahead = first.score - max((one.score for one in near[1:]), default=0.0)
    sure = probability(first, ahead, words) >= SURE and ahead > LEAD
    fit = sure and first.context and is_unchanged(first)
    return [one for one in always if is_unchanged(one)], first if fit else None


def nearest(
    connection: Connection, ask: Mapping[str, str], workspace: str, words: list[str]
) -> tuple[list[Skill], int]:
    """The skills that hold most of the words, the best first, each with how much it holds; and how many were said."""
    used, weight = weighed(connection, ask, words)
    if not used:
        return [], 0
    there = closest(connection, ask, workspace, used)
    which = ask["which"].replace("$numbers", ",".join(map(str, there)))
    total = sum(weight.values())
    for word in used if there else ():
        for (number,) in connection.execute(which, (f'"{word}"',)):
            there[number].held += weight[word] / total
        for (number,) in connection.execute(which, (f'{{name description}} : "{word}"',)):
            there[number].head += weight[word] / total
    return list(there.values()), len(words)


def weighed(connection: Connection, ask: Mapping[str, str], words: list[str]) -> tuple[list[str], dict[str, float]]:
    """The rarest of the words, which are searched, and what each of them and each that no skill has is worth."""
    size = connection.execute(ask["size"]).fetchone()[0]
    count = {word: connection.execute(ask["holding"], (f'"{word}"',)).fetchone()[0] for word in words}
    known = [word for word in words if count[word] and (size <= SMALL or count[word] <= COMMON * size)]
    used = sorted(known, key=lambda word: count[word])[:USED]
    weight = {
        word: log(1 + (size + OTHERS - count[word] + 0.5) / (count[word] + 0.5))
        for word in words
        if word in used or not count[word]
    }
    return used, weight


def closest(connection: Connection, ask: Mapping[str, str], workspace: str, used: list[str]) -> dict[int, Skill]:
    """The few skills of this workspace that full text puts first, by number and in its order."""
    query = " OR ".join(f'"{word}"' for word in used)
    numbers = [row[0] for row in connection.execute(ask["best"], (query, NEAREST))]
    within = ",".join(str(number) for number in numbers)
    rows = connection.execute(ask["skills"].replace("$numbers", within), (workspace,))
    found = {skill.number: skill for skill in map(Skill, rows)}
    return {number: found[number] for number in [one for one in numbers if one in found][:CLOSER]}


def probability(skill: Skill, ahead: float, words: int) -> float:
    """How likely it is that the first of the found skills is the right one; fitted on labelled requests."""
    said = LENGTH * log(min(max(words, 1), USED))
    return 1 / (1 + exp(-(BIAS + HELD * skill.held + HEAD * skill.head + AHEAD * ahead + said)))


def words_of(prompt: str) -> list[str]:
    """The distinct words of a request that can say something."""
    spaced = CJK.sub(r" \1 ", prompt[:READ].lower())
    found = dict.fromkeys(word for word in WORD.findall(spaced) if (len(word) > 1 or CJK.match(word)))
    return [word for word in found if f" {word} " not in STOP][:ASKED]


def is_unchanged(skill: Skill) -> bool:
    """Whether the skill is still there, in the state in which its text was made."""
    try:
        state = os.stat(skill.document)
    except OSError:
        return False
    return skill.stamp == f"{state.st_ino} {state.st_size} {state.st_mtime_ns}"


def statements() -> dict[str, str]:
    """What the store lets hooks ask, by name."""
    file = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store", "quick_select.sql")
    with open(file, encoding="utf-8") as source:
        parts = source.read().split("-- name: ")[1:]
    return {name: sql.strip().rstrip(";") for name, _, sql in (part.partition("\n") for part in parts)}
