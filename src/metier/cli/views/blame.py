"""Blame on a page: each line of a skill with the version that brought it, and what taught that."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from metier.cli.output import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.text import Text

    from metier.library.proposals.training_receipt import TrainingReceipt
    from metier.library.versions.blame import BlamedLine
    from metier.types.skills import Version

WHO = 27
"""Columns for who and what."""
COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "red")


def page(lines: Sequence[BlamedLine], trained: Mapping[str, TrainingReceipt]) -> Text:
    """Every line with its origin before it; each version has its colour, a line of a training what it is worth."""
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    made = Text(no_wrap=True)
    last = 0
    for line in lines:
        number = line.version.number
        origin = _origin_label(line.version) if number != last else ""
        said = visible(_training_label(line, trained) or origin)
        said = said if cell_len(said) <= WHO else set_cell_size(said, WHO - 1) + "…"
        made.append(f"v{number:<4}", style=COLOURS[number % len(COLOURS)])
        made.append(f"{set_cell_size(said, WHO)} │ ", style="dim")
        made.append(visible(line.text.rstrip("\r\n")) + "\n")
        last = number
    made.rstrip()
    return made


def as_document(line: BlamedLine, trained: Mapping[str, TrainingReceipt]) -> dict[str, object]:
    """A line as JSON."""
    version = line.version
    worth = _worth(line, trained)
    return {
        "line": line.number,
        "text": line.text.rstrip("\r\n"),
        "version": version.number,
        "origin": version.origin,
        "actor": version.who,
        "draft": version.draft or None,
        "step": version.step or None,
        "runs": list(version.provenance.runs),
        "gain": version.proven_gain,
        "training": version.provenance.training or None,
        "edit": {"step": worth["step"], "op": worth["op"]} if worth.get("op") else None,
        "effect": worth.get("effect"),
        "interval": worth.get("interval"),
        "proven": None if worth.get("effect") is None else trained[version.provenance.training].is_proven,
        "known_from": worth.get("how"),
    }


def _worth(line: BlamedLine, trained: Mapping[str, TrainingReceipt]) -> dict[str, object]:
    """What the training that brought a line says about it."""
    training = trained.get(line.version.provenance.training)
    return dict(training.lines.get(line.text.strip(), {})) if training else {}


def _training_label(line: BlamedLine, trained: Mapping[str, TrainingReceipt]) -> str:
    """The training, its step and the points of a line that it brought; empty for any other."""
    worth = _worth(line, trained)
    if not worth:
        return ""
    effect = worth.get("effect")
    points = "" if effect is None else f" {100 * cast('float', effect):+.1f}"
    step = worth["step"] if worth.get("op") else "-"
    training = trained[line.version.provenance.training]
    how = "unproven" if points and not training.is_proven else "training"
    return f"{how} {training.training[:8]}/{step}{points}"


def _origin_label(version: Version) -> str:
    what = f"step {version.step}" if version.step else f"{version.action} by {version.who}"
    what = f"draft {version.draft}" if version.draft else what
    runs = f", {len(version.provenance.runs)} runs" if version.provenance.runs else ""
    gain = f", {version.proven_gain:+.3f}" if version.proven_gain is not None else ""
    return what + runs + gain
