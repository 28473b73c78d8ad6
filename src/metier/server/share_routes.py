"""The routes by which machines get what was approved: the signed manifest, and the objects that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from metier.errors import MetierError
from metier.formats.value_json import dumps
from metier.server.key import server_key
from metier.sharing.manifest import sign_manifest

if TYPE_CHECKING:
    from starlette.requests import Request

    from metier.server.visitors import Visitor
    from metier.sharing.offer import Offers
    from metier.web.dashboard import Dashboard

VISITOR = "metier.visitor"
"""Where a request's scope holds who sent it."""


async def offer(request: Request) -> Response:
    """What this server offers to the person whose machine asks, signed."""
    try:
        text = await run_in_threadpool(_signed, request)
    except MetierError as error:
        return JSONResponse({"error": str(error)}, 503)
    return Response(text, media_type="application/json")


async def offered_object(request: Request) -> Response:
    """One object that the manifest names."""
    found = await run_in_threadpool(_object, request)
    if found is None:
        return JSONResponse({"error": "This is not offered, or not any more."}, 404)
    return Response(found, media_type="application/octet-stream")


def _signed(request: Request) -> str:
    board = cast("Dashboard", request.app.state.dashboard)
    return dumps(sign_manifest(server_key(board.context), _offers(request).offer_for(_person(request)).manifest))


def _object(request: Request) -> bytes | None:
    read = _offers(request).offer_for(_person(request)).objects.get(str(request.path_params["object"]))
    try:
        return read() if read else None
    except MetierError:
        return None


def _offers(request: Request) -> Offers:
    return cast("Offers", request.app.state.offers)


def _person(request: Request) -> str:
    return cast("Visitor", request.scope[VISITOR]).token.name


ROUTES = (
    Route("/v1/sync", offer, methods=["GET"]),
    Route("/v1/sync/objects/{object}", offered_object, methods=["GET"]),
)
