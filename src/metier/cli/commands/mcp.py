"""`metier mcp`: serve this project to an agent over the Model Context Protocol."""

from __future__ import annotations

import typer  # noqa: TC002 - typer reads signatures at run time

from metier.cli.options import options
from metier.mcp.server import serve_standard_streams


def mcp(ctx: typer.Context) -> None:
    """Serve skills and runs to an agent: an MCP server on standard input and output.

    `metier connect` tells your agents about it. It reads, notes how a run went and hands in drafts; it approves and
    ships nothing. It ends when the agent closes its end.

    Example:  claude mcp add metier -- metier mcp  ·  codex mcp add metier -- metier mcp
    """
    given = options(ctx)
    serve_standard_streams(given.folder, given.flags)
