"""The optimiser of the simulated world: it answers what trainers ask, in the JSON they ask for.

It is told by the fields of the answer what is wanted (edits, an order, a document, notes), reads skill, failed jobs and
proposals out of the prompt like any model, and knows no more than `Proposer` does. A trainer that sends no schema is
answered by the field names its prompt mentions.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from metier.cli.demo.world.jobs import OPEN
from metier.cli.demo.world.world import RULE, lines_of
from metier.types import Append, Delete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from metier.cli.demo.world.proposer import Proposer

Answer = dict[str, object]
FIELDS = (
    "selected_indices",
    "learning_rate",
    "slow_update_content",
    "meta_skill_content",
    "new_skill",
    "suggestions",
    "edits",
    "appendix_notes",
)
"""What an answer can be asked to hold; the first that is asked for decides."""
SKILL = re.compile(r"<skill[^>]*>\n(.*?)\n</skill", re.DOTALL)
MOST = re.compile(r"\bat most (\d+)", re.IGNORECASE)
NUMBERED = re.compile(r"^\s*\[(\d+)\]", re.MULTILINE)
ADD, DROP = "Add the line: ", "Take out the line: "


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimiserPrompt:
    """A prompt, and the fields of the answer."""

    words: str
    fields: tuple[str, ...] = ()
    """The names in the schema; empty: there was none."""
    sample: int = 0

    @property
    def wanted(self) -> str:
        """The field that says what the trainer asks for; empty if there is none."""
        named = self.fields or [name for name in FIELDS if f"`{name}`" in self.words or f'"{name}"' in self.words]
        return next((name for name in FIELDS if name in named), "")

    @property
    def skill(self) -> str:
        """The skill's text: the marked part, or the whole prompt."""
        found = SKILL.search(self.words)
        return found[1] if found else self.words

    @property
    def failed(self) -> list[str]:
        """The jobs that the prompt shows as failed, in order."""
        return list(dict.fromkeys(OPEN.findall(self.words)))


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldOptimiser:
    """Answers one prompt at a time; the same prompt and sample always get the same answer."""

    proposer: Proposer
    whole: int = 0
    """Proposals of one edit each that a document written anew takes up; 0: one proposal, as analysts make."""

    def answer(self, asked: OptimiserPrompt) -> Answer | None:
        """The answer as a JSON object; None: the prompt asks for nothing."""
        answers: dict[str, Callable[[OptimiserPrompt], Answer]] = {
            "selected_indices": self._ranking,
            "learning_rate": lambda asked: {"learning_rate": 1 + int(4 * self._chance("rate", asked))},
            "slow_update_content": lambda _: {"slow_update_content": "Keep to the rules above, all of them."},
            "meta_skill_content": lambda _: {"meta_skill_content": "Rules that several failed jobs need come first."},
            "new_skill": self._document,
            "suggestions": self._suggestions,
            "edits": self._patch,
            "appendix_notes": lambda asked: {"appendix_notes": list(dict.fromkeys(_items(asked.words)))},
        }
        if not asked.wanted:
            return None
        extra: Answer = {"failure_patterns": [], "labels": [], "appendix_notes": []}
        answer = {"reasoning": "as simulated", **answers[asked.wanted](asked)}
        return {name: value for name, value in extra.items() if name in asked.fields} | answer

    def _patch(self, asked: OptimiserPrompt) -> Answer:
        edits = [_edit_json(edit) for edit in self._edits(asked)] or _proposals_in(asked, "op")
        if asked.fields:
            return {"edits": edits}
        return {"edits": edits, "patch": {"reasoning": "as simulated", "edits": edits}}  # the classic trainer's shape

    def _suggestions(self, asked: OptimiserPrompt) -> Answer:
        made: list[Answer] = [{"title": "A line", "instruction": _instruction(edit)} for edit in self._edits(asked)]
        return {"suggestions": made or _proposals_in(asked, "instruction")}

    def _document(self, asked: OptimiserPrompt) -> Answer:
        edits = self._changes(asked) if self.whole else self._edits(asked)
        for one in _proposals_in(asked, "instruction"):
            told = str(one["instruction"])
            edits += [Append(content=told.removeprefix(ADD))] if told.startswith(ADD) else []
            edits += [Delete(target=told.removeprefix(DROP))] if told.startswith(DROP) else []
        whole = next((str(one["new_skill"]) for one in _proposals_in(asked, "new_skill")), asked.skill)
        return {"new_skill": _apply_edits(whole, edits)}

    def _ranking(self, asked: OptimiserPrompt) -> Answer:
        """All proposals in an arbitrary order; the trainer takes the first ones."""
        numbers = sorted({int(number) for number in NUMBERED.findall(asked.words)})
        return {"selected_indices": sorted(numbers, key=lambda number: self._chance("rank", asked, number))}

    def _edits(self, asked: OptimiserPrompt) -> list[Append | Delete]:
        """The proposer's edits, no more than the prompt allows; none where an analyst's job did not fail."""
        most = MOST.search(asked.words)
        made = self.proposer.propose(asked.skill, asked.failed, (asked.words, asked.sample))
        return list(made[: int(most[1])] if most else made)

    def _changes(self, asked: OptimiserPrompt) -> list[Append | Delete]:
        """The changes in a rewritten document: one edit for each of some failed jobs."""
        single = replace(self.proposer, edits=1)
        made = (single.propose(asked.skill, asked.failed, (asked.words, asked.sample, n)) for n in range(self.whole))
        return list(dict.fromkeys(edit for proposal in made for edit in proposal))

    def _chance(self, what: str, asked: OptimiserPrompt, number: int = 0) -> float:
        return self.proposer.world.uniform(what, asked.words, asked.sample, number)


def _proposals_in(asked: OptimiserPrompt, key: str) -> list[Answer]:
    """The proposals that the prompt lists, each once; an analyst's prompt has none, it shows jobs."""
    if "failure_patterns" in asked.fields:
        return []
    found: dict[tuple[str, str, str], Answer] = {}
    for one in _objects(asked.words):
        told = tuple(str(one.get(name, "")) for name in (key, "target", "content"))
        if key in one and any(map(RULE.search, told)):
            found.setdefault(cast("tuple[str, str, str]", told), one)
    return list(found.values())


def _objects(text: str) -> Iterator[Answer]:
    """Every JSON object in a text, those inside others too."""
    decoder, place = json.JSONDecoder(), text.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield from _inside(value)
        place = text.find("{", end)


def _inside(value: object) -> Iterator[Answer]:
    if isinstance(value, dict):
        yield cast("Answer", value)
        for one in cast("Answer", value).values():
            yield from _inside(one)
    elif isinstance(value, list):
        for one in cast("list[object]", value):
            yield from _inside(one)


def _edit_json(edit: Append | Delete) -> Answer:
    if isinstance(edit, Append):
        return {"op": "append", "content": edit.content}
    return {"op": "delete", "target": edit.target}


def _instruction(edit: Append | Delete) -> str:
    return ADD + edit.content if isinstance(edit, Append) else DROP + edit.target


def _apply_edits(text: str, edits: Sequence[Append | Delete]) -> str:
    """The document with lines added at its end or removed; the rest is not changed."""
    gone = {edit.target for edit in edits if isinstance(edit, Delete)}
    kept = [one for one in text.splitlines() if one.strip() not in gone]
    new = [edit.content for edit in edits if isinstance(edit, Append) and edit.content not in lines_of(text)]
    return "\n".join([*kept, *new]) + "\n"


def _items(text: str) -> list[str]:
    """The items of the lists in a text."""
    return [one.strip()[2:].strip() for one in text.splitlines() if one.strip().startswith("- ")]
