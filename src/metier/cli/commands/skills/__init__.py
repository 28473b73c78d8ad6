"""`metier skills`: show skills, change them, undo changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from metier.cli.commands.proof.merge import merge_skills
from metier.cli.commands.skills import changes as skill_changes
from metier.cli.commands.skills import history as skill_past
from metier.cli.commands.skills import parcels as skill_parcels
from metier.cli.commands.skills.trust import trust
from metier.cli.commands.skills.why import why
from metier.cli.options import AsJson, open_workspace
from metier.cli.output import console, emit, result_with_progress, table, talk, visible

if TYPE_CHECKING:
    from pathlib import Path

    from metier.library.listing import Skill
    from metier.selection.worth.outcomes import Worth
    from metier.skills.package import Package
    from metier.skills.validation import Validation
    from metier.types import Finding

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="Show skills, change them, undo changes.\n\nExample:  metier skills list",
)
PathsArgument = Annotated[
    list[str], typer.Argument(metavar="PATH...", help="Skill folders, or folders that contain skills.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Check the full standard, as for publishing.")]
OrderOption = Annotated[
    Literal["standard", "claude-code"] | None,
    typer.Option(
        "--order", help="Whose rules decide between skills with the same name; default: the setting skill_order."
    ),
]


@app.callback(invoke_without_command=True)
def skills(ctx: typer.Context) -> None:
    """Show skills, change them, undo changes.

    Example:  metier skills list  ·  metier skills rollback deploy
    """
    if ctx.invoked_subcommand is None:
        list_(ctx)


@app.command("list")
def list_(ctx: typer.Context, order: OrderOption = None, as_json: AsJson = False) -> None:
    """List all skills, including archived and deleted ones.

    Example:  metier skills list --order claude-code
    """
    from metier.library.listing import list_skills, scan_skills
    from metier.library.roots import AGENTS
    from metier.selection.worth.outcomes import NOTHING, worths

    with open_workspace(ctx) as ws:
        found = result_with_progress(scan_skills(ws.library, order))
        known = worths(ws.library, {one.name: one.hash for one in found if not one.shadowed_by})
        base = ws.root
        others = len(list_skills(ws.library, "standard")) if order and not found else 0
    rated = [(one, NOTHING if one.shadowed_by else known.get(one.name, NOTHING)) for one in found]
    if as_json:
        emit([_row(skill, worth) for skill, worth in rated])
    elif not found:
        talk(_nothing_seen(others) if others else f"No skills yet. Metier puts them into {base / AGENTS}.")
    else:
        rows = [
            (
                one.name,
                _version_word(one),
                _state(one, worth),
                _short(one.root, base),
                _about(one),
            )
            for one, worth in rated
        ]
        console().print(table(("skill", "version", "status", "root", "description"), rows, grow="description"))


@app.command("validate")
def validate_(paths: PathsArgument, strict: Strict = False, as_json: AsJson = False) -> None:
    """Check skill packages: can agents load them? With --strict: do they meet the standard?

    Exits with 1 if one has a problem.

    Example:  metier skills validate .claude/skills/deploy --strict
    """
    from pathlib import Path

    from metier.library.disk.packages import packages_in, read_package
    from metier.skills.validation import validate

    folders = [folder for path in paths for folder in packages_in(Path(path).expanduser().absolute())]
    level = "strict" if strict else "lenient"
    found: list[tuple[Path, Package, Validation]] = []
    for folder in dict.fromkeys(folders):
        package = read_package(folder)
        found.append((folder, package, validate(package, level=level, folder=folder.name)))
    if as_json:
        emit([_document(*one) for one in found])
    else:
        for folder, package, validation in found:
            _print(folder, package, validation)
    raise typer.Exit(0 if all(validation.ok for _, _, validation in found) else 1)


for name, command in {**skill_past.COMMANDS, **skill_changes.COMMANDS, **skill_parcels.COMMANDS}.items():
    app.command(name)(command)
app.command()(trust)
app.command()(why)
app.command("merge")(merge_skills)


def _row(skill: Skill, worth: Worth) -> dict[str, object]:
    from metier.selection.worth.outcomes import as_document

    return {
        "name": skill.name,
        "root": skill.root,
        "folder": str(skill.folder),
        "status": skill.status,
        "origin": skill.origin,
        "version": skill.version,
        "hash": skill.hash,
        "description": skill.description,
        "problems": [skill.problem] if skill.problem else [],
        "held": skill.held,
        "waits": skill.waits,
        "pinned": skill.pinned,
        "shadowed_by": skill.shadowed_by or None,
        **as_document(worth),
    }


def _nothing_seen(others: int) -> str:
    """Why a list by Claude Code's rules is empty where skills are."""
    from metier.library.roots import CLAUDE
    from metier.text.counts import plural

    return (
        f"Claude Code sees none of the {plural(others, 'skill')}: it looks into {CLAUDE}. Put links there: metier init"
    )


def _version_word(skill: Skill) -> str:
    """The newest saved version; a link's versions belong to what it leads to."""
    return "new" if skill.is_new else f"v{skill.version}" if skill.version else "-"


def _state(skill: Skill, worth: Worth) -> str:
    more = {
        "pinned": skill.pinned,
        "not saved yet": skill.is_new,
        "edited by hand": skill.unsaved and not skill.is_new,
        "waits for your yes": skill.waits,
        "refused": bool(skill.held) and not skill.waits,
        "shadowed": bool(skill.shadowed_by),
        "hurts": worth.adjustment.hurts,
    }
    words = [skill.status, *(word for word, holds in more.items() if holds)]
    return ", ".join(["broken", *words] if skill.problem else words)


def _about(skill: Skill) -> str:
    return skill.problem or skill.description


def _short(root: str, base: Path) -> str:
    from pathlib import Path

    path = Path(root)
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else root


def _document(folder: Path, package: Package, validation: Validation) -> dict[str, object]:
    return {
        "path": str(folder),
        "name": package.name,
        "hash": package.hash(),
        "level": validation.level,
        "verdict": validation.verdict,
        "findings": [_finding(one) for one in validation.findings],
    }


def _finding(finding: Finding) -> dict[str, object]:
    parts = ("rule", "severity", "file", "line", "reason", "fix", "excerpt")
    return {part: getattr(finding, part) for part in parts}


def _print(folder: Path, package: Package, validation: Validation) -> None:
    from rich.text import Text

    out = console()
    colour = "green" if validation.ok else "red"
    out.print(Text.assemble((f"{validation.verdict:<24}", colour), visible(f"{package.name or folder.name}  {folder}")))
    for finding in validation.findings:
        place = f"{finding.file}:{finding.line}" if finding.line else finding.file
        out.print(Text(visible(f"  {place}  {finding.rule}: {finding.reason} {finding.fix}")))
