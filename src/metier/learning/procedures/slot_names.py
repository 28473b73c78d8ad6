"""Names for the slots of templates: the same value everywhere has the same name, in the words of those who asked."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.learning.procedures.template import SAID, Slot, Template, is_said, slots_of
from metier.text.words import terms_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OPTION = re.compile(r"--?[A-Za-z][\w-]*")
_KEY = re.compile(r"([A-Za-z][\w-]{1,})[=:]\Z")
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("date", re.compile(r"\d{4}-\d{2}-\d{2}.*")),
    ("month", re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")),
    ("version", re.compile(r"v?\d+(?:\.\d+)+.*")),
    ("number", re.compile(r"\d{1,6}")),
    ("id", re.compile(r"\d{7,}|(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,64}|[0-9a-f]{8}-[0-9a-f-]{27}")),
    ("url", re.compile(r"https?://\S+")),
    ("host", re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}")),
    ("file", re.compile(r"[\w./-]*\.[A-Za-z]\w{0,5}")),
    ("path", re.compile(r"[\w.-]*/[\w./-]*")),
)
_PLAIN = ("date", "month", "version", "url", "host")
"""Looks that say more than any word before them."""
_SHORT_OPTIONS = {
    "-m": "message",
    "-am": "message",
    "-b": "branch",
    "-t": "tag",
    "-o": "file",
    "-f": "file",
    "-n": "number",
    "-d": "name",
}
_BRANCHES = re.compile(r"(?:origin|checkout|-b|switch|upstream)")
_NAME = re.compile(r"[^\W_][\w-]{0,23}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """A name for each slot, and what each run put under it."""

    of_slot: Mapping[Slot, str]
    asked: frozenset[str]
    """Names whose values stood in the request itself."""
    values: Mapping[int, Mapping[str, str]]
    """Of each run: value -> name."""

    def fill(self, template: Template) -> str:
        """The template as text, with `<name>` in each slot."""
        return "".join(part if isinstance(part, str) else f"<{self.of_slot[part]}>" for part in template)

    def names_in(self, template: Template) -> frozenset[str]:
        """The names of a template's slots."""
        return frozenset(self.of_slot[slot] for slot in slots_of(template))


def names_for(templates: Sequence[Template], messages: Sequence[str]) -> Names:
    """Names for the slots of all templates together; `messages` are the requests, by number of the run."""
    together = [frozenset(slots_of(template)) for template in templates]
    slots = list(dict.fromkeys(slot for template in templates for slot in slots_of(template)))
    filled = frozenset(value for slot in slots for _, value in slot.values)
    of_slot: dict[Slot, str] = {}
    asked: set[str] = set()
    values: dict[int, dict[str, str]] = {number: {} for number in range(len(messages))}
    for group in _groups(slots):
        name = _free(_name(group, messages, filled), group, together, of_slot)
        of_slot |= dict.fromkeys(group, name)
        pairs = {pair for slot in group for pair in slot.values}
        if _is_asked_for(pairs, messages):
            asked.add(name)
        for number, value in sorted(pairs):
            values.setdefault(number, {}).setdefault(value, name)
    return Names(of_slot=of_slot, asked=frozenset(asked), values=values)


def _is_asked_for(pairs: set[tuple[int, str]], messages: Sequence[str]) -> bool:
    """Whether people name the value in their requests, most of the time."""
    said = [is_said(value, messages[number]) for number, value in pairs if number < len(messages)]
    return bool(said) and sum(said) >= SAID * len(said)


def _free(name: str, group: Sequence[Slot], together: Sequence[frozenset[Slot]], taken: Mapping[Slot, str]) -> str:
    """The name, with a number where another slot of the same template has it already."""
    near = {taken[slot] for one in together if one & set(group) for slot in one if slot in taken}
    number = 1
    while (f"{name}-{number}" if number > 1 else name) in near:
        number += 1
    return f"{name}-{number}" if number > 1 else name


def _groups(slots: Sequence[Slot]) -> list[list[Slot]]:
    """Slots that every run fills with the same value belong together."""
    groups: list[list[Slot]] = []
    for slot in slots:
        home = next((group for group in groups if any(_same(slot, other) for other in group)), None)
        if home is None:
            groups.append([slot])
        else:
            home.append(slot)
    return groups


def _same(one: Slot, other: Slot) -> bool:
    mine, theirs = dict(one.values), dict(other.values)
    both = mine.keys() & theirs.keys()
    if len(both) < 2 and len(mine) > 1:
        return False
    return bool(both) and sum(mine[run] == theirs[run] for run in both) >= 0.9 * len(both)


def _name(group: Sequence[Slot], messages: Sequence[str], taken: frozenset[str]) -> str:
    """The best name any of the slots suggests: its option, what people call it, what it looks like."""
    hints: list[tuple[int, str]] = []
    for slot in group:
        hints += _from_place(slot)
        hints += _from_looks(slot)
    hints += _from_requests(group, messages, taken)
    ranked = Counter(hint for hint in hints)
    return min(ranked, key=lambda hint: (-hint[0], -ranked[hint], hint[1]))[1]


def _from_place(slot: Slot) -> list[tuple[int, str]]:
    word, _, lead = slot.before.partition(" ")
    found: list[tuple[int, str]] = []
    if key := _KEY.search(lead):
        found.append((5, key[1].lower()))
    option = lead.rstrip("=") if lead.startswith("--") else word if not lead else ""
    if option in _SHORT_OPTIONS:
        found.append((5, _SHORT_OPTIONS[option]))
    elif option.startswith("--") and _OPTION.fullmatch(option):
        found.append((6, option.strip("-").split("-")[-1].lower()))
    elif _BRANCHES.fullmatch(word):
        found.append((4, "branch"))
    return [(weight, name) for weight, name in found if _NAME.match(name)]


def _from_looks(slot: Slot) -> list[tuple[int, str]]:
    values = [value for _, value in slot.values]
    for name, pattern in _KINDS:
        if values and all(pattern.fullmatch(value) for value in values):
            return [(5 if name in _PLAIN else 2, name)]
    return [(1, "name")]


def _from_requests(group: Sequence[Slot], messages: Sequence[str], taken: frozenset[str]) -> list[tuple[int, str]]:
    """The word people put right before the value, where enough of them do; no other slot's value."""
    pairs = {pair for slot in group for pair in slot.values}
    before: Counter[str] = Counter()
    said = 0
    for number, value in pairs:
        if number < len(messages) and is_said(value, messages[number]):
            said += 1
            word = _word_before(value, messages[number])
            if _NAME.match(word) and terms_of(word) and word not in taken:
                before[word.lower()] += 1
    top = min(before, key=lambda word: (-before[word], word), default="")
    enough = top and before[top] >= 2 and before[top] >= 0.25 * said
    return [(4, top)] if enough else []


def _word_before(value: str, message: str) -> str:
    lead = message.partition(value)[0].split()
    return lead[-1].strip("`'\":,(") if lead else ""
