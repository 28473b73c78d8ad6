"""A client for the MCP server that talks to it in this process."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

from metier.mcp.server import Server

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Talk:
    """One conversation with a server."""

    folder: Path
    server: Server = field(init=False)

    def __post_init__(self) -> None:
        self.server = Server(str(self.folder))

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.close()

    def lines(self, *lines: bytes) -> list[Any]:
        """What the server answers to lines as they are."""
        sink = BytesIO()
        self.server.serve(BytesIO(b"".join(lines)), sink)
        return [json.loads(line) for line in sink.getvalue().splitlines()]

    def ask(self, method: str, **params: object) -> Any:
        """The whole answer to one request."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        (found,) = self.lines(json.dumps(message).encode() + b"\n")
        assert (found["jsonrpc"], found["id"]) == ("2.0", 1)
        return found

    def call(self, tool: str, **arguments: object) -> str:
        """The text that a tool gives."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert result["isError"] is False, result
        return result["content"][0]["text"]

    def refusal(self, tool: str, **arguments: object) -> str:
        """Why a tool does not do it."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert result["isError"] is True, result
        return result["content"][0]["text"]
