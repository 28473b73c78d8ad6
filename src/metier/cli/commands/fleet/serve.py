"""`metier serve`: the dashboard for many, and the way in for the runs of many machines."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from metier.cli.options import AsJson, ServeByDefault, Yes, confirm, open_workspace, sigterm_as_interrupt
from metier.cli.output import console, emit, table, talk

if TYPE_CHECKING:
    from metier.store.tables.server.access_tokens import AccessToken

app = typer.Typer(
    cls=ServeByDefault,
    add_completion=False,
    rich_markup_mode=None,
    help="Serve the dashboard by roles, and take runs and traces from many machines.\n\n"
    "Example:  metier serve token add ada --role admin  ·  metier serve",
)
tokens = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Say who may use the server.\n\nExample:  metier serve token add ci --role record  ·  metier serve token list",
)
app.add_typer(tokens, name="token")

Host = Annotated[str, typer.Option(metavar="ADDRESS", help="Listen there; beyond this machine only with TLS.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any.")]
Url = Annotated[str, typer.Option(metavar="URL", help="The address people use, such as https://metier.example.")]
Cert = Annotated[str, typer.Option(metavar="FILE", help="TLS: the certificate with its chain, PEM.")]
Key = Annotated[str, typer.Option(metavar="FILE", help="TLS: its key, PEM.")]
Proxy = Annotated[
    list[str] | None,
    typer.Option("--proxy", metavar="ADDRESS", help="The proxy that does TLS; nobody else is answered. Repeatable."),
]
Otel = Annotated[str, typer.Option(metavar="URL", help="Push metrics to this OpenTelemetry collector.")]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Whose it is; it stands in the audit log.")]
RoleOption = Annotated[str, typer.Option("--role", metavar="ROLE", help="record, metrics, viewer, reviewer or admin.")]
Days = Annotated[int, typer.Option(min=0, max=3650, help="Days until it ends; 0: never.")]
TokenArgument = Annotated[str, typer.Argument(metavar="TOKEN", help="Its id, from metier serve token list.")]


@app.command()
def run(
    ctx: typer.Context,
    host: Host = "127.0.0.1",
    port: Port = 7342,
    url: Url = "",
    cert: Cert = "",
    key: Key = "",
    proxy: Proxy = None,
    otel: Otel = "",
) -> None:
    """Serve the dashboard of this workspace, and take runs (POST /v1/runs) and traces (OTLP, POST /v1/traces).

    Everybody needs a token. Beyond this machine it also needs TLS: its own files, or a proxy that you name. Metrics are
    at /metrics. Stop it with Ctrl-C; what was acknowledged is stored.

    Example:  metier serve  ·  metier serve --host 0.0.0.0 --url https://metier.example:7342 --cert c.pem --key k.pem
    """
    from dataclasses import replace

    from metier.server.binding import ServeOptions, checked_binding, open_socket
    from metier.server.issued_tokens import list_tokens
    from metier.server.launch import serve

    asked = ServeOptions(host=host, port=port, url=url, cert=cert, key=key, proxies=tuple(proxy or ()))
    with open_workspace(ctx) as ws:
        now = ws.context.now()
        has_roles = any(one.is_good(now) for one in list_tokens(ws.context))
        binding = checked_binding(asked, has_roles=has_roles)
        listening = open_socket(binding)
        if not port:
            free = replace(asked, port=listening.getsockname()[1])
            binding = checked_binding(free, has_roles=has_roles)
        talk(f"Serving {ws.name}. Stop with Ctrl-C. Sign in with a token at:")
        sys.stdout.write(binding.origin + "\n")
        sys.stdout.flush()
        with sigterm_as_interrupt(), suppress(KeyboardInterrupt):
            serve(ws, binding, listening, otel=otel)
        talk("Stopped.")


@tokens.command()
def add(
    ctx: typer.Context, name: NameArgument, role: RoleOption = "viewer", days: Days = 0, as_json: AsJson = False
) -> None:
    """Make a token. It is shown once, now; only its hash is kept. Undo: metier serve token revoke TOKEN.

    Example:  metier serve token add build-3 --role record  ·  metier serve token add ada --role reviewer --days 90
    """
    from metier.server.issued_tokens import add_token
    from metier.server.roles import ABOUT

    with open_workspace(ctx) as ws:
        made = add_token(ws.context, name, role, days)
    if as_json:
        emit({**_row(made.token, made.token.created), "text": made.text})
        return
    talk(f"A token for {name}, {role}: {ABOUT[role]}. It is shown only now:")
    sys.stdout.write(made.text + "\n")
    talk(f"Undo: metier serve token revoke {made.token.id}")


@tokens.command(name="list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the tokens: whose, which role, and whether they count. What a token is, nobody can show.

    Example:  metier serve token list
    """
    from metier.server.issued_tokens import list_tokens

    with open_workspace(ctx) as ws:
        found, now = list_tokens(ws.context), ws.context.now()
    if as_json:
        emit([_row(one, now) for one in found])
        return
    if not found:
        talk("There is no token yet. Make one: metier serve token add NAME --role admin")
        return
    rows = [(one.id, one.name, one.role, one.created[:10], _standing(one, now)) for one in found]
    console().print(table(("id", "name", "role", "made", "counts"), rows))


@tokens.command()
def revoke(ctx: typer.Context, token: TokenArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Take a token back; a running server refuses it within a second. There is no undo: make another one.

    Example:  metier serve token revoke 3f9ac01b22d7
    """
    from metier.server.issued_tokens import revoke_token

    confirm(f"Revoke the token {token}?", yes=yes)
    with open_workspace(ctx) as ws:
        found = revoke_token(ws.context, token)
    if as_json:
        emit({"revoked": found.id, "name": found.name, "role": found.role})
        return
    talk(f"Revoked the token of {found.name} ({found.role}). A new one: metier serve token add {found.name}")


def _standing(one: AccessToken, now: str) -> str:
    if one.revoked:
        return f"revoked {one.revoked[:10]}"
    if not one.is_good(now):
        return f"ended {one.expires[:10]}"
    return f"until {one.expires[:10]}" if one.expires else "yes"


def _row(one: AccessToken, now: str) -> dict[str, object]:
    return {
        "id": one.id,
        "name": one.name,
        "role": one.role,
        "created": one.created,
        "expires": one.expires or None,
        "revoked": one.revoked or None,
        "counts": one.is_good(now),
    }
