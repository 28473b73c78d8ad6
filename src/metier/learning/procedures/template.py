"""One text that stands for many: what they share stays, what differs becomes a slot."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from metier.learning.procedures.shell import head_of, segments, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

KEPT = 0.7
"""Share of the texts that must agree on a piece for it to stay as it is."""
PRESENT = 0.5
"""Share of the texts that must have a word at all, exclusively."""
_ATOM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|v?\d+(?:\.\d+)+(?:-?(?:rc|alpha|beta)\.?\d*)?|\d{4}-\d{2}(?:-\d{2})?(?!\d)"
    r"|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b|\d+|[^\W\d_]+|."
)
SAID = 0.4
"""Share of the requests that must name a value for it to be the one they ask about."""
_LEAD = re.compile(r"[\w.-]+\Z")
_TAIL = re.compile(r"[\w-]*(?:\.[\w-]+)*")
_SHOUTED = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}"
    r"|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{12,64}\b"
)
"""Dates and long ids: never general, even where all texts agree on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place that every run fills in its own way."""

    before: str
    """The word in front of it, an option's name for instance; what the word itself begins with comes behind a blank."""
    values: tuple[tuple[int, str], ...]
    """What each run put there."""


Part = str | Slot
Template = tuple[Part, ...]


def template_of(texts: Sequence[tuple[int, str]]) -> Template:
    """The template of texts that are the same step, each with the number of its run; the most typical is its base."""
    every = [text for _, text in texts]
    if len(set(every)) == 1 and not _SHOUTED.search(every[0]):
        return _tidy([" ".join(words_of(every[0]))])
    heads = _common_heads(every)
    words = _kept_words(_most_typical(every), heads)
    columns = _columns(words, [(number, _kept_words(text, heads)) for number, text in texts])
    parts: list[Part] = []
    before = ""
    for word, column in zip(words, columns, strict=True):
        if (len(column) / len(texts)) <= PRESENT and len(texts) > 1:
            continue
        if parts:
            parts.append(" ")
        parts += _merged(word, column, before)
        before = word
    return _tidy(parts)


def widen_slots(template: Template, requests: Sequence[str]) -> Template:
    """The template with slots grown to the whole names that people use: `test_<name>` is what they call `<name>`."""
    parts = list(template)
    for at, part in enumerate(parts):
        if isinstance(part, Slot):
            _widen(parts, at, part, requests)
    return _tidy(parts)


def _widen(parts: list[str | Slot], at: int, part: Slot, requests: Sequence[str]) -> None:
    lead = parts[at - 1] if at else ""
    tail = parts[at + 1] if at + 1 < len(parts) else ""
    before = _LEAD.search(lead) if isinstance(lead, str) else None
    after = _TAIL.match(tail) if isinstance(tail, str) else None
    grown = _grown(part, (before[0] if before else "", after[0] if after else ""), requests)
    if grown is None:
        return
    slot, left, right = grown
    parts[at] = slot
    if isinstance(lead, str) and left:
        parts[at - 1] = lead[: -len(left)]
    if isinstance(tail, str) and right:
        parts[at + 1] = tail[len(right) :]


def is_said(value: str, request: str) -> bool:
    """Whether a request names a value as a whole."""
    at = request.find(value) if len(value) > 1 else -1
    while at >= 0:
        before, after = request[at - 1 : at], request[at + len(value) : at + len(value) + 2]
        if not _is_inner(before) and not _is_inner(after[:1]) and not (after[:1] == "." and _is_inner(after[1:])):
            return True
        at = request.find(value, at + 1)
    return False


def _is_inner(char: str) -> bool:
    """Whether a character belongs to a name."""
    return char.isalnum() or char in ("_", "-")


def _grown(slot: Slot, around: tuple[str, str], requests: Sequence[str]) -> tuple[Slot, str, str] | None:
    """The slot with what stands around it in the same word, if that is what most requests say."""
    lead, tail = around
    for left, right in ((lead, ""), ("", tail), (lead, tail)):
        whole = tuple((number, f"{left}{value}{right}") for number, value in slot.values)
        said = [is_said(value, requests[number]) for number, value in whole if number < len(requests)]
        bare = [is_said(value, requests[number]) for number, value in slot.values if number < len(requests)]
        if (left or right) and sum(said) > sum(bare) and sum(said) >= SAID * len(said):
            return Slot(before=slot.before.removesuffix(left), values=whole), left, right
    return None


def names_asked_value(template: Template, requests: Sequence[str]) -> bool:
    """Whether most requests say what stands in one of the slots."""
    for slot in slots_of(template):
        said = [is_said(value, requests[number]) for number, value in slot.values if number < len(requests)]
        if said and sum(said) >= SAID * len(said):
            return True
    return False


def literal(template: Template) -> str:
    """The template's text with `…` in its slots."""
    return "".join(part if isinstance(part, str) else "…" for part in template)


def fits(template: Template, text: str) -> bool:
    """Whether a text is one of those a template stands for."""
    pattern = "".join(re.escape(part) if isinstance(part, str) else ".+?" for part in template)
    return re.fullmatch(pattern, text) is not None


def slots_of(template: Template) -> tuple[Slot, ...]:
    """The slots of a template, in order."""
    return tuple(part for part in template if isinstance(part, Slot))


def _most_typical(texts: Sequence[str]) -> str:
    """The text that shares most words with the others; of equals the shortest, then the smallest."""
    common = Counter(word for text in texts for word in set(words_of(text)))
    half = len(texts) / 2

    def strange(text: str) -> tuple[float, int, str]:
        words = set(words_of(text))
        extra = sum(common[word] <= half for word in words)
        missing = sum(count > half and word not in words for word, count in common.items())
        return (extra + 2 * missing, len(text), text)

    return min(texts, key=strange)


def _common_heads(texts: Sequence[str]) -> frozenset[str]:
    """The heads of joined-on commands that more than half of the texts have."""
    heads = Counter(one for text in texts for one in {head_of(part) for part in segments(text)[1:]})
    return frozenset(one for one, count in heads.items() if count > PRESENT * len(texts))


def _kept_words(text: str, heads: frozenset[str]) -> tuple[str, ...]:
    """The words of a text without the commands joined on that are not common."""
    first, *joined = segments(text)
    return tuple(word for part in (first, *(one for one in joined if head_of(one) in heads)) for word in part)


def _columns(words: tuple[str, ...], texts: Iterable[tuple[int, tuple[str, ...]]]) -> list[dict[int, str]]:
    """For each word of the base, what stands in its place in each text."""
    columns: list[dict[int, str]] = [{} for _ in words]
    for number, other in texts:
        for at, where in _pairs(words, other):
            columns[at][number] = other[where]
    return columns


def _pairs(one: Sequence[str], other: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Places of two lists that belong together: equal pieces, and those between them as far as they pair up."""
    if len(one) == len(other) and all(map(_may_pair, one, other)):
        yield from zip(range(len(one)), range(len(other)), strict=True)
        return
    for how, start, end, first, last in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if how in ("equal", "replace"):
            for at, where in zip(range(start, end), range(first, last), strict=False):
                if how == "equal" or _may_pair(one[at], other[where]):
                    yield at, where


def _may_pair(one: str, other: str) -> bool:
    """An option never stands for a value, nor a pipe for either."""
    if one == other:
        return True
    marks = ("-", "|", "&", ">", "<", ";")
    return one.startswith(marks) == other.startswith(marks) and not (one.startswith("-") and one[:3] != other[:3])


def _merged(word: str, column: Mapping[int, str], before: str) -> list[Part]:
    """One word of the template: itself, itself with slots in it, or one slot."""
    counts = Counter(column.values())
    if counts[word] >= KEPT * len(column) and not _SHOUTED.search(word):
        return [word]
    agreed, share = counts.most_common(1)[0]
    if share >= KEPT * len(column) and not _SHOUTED.search(agreed):
        return [agreed]
    if " " in word and not _is_one_sentence(word, column.values()):
        inner = word.strip("\"'")
        values = tuple((number, text.strip("\"'")) for number, text in sorted(column.items()))
        return ['"', Slot(before=before, values=values), '"'] if inner != word else [Slot(before=before, values=values)]
    return _with_slots(word, column, before)


def _is_one_sentence(word: str, texts: Iterable[str]) -> bool:
    """Whether quoted texts are the same sentence, each with its own values: `'Bump NAME to VERSION'`."""
    words = word.split(" ")
    others = [text.split(" ") for text in texts]
    if any(len(other) != len(words) for other in others):
        return False
    same = [sum(other[at] == one for other in others) for at, one in enumerate(words)]
    return sum(count >= KEPT * len(others) for count in same) * 2 >= len(words)


def _with_slots(word: str, column: Mapping[int, str], before: str) -> list[Part]:
    atoms: list[str] = _ATOM.findall(word)
    stay = [0] * len(atoms)
    for text in column.values():
        other: list[str] = _ATOM.findall(text)
        for at, where in _pairs(atoms, other):
            stay[at] += atoms[at] == other[where]
    kept = [count >= KEPT * len(column) and not _SHOUTED.fullmatch(atoms[at]) for at, count in enumerate(stay)]
    kept = _without_islands(atoms, kept)
    pieces: list[str | None] = []
    for atom, keep in zip(atoms, kept, strict=True):
        if keep:
            pieces.append(atom)
        elif not pieces or pieces[-1] is not None:
            pieces.append(None)
    return _filled(pieces, column, before)


def _without_islands(atoms: Sequence[str], kept: list[bool]) -> list[bool]:
    """A lone sign or letter between two slots is part of one larger slot, unless it parts two names."""
    found = list(kept)
    for at in range(1, len(atoms) - 1):
        alone = kept[at] and not kept[at - 1] and not kept[at + 1]
        if alone and atoms[at] in ("-", "_", ".", " "):
            found[at] = False
    return found


def _filled(pieces: Sequence[str | None], column: Mapping[int, str], before: str) -> list[Part]:
    """The pieces with slots that know what each run put there."""
    pattern = re.compile("".join("(.+?)" if piece is None else re.escape(piece) for piece in pieces), re.DOTALL)
    matched = {number: found for number, text in sorted(column.items()) if (found := pattern.fullmatch(text))}
    parts: list[Part] = []
    group = 0
    for piece in pieces:
        if piece is not None:
            parts.append(piece)
            continue
        group += 1
        lead = "".join(part for part in parts if isinstance(part, str))
        values = tuple((number, found[group]) for number, found in matched.items())
        parts.append(Slot(before=f"{before} {lead}", values=values))
    return parts


def _tidy(parts: Sequence[Part]) -> Template:
    """The parts with neighbouring texts and neighbouring slots joined, and no sign left hanging at the end."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        if part == "":
            continue
        if isinstance(part, str) and isinstance(last, str):
            found[-1] = last + part
        elif isinstance(part, Slot) and isinstance(last, Slot):
            behind = dict(part.values)
            values = tuple((run, value + behind[run]) for run, value in last.values if run in behind)
            found[-1] = Slot(before=last.before, values=values)
        else:
            found.append(part)
    if found and isinstance(found[-1], str):
        found[-1] = found[-1].rstrip(" |&;")
    return tuple(part for part in found if part != "")
