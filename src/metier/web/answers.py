"""What a page or an action is given, what it gives back, and how that becomes an answer to a browser."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from metier.context.audit import yes_by
from metier.errors import BusyError, ConflictError, InputError, MetierError, NotFoundError
from metier.formats.strict_json import load_json
from metier.skills.names import name_problem
from metier.web.render import render

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from metier.web.dashboard import Dashboard

ID = re.compile("[0-9a-f]{4,64}")
FORM_SCOPE = "metier.form"
"""Where a request's scope holds the form token of its visitor."""
LOOKS_ONLY = "metier.looks-only"
"""Where a request's scope says that its visitor may decide nothing."""
BESIDE = ("open", "version", "back")
"""Values of the address that say what is open beside a list."""
LONGEST = 500
"""Characters of a value in the address that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request as pages see it: the address, its parameters, and what an action was sent."""

    path: str
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """Parts of the path."""
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Mapping[str, object] = field(default_factory=dict[str, object])
    form_token: str = ""
    """What a write from this visitor's pages must carry."""
    looks_only: bool = False
    """Whether the visitor may decide nothing: their pages then have no buttons for it."""

    def id(self, name: str) -> str:
        """A part of the path that is an id."""
        value = self.values[name]
        if not ID.fullmatch(value):
            raise NotFoundError(f"There is no {name} '{value[:40]}' here.")
        return value

    def skill(self, name: str = "skill") -> str:
        """A part of the path that is a skill's name."""
        value = self.values[name]
        if problem := name_problem(value):
            raise NotFoundError(f"There is no skill '{value[:40]}' here: {problem}.")
        return value

    def text(self, name: str, default: str = "") -> str:
        """A value of the query, cut to a sane length."""
        return self.query.get(name, default)[:LONGEST].strip()

    def number(self, name: str, default: int = 0) -> int:
        """A number of the query; what is none counts as the default."""
        value = self.query.get(name, "")
        return int(value) if value.isascii() and value.isdigit() and len(value) < 16 else default

    def sent(self, name: str, default: str = "") -> str:
        """A text that an action was sent."""
        value = self.body.get(name, default)
        if not isinstance(value, str):
            raise InputError(f"'{name}' has to be a text.")
        return value

    @property
    def is_filtered(self) -> bool:
        """Whether the address asks for more than a list with something open beside it."""
        return any(value and name not in BESIDE for name, value in self.query.items())

    def address(self, **changed: str | int | None) -> str:
        """This address with some parameters changed; None and the empty text take one out."""
        values = {**self.query, **{name: "" if value is None else str(value) for name, value in changed.items()}}
        kept = {name: value for name, value in values.items() if value}
        return f"{self.path}?{urlencode(kept)}" if kept else self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page: its template and what the template shows."""

    template: str
    title: str
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    status: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What an action did, and how to take it back."""

    said: str
    undo: Callable[[], str] | None = None
    """Takes it back, and says so."""
    command: str = ""
    """The command that takes it back later."""
    later: str = ""
    """The page that takes it back later."""
    go: str = ""
    """The address to go to; empty: stay."""


def page_route(path: str, show: Callable[[Dashboard, Ask], Page]) -> Route:
    """A route that shows a page."""

    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(_show, _dashboard(request), show, ask_of(request))

    return Route(path, endpoint, methods=["GET"], name=path)


def action_route(path: str, act: Callable[[Dashboard, Ask], Done]) -> Route:
    """A route that changes something: POST, JSON in and out."""

    async def endpoint(request: Request) -> Response:
        raw = await request.body()
        return await run_in_threadpool(_act, _dashboard(request), act, ask_of(request), raw)

    return Route(path, endpoint, methods=["POST"], name=path)


def error_page(board: Dashboard, ask: Ask, status: int, text: str) -> Response:
    """A page that says what is wrong."""
    page = Page(template="error.html", title="Not found" if status == 404 else "Error", values={"text": text})
    return HTMLResponse(render(board, ask, page), status)


def _show(board: Dashboard, show: Callable[[Dashboard, Ask], Page], ask: Ask) -> Response:
    try:
        page = show(board, ask)
        return HTMLResponse(render(board, ask, page), page.status)
    except MetierError as error:
        return error_page(board, ask, _status(error), str(error))


def _act(board: Dashboard, act: Callable[[Dashboard, Ask], Done], ask: Ask, raw: bytes) -> Response:
    try:
        with yes_by("dashboard"):
            done = act(board, replace(ask, body=_document(raw)))
    except MetierError as error:
        return JSONResponse({"error": str(error)}, _status(error))
    undo = board.undos.remember(done.undo) if done.undo else ""
    board.live.look()
    return JSONResponse({"said": done.said, "undo": undo, "command": done.command, "later": done.later, "go": done.go})


def _document(raw: bytes) -> Mapping[str, object]:
    try:
        found: object = load_json(raw.decode()) if raw.strip() else dict[str, object]()
    except (ValueError, RecursionError):
        raise InputError("The request is not JSON.") from None
    if not isinstance(found, dict):
        raise InputError("The request has to be a JSON object.")
    return cast("dict[str, object]", found)


def _status(error: MetierError) -> int:
    match error:
        case NotFoundError():
            return 404
        case ConflictError() | BusyError():
            return 409
        case _:
            return 400


def ask_of(request: Request) -> Ask:
    """A request as pages see it; whoever stands before the routes has put the visitor's form token into its scope."""
    return Ask(
        path=request.url.path,
        values={name: str(value) for name, value in request.path_params.items()},
        query=dict(request.query_params),
        form_token=str(request.scope.get(FORM_SCOPE, "")),
        looks_only=bool(request.scope.get(LOOKS_ONLY)),
    )


def _dashboard(request: Request) -> Dashboard:
    return cast("Dashboard", request.app.state.dashboard)
