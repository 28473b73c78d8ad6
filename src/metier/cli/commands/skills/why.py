"""`metier skills why`: the story of a skill, from the runs that taught it to what is measured of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from metier.cli.options import AsJson, open_workspace
from metier.cli.output import emit, say, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.proof.skill_story import SkillRecord
    from metier.types.skills import Version

SHOWN = 8
"""Runs, and lines that were measured, which are named."""
UNKNOWN = "whether it helps is not known. Find out"


def why(
    ctx: typer.Context,
    skill: Annotated[str, typer.Argument(metavar="SKILL", help="A skill's name, or its folder.")],
    as_json: AsJson = False,
) -> None:
    """Tell the story of a skill: evidence, gates, trials, uses, cost, and what each measured line brought.

    Example:  metier skills why deploy
    """
    from metier.proof.skill_story import skill_story

    with open_workspace(ctx) as ws:
        story = skill_story(ws.library, skill)
    if as_json:
        emit(story_row(story))
        return
    for line in story_lines(story):
        say(visible(line))


def story_row(story: SkillRecord) -> dict[str, object]:
    """The story as JSON."""
    from metier.cli.commands.proof.trial import trial_row
    from metier.cli.views.blame import as_document as as_line
    from metier.selection.worth.outcomes import as_document

    return {
        "name": story.skill,
        "versions": [
            {
                "version": one.number,
                "created": one.created,
                "action": one.action,
                "status": one.status,
                "actor": one.who,
                "summary": one.summary,
                "draft": one.draft or None,
                "receipt": one.receipt or None,
                "gain": one.proven_gain,
                "runs": list(one.provenance.runs),
                "written_by": one.provenance.model or None,
            }
            for one in story.versions
        ],
        "runs": list(story.runs),
        "trials": [trial_row(one) for one in story.trials],
        "receipts": [{"model": one.model, "standing": one.standing, "why": one.why} for one in story.receipts],
        "uses": {"uses": story.profile.uses, "succeeded": story.profile.successes, "failed": story.profile.failures},
        "worth": as_document(story.worth),
        "tokens": {"text": story.body_tokens, "given": story.tokens_given},
        "lines": [as_line(one, story.trainings) for one in story.lines],
        "decisions": [
            {"happened": one.happened, "actor": one.actor, "action": one.action, "reason": one.reason or None}
            for one in story.decisions
        ],
    }


def story_lines(story: SkillRecord) -> Iterator[str]:
    """The story for a person."""
    from metier.selection.worth.outcomes import line
    from metier.text.counts import plural

    last = story.versions[-1] if story.versions else None
    yield f"{story.skill}  {last.status if last else 'unknown'}, version {last.number if last else 0}"
    yield "Evidence"
    runs = ", ".join(run[:8] for run in story.runs[:SHOWN])
    more = f" and {len(story.runs) - SHOWN} more" if len(story.runs) > SHOWN else ""
    yield (
        f"  learned from {plural(len(story.runs), 'run')}: {runs}{more}"
        if story.runs
        else "  no run of yours taught it"
    )
    yield "Versions and gates"
    yield from map(_version_line, story.versions)
    yield "Trials"
    yield from _trial_lines(story)
    yield "Proof, model by model"
    for one in story.receipts:
        yield f"  {one.model}: {one.standing} ({one.why})"
    if not story.receipts and story.trainings:
        yield "  not proven: measured in training only, no gate confirmed it"
    elif not story.receipts:
        yield "  no model: nothing was measured, and no run names its model"
    yield "Uses and cost"
    yield f"  {line(story.skill, story.worth)}"
    yield f"  about {story.body_tokens:,} tokens each time it is given, {story.tokens_given:,} so far"
    yield "Lines that were measured"
    yield from _measured_lines(story)


def _trial_lines(story: SkillRecord) -> Iterator[str]:
    for trial in story.trials:
        yield f"  {trial.started[:10]}  {trial.status}: {trial.reason or 'see metier trial status ' + trial.skill}"
    if not story.trials:
        known = any(one.standing == "proven" for one in story.receipts)
        said = "a replay measured that it helps; see whether it does in your sessions" if known else UNKNOWN
        yield f"  none: {said}: metier trial start {story.skill}"


def _version_line(one: Version) -> str:
    from metier.cli.views.draft_card import written_words
    from metier.library.proposals.gate import receipt_words

    receipt = f"; {receipt_words(one.receipt)}" if one.receipt else ""
    gain = f"; proven gain {100 * one.proven_gain:+.0f} points" if one.proven_gain is not None else ""
    said = f"{one.summary}{written_words(one.provenance.model)}{receipt}{gain}"
    return f"  v{one.number}  {one.created[:10]}  {one.action} by {one.who}: {said}"


def _measured_lines(story: SkillRecord) -> Iterator[str]:
    from metier.cli.views.blame import as_document

    found = [(one, as_document(one, story.trainings)) for one in story.lines]
    known = [(one, said, cast("float", said["effect"])) for one, said in found if said["effect"] is not None]
    for one, said, effect in sorted(known, key=lambda row: -row[2])[:SHOWN]:
        sure = "" if said["proven"] else ", in training, not proven"
        yield f"  {100 * effect:+.1f} points{sure}  line {one.number}, v{one.version.number}: {one.text.strip()[:80]}"
    if not known:
        yield "  none: see where each line comes from with metier skills blame " + story.skill
