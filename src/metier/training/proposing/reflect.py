"""Reflection: failures and successes apart, a few cases at a time, one analyst call for each such group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from metier.skills.editing.patch_json import MalformedEdit, fields_of
from metier.training.proposing import answers
from metier.training.proposing.optimiser import OptimiserQuestion, prompt
from metier.training.proposing.prompt import ShownCase, cases_text, fence, skill_text
from metier.training.proposing.proposals import NOTHING, Bundle, ProposedChange, Source, Suggestion, Whole, bundle_of

if TYPE_CHECKING:
    from metier.skills.package import Package
    from metier.training.proposing.optimiser import OptimiserReply
    from metier.training.spec import Spec

Label = Literal["SKILL_DEFECT", "EXECUTION_LAPSE"]
DEFECT: Label = "SKILL_DEFECT"
LAPSE: Label = "EXECUTION_LAPSE"
LONG = 16_384
"""Tokens for an answer that holds a whole document."""
Analysed = answers.AnalysedPatch | answers.AnalysedSuggestions | answers.AnalysedDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class Minibatch:
    """Cases that one analyst looks at together."""

    source: Source
    cases: tuple[ShownCase, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What every analyst of a step is told beside the cases."""

    skill: Package
    memory: str
    """Earlier steps and rejected edits, empty if there are none."""
    meta: str
    """The optimiser's notes to itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """What one analyst made of its cases."""

    source: Source
    bundle: Bundle = NOTHING
    patterns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Reminders for the appendix."""


class MinibatchSorter:
    """Puts the cases of a batch into minibatches as they come, failures and successes apart."""

    def __init__(self, size: int, *, failures_only: bool = False) -> None:
        self._size = size
        self._failures_only = failures_only
        self._open: dict[Source, list[ShownCase]] = {"failure": [], "success": []}

    def add(self, seen: ShownCase) -> Minibatch | None:
        """The minibatch that a case has filled, if it has; a case without a score goes nowhere."""
        source: Source = "failure" if seen.failed else "success"
        if not seen.rollouts or (source == "success" and self._failures_only):
            return None
        queue = self._open[source]
        queue.append(seen)
        return self._take(queue, source) if len(queue) == self._size else None

    def rest(self) -> tuple[Minibatch, ...]:
        """What was begun and not filled, failures first."""
        found: list[Minibatch] = []
        for source, queue in self._open.items():
            while queue:
                found.append(self._take(queue, source))
        return tuple(found)

    def _take(self, queue: list[ShownCase], source: Source) -> Minibatch:
        cases = tuple(queue[: self._size])
        del queue[: self._size]
        return Minibatch(source=source, cases=cases)


def analyst_question(minibatch: Minibatch, setting: Setting, spec: Spec) -> OptimiserQuestion[Analysed]:
    """What an analyst is asked."""
    text = prompt(
        "reflect",
        task=prompt(f"reflect_{minibatch.source}"),
        form=proposal_form(spec),
        aware=prompt("aware") if spec.reflection.skill_aware else "",
        skill=skill_text(setting.skill),
        memory=setting.memory or "Nothing yet.",
        meta=setting.meta or "Nothing yet.",
        count=str(len(minibatch.cases)),
        cases=fence("rollouts", cases_text(minibatch.cases, spec)),
    )
    limit = LONG if spec.editing.update == "full_rewrite" else 4_096
    return OptimiserQuestion(stage="reflect", prompt=text, kind=_kind(spec), max_tokens=limit)


def read_reflection(minibatch: Minibatch, asked: OptimiserReply[Analysed], spec: Spec) -> Reflection:
    """What an answer says, cut to what was allowed; nothing when there is no answer."""
    answer = asked.value
    if answer is None:
        return Reflection(source=minibatch.source)
    bundle = bundle_of(answer, minibatch.source, support=len(minibatch.cases))
    if spec.editing.update != "full_rewrite":  # a document is not counted in edits
        bundle = replace(bundle, items=bundle.items[: spec.editing.max_edits])
    notes: tuple[str, ...] = ()
    if isinstance(answer, answers.Aware):
        bundle, notes = _routed(bundle, answer)
    patterns = tuple(answer.failure_patterns) if minibatch.source == "failure" else ()
    return Reflection(source=minibatch.source, bundle=bundle, patterns=patterns, notes=notes)


def proposal_form(spec: Spec) -> str:
    """The words on what a proposal is, and how many there may be."""
    if spec.editing.update == "full_rewrite":
        return prompt("form_full_rewrite")
    return prompt(f"form_{spec.editing.update}", budget=str(spec.editing.max_edits))


def _routed(bundle: Bundle, answer: answers.Aware) -> tuple[Bundle, tuple[str, ...]]:
    """Edits for defects, reminders for lapses: where every case was a lapse, what was proposed is a reminder too."""
    notes = tuple(note for note in answer.appendix_notes if note.strip())
    lapses = answer.labels and all(label == LAPSE for label in answer.labels)
    if not lapses:
        return bundle, notes
    said = tuple(text for item in bundle.items if (text := _reminder(item)))
    return replace(bundle, items=()), (*notes, *said)


def _reminder(item: ProposedChange) -> str:
    match item.what:
        case Whole() | MalformedEdit():
            return ""
        case Suggestion(instruction=instruction):
            return instruction
        case edit:
            return fields_of(edit).content.strip()


def _kind(spec: Spec) -> type[Analysed]:
    match spec.editing.update:
        case "patch":
            return answers.AwarePatch if spec.reflection.skill_aware else answers.AnalysedPatch
        case "rewrite":
            return answers.AwareSuggestions if spec.reflection.skill_aware else answers.AnalysedSuggestions
        case "full_rewrite":
            return answers.AwareDocument if spec.reflection.skill_aware else answers.AnalysedDocument
