"""The steps of a training on its page: what was proposed, what became of it, and the ends of epochs."""

from __future__ import annotations

from typing import cast

from metier.training.report.page_html import Row, count, part, signed, text

SCREENED = (
    "Seen is the plain estimate, which the interval is of; expected is that estimate drawn towards zero, as the best "
    "of many look better than they are."
)


def name_of(one: Row) -> str:
    """A step's number, and how its change was proposed, where that is not usual."""
    if one["step"] == 0:
        return "one-shot"
    way = str(one.get("proposer", "patch")).replace("_", " ")
    return str(one["step"]) + ("" if way == "patch" else f" {way}")


def action_of(outcome: Row) -> str:
    """What became of a step, in a word or two."""
    return "waits" if outcome.get("waits") else str(outcome.get("action", "")).replace("_", " ")


def was_screened(outcome: Row) -> bool:
    """Whether a screening chose; then the step's own effect is what fresh attempts said afterwards."""
    return bool(outcome.get("effects")) and str(outcome.get("action")).startswith("accept")


def step(one: Row) -> str:
    """A step: its head, and when opened its edits."""
    outcome = part(one, "outcome")
    title = "One-shot rewrite" if one["step"] == 0 else f"Step {name_of(one)}"
    reason = f"{one['passed']} of {one['cases']} train cases passed; {outcome.get('reason')}{_afterwards(outcome)}"
    effect = "" if was_screened(outcome) or outcome.get("effect") is None else f" ({signed(outcome['effect'])} points)"
    head = (
        f'<summary><b>{text(title)}</b> <span class="tag {text(outcome.get("action"))}">{text(action_of(outcome))}'
        f"</span>{effect} <small>{text(reason)}</small></summary>"
    )
    edits = "".join(_edit(edit) for edit in cast("list[Row]", one.get("edits") or []))
    screened = "".join(_effect(edit) for edit in cast("list[Row]", outcome.get("effects") or []))
    screened = f"<h3>Screened, each with its own effect</h3><p>{SCREENED}</p>{screened}" if screened else ""
    return f"<details>{head}{edits or '<p>No edits.</p>'}{screened}</details>"


def epoch(one: Row) -> str:
    """How an epoch ended."""
    compared = cast("dict[str, int]", one["compared"])
    pairs = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in compared.items())
    outcome = part(one, "outcome")
    said = f"Guidance: {action_of(outcome)}: {outcome.get('reason', '')}" if outcome else ""
    return f"<p><b>Epoch {text(one['epoch'])}</b>: {text(pairs)}. {text(said)}</p>"


def _afterwards(outcome: Row) -> str:
    if not was_screened(outcome) or outcome.get("effect") is None:
        return ""
    loss = ", no clear loss" if cast("float", outcome["effect"]) < 0 else ""
    return f"; fresh attempts with them: {signed(outcome['effect'])} points{loss}"


def _effect(edit: Row) -> str:
    low, high = (signed(end) for end in cast("list[float]", edit["interval"]))
    kept = "kept" if edit["kept"] else "dropped"
    seen = f"seen {signed(edit['seen'])} points (95 % interval {low} to {high}), expected {signed(edit['effect'])}"
    return _edit({**edit, "status": f"{kept}: {seen}"})


def _edit(edit: Row) -> str:
    what = edit.get("op") or ("rewrite" if "new_skill" in edit else "suggestion")
    written = edit.get("content") or edit.get("instruction") or edit.get("new_skill") or edit.get("error")
    support = f"from {edit.get('source')}, {count(edit.get('support_count') or 0, 'case')}"
    about = " · ".join(str(one) for one in (what, support, edit.get("status")) if one)
    old = f'<pre class="old">{text(edit["target"])}</pre>' if edit.get("target") else ""
    new = f"<pre>{text(written)}</pre>" if written else ""
    return f'<div class="edit"><small>{text(about)}</small>{old}{new}</div>'
