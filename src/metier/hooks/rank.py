"""Find the skill for a request: search its rarest words in the full-text index, and choose only when it is safe.

The weights were fitted on labelled requests against libraries of 3 to 10,000 skills (`benchmarks/agents/hook.py`).
"""
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import os
import re
from math import exp, log

from metier.hooks.stamp import fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from sqlite3 import Connection

PROMPT_LIMIT = 4_000
"""Characters of a request that are read."""
WORD_LIMIT, SEARCH_LIMIT = 48, 16
"""Words of a request that are counted, and how many of them, the rarest, are searched."""
NEAREST, CLOSEST = 12, 4
"""Skills that full text finds (some may belong to other workspaces), and how many of them are compared."""
COMMON, SMALL = 0.2, 40
"""A word in more than this share of the skills is not searched, unless there are at most so few skills."""
OTHERS = 100
"""Skills added to the count as if they had none of the words: in a library of three, two are not yet many."""
BIAS, COVERAGE, HEAD_COVERAGE, LEAD, LENGTH = -10.5, 3.1, 2.8, 8.25, 3.1
"""Weights of: words found anywhere, words found in name or description, lead over the next skill, number of words."""
MIN_PROBABILITY, MIN_LEAD = 0.7, 0.03
"""A skill is chosen from this probability on, and only with more than this lead."""
MOST_FILES = 64
"""A skill with more files than this is not handed out by hooks: looking at all of them takes too long."""
CJK = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af])")
"""The store puts a space around each of these characters, too."""
WORD = re.compile(r"[^\W_]+")
STOP = (
    " a an the and or of to in on for with is are was be been it its this that these those i you we he she they my your"
    " our me us them do does did can could would should will have has had not no so if then than as at by from into"
    " about what which who how when where why please help want need get make let just there here up out "
)
"""Words that are not searched, each between two spaces."""


class RankedSkill:
    """A skill that may fit a request, and how much of the request it contains."""

    __slots__ = (
        "context",
        "coverage",
        "document",
        "factor",
        "hash",
        "head_coverage",
        "name",
        "number",
        "stamp",
        "tokens",
    )

    def __init__(self, row: Sequence[object]) -> None:
        self.number, self.name, self.hash, self.document = int(str(row[0])), str(row[1]), str(row[2]), str(row[3])
        self.stamp, self.factor, self.tokens = str(row[4]), float(str(row[5])), int(str(row[6]))
        self.context = str(row[7])
        self.coverage = self.head_coverage = 0.0

    @property
    def score(self) -> float:
        """How much of the request it contains, from 0 to 1."""
        return self.factor * (self.coverage + self.head_coverage) / 2


def choose_skills(
    connection: Connection, workspace: str, agent: str, prompt: str
) -> tuple[list[RankedSkill], RankedSkill | None]:
    """The skills pinned for every run, and the one skill that fits this request, or None if that is not certain."""
    sql = read_statements()
    place = workspace, f",{agent},"
    always = [RankedSkill(row) for row in connection.execute(sql["always"], place)]
    pinned = {one.name for one in always}
    near, words = rank_skills(connection, sql, place, words_of(prompt))
    near = [one for one in near if one.name not in pinned]
    if not near:
        return [one for one in always if is_unchanged(one)], None
    first = near[0]
    lead = first.score - max((one.score for one in near[1:]), default=0.0)
    is_sure = probability_of(first, lead, words) >= MIN_PROBABILITY and lead > MIN_LEAD
    fits = is_sure and first.context and is_unchanged(first)
    return [one for one in always if is_unchanged(one)], first if fits else None


def rank_skills(
    connection: Connection, sql: Mapping[str, str], place: tuple[str, str], words: list[str]
) -> tuple[list[RankedSkill], int]:
    """The skills that contain most of the words, the best first, and the number of words."""
    used, weight = weigh_words(connection, sql, words)
    if not used:
        return [], 0
    skills = closest_skills(connection, sql, place, used)
    which = sql["which"].replace("$numbers", ",".join(map(str, skills)))
    total = sum(weight.values())
    for word in used if skills else ():
        for (number,) in connection.execute(which, (f'"{word}"',)):
            skills[number].coverage += weight[word] / total
        for (number,) in connection.execute(which, (f'{{name description}} : "{word}"',)):
            skills[number].head_coverage += weight[word] / total
    return list(skills.values()), len(words)


def weigh_words(connection: Connection, sql: Mapping[str, str], words: list[str]) -> tuple[list[str], dict[str, float]]:
    """The rarest words, which are searched, and the weight of each of them and of each word that no skill contains.

    A number that no skill contains is a value of this request: it says nothing against a skill.
    """
    size = connection.execute(sql["size"]).fetchone()[0]
    count = {word: connection.execute(sql["holding"], (f'"{word}"',)).fetchone()[0] for word in words}
    words = [word for word in words if count[word] or not word.isdigit()]
    known = [word for word in words if count[word] and (size <= SMALL or count[word] <= COMMON * size)]
    used = sorted(known, key=lambda word: count[word])[:SEARCH_LIMIT]
    weight = {
        word: log(1 + (size + OTHERS - count[word] + 0.5) / (count[word] + 0.5))
        for word in words
        if word in used or not count[word]
    }
    return used, weight


def closest_skills(
    connection: Connection, sql: Mapping[str, str], place: tuple[str, str], words: list[str]
) -> dict[int, RankedSkill]:
    """The few skills for this workspace and agent that full text finds first, by number and in its order."""
    query = " OR ".join(f'"{word}"' for word in words)
    numbers = [row[0] for row in connection.execute(sql["best"], (query, NEAREST))]
    within = ",".join(str(number) for number in numbers)
    rows = connection.execute(sql["skills"].replace("$numbers", within), place)
    found = {skill.number: skill for skill in map(RankedSkill, rows)}
    return {number: found[number] for number in [one for one in numbers if one in found][:CLOSEST]}


def probability_of(skill: RankedSkill, lead: float, words: int) -> float:
    """How likely it is that the best skill is the right one; fitted on labelled requests."""
    length = LENGTH * log(min(max(words, 1), SEARCH_LIMIT))
    found = BIAS + COVERAGE * skill.coverage + HEAD_COVERAGE * skill.head_coverage
    return 1 / (1 + exp(-(found + LEAD * lead + length)))


def words_of(prompt: str) -> list[str]:
    """The distinct words of a request, without very common ones."""
    spaced = CJK.sub(r" \1 ", prompt[:PROMPT_LIMIT].lower())
    found = dict.fromkeys(word for word in WORD.findall(spaced) if (len(word) > 1 or CJK.match(word)))
    return [word for word in found if f" {word} " not in STOP][:WORD_LIMIT]


def is_unchanged(skill: RankedSkill) -> bool:
    """Whether the skill's folder is still as it was when its text was prepared; never if it has very many files."""
    stamp, _ = fingerprint(os.path.dirname(skill.document), MOST_FILES)
    return bool(stamp) and stamp == skill.stamp


def read_statements() -> dict[str, str]:
    """The SQL statements that the store has for hooks, by name."""
    file = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "store", "quick_select.sql")
    with open(file, encoding="utf-8") as source:
        parts = source.read().split("-- name: ")[1:]
    return {name: sql.strip().rstrip(";") for name, _, sql in (part.partition("\n") for part in parts)}
