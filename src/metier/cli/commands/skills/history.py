"""`metier skills show, history, diff, blame`: a skill's text, its versions, and where each line comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import console, emit, say, table, talk, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.library.skills import FoundSkill
    from metier.skills.package import Package
    from metier.types.skills import Version
    from metier.workspace import Workspace

SkillArgument = Annotated[str, typer.Argument(metavar="SKILL", help="A skill's name, or its folder.")]
VersionOption = Annotated[
    int | None, typer.Option("--version", "-v", min=1, help="The version to show; default: the current one.")
]
FileOption = Annotated[str, typer.Option("--file", help="A file of the skill; default: SKILL.md.")]


def show(ctx: typer.Context, skill: SkillArgument, version: VersionOption = None, as_json: AsJson = False) -> None:
    """Show a skill or an earlier version of it: purpose, files, usage and text.

    Example:  metier skills show deploy --version 2
    """
    from metier.cli.views.drafts import guidance_document, guidance_lines
    from metier.library.profiles import profile_of
    from metier.selection.worth import outcomes

    with open_workspace(ctx) as ws:
        found, versions, package, which = _skill_at(ws, skill, version)
        profile, saved = profile_of(ws.context, found), found.last()
        worth = outcomes.worths(ws.library, {_name(found): which.hash}).get(_name(found), outcomes.NOTHING)
        document = _document(found, package, which, len(versions)) | {
            "uses": profile.uses,
            "successes": profile.successes,
            "failures": profile.failures,
            "last_used": profile.last_used or None,
            "retention": profile.retention,
            "pinned": profile.pinned,
            **guidance_document(profile.guidance),
            **outcomes.as_document(worth),
            "worth": worth.adjustment.reason,
        }
    if as_json:
        emit([document])
        return
    out = console()
    document["version"] = _version_words(which, saved)
    for label in ("name", "folder", "description", "status", "origin", "version", "hash"):
        say(visible(f"{label:<12} {document[label]}"), indent=13, style="bold" if label == "name" else "")
    used = f"{profile.uses} times: {profile.successes} succeeded, {profile.failures} failed"
    kept = f"worth keeping: {profile.retention:.0%} (falls when unused){', pinned' if profile.pinned else ''}"
    out.print(f"{'used':<12} {used}; {kept}")
    say(visible(f"{'worth':<12} {outcomes.line(_name(found), worth)}"), indent=13)
    for line in guidance_lines(profile.guidance):
        say(visible(line), indent=13)
    for path, content in sorted(package.files.items()):
        out.print(visible(f"{'file':<12} {path}  {len(content):,} bytes{_runs(package, path)}"))
    out.print()
    out.print(visible(package.document.decode("utf-8", "replace")))


def history(ctx: typer.Context, skill: SkillArgument, as_json: AsJson = False) -> None:
    """List every version of a skill: what changed it, who, when and why.

    Example:  metier skills history deploy
    """
    from metier.library.changes import list_versions as all_of

    with open_workspace(ctx) as ws:
        versions = all_of(ws.library, skill)
        found = ws.library.find(skill)
        damaged = found.history().damaged
        rows = [_version(found, one) for one in versions] if as_json else []
    for one in damaged:
        talk(f"Cannot read {one.file}: {one.reason}. The other versions are not affected.")
    if as_json:
        emit(rows)
        return
    lines = [
        (
            f"v{one.number}",
            one.created[:16].replace("T", " "),
            one.action,
            one.status,
            one.hash[:12],
            one.who,
            _summary_of(one),
        )
        for one in reversed(versions)
    ]
    console().print(table(("version", "when", "action", "status", "hash", "who", "summary"), lines, grow="summary"))


def diff(
    ctx: typer.Context,
    skill: SkillArgument,
    before: Annotated[
        int | None, typer.Argument(metavar="A", min=1, help="The older version; default: the previous one.")
    ] = None,
    after: Annotated[
        int | None, typer.Argument(metavar="B", min=1, help="The newer version; default: the current one.")
    ] = None,
    side_by_side: Annotated[bool, typer.Option("--side-by-side", "-y", help="Show two columns.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what changed between two versions of a skill, file by file.

    Example:  metier skills diff deploy 2 5 --side-by-side
    """
    from metier.cli.views.diff import as_document, page
    from metier.skills.diff import changes
    from metier.skills.package import Package

    with open_workspace(ctx) as ws:
        found, versions, new, at = _skill_at(ws, skill, after)
        first = _numbered(versions, before) if before is not None else _previous(versions, at)
        old = found.load(first) if first else Package(files={})
    parts = changes(old, new)
    names = (f"v{first.number}" if first else "nothing", f"v{at.number}")
    if as_json:
        emit({"before": names[0], "after": names[1], "files": [as_document(one) for one in parts]})
    elif not parts:
        talk(f"{names[0]} and {names[1]} are the same.")
    else:
        for part in page(parts, names, two=side_by_side):
            console().print(part)


def blame(
    ctx: typer.Context,
    skill: SkillArgument,
    file: FileOption = "",
    version: VersionOption = None,
    as_json: AsJson = False,
) -> None:
    """Show where each line comes from: version, draft or training step, its runs, and its effect in points.

    Example:  metier skills blame deploy
    """
    from metier.cli.views.blame import as_document, page
    from metier.library.proposals.training_receipt import training_receipts
    from metier.library.versions.blame import blame as blamed

    with open_workspace(ctx) as ws:
        found, versions, package, at = _skill_at(ws, skill, version)
        name = file or package.skill_file or "SKILL.md"
        if name not in package.files:
            from metier.errors import NotFoundError

            raise NotFoundError(f"{skill} has no file {name}; it has {', '.join(sorted(package.files))}.")
        past = [one for one in versions if one.number <= at.number]
        lines = blamed([(one, _bytes(found, one, name)) for one in past])
        trained = training_receipts(ws.context, (line.version.provenance.training for line in lines))
    if as_json:
        emit([as_document(line, trained) for line in lines])
    else:
        console().print(page(lines, trained))


COMMANDS: dict[str, Callable[..., None]] = {"show": show, "history": history, "diff": diff, "blame": blame}


def _skill_at(
    ws: Workspace, skill: str, number: int | None
) -> tuple[FoundSkill, tuple[Version, ...], Package, Version]:
    """A skill, its versions, and the one that is asked for."""
    from metier.errors import NotFoundError
    from metier.library.changes import list_versions as all_of

    versions = all_of(ws.library, skill)
    found = ws.library.find(skill)
    if not versions:
        raise NotFoundError(f"There is no saved version of {skill}.")
    version = _numbered(versions, number) if number is not None else versions[-1]
    return found, versions, found.load(version), version


def _numbered(versions: tuple[Version, ...], number: int) -> Version:
    """A version by its number; a hand edit that is not saved yet has one, too."""
    from metier.library.versions.history import SkillHistory

    return SkillHistory(versions=versions, last_number=versions[-1].number).number(number)


def _previous(versions: tuple[Version, ...], at: Version) -> Version | None:
    """The newest version before one with other bytes."""
    earlier = [one for one in versions if one.number < at.number and one.hash != at.hash]
    return earlier[-1] if earlier else None


def _bytes(found: FoundSkill, version: Version, file: str) -> bytes | None:
    return found.read_file(version, file)


def _version_words(version: Version, saved: Version | None) -> str:
    """A version's number, and whether it is one yet."""
    if saved is None:
        return "new, not saved yet"
    return f"{version.number}, edited by hand, not saved yet" if version.number > saved.number else str(version.number)


def _document(found: FoundSkill, package: Package, version: Version, count: int) -> dict[str, object]:
    return {
        "name": package.name or found.skill,
        "root": str(found.root.path),
        "folder": str(found.folder),
        "status": version.status,
        "origin": version.origin,
        "version": version.number,
        "versions": count,
        "hash": version.hash,
        "description": package.description,
        "problems": _problems(package, found.skill),
        "files": [
            {"path": path, "bytes": len(content), "executable": path in package.executable}
            for path, content in sorted(package.files.items())
        ],
        "document": package.document.decode("utf-8", "replace"),
    }


def _problems(package: Package, skill: str) -> list[str]:
    from metier.skills.validation import validate

    found = validate(package, level="lenient", folder=skill.rpartition("/")[2]).problems
    return [f"{one.file}:{one.line} {one.rule}: {one.reason}" for one in found]


def _version(found: FoundSkill, version: Version) -> dict[str, object]:
    from metier.skills.package import SKILL_FILES, Package

    name = next((one for one in SKILL_FILES if any(file.path == one for file in version.files)), "")
    content = _bytes(found, version, name)
    document = Package(files={name: content} if content is not None else {})
    return {
        "name": _name(found),
        "root": str(found.root.path),
        "description": document.description,
        "problems": _problems(document, found.skill),
        "version": version.number,
        "hash": version.hash,
        "parent": version.parent or None,
        "action": version.action,
        "status": version.status,
        "origin": version.origin,
        "actor": version.who,
        "summary": version.summary,
        "created": version.created,
        "draft": version.draft or None,
        "step": version.step or None,
        "runs": list(version.provenance.runs),
        "gain": version.proven_gain,
        "receipt": version.receipt or None,
        "findings": [{"rule": one.rule, "severity": one.severity, "reason": one.reason} for one in version.findings],
    }


def _name(found: FoundSkill) -> str:
    return found.skill.rpartition("/")[2]


def _summary_of(version: Version) -> str:
    gain = f" (proven gain {100 * version.proven_gain:+.1f} points)" if version.proven_gain is not None else ""
    return version.summary + gain


def _runs(package: Package, path: str) -> str:
    return ", executable" if path in package.executable else ""
