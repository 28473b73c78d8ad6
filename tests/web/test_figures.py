"""Figures that take long: a page never waits for them, and they are not worked out again and again."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from metier.errors import NotFoundError, StoreError
from metier.web.dashboard import Recall, SlowFigures, UndoMemory


def test_a_quick_figure_is_there_at_once_and_follows_its_stamp() -> None:
    figures = SlowFigures(lambda: None)
    assert figures.get("n", 1, lambda: "one") == "one"
    assert figures.get("n", 1, lambda: "not asked") == "one"
    figures.close()


def test_a_page_does_not_wait_for_a_slow_figure_and_is_told_when_it_is_there() -> None:
    told, go = threading.Event(), threading.Event()
    figures = SlowFigures(told.set)
    began = time.monotonic()
    assert figures.get("slow", 1, lambda: go.wait(20) and "done", slow=True) is None
    assert figures.get("second", 1, lambda: "after it", slow=True) is None
    assert figures.get("quick", 1, lambda: "beside it") == "beside it"
    assert time.monotonic() - began < 10
    go.set()
    assert told.wait(20)
    assert figures.get("slow", 2, lambda: "too early again", slow=True) == "done"
    figures.close()


def test_nobody_waits_at_the_end_for_a_figure_that_is_worked_out() -> None:
    code = (
        "import time\n"
        "from metier.web.dashboard import SlowFigures\n"
        "figures = SlowFigures(lambda: None)\n"
        "assert figures.get('slow', 1, lambda: time.sleep(90), slow=True) is None\n"
        "assert figures.get('next', 1, lambda: print('begun'), slow=True) is None\n"
        "figures.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_figure_that_fails_is_tried_again() -> None:
    figures = SlowFigures(lambda: None)

    def fail() -> str:
        raise StoreError("busy")

    assert figures.get("n", 1, fail) is None
    assert figures.get("n", 1, lambda: "now") == "now"
    figures.close()


def test_what_is_recalled_is_worked_out_once_for_each_stamp() -> None:
    recall, asked = Recall(), list[int]()

    def compute() -> int:
        asked.append(1)
        return len(asked)

    assert [recall.get("a", stamp, compute) for stamp in (1, 1, 2, 2)] == [1, 1, 2, 2]


def test_an_undo_works_once_and_the_oldest_give_way() -> None:
    undos = UndoMemory()
    names = [undos.remember(lambda: "back") for _ in range(101)]
    assert undos.take_back(names[-1]) == "back"
    for gone in (names[-1], names[0], "nonsense"):
        with pytest.raises(NotFoundError, match="too long ago"):
            undos.take_back(gone)
