"""Lessons as one plain line: errors and commands without what was said only once."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from metier.learning.lessons.session.commands import parts_of, slot_of
from metier.learning.lessons.session.steps import masked

if TYPE_CHECKING:
    from collections.abc import Sequence

ERROR = 100
"""Characters of an error that a line quotes."""
COMMAND = 160
"""Characters of a command that a line can hold."""
_JOINTS = ("&&", ";", "||", "|", "&")
_USUAL_NAMES = frozenset(("origin", "upstream", "main", "master", "HEAD", ".", "..", "./...", "--"))
_BRANCHING = frozenset(
    ("git", verb)
    for verb in ("push", "checkout", "switch", "merge", "rebase", "branch", "fetch", "pull", "cherry-pick")
)
_ODD = re.compile(r"(?<![\w-])(?!--)[A-Za-z]\w*(?:[-_.]\w+)+")
_HOLES = re.compile(r"(?:…[\s,;:'\"]*){2,}")
_GENERIC = re.compile(r"^(?:(?:error|fatal|stderr): ?)+", re.IGNORECASE)
_ORDER = re.compile(
    r"(?:^|[;:.!?*(\"-] *|^\W*(?:no|yes|ok|please)\b[,.!:]* |\b(?:to|please|first) |\b(?:you|we) (?:must|should) |"
    r"\b(?:make sure|ensure|want)(?: that)? (?:you|we)(?: to)? )"
    r"(?P<order>(?:always|never) `?(?!(?:mind|been|so|be able|true|false|there|wrong|the|an?)\b)\w+(?<!ed)(?<!ing)\b"
    r"|(?:from now on|next time)\b).*",
    re.IGNORECASE | re.DOTALL,
)
"""The part of a sentence that says what is wanted."""
ORDER = 4
"""Words that such a part has at least, to be clear alone; and words before it that are worth leaving out."""
_AFTER_ORDER = re.compile(r"\s*(?:\*\*|</?\w|\?\s|\.\s+[A-Z]).*|[\s?.!*]+$", re.DOTALL)
_HOME = re.compile(r"/(?:home|Users)/[^/\s]+")


def order_in(sentence: str) -> str:
    """What a sentence orders, in the person's words; the whole sentence where that is not plain."""
    found = _ORDER.search(sentence)
    if found is None or len(sentence[: found.start("order")].split()) < ORDER:
        return sentence
    order = _AFTER_ORDER.sub("", found["order"] + sentence[found.end("order") :])
    return order if len(order.split()) >= ORDER else sentence


def error_wording(errors: Sequence[str], sessions: int, program: str = "") -> str:
    """The error as one says it to somebody: words that differ, values and names are holes, but for the program's."""
    lines = [masked(line).split() for line in errors]
    newest = lines[-1]
    alike = [line for line in lines if len(line) == len(newest)]
    words = [word if all(line[at] == word for line in alike) else "…" for at, word in enumerate(newest)]
    text = " ".join(words)
    if sessions < 2:
        text = _ODD.sub(lambda found: found[0] if found[0] in program else "…", text)
    text = _balanced(_HOLES.sub("… ", _GENERIC.sub("", text)).strip(" .:,;"))
    return text if len(text) <= ERROR else f"{text[:ERROR].rsplit(' ', 1)[0].rstrip(' .:,;')} …"


def _balanced(text: str) -> str:
    """A text without a quote that was opened and cut off."""
    for sign in ("'", '"', "`"):
        if text.count(sign) % 2 and not re.search(rf"\w{sign}\w", text):
            text = "".join(text.rsplit(sign, 1))
    return text.strip(" .:,;")


def trigger_of(wording: str) -> str:
    """The longest piece of an error that is the same each time: what to look for in an output."""
    pieces = [_balanced(piece.strip(" .:,;()")) for piece in wording.split("…")]
    return max(pieces, key=len, default="")


def command_wording(commands: Sequence[str], sessions: Sequence[str]) -> str:
    """One command for several that did the same: what differs from session to session is a slot."""
    rows = [_words(line) for line in commands]
    shape = Counter(map(len, rows)).most_common(1)[0][0]
    alike = [(row, session) for row, session in zip(rows, sessions, strict=True) if len(row) == shape]
    heads = _heads(alike[-1][0])
    count = len({session for _, session in alike})
    found: list[str] = []
    for at in range(shape):
        said = [row[at] for row, _ in alike]
        found.append(said[-1] if at in heads else _word(said, count, after=found))
    text = " ".join(word for at, word in enumerate(found) if not (at and word == found[at - 1] and word.isupper()))
    return _HOME.sub("~", text)


def _words(line: str) -> list[str]:
    found: list[str] = []
    for part in parts_of(line):
        if found:
            found.append(part.joint or "&&")
        found += part.words
    return found


def _heads(words: Sequence[str]) -> set[int]:
    """The places of programs and what they are told to do: these are never values."""
    found: set[int] = set()
    start = 0
    for at, word in enumerate([*words, "&&"]):
        if word in _JOINTS:
            part = parts_of(" ".join(words[start:at]))
            length = len(part[0].head.split()) if part else 0
            found |= set(range(start, start + length))
            start = at + 1
    return found


def _word(said: Sequence[str], sessions: int, *, after: Sequence[str]) -> str:
    """A word that all say, or the slot for what they say differently."""
    newest = said[-1]
    if newest in _JOINTS or newest in _USUAL_NAMES or _is_the_forced_file(said, after):
        return newest
    if _takes_branch(after) and not newest.startswith("-"):
        return "BRANCH"
    slot = slot_of(newest)
    if _is_agreed(said, sessions) and slot not in ("NAME", "N", "ADDRESS"):
        return newest
    if slot != newest or newest.startswith("-") or "/" in newest:
        return slot
    return _name_or_word(newest, sessions)


def _name_or_word(newest: str, sessions: int) -> str:
    return "NAME" if sessions > 1 or _ODD.fullmatch(newest) else newest


def _is_agreed(said: Sequence[str], sessions: int) -> bool:
    """Whether most sessions say the newest word; a name needs three of them, for two may be about the same thing."""
    newest = said[-1]
    most = sessions > 1 and said.count(newest) * 2 > len(said) and " " not in newest
    return most and (sessions > 2 or not _ODD.fullmatch(newest))


def _is_the_forced_file(said: Sequence[str], after: Sequence[str]) -> bool:
    """Whether all add this one file of the project by force: "any path" would be bad advice."""
    return is_forced_add(after) and len(set(said)) == 1 and not said[-1].startswith(("/", "~", "$", "."))


def is_forced_add(words: Sequence[str]) -> bool:
    """Whether the words of a command add a file that git is told to leave out."""
    return tuple(words[:2]) == ("git", "add") and ("-f" in words or "--force" in words)


def _takes_branch(before: Sequence[str]) -> bool:
    """Whether the words of a command so far call for the name of a branch."""
    start = max((at + 1 for at, word in enumerate(before) if word in _JOINTS), default=0)
    return tuple(before[start : start + 2]) in _BRANCHING
