"""Grouping runs with a model, a batch at a time: every answer is checked, and what it leaves out is handed back."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictStr

from metier.formats.strict_json import clean
from metier.learning.clustering.model_prompt import Named, RunInShort, Shown, cut, name_pattern, shown_with
from metier.learning.drafting.sanitise import is_risky, without_marks
from metier.types.questions import Asker, NoAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.types import Pattern, Record

LABEL, WORDS = 64, 8
"""Characters and words of a label, at most."""
SENTENCE = 200
"""Characters of a summary or a reason that are kept."""
EVERYTHING = frozenset(
    ("everything", "general", "misc", "miscellaneous", "none", "null", "other", "others", "rest", "unknown", "various")
)
"""Labels that say nothing."""
_VALUE = re.compile(r"\d+|(?=.*\d)[0-9a-f]{7,}")
_GAP = re.compile(r"[\s_]+")
_Short = Annotated[StrictStr, Field(max_length=2_000)]
BATCH = 40
"""New runs in one question."""
OUTAGE = 2
"""Batches in a row without any answer, after which the others are not asked about."""


class ClusterOfRuns(BaseModel):
    """Runs that a model puts together."""

    model_config = ConfigDict(extra="ignore")

    label: _Short
    summary: _Short
    runs: Annotated[list[_Short], Field(max_length=500)]
    reason: _Short


class ClusterAnswer(BaseModel):
    """What a model says of one batch."""

    model_config = ConfigDict(extra="ignore")

    clusters: Annotated[list[ClusterOfRuns], Field(max_length=200)]


def label_key(text: str) -> str:
    """What two spellings of one label share."""
    return _GAP.sub("-", unicodedata.normalize("NFKC", text).strip().casefold())


def usable_label(text: str) -> str | None:
    """The label in small letters and hyphens; None: it names a value, says nothing, or is none."""
    label = _GAP.sub("-", unicodedata.normalize("NFKC", text).strip().lower())
    parts = label.split("-")
    if len(label) > LABEL or len(parts) > WORDS or label in EVERYTHING:
        return None
    return label if all(map(_is_word, parts)) and not label[0].isdigit() else None


def sentence(text: str) -> str:
    """A text of a model in one line of bounded length, without control characters and marks."""
    plain = "".join(char if char.isprintable() else " " for char in without_marks(clean(text)))
    return " ".join(plain.split())[:SENTENCE].rstrip()


def summary_for(label: str, text: str) -> str:
    """A summary that may go into a skill; the label's words where there is none, or it names what can do harm."""
    said = sentence(text)
    return label.replace("-", " ") if not said or is_risky(said) else said


def _is_word(part: str) -> bool:
    known = bool(part) and all(unicodedata.category(char)[0] in "LMN" for char in part)
    return known and _VALUE.fullmatch(part) is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Formed:
    """Runs that make a new pattern."""

    label: str
    summary: str
    reason: str
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """Where a model puts runs; each run stands in one place only."""

    joined: Mapping[str, tuple[str, ...]]
    """Runs for a pattern that exists, by its id."""
    formed: tuple[Formed, ...]
    """New groups, also those of a single run; their labels are all different."""
    left: tuple[str, ...]
    """New runs for the heuristic, in the order given: left out, badly labelled, or of a batch without an answer."""
    asked: int = 0
    """Questions put to the model."""
    notes: tuple[str, ...] = ()
    """What was wrong with its answers, in lines for a person."""


def in_short(record: Record, *, success: bool | None) -> RunInShort:
    """A run as a model is shown it, with how it went as judged."""
    text = record.run.message if record.run.message.strip() else record.summary
    return RunInShort(id=record.id, text=text, success=success, used=record.used)


def cluster_with(
    asker: Asker, new: Sequence[RunInShort], near: Sequence[RunInShort] = (), known: Sequence[Pattern] = ()
) -> Proposed:
    """The model's grouping of new runs, and of waiting ones with them; later batches see what earlier ones formed."""
    fresh = cut(new)
    idle = cut(run for run in near if run.id not in fresh)
    grouping = _Grouping(known=[name_pattern(one.label, one.summary, one.id) for one in known])
    runs = list(fresh.values())
    batches = [runs[start : start + BATCH] for start in range(0, len(runs), BATCH)]
    silent = 0
    for number, batch in enumerate(batches, start=1):
        if silent == OUTAGE:
            grouping.notes.append(
                f"{len(batches) - number + 1} of {len(batches)} batches were not asked about: no answers"
            )
            break
        waiting = [run for run in idle.values() if run.id not in grouping.placed]
        shown = shown_with(batch, waiting, grouping.patterns())
        answer = asker.ask(shown.question(), ClusterAnswer)
        grouping.asked += 1
        if isinstance(answer, NoAnswer):
            silent = 0 if answer.answered else silent + 1
            grouping.notes.append(
                f"batch {number} of {len(batches)} is grouped without a model: {sentence(answer.reason)}"
            )
        else:
            silent = 0
            grouping.take(answer, shown)
    return grouping.proposed(fresh)


@dataclass(slots=True)
class _Group:
    """A pattern, old or new, and the runs that came to it."""

    pattern: Named
    reason: str
    runs: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Grouping:
    """Where runs were put so far."""

    known: list[Named]
    groups: dict[str, _Group] = field(default_factory=dict[str, _Group])
    """By the key of their label."""
    placed: set[str] = field(default_factory=set[str])
    notes: list[str] = field(default_factory=list[str])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    """What was wrong with answers, and how often."""
    asked: int = 0

    def __post_init__(self) -> None:
        for pattern in self.known:
            self.groups.setdefault(label_key(pattern.label), _Group(pattern=pattern, reason=""))

    def patterns(self) -> list[Named]:
        """All there are by now, the new ones last."""
        return [*self.known, *(group.pattern for group in self.groups.values() if not group.pattern.id)]

    def count(self, wrong: str, times: int = 1) -> None:
        """Remember what was wrong."""
        if times:
            self.counts[wrong] = self.counts.get(wrong, 0) + times

    def take(self, answer: ClusterAnswer, shown: Shown) -> None:
        """Put the runs of an answer where it says, as far as that can be."""
        for cluster in answer.clusters:
            runs = self._runs(cluster.runs, shown)
            if not any(run.id in runs for run in shown.runs.values()):
                self.count("groups without a new run, dropped")
            elif (group := self._group(cluster.label, cluster.summary, cluster.reason)) is None:
                self.count(f"runs under a label that cannot be used ({sentence(cluster.label)[:40]!r})", len(runs))
            else:
                group.runs += runs
                self.placed.update(runs)
        missing = sum(run.id not in self.placed for run in shown.runs.values())
        self.count("runs it left out, grouped without a model", missing)

    def proposed(self, new: Iterable[str]) -> Proposed:
        """The whole result."""
        full = [group for group in self.groups.values() if group.runs]
        return Proposed(
            joined={group.pattern.id: tuple(group.runs) for group in full if group.pattern.id},
            formed=tuple(
                Formed(
                    label=group.pattern.label,
                    summary=group.pattern.summary,
                    reason=group.reason,
                    runs=tuple(group.runs),
                )
                for group in full
                if not group.pattern.id
            ),
            left=tuple(run for run in new if run not in self.placed),
            asked=self.asked,
            notes=(*self.notes, *(f"{wrong}: {times}" for wrong, times in self.counts.items())),
        )

    def _runs(self, aliases: Sequence[str], shown: Shown) -> list[str]:
        """The runs behind aliases that were shown and have no place yet."""
        by_alias = {**shown.waiting, **shown.runs}
        found = [by_alias.get(alias.strip().lower()) for alias in aliases]
        self.count("runs that do not exist, dropped", found.count(None))
        ids = dict.fromkeys(run.id for run in found if run is not None)
        self.count("runs put into a second group, kept in the first", sum(one in self.placed for one in ids))
        return [one for one in ids if one not in self.placed]

    def _group(self, label: str, summary: str, reason: str) -> _Group | None:
        """The group of a label, a new one if need be; None: the label cannot be used."""
        if (group := self.groups.get(label_key(label))) is not None:
            return group
        usable = usable_label(label)
        if usable is None:
            return None
        pattern = name_pattern(usable, summary_for(usable, summary))
        return self.groups.setdefault(label_key(usable), _Group(pattern=pattern, reason=sentence(reason)))
