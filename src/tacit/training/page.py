"""A training's report as one page that needs nothing else: no script, no network, every text escaped."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from tacit.training.page_lines import lines_table
from tacit.training.pictures import NAMES, bars_picture, curve_picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Row = dict[str, object]
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
ARMS = ("no_skill", "initial", "one_shot", "best")


def page(report: Mapping[str, object]) -> str:
    """The whole page."""
    title = f"Training of {report.get('skill', '')}"
    parts = [
        _head(report),
        _section("Scores", _scores(report)),
        _section("Curve", curve_picture(_rows(report, "curve")) + LEGEND if report.get("curve") else ""),
        _section("Steps", "".join(_step(one) for one in _rows(report, "steps"))),
        _section("What each line brought", lines_table(report)),
        _section("Epoch ends", "".join(_epoch(one) for one in _rows(report, "epochs") if one.get("compared"))),
        _section("Held-out cases", _cases(_rows(report, "cases"))),
        _section("What it took", _usage(report)),
        _section(
            "The trained document", f"<pre>{_text(report.get('document'))}</pre>" if report.get("document") else ""
        ),
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_text(title)}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>\n{_style()}</style></head>\n'
        f"<body><main>\n<h1>{_text(title)}</h1>\n{''.join(parts)}</main></body></html>\n"
    )


LEGEND = (
    '<p class="legend"><span class="best">best so far</span> <span class="current">current</span> '
    '<span class="yes">accepted candidate</span> <span class="no">rejected candidate</span></p>'
)


def _style() -> str:
    return (files("tacit.training") / "page.css").read_text(encoding="utf-8")


def _head(report: Mapping[str, object]) -> str:
    decision = cast("Row", report.get("decision") or {})
    action = str(decision.get("action") or report.get("status") or "")
    said = {"accept": "Confirmed", "reject": "Not confirmed", "uninformative": "Not proven"}.get(action, action)
    stopped = f"<p>It stopped early: {_text(report['stopped'])}.</p>" if report.get("stopped") else ""
    rival = (
        "<p>It does not beat a one-shot rewrite of the same skill.</p>" if report.get("beats_one_shot") is False else ""
    )
    facts = [
        ("training", report.get("run")),
        ("target", report.get("target")),
        ("optimiser", report.get("optimiser") or "as configured"),
        ("preset", cast("Row", report.get("spec") or {}).get("preset")),
        ("seed", cast("Row", report.get("spec") or {}).get("seed")),
        ("when", str(report.get("updated") or "")[:19].replace("T", " ")),
    ]
    listed = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in facts if value)
    return (
        f'<p class="verdict {_text(action)}"><strong>{_text(said)}.</strong> {_text(decision.get("reason"))}</p>'
        f"<p>{_text(report.get('power'))}</p>{stopped}{rival}<dl>{listed}</dl>"
    )


def _scores(report: Mapping[str, object]) -> str:
    rows = _rows(report, "baselines")
    pictures = [(split, bars_picture(rows, split)) for split in ("val", "test")]
    shown = "".join(
        f"<h3>{'Val: the search decided by these' if split == 'val' else 'Test: the search never saw these'}</h3>{one}"
        for split, one in pictures
        if one
    )
    missing = "".join(
        f"<p>{_text(NAMES.get(str(one['arm']), one['arm']))} on {_text(one['split'])}: {_text(one['reason'])}</p>"
        for one in rows
        if one.get("score") is None and one.get("reason")
    )
    return shown + missing


def _step(one: Row) -> str:
    outcome = cast("Row", one.get("outcome") or {})
    edits = "".join(_edit(edit) for edit in cast("list[Row]", one.get("edits") or []))
    effect = f" ({_signed(outcome['effect'])} points)" if outcome.get("effect") is not None else ""
    head = (
        f'<summary><b>Step {_text(one["step"])}</b> <span class="tag {_text(outcome.get("action"))}">'
        f"{_text(str(outcome.get('action', '')).replace('_', ' '))}</span>{effect} "
        f"<small>{_text(one['passed'])} of {_text(one['cases'])} passed; {_text(outcome.get('reason'))}</small>"
        "</summary>"
    )
    screened = "".join(_effect(edit) for edit in cast("list[Row]", outcome.get("effects") or []))
    screened = f"<h3>Screened, each with its own effect</h3>{screened}" if screened else ""
    merged = _merge(cast("Row", one.get("merged") or {}))
    return f"<details>{head}{edits or '<p>No edits.</p>'}{screened}{merged}</details>"


def _merge(outcome: Row) -> str:
    if not outcome:
        return ""
    said = f"{str(outcome['action']).replace('_', ' ')}: {outcome['reason']}"
    return f"<p>After it two lineages were merged by section: {_text(said)}</p>"


def _effect(edit: Row) -> str:
    low, high = (_signed(end) for end in cast("list[float]", edit["interval"]))
    kept = "kept" if edit["kept"] else "dropped"
    return _edit({**edit, "status": f"{kept}: {_signed(edit['effect'])} points, 95 % interval {low} to {high}"})


def _edit(edit: Row) -> str:
    what = edit.get("op") or ("rewrite" if "new_skill" in edit else "suggestion")
    text = edit.get("content") or edit.get("instruction") or edit.get("new_skill") or edit.get("error") or ""
    target = f'<pre class="old">{_text(edit["target"])}</pre>' if edit.get("target") else ""
    about = f"{what} · from {edit.get('source')}, {edit.get('support_count')} cases · {edit.get('status') or ''}"
    return f'<div class="edit"><small>{_text(about)}</small>{target}<pre>{_text(text)}</pre></div>'


def _epoch(one: Row) -> str:
    pairs = ", ".join(
        f"{count} {name.replace('_', ' ')}" for name, count in cast("dict[str, int]", one["compared"]).items()
    )
    outcome = cast("Row", one.get("outcome") or {})
    said = f"{outcome.get('action', '')}: {outcome.get('reason', '')}" if outcome else ""
    return f"<p><b>Epoch {_text(one['epoch'])}</b>: {_text(pairs)}. {_text(said)}</p>"


def _cases(rows: list[Row]) -> str:
    if not rows:
        return ""
    heads = "".join(f"<th>{_text(NAMES[arm])}</th>" for arm in ARMS)
    body = "".join(
        f"<tr><td>{_text(row['case'])}</td><td>{_text(row['split'])}</td><td>{_text(row.get('input'))}</td>"
        + "".join(_score(row.get(arm)) for arm in ARMS)
        + "</tr>"
        for row in rows
    )
    return (
        f"<table><thead><tr><th>case</th><th>split</th><th>input</th>{heads}</tr></thead><tbody>{body}</tbody></table>"
    )


def _score(value: object) -> str:
    if isinstance(value, int | float):
        kind = "pass" if value >= 1 else "fail" if value <= 0 else "part"
        return f'<td class="{kind}">{value:g}</td>'
    return f'<td class="none" title="{_text(value)}">{"unscored" if value else ""}</td>'


def _usage(report: Mapping[str, object]) -> str:
    rows = "".join(
        f"<tr><td>{_text(stage)}</td>"
        + "".join(f"<td>{cast('int', used[key]):,}</td>" for key in ("calls", "input", "output"))
        + f"<td>{cast('float', used['cost_usd']):.4f}</td></tr>"
        for stage, used in cast("dict[str, Row]", report.get("usage") or {}).items()
    )
    cost = report.get("cost_usd")
    total = (
        f"{cast('float', cost):.4f} dollars"
        if cost is not None
        else "a cost that is not known: the model's price is not"
    )
    said = f"<p>In all {report.get('rollouts', 0):,} rollouts and {report.get('calls', 0):,} calls, {_text(total)}.</p>"
    heads = "".join(f"<th>{name}</th>" for name in ("stage", "calls", "tokens in", "tokens out", "dollars"))
    return f"{said}<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if rows else said


def _section(title: str, body: str) -> str:
    return f"<section><h2>{title}</h2>{body}</section>\n" if body else ""


def _rows(report: Mapping[str, object], key: str) -> list[Row]:
    return list(cast("Iterable[Row]", report.get(key) or ()))


def _signed(value: object) -> str:
    return f"{100 * cast('float', value):+.1f}"


def _text(value: object) -> str:
    return "" if value is None else escape(str(value))
