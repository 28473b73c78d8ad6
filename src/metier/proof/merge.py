"""Near-duplicates proposed as one: skills as a draft, their routing compared; lessons, their checks compared."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from metier.errors import NotFoundError, RefusedError
from metier.learning.stages.count_checks import count_check
from metier.library.lessons import forget_lesson, get_lesson, list_lessons
from metier.library.listing import result_of
from metier.library.proposals.drafts import draft_of_package, save_draft
from metier.library.proposals.review_gate import review_change
from metier.proof.replay.sides import alike, words_of
from metier.selection.assembly.assemble import body_of
from metier.selection.candidates.skill_pool import SkillPool, skills_with_bodies
from metier.selection.evaluation.admission import probes_of, served_requests
from metier.selection.evaluation.eval_library import build_eval_library, eval_basis, without_scope
from metier.selection.evaluation.files import selectable_of
from metier.skills.editing.compose import compose
from metier.store.tables.library import profiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.context.context import Context
    from metier.library.skills import Library
    from metier.selection.types import Selectable
    from metier.skills.package import Package
    from metier.types import Draft
    from metier.types.lessons import Lesson

SAME_SKILL, SAME_LESSON = 0.5, 0.6
"""Share of words from which on two skills, or two lessons, are nearly the same."""
NEAREST = 4
"""Skills that are looked at for each."""
DEPTH = 12
EMPTY, SENTENCE = frozenset({"a", "an", "the", "run", "execute", "then"}), 3
"""Words that make no difference between two lines, and how many words a line has at least that may be left out."""
STEP, MARK = re.compile(r"(\d{1,3})[.)]\s"), re.compile(r"\s{0,3}(?:\d{1,3}[.)]|[-*+])\s+")
"""A numbered step, and what any line of a list begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearSkills:
    """Two skills that are nearly the same; the one that was used more stays, else the one with the longer text."""

    keep: str
    drop: str
    alike: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NearLessons:
    """Two lessons that say nearly the same; the stronger one stays."""

    keep: Lesson
    drop: Lesson
    alike: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedSkills:
    """The draft of a merge, and what becomes of the requests of both."""

    draft: Draft
    probes: int
    """Requests and tasks that went to one of the two."""
    lost: tuple[str, ...]
    """Those that would go to neither any more."""


def near_skills(library: Library) -> list[NearSkills]:
    """Pairs of skills in use that are nearly the same, the most alike first."""
    skills = result_of(skills_with_bodies(SkillPool(library=library)))
    there = result_of(build_eval_library(skills, eval_basis(library.ctx)))
    words = {one.name: words_of(f"{one.name} {one.description} {one.body}") for one in skills}
    with library.ctx.store.read() as transaction:
        uses = {one.skill: one.uses for one in profiles.list_all(transaction)}

    def order(skill: Selectable) -> tuple[int, int, str]:
        return -uses.get(skill.name, 0), -len(skill.body), skill.name

    found: dict[frozenset[str], NearSkills] = {}
    for one in skills:
        for hit in there.index.search(f"{one.name} {one.description}", NEAREST):
            share = alike(words[one.name], words[hit.name]) if hit.name != one.name else 0.0
            if share >= SAME_SKILL:
                keep, drop = sorted((one, there.skills[hit.name]), key=order)
                found[frozenset((one.name, hit.name))] = NearSkills(keep=keep.name, drop=drop.name, alike=share)
    return sorted(found.values(), key=lambda pair: (-pair.alike, pair.keep, pair.drop))


def propose_merge(library: Library, keep: str, drop: str) -> MergedSkills:
    """A draft that puts what one skill has beyond another into that other; nothing else changes yet."""
    ctx = library.ctx
    found, other = library.find(keep), library.find(drop)
    mine, theirs = found.slot.package(), other.slot.package()
    if mine is None or theirs is None or found.folder == other.folder:
        raise NotFoundError(f"{keep} and {drop} are not two skills in use. See: metier skills list")
    merged = compose("merge", found.skill, mine, _beyond(body_of(mine.document), body_of(theirs.document)))
    probes, lost = _routing(library, (found.skill, merged), other.skill)
    review = review_change(ctx, merged, found.skill, mine)
    notes = [f"merge: what {drop} has beyond {keep}; {probes - len(lost)} of {probes} requests of both still go to it"]
    draft = draft_of_package(library, found, merged, summary=f"Merge {drop} into {keep}", notes=notes)
    kept = save_draft(ctx, replace(draft, status=review.status, findings=review.findings))
    return MergedSkills(draft=kept, probes=probes, lost=lost)


def _beyond(mine: str, theirs: str) -> str:
    """A text without the lines that the other one has in nearly the same words; its steps are numbered anew."""
    there = {_told(line) for line in mine.splitlines()}
    kept: list[str] = []
    fenced, number = False, 0
    for line in theirs.splitlines(keepends=True):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        step = None if fenced else STEP.match(line)
        if step and int(step[1]) <= 1:
            number = 0
        if not fenced and _told(line) and _told(line) in there:
            continue
        number += step is not None
        kept.append(f"{number}{line[step.end(1) :]}" if step else line)
    return "".join(kept)


def _told(line: str) -> tuple[str, ...]:
    """The words of a line that is a sentence, a step or a command, without the empty ones; nothing for any other."""
    if line.startswith(("#", "    ", "\t")):
        return ()
    text = MARK.sub("", line).strip().rstrip(".:;")
    words = text.casefold().replace("`", " ").split()
    told = tuple(word for word in words if word not in EMPTY)
    return told if len(words) >= SENTENCE or text.startswith("`") else ()


def _routing(library: Library, merged: tuple[str, Package], drop: str) -> tuple[int, tuple[str, ...]]:
    """The requests that go to one of two skills now, and those that would not go to the merged one."""
    keep, package = merged
    skills = result_of(skills_with_bodies(SkillPool(library=library)))
    now = result_of(build_eval_library(skills, eval_basis(library.ctx)))
    asked = served_requests(library.ctx)
    both = [one for one in skills if one.name in (keep, drop)]
    texts = [probe.query.text for one in both for probe in probes_of(one, asked.get(one.name, ()))]
    before = [text for text in texts if _first(now.answer(text, DEPTH).retrieved) in (keep, drop)]
    rest: Sequence[Selectable] = [one for one in skills if one.name not in (keep, drop)]
    joined = without_scope(selectable_of(package, keep))
    later = result_of(build_eval_library([*rest, joined], eval_basis(library.ctx)))
    lost = [text for text in before if _first(later.answer(text, DEPTH).retrieved) != joined.name]
    return len(before), tuple(lost)


def _first(names: Sequence[str]) -> str:
    return names[0] if names else ""


def near_lessons(ctx: Context) -> list[NearLessons]:
    """Pairs of lessons in use, or proposed, that say nearly the same, the most alike first."""
    every = [one for one in list_lessons(ctx) if one.status == "approved" or one.is_open]
    found: list[NearLessons] = []
    for one, other in combinations(every, 2):
        share = 1.0 if one.subject == other.subject else alike(words_of(one.text), words_of(other.text))
        if one.kind == other.kind and share >= SAME_LESSON:
            keep, drop = sorted((one, other), key=lambda each: (each.status != "approved", -each.strength, each.id))
            found.append(NearLessons(keep=keep, drop=drop, alike=share))
    return sorted(found, key=lambda pair: (-pair.alike, pair.keep.id, pair.drop.id))


def merge_lessons(ctx: Context, keep: str, drop: str) -> tuple[Lesson, Lesson]:
    """Take one of two lessons out of use; refused where calls would no longer be held to what only it checks."""
    stays, goes = get_lesson(ctx, keep), get_lesson(ctx, drop)
    if stays.id == goes.id or stays.kind != goes.kind:
        raise RefusedError("Name two lessons of one kind. See near-duplicates: metier lessons merge")
    same = stays.check is not None and goes.check is not None and _held(stays) == _held(goes)
    counted = count_check(ctx, goes) if goes.check is not None and not same else None
    calls = counted.before.applies + counted.after.applies if counted else 0
    if goes.check is not None and not same and (calls or stays.check is None):
        raise RefusedError(
            f"Lesson {goes.id[:8]} holds calls to something that {stays.id[:8]} does not ({calls} calls so far)."
            f" Keep that one: metier lessons merge {goes.id[:8]} {stays.id[:8]}. Or edit one: metier lessons edit ID"
        )
    return stays, forget_lesson(ctx, goes.id, f"says the same as {stays.id}")


def _held(lesson: Lesson) -> tuple[object, ...]:
    """What calls are held to, whatever happens then."""
    check = lesson.check
    return (check.program, check.wrong, check.needs, check.path) if check else ()
