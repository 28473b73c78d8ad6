"""Every wait in a test has an end, so that one test that hangs cannot hold up the whole run."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parent
RUNS = {"run", "call", "check_call", "check_output"}
"""Of `subprocess`: need a `timeout`."""
WAITS = RUNS | {"fork", "wait", "waitpid", "communicate", "readline", "join"}
OURS = {"support/waiting.py", "support/forked.py", "faults/fault_worker.py"}
"""Where the ends are made; the worker is itself ended by the test that starts it."""


def waits(tree: ast.AST) -> list[tuple[int, str]]:
    """Line and words of each call that may wait for ever."""
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    blocks = [item.context_expr for node in nodes if isinstance(node, ast.With) for item in node.items]
    found = [call for call in calls if endless(call)]
    found += [block for block in blocks if ast.unparse(block).startswith("subprocess.Popen(")]  # its end waits
    return [(call.lineno, ast.unparse(call)) for call in found]


def endless(call: ast.Call) -> bool:
    assert isinstance(call.func, ast.Attribute)
    name = call.func.attr
    if name not in WAITS:
        return False
    owner = ast.unparse(call.func.value)
    named = {keyword.arg for keyword in call.keywords}
    if owner == "subprocess":
        return name in RUNS and "timeout" not in named and None not in named
    if owner == "os":
        return name in {"fork", "wait", "waitpid"}
    if name == "communicate":
        return "timeout" not in named
    if name == "readline":
        return owner.endswith(("stdout", "stderr"))
    return name in {"wait", "join"} and not call.args and not named


def test_every_wait_has_an_end() -> None:
    files = [file for file in sorted(TESTS.rglob("*.py")) if str(file.relative_to(TESTS)) not in OURS]
    found = [(file.name, *wait) for file in files for wait in waits(ast.parse(file.read_text(encoding="utf-8")))]
    assert found == [], "give each a timeout, or use tests/support/waiting.py"


def test_a_wait_without_an_end_is_found() -> None:
    text = "subprocess.run(['x'])\nthread.join()\nos.waitpid(1, 0)\nchild.stdout.readline()\nchild.communicate(b'')"
    assert [line for line, _ in waits(ast.parse(text))] == [1, 2, 3, 4, 5]
    assert waits(ast.parse("with subprocess.Popen('x') as child: pass"))
    assert waits(ast.parse("subprocess.run(['x'], timeout=9)\nthread.join(9)\n' '.join(words)\nfile.readline()")) == []
