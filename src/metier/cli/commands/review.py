"""`metier review`: look at skill packages before they are used, also other people's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson  # noqa: TC001 - typer reads it at run time
from metier.cli.output import console, emit, visible

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from metier.skills.package import Package
    from metier.types import Finding, Severity
    from metier.types.reviews import Review

app = typer.Typer(add_completion=False, rich_markup_mode=None)
PathsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[PATH]...", help="Skill folders, or folders that contain skills.")
]
AsSarif = Annotated[bool, typer.Option("--sarif", help="Print SARIF 2.1.0, for code hosting sites.")]
ExplainOption = Annotated[str, typer.Option("--explain", metavar="RULE", help="Explain a rule and exit.")]
RulesOption = Annotated[bool, typer.Option("--rules", help="List all rules and exit.")]
_COLOURS: dict[Severity, str] = {
    "critical": "bold red",
    "high": "red",
    "medium": "yellow",
    "low": "cyan",
    "info": "dim",
}
MOST_ASKS = 12
"""What a package asks for that is shown on a screen."""
_PARTS = ("rule", "tag", "severity", "file", "line", "span", "excerpt", "reason", "fix")


@app.command()
def review(
    paths: PathsArgument = None,
    as_json: AsJson = False,
    as_sarif: AsSarif = False,
    explain: ExplainOption = "",
    rules: RulesOption = False,
) -> None:
    """Review skill packages: are they hostile, and what do they ask to be allowed to do?

    Nothing is run and nothing is sent. Exits with 1 if a package is blocked: a finding of severity high or above.

    Example:  metier review .claude/skills  ·  metier review ./skill --sarif  ·  metier review --explain paste-site
    """
    if explain or rules:
        _explain([explain] if explain else [], as_json=as_json)
        return
    if not paths:
        raise typer.BadParameter("give a skill folder, or a folder that contains skills", param_hint="PATH")
    found = _review_paths(paths)
    if as_sarif:
        from metier import __version__
        from metier.review.sarif import sarif

        emit(sarif([(shown, one) for shown, _, one in found], version=__version__))
    elif as_json:
        emit({"packages": [_document(*one) for one in found]})
    else:
        _print_all(found)
    raise typer.Exit(1 if any(one.status == "quarantined" for _, _, one in found) else 0)


def _review_paths(paths: list[str]) -> list[tuple[str, Package, Review]]:
    from pathlib import Path

    from metier.library.disk.packages import packages_in, read_package
    from metier.review.review import review_package

    folders = [folder for path in paths for folder in packages_in(Path(path).expanduser().absolute())]
    found: list[tuple[str, Package, Review]] = []
    for folder in dict.fromkeys(folders):
        package = read_package(folder)
        found.append((_relative_path(folder), package, review_package(package, folder=folder.name)))
    return found


def _relative_path(folder: Path) -> str:
    """The folder as a person would write it from here."""
    from pathlib import Path

    here = Path.cwd()
    return folder.relative_to(here).as_posix() if folder.is_relative_to(here) else folder.as_posix()


def _document(path: str, package: Package, one: Review) -> dict[str, object]:
    return {
        "path": path,
        "name": package.name,
        "hash": package.hash(),
        "status": one.status,
        "needs_approval": one.needs_approval,
        "findings": [{part: getattr(each, part) for part in _PARTS} for each in one.findings],
        "asks": list(one.asks),
        "allows": [each.words for each in one.additions],
    }


def _print_all(found: list[tuple[str, Package, Review]]) -> None:
    out = console()
    for path, package, one in found:
        _print(out, path, package, one)
    out_of = sum(one.status == "quarantined" for _, _, one in found)
    if len(found) > 1:
        out.print(f"{out_of} of {len(found)} packages quarantined.")


def _print(out: Console, path: str, package: Package, one: Review) -> None:
    from rich.text import Text

    colour = "green" if one.status == "candidate" else "red"
    out.print(
        Text.assemble((f"{one.status:<12}", colour), (visible(package.name or path), "bold"), "  ", visible(path))
    )
    _print_answers(out, one)


def _print_answers(out: Console, one: Review) -> None:
    """The two answers: why it is blocked, and what it asks for; then what else was seen."""
    from rich.text import Text

    from metier.review.review import is_ask
    from metier.types.reviews import blocks

    parts = (
        ("blocked because", [each for each in one.findings if blocks(each)]),
        ("also seen", [each for each in one.findings if not blocks(each) and not is_ask(each)]),
    )
    if one.asks:
        out.print("  asks to be allowed to")
    for words in one.asks[:MOST_ASKS]:
        out.print(Text(visible(f"    {words}")))
    if len(one.asks) > MOST_ASKS:
        out.print(f"    and {len(one.asks) - MOST_ASKS} more (--json shows all)")
    for title, findings in parts:
        if findings:
            out.print(f"  {title}")
        for each in findings:
            _print_finding(out, each)


def _print_finding(out: Console, one: Finding) -> None:
    from rich.text import Text

    place = f"{one.file}:{one.line}" if one.line else one.file
    head = (f"  {one.severity:<9}", _COLOURS[one.severity])
    out.print(Text.assemble(head, (f"{one.rule}", "bold"), f" [{one.tag}]  ", visible(place)))
    out.print(Text(visible(f"            {one.reason}")))
    for line in one.excerpt.splitlines()[:4]:
        out.print(Text.assemble("            | ", (visible(line), "italic")))
    if one.fix:
        out.print(Text.assemble(("            Fix: ", "dim"), visible(one.fix)))


def _explain(ids: list[str], *, as_json: bool) -> None:
    from metier.review.rules.catalogue import TAGS, all_rules, explain

    chosen = [explain(one) for one in ids] or list(all_rules().values())
    if as_json:
        parts = ("id", "tag", "severity", "reason", "fix")
        emit([{part: getattr(one, part) for part in parts} for one in chosen])
        return
    out = console()
    for one in chosen:
        out.print(f"{one.id}  {one.severity}  {one.tag} {TAGS[one.tag]}")
        out.print(f"  {one.reason}\n  {one.fix}")
