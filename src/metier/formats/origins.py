"""What a tool's name tells: where its answer comes from, and whether it runs what it is given."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metier.types import Origin

_WEB = frozenset(
    {
        *("webfetch", "websearch", "web_fetch", "web_search", "google_web_search", "web_search_call", "web_extract"),
        *("fetch", "fetch_url", "url_fetch", "open_url", "read_url", "http_get", "read_web_page", "browser", "web.run"),
    }
)
_FILE = frozenset(
    {
        *("read", "grep", "glob", "ls", "notebookread", "view_image", "read_file", "read_many_files", "view", "cat"),
        *("list_directory", "list_dir", "list_files", "search_file_content", "search_files", "grep_search"),
        *("grep_files", "glob_files", "open_file", "file_read", "readfile", "read_text_file"),
    }
)
_SHELL = frozenset(
    {
        *("bash", "shell", "exec", "exec_command", "run_shell_command", "terminal", "execute", "run_command", "sh"),
        *("local_shell", "powershell", "container.exec", "execute_command", "run_terminal_cmd", "command"),
        *("shell_command", "bash_tool", "execute_bash", "run_in_terminal", "run_bash"),
    }
)
_WEB_SERVERS = ("browser", "fetch", "playwright", "puppeteer", "firecrawl", "tavily", "exa", "brave", "web")


@lru_cache(maxsize=1024)
def origin_of(tool: str) -> Origin:
    """Tool, web or file: the origin of what a tool of this name answers."""
    name = tool.strip().casefold()
    last = name.rsplit("__", 1)[-1].rsplit("/", 1)[-1]
    if name in _WEB or last in _WEB or _is_web_server(name):
        return "web"
    return "file" if name in _FILE or last in _FILE else "tool"


def _is_web_server(name: str) -> bool:
    """Whether an MCP tool (`mcp__server__tool`) belongs to a server that brings in pages."""
    parts = name.split("__")
    return len(parts) > 2 and parts[0] == "mcp" and any(word in parts[1] for word in _WEB_SERVERS)


@lru_cache(maxsize=1024)
def is_shell(tool: str) -> bool:
    """Whether a tool of this name runs the command line it is given; the input of any other is only a text."""
    return tool.strip().casefold().rsplit("__", 1)[-1].rsplit("/", 1)[-1] in _SHELL
