"""The application: every page's routes, the event stream, the static files, behind the guard."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from metier.web.answers import Done, action_route, ask_of, error_page
from metier.web.guard import Guard
from metier.web.live import events
from metier.web.pages import ROUTES

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from metier.web.answers import Ask
    from metier.web.dashboard import Dashboard

    Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]

STATIC = Path(__file__).parent / "static"
THREADS = 4
"""Requests that are worked on at once; each thread has a connection of its own to the database."""


def build_app(board: Dashboard) -> Guard:
    """The dashboard as an ASGI application."""
    return Guard(pages_app(board, [Route("/link", _new_link, methods=["POST"])]), board.access)


def pages_app(board: Dashboard, more: Sequence[BaseRoute] = (), lifespan: Lifespan | None = None) -> Starlette:
    """Every page with its actions, events and static files, and further routes; nothing stands before them yet."""
    app = Starlette(
        routes=[
            *ROUTES,
            action_route("/undo/{name}", _undo),
            *more,
            Route("/events", events, methods=["GET"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={HTTPException: _missing, ClientDisconnect: _gone, Exception: _broken},
        lifespan=lifespan or run_dashboard,
    )
    app.state.dashboard = board
    return app


@asynccontextmanager
async def run_dashboard(app: Starlette) -> AsyncGenerator[None]:
    """Look at the store as long as the server runs."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    board: Dashboard = app.state.dashboard
    await run_in_threadpool(board.live.start)
    try:
        yield
    finally:
        board.figures.close()
        await run_in_threadpool(board.live.close)


def _undo(board: Dashboard, ask: Ask) -> Done:
    return Done(said=board.undos.take_back(ask.id("name")))


async def _new_link(request: Request) -> Response:
    """A link for another browser of the same person: only who has the token gets one."""
    board: Dashboard = request.app.state.dashboard
    return JSONResponse({"link": board.access.new_link()})


async def _missing(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return await _error(request, status, "There is no such page.")


async def _gone(request: Request, error: Exception) -> Response:  # noqa: ARG001 - as Starlette calls it
    """The answer to a client that went away in the middle of its request: it reaches no one."""
    return Response(status_code=400)


async def _broken(request: Request, error: Exception) -> Response:
    sys.stderr.write(f"metier: This is a bug in Metier, sorry: {type(error).__name__}{_place_of(error)}\n")
    return await _error(request, 500, f"This is a bug in Metier, sorry: {type(error).__name__}. Please report it.")


def _place_of(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace else ""


async def _error(request: Request, status: int, text: str) -> Response:
    if request.method == "POST":
        return JSONResponse({"error": text}, status)
    ask = replace(ask_of(request), values={}, query={})
    return await run_in_threadpool(error_page, request.app.state.dashboard, ask, status, text)
