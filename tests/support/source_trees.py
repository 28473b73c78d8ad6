"""Python files parsed once for all tests that look at code."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@cache
def tree_of(file: Path) -> ast.Module:
    """The code of a file; nobody changes it."""
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    """All parts of the code of a file."""
    return tuple(ast.walk(tree_of(file)))
