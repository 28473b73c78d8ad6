"""`tacit skills`: look at skill packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.options import AsJson  # noqa: TC001 - typer reads it at run time
from tacit.cli.output import console, emit, visible

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.skills.package import Package
    from tacit.skills.validate import Validation
    from tacit.types import Finding

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Look at skill packages.\n\nExample:  tacit skills validate .agents/skills --strict",
)
PathsArgument = Annotated[list[str], typer.Argument(metavar="PATH...", help="Skill folders, or folders of them.")]
Strict = Annotated[bool, typer.Option("--strict", help="Hold them to the standard, as for publishing.")]


@app.callback()
def skills() -> None:
    """Look at skill packages.

    Example:  tacit skills validate .agents/skills --strict
    """


@app.command("validate")
def validate_(paths: PathsArgument, strict: Strict = False, as_json: AsJson = False) -> None:
    """Check skill packages: whether agents can load them or, with --strict, whether they keep the standard.

    Exit code 1 if any has a problem. Example:  tacit skills validate .claude/skills/deploy --strict
    """
    from pathlib import Path

    from tacit.library.disk import packages_in, read_package
    from tacit.skills.validate import validate

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
