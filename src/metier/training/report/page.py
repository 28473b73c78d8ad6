"""A training's report as one page that needs nothing else: no script, no network, every text escaped."""

from __future__ import annotations

from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING

from metier.training.report.explain import told
from metier.training.report.page_cases import cases_tables
from metier.training.report.page_head import head
from metier.training.report.page_html import count, rows, text
from metier.training.report.page_lines import lines_table
from metier.training.report.page_steps import epoch, step
from metier.training.report.page_usage import usage_table
from metier.training.report.pictures import NAMES, bars_picture, curve_picture

if TYPE_CHECKING:
    from collections.abc import Mapping

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
SPLITS = {"val": "Val: the search decided by these", "test": "Test: the search never saw these"}
LEGEND = (
    '<p class="legend"><span class="best">━ best so far</span> <span class="current">┅ current</span> '
    '<span class="yes">● accepted candidate</span> <span class="no">○ rejected candidate</span></p>'
)
FALLS = (
    "<p>The line falls where a skill was measured anew after an accept: the attempts that it was chosen by had "
    "flattered it.</p>"
)


def page(report: Mapping[str, object]) -> str:
    """The whole page."""
    title = f"Training of {report.get('skill', '')}"
    document = f"<pre>{text(report['document'])}</pre>" if report.get("document") else ""
    parts = [
        head(report),
        _section("Scores, with 95 % intervals", _scores(report)),
        _section("Curve: the score on val, step by step", _curve(report)),
        _section("Steps", "".join(step(one) for one in rows(report, "steps"))),
        _section("What each line brought", lines_table(report)),
        _section("Epoch ends", "".join(epoch(one) for one in rows(report, "epochs") if one.get("compared"))),
        _section("Held-out cases", cases_tables(report)),
        _section("What it took", usage_table(report)),
        _section("The way there, in plain words", _story(report)),
        _section("The trained document", document),
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{text(title)}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>\n{_style()}</style></head>\n'
        f"<body><main>\n<h1>{text(title)}</h1>\n{''.join(parts)}</main></body></html>\n"
    )


def _style() -> str:
    return (files("metier.training") / "page.css").read_text(encoding="utf-8")


def _scores(report: Mapping[str, object]) -> str:
    found = rows(report, "baselines")
    pictures = ((said, bars_picture(found, split)) for split, said in SPLITS.items())
    shown = "".join(f'<h3>{said}</h3><div class="wide">{picture}</div>' for said, picture in pictures if picture)
    missing = "".join(
        f"<p>{text(NAMES.get(str(one['arm']), one['arm']))} on {text(one['split'])}: {text(one['reason'])}</p>"
        for one in found
        if one.get("score") is None and one.get("reason")
    )
    return shown + missing


def _curve(report: Mapping[str, object]) -> str:
    points = rows(report, "curve")
    if not points:
        return ""
    bests = [float(str(one["best"])) for one in points]
    falls = any(after < before for before, after in pairwise(bests))
    return f'<div class="wide">{curve_picture(points)}</div>{LEGEND}{FALLS if falls else ""}'


def _story(report: Mapping[str, object]) -> str:
    """What `metier train show --explain` says."""
    texts = list(told(rows(report, "events")))
    if not texts:
        return ""
    opened = "" if report.get("steps") else " open"
    head = f"<summary>{count(len(texts), 'note')} on what was decided, and why</summary>"
    return f"<details{opened}>{head}<pre>{text(chr(10).join(texts))}</pre></details>"


def _section(title: str, body: str) -> str:
    return f"<section><h2>{title}</h2>{body}</section>\n" if body else ""
