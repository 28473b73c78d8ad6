"""The marked block in AGENTS.md or CLAUDE.md."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from sessions import ran, said

from metier.errors import RefusedError
from metier.hooks.notes import read_notes
from metier.library.delivery.published import with_block
from metier.library.lessons import approve_lesson, forget_lesson, pause_lesson, publish_lesson

if TYPE_CHECKING:
    from metier.workspace import Workspace

PAGE = "AGENTS.md"


@pytest.mark.parametrize("before", [None, b"", b"# Us\n", b"# Us", b"# Us\n\n\n", b"a\r\nb\xff\r\n", b"\n"])
def test_taking_the_block_out_gives_the_page_back_byte_for_byte(before: bytes | None) -> None:
    once = with_block(before, ["Use uv."], PAGE)
    assert once is not None
    assert b"- Use uv.\n" in once
    twice = with_block(once, ["Use uv.", "Never force-push."], PAGE)
    assert with_block(twice, ["Use uv."], PAGE) == once
    assert with_block(once, [], PAGE) == before
    if before:
        assert with_block(once + b"more\n", [], PAGE) == before + b"more\n"


def test_a_block_that_a_person_changed_is_left_alone() -> None:
    once = with_block(b"# Us\n", ["Use uv."], PAGE)
    assert once is not None
    with pytest.raises(RefusedError, match="changed by hand"):
        with_block(once.replace(b"Use uv.", b"Use pip."), [], PAGE)
    for broken in (once.replace(b"metier:end", b"metier:gone"), once + once):
        with pytest.raises(RefusedError, match="are broken"):
            with_block(broken, ["x"], PAGE)


@pytest.fixture
def rule(ws: Workspace) -> str:
    """An approved fact."""
    ws.deliver([said(f"test it {name}", ran("npm test"), session=name) for name in "ab"])
    ws.learn()
    return approve_lesson(ws.context, ws.lessons()[0].id).id


def told(ws: Workspace) -> list[str]:
    return [one.text for one in read_notes(str(ws.state))]


def test_what_is_published_is_no_longer_told_and_what_is_taken_out_is_told_again(ws: Workspace, rule: str) -> None:
    (ws.root / PAGE).write_text("# Us\n")
    line = "Run the tests with `npm test`."
    assert told(ws) == [line]
    publish_lesson(ws.context, rule, PAGE)
    assert f"- {line}\n" in (ws.root / PAGE).read_text()
    assert told(ws) == []
    publish_lesson(ws.context, rule, "")
    assert (ws.root / PAGE).read_text() == "# Us\n"
    assert told(ws) == [line]


def test_a_lesson_that_is_wrong_is_neither_told_nor_published_and_comes_back_with_a_yes(
    ws: Workspace, rule: str
) -> None:
    publish_lesson(ws.context, rule, PAGE)
    assert pause_lesson(ws.context, rule).status == "paused"
    assert not (ws.root / PAGE).exists()
    assert told(ws) == []
    ws.learn()
    assert [one.status for one in ws.lessons()] == ["paused"]
    approve_lesson(ws.context, rule)
    assert len(told(ws)) == 1
    forget_lesson(ws.context, rule)
    with pytest.raises(RefusedError, match="not in use"):
        pause_lesson(ws.context, rule)
    with pytest.raises(RefusedError, match="have not approved"):
        publish_lesson(ws.context, rule, PAGE)


def test_a_page_that_is_a_pipe_is_not_waited_for(ws: Workspace, rule: str) -> None:
    os.mkfifo(ws.root / PAGE)
    with pytest.raises(RefusedError, match="it is not a plain file"):
        publish_lesson(ws.context, rule, PAGE)


def test_a_page_that_leads_out_of_the_project_is_not_written(ws: Workspace, rule: str) -> None:
    outside = ws.root.parent / "outside.md"
    outside.write_text("mine")
    (ws.root / PAGE).symlink_to(outside)
    for page in (PAGE, "../outside.md"):
        with pytest.raises(RefusedError, match="Metier does not write"):
            publish_lesson(ws.context, rule, page)
    assert outside.read_text() == "mine"
    assert len(told(ws)) == 1
