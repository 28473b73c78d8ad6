"""Skills: all of them with state, uses and lift, and one skill's story with the way back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, cast

from metier.errors import ConflictError, InputError, NotFoundError
from metier.learning.stages.digest import DAYS
from metier.learning.trace import records
from metier.library.changes import archive_skill, list_versions, restore_skill, rollback_skill
from metier.library.listing import GONE
from metier.library.proposals.drafts import list_drafts
from metier.library.proposals.training_receipt import NO_RECEIPT
from metier.proof.routing import TakeoverCheck
from metier.proof.skill_story import skill_story
from metier.selection.worth.outcomes import NOTHING, line, worths
from metier.skills.diff import changes
from metier.skills.package import Package
from metier.store.tables import audit as log
from metier.store.tables.library import profiles
from metier.web.answers import Done, Page, action_route, page_route
from metier.web.pages.decisions import prepare_agents
from metier.web.parts import diff_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.library.listing import Skill
    from metier.library.skills import FoundSkill
    from metier.library.versions.blame import BlamedLine
    from metier.proof.skill_story import SkillRecord
    from metier.selection.worth.outcomes import Worth
    from metier.types import Draft, Record
    from metier.types.audit import AuditEntry
    from metier.types.skills import Version
    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard
    from metier.web.parts import DiffFile

SHOWN = 50
"""Skills on a page."""
CHANGED = 5
"""Skills that were lately changed, above the list."""
RUNS = 8
"""Runs that are named on a skill's page."""
STATES = {
    "active": "in use",
    "provisional": "on probation",
    "cold": "cold",
    "archived": "archived",
    "deleted": "deleted",
    "hurts": "hurts",
    "broken": "broken",
    "new": "new",
    "edited": "edited by hand",
    "shadowed": "shadowed",
    "pinned": "pinned",
}
"""What can be said of a skill, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillLine:
    """A skill as the list shows it."""

    skill: Skill
    states: tuple[str, ...]
    """Its status first, then what else is to be known."""
    uses: int
    worth: Worth


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginLine:
    """A line of a skill's text with where it comes from."""

    number: int
    text: str
    version: Version
    is_first: bool
    """Whether the line before came with another version."""
    effect: float | None
    """What a training measured of it."""
    is_proven: bool
    """Whether that training's last gate accepted the whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillPage:
    """One skill from the runs that taught it until today."""

    record: SkillRecord
    line: SkillLine
    taught: tuple[Record, ...]
    """Runs that taught it, as far as they are still there."""
    missing: int
    """Runs that taught it and were deleted since."""
    worth: str
    """What it is worth, in words."""
    origins: tuple[OriginLine, ...]
    shown: Version | None
    """The version whose change is shown."""
    before: Version | None
    """The one it took the place of."""
    files: tuple[DiffFile, ...]
    back: Version | None
    """What taking back the last change brings back; None: there is nothing to take back."""
    chosen: Version | None
    """The version that the person thinks of bringing back."""
    would_change: tuple[DiffFile, ...]
    """What bringing it back would change in the text of now."""
    writable: bool


def skills(board: Dashboard, ask: Ask) -> Page:
    """The list."""
    every = _lines(board)
    found = [one for one in every if _fits(one, ask)]
    first = ask.number("from")
    values: dict[str, object] = {
        "lines": found[first : first + SHOWN],
        "total": len(found),
        "every": len(every),
        "first": first,
        "more": first + SHOWN if first + SHOWN < len(found) else 0,
        "less": max(0, first - SHOWN),
        "states": STATES,
        "lately": _lately(board) if not ask.query else (),
        "page": None,
    }
    if opened := next((one for one in every if one.skill.name == ask.text("open")), None):
        values |= {"page": skill_page(board, opened, ask)}
    return Page(template="skills.html", title="Skills", values=values)


def skill(board: Dashboard, ask: Ask) -> Page:
    """One skill on a page of its own; a name that only runs know says so."""
    name = ask.values["skill"]
    found = _find_line(board, name)
    if found is None:
        drafts = [one for one in _open_drafts(board) if one.target.rpartition("/")[2] == name]
        return Page(template="skill_gone.html", title=name[:60], values={"name": name, "drafts": drafts}, status=404)
    values = {"page": skill_page(board, found, ask), "states": STATES}
    return Page(template="skill.html", title=name, values=values)


def skill_page(board: Dashboard, line_: SkillLine, ask: Ask) -> SkillPage:
    """One skill from the runs that taught it until today; the address says which version is looked at."""
    library = board.ws.library
    record = skill_story(library, line_.skill.name)
    found = library.find(line_.skill.name)
    known = records(board.context, record.runs)
    shown = _shown_version(record.versions, ask.number("version"))
    before = _version_before(record.versions, shown)
    last = record.versions[-1] if record.versions else None
    chosen = next((one for one in record.versions if one.number == ask.number("back") and _can_return(one, last)), None)
    return SkillPage(
        record=record,
        line=line_,
        taught=tuple(known[one] for one in record.runs if one in known)[:RUNS],
        missing=sum(one not in known for one in record.runs),
        worth=line(record.skill, record.worth),
        origins=_origins(record),
        shown=shown,
        before=before,
        files=_difference(found, before, shown),
        back=_way_back(found, record.versions),
        chosen=chosen,
        would_change=_difference(found, last, chosen) if chosen else (),
        writable=found.root.writable,
    )


def take_back(board: Dashboard, ask: Ask) -> Done:
    """Bring an earlier version of a skill back, provided its newest one is still the one that was shown."""
    library, name = board.ws.library, _seen_skill(board, ask)
    to = ask.body.get("to")
    if not isinstance(to, int) or to < 1:
        raise InputError("Name the version to bring back.")
    check = TakeoverCheck(library, f"metier skills rollback {name} --take-over")
    version = rollback_skill(library, name, to, check=check)
    prepare_agents(board)

    def undo() -> str:
        again = rollback_skill(library, name, version.number - 1)
        prepare_agents(board)
        return f"{name} is {again.summary} again."

    said = f"{name} is {version.summary} (saved as v{version.number})."
    return Done(said=said, undo=undo, command=f"metier skills rollback {name}")


def archive(board: Dashboard, ask: Ask) -> Done:
    """Take a skill out of every agent's sight; it is kept."""
    library, name = board.ws.library, _seen_skill(board, ask)
    version = archive_skill(library, name, ask.sent("reason"))
    prepare_agents(board)

    def undo() -> str:
        again = restore_skill(library, name)
        prepare_agents(board)
        return f"{name} is back (v{again.number})."

    said = f"Archived {name} (v{version.number}): no agent sees it."
    return Done(said=said, undo=undo, command=f"metier skills restore {name}")


def restore(board: Dashboard, ask: Ask) -> Done:
    """Bring a skill back that was archived or deleted, or wake a cold one."""
    library, name = board.ws.library, _seen_skill(board, ask)
    check = TakeoverCheck(library, f"metier skills restore {name} --take-over")
    version = restore_skill(library, name, ask.sent("reason"), check)
    prepare_agents(board)

    def undo() -> str:
        archive_skill(library, name)
        prepare_agents(board)
        return f"{name} is archived: no agent sees it."

    said = f"Restored {name} (v{version.number})."
    return Done(said=said, undo=undo, command=f"metier skills archive {name}")


def _seen_skill(board: Dashboard, ask: Ask) -> str:
    """The skill of the address, provided it is still what the person saw."""
    name = ask.values["skill"]
    if _find_line(board, name) is None:
        raise NotFoundError(f"There is no skill '{name[:40]}' here.")
    now = list_versions(board.ws.library, name)
    if not ask.sent("hash"):
        raise InputError("Name the hash of the version that you saw.")
    if not now or now[-1].hash != ask.sent("hash"):
        raise ConflictError(f"{name} changed meanwhile. Look at it again.")
    return name


def _lines(board: Dashboard) -> list[SkillLine]:
    """Every skill with what is known of it."""
    found = board.shelf.skills(board.live.stamps()["skills"])
    known = worths(board.ws.library, {one.name: one.hash for one in found if not one.shadowed_by})
    with board.context.store.read() as transaction:
        uses = {one.skill.casefold(): one.uses for one in profiles.list_all(transaction)}
    lines: list[SkillLine] = []
    for one in found:
        worth = NOTHING if one.shadowed_by else known.get(one.name, NOTHING)
        lines.append(
            SkillLine(skill=one, states=_states(one, worth), uses=uses.get(one.name.casefold(), 0), worth=worth)
        )
    return sorted(lines, key=lambda one: (one.skill.status in GONE, one.skill.name))


def _lately(board: Dashboard) -> list[tuple[str, AuditEntry]]:
    """Skills that were changed in the last days, each once, with the last change."""
    since = (board.context.clock() - timedelta(days=DAYS)).isoformat()
    with board.context.store.read() as transaction:
        entries = log.list_newest(transaction, 10 * CHANGED, about="skill ")
    found: dict[str, AuditEntry] = {}
    for one in entries:
        if one.happened >= since:
            found.setdefault(one.subject.partition(" ")[0].rpartition("/")[2], one)
    return list(found.items())[:CHANGED]


def _find_line(board: Dashboard, name: str) -> SkillLine | None:
    """A skill by its exact name; a path is none."""
    return next((one for one in _lines(board) if one.skill.name == name), None)


def _states(skill: Skill, worth: Worth) -> tuple[str, ...]:
    more = {
        "hurts": worth.adjustment.hurts,
        "broken": bool(skill.problem),
        "new": skill.is_new,
        "edited": skill.unsaved and not skill.is_new,
        "shadowed": bool(skill.shadowed_by),
        "pinned": skill.pinned,
    }
    return (skill.status, *(word for word, holds in more.items() if holds))


def _fits(one: SkillLine, ask: Ask) -> bool:
    text = f"{one.skill.name} {one.skill.description}".casefold()
    state = ask.text("state")
    return (not state or state in one.states) and all(word in text for word in ask.text("q").casefold().split())


def _open_drafts(board: Dashboard) -> list[Draft]:
    return [one for one in list_drafts(board.ws.library) if one.status in ("candidate", "quarantined")]


def _shown_version(versions: Sequence[Version], number: int) -> Version | None:
    """The version that is asked for, or the newest that changed the text."""
    asked = [one for one in versions if one.number == number]
    changed = [one for one in versions if (before := _version_before(versions, one)) is None or _is_next(before, one)]
    return next(iter(asked or reversed(changed)), None)


def _is_next(before: Version, one: Version) -> bool:
    """Whether a version has other bytes than the one right before it."""
    return before.number == one.number - 1


def _version_before(versions: Sequence[Version], at: Version | None) -> Version | None:
    """The newest version before one with other bytes."""
    earlier = [one for one in versions if at is not None and one.number < at.number and one.hash != at.hash]
    return earlier[-1] if earlier else None


def _difference(found: FoundSkill, before: Version | None, shown: Version | None) -> tuple[DiffFile, ...]:
    if shown is None:
        return ()
    return diff_files(changes(found.load(before) if before else Package(files={}), found.load(shown)))


def _can_return(one: Version, last: Version | None) -> bool:
    """Whether a version can be brought back: its text is another one than that of now."""
    return last is not None and not last.out and one.hash != last.hash and one.number < last.number


def _way_back(found: FoundSkill, versions: Sequence[Version]) -> Version | None:
    """The version that taking back the last change brings back."""
    last = versions[-1] if versions else None
    if last is None or last.out or not found.root.writable:
        return None
    return _version_before(versions, last)


def _origins(record: SkillRecord) -> tuple[OriginLine, ...]:
    """The text line by line, with the version that brought each."""
    last = 0
    found: list[OriginLine] = []
    for one in record.lines:
        first, last = one.version.number != last, one.version.number
        text = one.text.rstrip("\r\n")
        effect, sure = _effect(record, one)
        found.append(
            OriginLine(number=one.number, text=text, version=one.version, is_first=first, effect=effect, is_proven=sure)
        )
    return tuple(found)


def _effect(record: SkillRecord, one: BlamedLine) -> tuple[float | None, bool]:
    """What a training measured of a line, and whether its last gate confirmed the whole."""
    training = record.trainings.get(one.version.provenance.training, NO_RECEIPT)
    known = training.lines.get(one.text.strip(), {})
    return cast("float | None", known.get("effect")), training.is_proven


ROUTES = (
    page_route("/skills", skills),
    page_route("/skills/{skill}", skill),
    action_route("/skills/{skill}/rollback", take_back),
    action_route("/skills/{skill}/archive", archive),
    action_route("/skills/{skill}/restore", restore),
)
