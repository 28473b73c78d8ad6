"""The official SDK's client and its schema of the protocol, as the judge of our own server."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import pytest
from selection_shop import FLAKY, put

from metier.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_talks_to_the_server(tmp_path: Path, mode: str) -> None:
    from mcp import Client, StdioServerParameters, stdio_client

    with Workspace.open(tmp_path) as ws:
        put(ws, "flaky-tests", "Mends flaky tests. Use when a test fails now and then.", "Run it 50 times.\n")

    async def talk() -> None:
        command = StdioServerParameters(
            command=sys.executable, args=["-I", "-m", "metier", "mcp"], cwd=str(tmp_path), env=dict(os.environ)
        )
        async with Client(stdio_client(command), mode=mode) as client:
            assert client.server_info.name == "metier"
            assert client.protocol_version == "2025-11-25"
            tools = (await client.list_tools()).tools
            assert {tool.name: tool.annotations and tool.annotations.read_only_hint for tool in tools} == {
                "select": True,
                "skill": True,
                "runs": True,
                "lessons": True,
                "mark": False,
                "propose": False,
            }
            given = await client.call_tool("select", {"task": FLAKY})
            assert "Run it 50 times." in given.content[0].text  # type: ignore[union-attr]
            assert (await client.call_tool("lessons", {})).content[0].text == "There are no lessons here yet."  # type: ignore[union-attr]
            refused = await client.call_tool("mark", {"run": "none", "verdict": "bad"})
            assert refused.is_error
            assert [one.name for one in (await client.list_prompts()).prompts] == ["learn", "review-drafts"]
            assert (await client.get_prompt("learn")).messages[0].role == "user"
            (resource,) = (await client.list_resources()).resources
            assert (await client.read_resource(resource.uri)).contents
            assert (await client.list_resource_templates()).resource_templates[0].uri_template.startswith("skill://")

    asyncio.run(asyncio.wait_for(talk(), 60))
