"""Pages from templates: everything is escaped, and nothing in a text can hide."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from metier.library.proposals.gate import receipt_words
from metier.redaction import MARK
from metier.text.counts import plural
from metier.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.web.answers import Ask, Page
    from metier.web.dashboard import Dashboard

FOLDER = Path(__file__).parent / "templates"
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
"""Words between single backticks."""
STEPS = ((60, "s"), (3600, "min"), (86_400, "h"), (86_400 * 60, "d"))
"""Seconds up to which a time is told in a unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NavEntry:
    """A page in the navigation."""

    path: str
    title: str
    key: str
    """Pressed after `g`, it goes there."""
    is_current: bool = False
    waiting: int = 0
    """How many things wait there for a decision."""


def render(board: Dashboard, ask: Ask, page: Page) -> str:
    """A whole page as HTML."""
    from metier.web.pages import NAV, SHARED_NAV
    from metier.web.pages.waiting import count_waiting

    stamps = board.live.stamps()
    entries = [
        NavEntry(
            path=path,
            title=title,
            key=key,
            is_current=_is_in(ask.path, path),
            waiting=count_waiting(board) if path == "/" else 0,
        )
        for path, title, key in (*NAV, *(SHARED_NAV if board.context.config.store else ()))
    ]
    return (
        environment()
        .get_template(page.template)
        .render(
            page.values,
            title=page.title,
            nav=entries,
            ask=ask,
            now=board.context.clock(),
            trouble=board.context.loss_text,
            project=board.ws.root.name or str(board.ws.root),
            root=str(board.ws.root),
            form_token=ask.form_token,
            stamps=json.dumps(stamps),
        )
    )


@cache
def environment() -> Environment:
    """The templates with their filters."""
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name, function in FILTERS.items():
        cast("dict[str, object]", made.filters)[name] = function
    return made


def ago(when: str, now: datetime) -> str:
    """How long ago a moment was: "3 h ago"; older than two months: its day."""
    found = _parse(when)
    if found is None:
        return when
    seconds = (now - found).total_seconds()
    if seconds < 0:
        return "just now" if seconds > -60 else when[:10]
    unit = 1
    for limit, name in STEPS:
        if seconds < limit:
            return f"{int(seconds // unit)} {name} ago"
        unit = {60: 60, 3600: 3600}.get(limit, 86_400)
    return when[:10]


def moment(when: str) -> str:
    """A moment as people read it, in UTC."""
    found = _parse(when)
    return f"{found.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if found else when


def short(name: str) -> str:
    """The start of an id."""
    return name[:8]


def money(value: object) -> str:
    """Dollars: cents, or more digits where it is less than one."""
    amount = float(str(value))
    return f"${amount:,.2f}" if amount >= 0.01 or amount == 0 else f"${amount:.4f}"


def count(value: int) -> str:
    """A number with its thousands apart."""
    return f"{value:,}"


def share(value: float) -> str:
    """A share in percent."""
    return f"{value:.0%}"


def points(value: float) -> str:
    """A difference of shares in points, with its sign."""
    return f"{100 * value:+.1f} points"


def maker(by: str) -> str:
    """Who found or wrote something, in words."""
    if by == "heuristic":
        return "without a model"
    return f"by {'you' if by == 'person' else by.removeprefix('model:')}"


def redactions(text: str) -> Markup:
    """A text with the marks of redacted secrets set apart."""
    parts: list[Markup] = []
    end = 0
    for found in MARK.finditer(text):
        parts += [_safe(text[end : found.start()]), _redaction(found[0])]
        end = found.end()
    return Markup().join([*parts, _safe(text[end:])])


def inline(text: str) -> Markup:
    """A text in which `words between backticks` are set as code, and marks of redacted secrets apart."""
    code = Markup("<code>{}</code>")
    parts = [redactions(part) for part in CODE.split(text)]
    return Markup().join(code.format(part) if number % 2 else part for number, part in enumerate(parts))


def shortened(text: str, most: int) -> str:
    """The start of a text, cut between words and with an ellipsis where it is longer."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return f"{cut.rsplit(None, 1)[0] if cut.split() else cut} …"


def _redaction(mark: str) -> Markup:
    kind = mark.split(":")[1].replace("-", " ")
    title = f"A secret ({kind}) stood here. It was never stored."
    return Markup('<mark class="redacted" title="{}">{}</mark>').format(title, mark)


def _safe(text: str) -> Markup:
    return escape(visible(text))


def _finalize(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _is_in(path: str, entry: str) -> bool:
    path = "/skills" if path == "/select" else path
    return path == entry or (entry != "/" and path.startswith(f"{entry}/"))


def _parse(when: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(when)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


FILTERS: dict[str, Callable[..., str]] = {
    "ago": ago,
    "moment": moment,
    "short": short,
    "money": money,
    "count": count,
    "plural": plural,
    "redactions": redactions,
    "share": share,
    "points": points,
    "inline": inline,
    "shortened": shortened,
    "receipt": receipt_words,
    "maker": maker,
    "visible": visible,
}
"""What templates can do with values."""
