"""The index of skills brought up to what is on disk: what is known of a content is not worked out again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from metier.errors import RefusedError, StoreError
from metier.events import Advanced, Began, Ended, Noted
from metier.library.disk.packages import read_package
from metier.selection.candidates.catalogue import content_of, is_in_use, text_of
from metier.selection.index.entries import VERSION, dumps, entry_of, loads
from metier.selection.types import Selectable
from metier.store.tables.selection import hook_skills as skill_words
from metier.store.tables.selection import skill_index

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from metier.context.context import Context
    from metier.events import Event
    from metier.library.listing import Skill
    from metier.selection.index.entries import IndexEntry
    from metier.store.tables.selection.skill_index import ContentKey, SkillText

STAGE = "index skills"
STEP = 200
"""Skills analysed per transaction."""


@dataclass(kw_only=True)
class IndexedSkills:
    """What is known of the skills in use, by content."""

    texts: dict[ContentKey, SkillText] = field(default_factory=dict["ContentKey", "SkillText"])
    """Without bodies."""
    entries: dict[ContentKey, IndexEntry] = field(default_factory=dict["ContentKey", "IndexEntry"])


def index_skills(
    ctx: Context, skills: Sequence[Skill], known: IndexedSkills | None = None
) -> Generator[Event, None, IndexedSkills]:
    """Every skill in use analysed: from memory, from the store, or read now; a store that says no costs only time."""
    known = known or IndexedSkills()
    wanted = {content_of(one): one for one in skills if is_in_use(one)}
    found = _known_skills(ctx, list(wanted), known)
    missing = [one for one in wanted if one not in found.texts or one not in found.entries]
    if not missing:
        return found
    yield Began(stage=STAGE, total=len(missing))
    kept = True
    for start in range(0, len(missing), STEP):
        texts = _texts(ctx, [wanted[one] for one in missing[start : start + STEP]], found)
        fresh = {text.content: entry_of(_plain(text)) for text in texts}
        kept = kept and _keep(ctx, texts, fresh)
        found.entries |= fresh
        found.texts |= {text.content: replace(text, body="") for text in texts}
        yield Advanced(stage=STAGE, done=min(start + STEP, len(missing)), total=len(missing))
    if not kept:
        yield Noted(stage=STAGE, text="The index could not be kept; the next call makes it again.", level="warning")
    yield Ended(stage=STAGE, text=f"{len(missing)} skills indexed")
    return found


def _known_skills(ctx: Context, contents: Sequence[ContentKey], known: IndexedSkills) -> IndexedSkills:
    found = IndexedSkills(
        texts={one: known.texts[one] for one in contents if one in known.texts},
        entries={one: known.entries[one] for one in contents if one in known.entries},
    )
    with ctx.store.read() as transaction:
        found.texts |= skill_index.summaries(transaction, [one for one in contents if one not in found.texts])
        kept = skill_index.entries(transaction, VERSION, [one for one in contents if one not in found.entries])
    for content, data in kept.items():
        try:
            found.entries[content] = loads(data)
        except ValueError:  # damaged: made anew
            continue
    return found


def _texts(ctx: Context, skills: Sequence[Skill], found: IndexedSkills) -> list[SkillText]:
    """The texts of some skills with their bodies: from the store, or else from disk if it is what was seen there."""
    there = [content_of(one) for one in skills if content_of(one) in found.texts]
    with ctx.store.read() as transaction:
        bodies = skill_index.bodies(transaction, there)
    texts = [replace(found.texts[one], body=bodies[one]) for one in there if one in bodies]
    for one in skills:
        if content_of(one) not in bodies:
            try:
                text = text_of(read_package(one.folder), one.name)
            except RefusedError:
                continue
            if text.content == content_of(one):  # else it was changed since the look, and the next one sees it
                texts.append(text)
    return texts


def _keep(ctx: Context, texts: Sequence[SkillText], fresh: Mapping[ContentKey, IndexEntry]) -> bool:
    try:
        with ctx.store.write() as transaction:
            skill_words.keep(transaction, texts)
            skill_index.put_entries(transaction, VERSION, {one: dumps(entry) for one, entry in fresh.items()})
    except StoreError:
        return False
    return True


def _plain(text: SkillText) -> Selectable:
    return Selectable(name=text.content.name, description=text.description, body=text.body)
