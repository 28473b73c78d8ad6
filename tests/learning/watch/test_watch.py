"""A watch in this process: real stores, real threads, and a pass that does what the test says."""

from __future__ import annotations

import json
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Self

import pytest

from metier.context.state_folder import exclusive_lock
from metier.errors import ConfigError, StoreError
from metier.events import Advanced, Began, Ended, Noted
from metier.hooks import spool
from metier.learning.watch import schedule as passes
from metier.learning.watch.schedule import Due, Later, Never, Pace
from metier.learning.watch.watch import Watch, next_pass, places
from metier.runs.queries import list_runs
from metier.types import Run
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from metier.events import Event
    from metier.learning.watch.one_workspace import Learn
    from metier.learning.watch.watch import WatchEvent
    from metier.library.skills import Library

PACE = Pace(poll=0.02, quiet=0.1, longest=2.0, retry=0.05, slowest=0.2, grace=3.0)
DRAFT = {"mode": "draft"}
PATIENCE = 20.0


class Script:
    """A pass that notes what it saw, waits if it is told to, and fails if it is told to."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int]] = []
        self.at_once = 0
        self.most_at_once = 0
        self.closed = 0
        self.errors: list[Exception] = []
        self.go = threading.Event()
        self.go.set()

    def __call__(self, library: Library) -> Generator[Event, None, object]:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            self.seen.append((library.ctx.root.name, len(list_runs(library.ctx, 50))))
            yield Began(stage="learn")
            while not self.go.wait(0.01):
                yield Advanced(stage="learn", done=0)
            if self.errors:
                raise self.errors.pop(0)
            yield Ended(stage="learn", text="1 draft")
        except GeneratorExit:
            self.closed += 1
            raise
        finally:
            self.at_once -= 1


class Running:
    """A watch that runs beside the test; leaving the block closes it."""

    def __init__(self, folders: list[Path], learn: Learn, **more: object) -> None:
        settings: dict[str, object] = {"pace": PACE, "flags": DRAFT} | more
        self.watch = Watch(folders, Workspace.open, learn=learn, **settings)  # pyright: ignore[reportArgumentType]
        self.told: list[WatchEvent] = []
        self._thread = threading.Thread(target=self._collect)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> float:
        """Close it; how long that took."""
        began = time.monotonic()
        self.watch.close()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return time.monotonic() - began

    def texts(self, kind: type[Noted | Ended] = Noted) -> list[str]:
        return [told.event.text for told in list(self.told) if isinstance(told.event, kind)]

    def passes(self) -> list[str]:
        return [one.event.text for one in list(self.told) if isinstance(one.event, Ended) and one.event.stage == "pass"]

    def _collect(self) -> None:
        for told in self.watch.events():
            self.told.append(told)


def until(true: Callable[[], object]) -> None:
    """Wait for something; a test that waits in vain fails."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def settle() -> None:
    """Long enough for a pass that should not come."""
    time.sleep(PACE.quiet * 2.5)


def record(ws: Workspace, count: int = 1) -> None:
    """New runs, all in one transaction: a slow machine does not make two bursts of it."""
    run = Run(message="fix the login test", status="completed", output="done")
    assert [one.how for one in ws.deliver([run] * count)] == ["new"] * count


# ---- after runs ---------------------------------------------------------------------------------------------------


def test_a_burst_of_runs_is_one_pass_over_all_of_them(ws: Workspace) -> None:
    script = Script()
    with Running([ws.root], script) as running:
        until(running.texts)
        record(ws, 5)
        until(running.passes)
        settle()
    assert running.texts() == ["learns after runs (mode draft)."]
    assert running.passes() == ["5 new runs -> 1 draft"]
    assert script.seen == [("project", 5)]


def test_runs_that_arrive_during_a_pass_are_exactly_one_more(ws: Workspace) -> None:
    script = Script()
    script.go.clear()
    with Running([ws.root], script) as running:
        record(ws)
        until(lambda: script.seen)
        for _ in range(3):
            record(ws)
            time.sleep(0.05)
        script.go.set()
        until(lambda: len(running.passes()) == 2)
        settle()
    assert running.passes() == ["1 new run -> 1 draft", "3 new runs -> 1 draft"]
    assert script.seen == [("project", 1), ("project", 4)]


def test_what_was_learned_from_is_not_learned_from_again_after_a_restart(ws: Workspace) -> None:
    script = Script()
    record(ws, 2)
    with Running([ws.root], script) as running:
        until(running.passes)
    with Running([ws.root], script) as again:
        until(again.texts)
        settle()
        assert again.passes() == []
        record(ws)
        until(again.passes)
    assert again.passes() == ["1 new run -> 1 draft"]


def test_a_run_that_grew_is_learned_from(ws: Workspace) -> None:
    script = Script()
    ws.finish(Run(message="a", external_id="1", status="completed", output="half"))
    with Running([ws.root], script) as running:
        until(running.passes)
        assert ws.finish(Run(message="a", external_id="1", status="completed", output="whole")).how == "updated"
        until(lambda: len(running.passes()) == 2)
    assert running.passes()[1] == "changed runs -> 1 draft"


def test_what_a_hook_spooled_is_taken_in_and_learned_from(ws: Workspace) -> None:
    script = Script()
    with Running([ws.root], script) as running:
        until(running.texts)
        entry: dict[str, object] = {
            "kind": "run",
            "run": {"message": "from a hook", "id": "h1"},
            "folder": str(ws.root),
        }
        spool.write_entry(str(ws.state), entry)
        until(running.passes)
    assert [record.run.message for record in ws.runs()] == ["from a hook"]
    assert list((ws.state / spool.SPOOL).glob("*.json")) == []


def test_nothing_that_hooks_spool_at_the_very_moment_of_a_look_is_overlooked(ws: Workspace) -> None:
    with Running([ws.root], Script(), flags={"mode": "observe"}, pace=Pace(poll=0.0)) as running:
        until(running.texts)
        for number in range(100):
            entry: dict[str, object] = {"kind": "run", "run": {"message": "x", "id": str(number)}}
            spool.write_entry(str(ws.state), entry | {"folder": str(ws.root)})
        until(lambda: not list((ws.state / spool.SPOOL).glob("*.json")))
    assert len(ws.runs(200)) == 100


@pytest.mark.xdist_group("postgresql")
def test_a_fleets_store_is_watched_alike(tmp_path: Path, new_postgres: str) -> None:
    script, flags = Script(), {"mode": "draft", "store": new_postgres}
    folder = tmp_path / "shop"
    folder.mkdir()
    with Workspace.open(folder, flags=flags) as ws, Running([folder], script, flags=flags) as running:
        until(running.texts)
        with Running([folder], script, flags=flags) as other:
            until(other.texts)
            record(ws, 3)
            until(lambda: running.passes() or other.passes())
            time.sleep(1.0)
    assert running.passes() + other.passes() == ["3 new runs -> 1 draft"]


# ---- at times -----------------------------------------------------------------------------------------------------


def test_a_missed_time_is_made_up_for_once_also_across_a_restart(ws: Workspace) -> None:
    script, now = Script(), datetime(2026, 3, 2, 12, tzinfo=UTC)
    flags = {"mode": "draft", "trigger": "scheduled", "times": "03:05"}

    def clock() -> datetime:
        return now

    with Running([ws.root], script, flags=flags, clock=clock) as running:
        until(running.texts)
        record(ws)
        settle()
        assert running.passes() == []
    now += timedelta(days=3)
    with Running([ws.root], script, flags=flags, clock=clock) as running:
        until(running.passes)
        settle()
    assert running.passes() == ["03:05 was missed -> 1 draft"]
    with Running([ws.root], script, flags=flags, clock=clock) as running:
        until(running.texts)
        settle()
    assert running.texts() == ["learns at 03:05 (mode draft)."]
    assert len(script.seen) == 1


# ---- not learning -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "words"),
    [({"mode": "observe"}, "mode is observe"), ({"mode": "draft", "trigger": "manual"}, "trigger is manual")],
)
def test_where_nothing_learns_unasked_it_is_said_once_and_runs_are_taken_in(
    ws: Workspace, flags: dict[str, object], words: str
) -> None:
    script = Script()
    with Running([ws.root], script, flags=flags) as running:
        spool.write_entry(str(ws.state), {"kind": "run", "run": {"message": "x"}, "folder": str(ws.root)})
        until(ws.runs)
        settle()
    assert len(running.texts()) == 1
    assert words in running.texts()[0]
    assert "To learn: " in running.texts()[0]
    assert script.seen == []


def test_where_metier_is_switched_off_nothing_is_taken_in(ws: Workspace) -> None:
    spool.write_entry(str(ws.state), {"kind": "run", "run": {"message": "x"}, "folder": str(ws.root)})
    with Running([ws.root], Script(), flags={"enabled": False, "mode": "apply"}) as running:
        until(running.texts)
        settle()
    assert len(running.texts()) == 1
    assert "enabled is false" in running.texts()[0]
    assert ws.runs() == []


def test_changed_settings_are_noticed_between_passes(ws: Workspace) -> None:
    script = Script()
    record(ws)
    (ws.state / "metier.toml").write_text('mode = "observe"\n')
    with Running([ws.root], script, flags={}) as running:
        until(running.texts)
        (ws.state / "metier.toml").write_text('mode = "draft"\n')
        until(running.passes)
        (ws.state / "metier.toml").write_text('mode = "nonsense"\n')
        until(lambda: any("nonsense" in text for text in running.texts()))
        (ws.state / "metier.toml").write_text('mode = "apply"\n')
        until(lambda: running.texts()[-1] == "learns after runs (mode apply).")
    assert "mode is observe" in running.texts()[0]
    assert len(script.seen) == 1


# ---- failures -----------------------------------------------------------------------------------------------------


def test_a_pass_that_fails_is_a_line_and_is_tried_again_until_it_succeeds(ws: Workspace) -> None:
    script = Script()
    script.errors = [StoreError("The disk is full."), ValueError("two\nlines")]
    record(ws, 2)
    with Running([ws.root], script) as running:
        until(running.passes)
        settle()
    said = [text for text in running.texts() if "next try" in text]
    assert said == ["The disk is full. The next try is in 0 s.", "ValueError: two lines. The next try is in 0 s."]
    assert running.passes() == ["2 new runs -> 1 draft"]
    assert [count for _, count in script.seen] == [2, 2, 2]


def test_one_workspace_that_fails_or_hangs_does_not_hold_up_another(tmp_path: Path) -> None:
    good, bad, slow = (tmp_path / name for name in ("good", "bad", "slow"))
    hang = threading.Event()

    def learn(library: Library) -> Generator[Event, None, object]:
        yield Began(stage="learn")
        if library.ctx.root == bad:
            raise StoreError("broken.")
        while library.ctx.root == slow and not hang.wait(0.01):
            yield Advanced(stage="learn", done=0)

    for folder in (good, bad, slow):
        folder.mkdir()
        with Workspace.open(folder) as ws:
            record(ws)
    with Running([good, bad, slow], learn) as running:
        until(running.passes)
        until(lambda: sum("broken." in text for text in running.texts()) >= 2)
        assert {told.folder for told in running.told if isinstance(told.event, Ended)} == {good}
        hang.set()
        until(lambda: len(running.passes()) == 2)
    assert running.watch.failed


def test_a_workspace_that_goes_away_and_comes_back_is_watched_again(ws: Workspace) -> None:
    script = Script()
    away = ws.root / "away"
    with Running([ws.root], script) as running:
        until(running.texts)
        ws.state.rename(away)
        until(lambda: any("There is no workspace" in text for text in running.texts()))
        away.rename(ws.state)
        until(lambda: running.texts()[-1] == "learns after runs (mode draft).")
        record(ws)
        until(running.passes)


def test_what_failed_is_tried_at_once_when_settings_are_read_again(ws: Workspace) -> None:
    script = Script()
    script.errors = [StoreError("no.")]
    record(ws)
    with Running([ws.root], script, pace=Pace(poll=0.02, quiet=0.02, retry=600)) as running:
        until(lambda: any("no. The next try is in 600 s." in text for text in running.texts()))
        running.watch.reread()
        until(running.passes)


def test_while_somebody_else_learns_nothing_fails_and_nothing_is_forgotten(ws: Workspace) -> None:
    def learn(library: Library) -> Generator[Event, None, object]:
        with exclusive_lock(library.ctx, 0):
            yield Ended(stage="learn", text="done")

    record(ws)
    with Running([ws.root], learn) as running:
        with exclusive_lock(ws.context, 0):
            until(lambda: any("Another learn is running" in text for text in running.texts()))
        until(running.passes)
    assert not running.watch.failed


# ---- one pass at a time, and the end -------------------------------------------------------------------------------


def test_two_watches_over_one_workspace_make_each_pass_once(ws: Workspace) -> None:
    script = Script()
    with Running([ws.root], script) as one, Running([ws.root], script) as other:
        until(lambda: one.texts() and other.texts())
        for number in range(3):
            record(ws, 2)
            until(lambda number=number: len(one.passes()) + len(other.passes()) > number)
            settle()
    assert script.seen == [("project", 2), ("project", 4), ("project", 6)]
    assert script.most_at_once == 1


def test_closing_stops_a_pass_at_its_next_event_and_the_next_watch_makes_up_for_it(ws: Workspace) -> None:
    script = Script()
    script.go.clear()
    record(ws, 2)
    with Running([ws.root], script) as running:
        until(lambda: script.seen)
        record(ws)
        assert running.end() < 2.0
    assert running.watch.stopped
    assert script.closed == 1
    assert running.passes() == []
    script.go.set()
    with Running([ws.root], script) as again:
        until(again.passes)
        settle()
    assert again.passes() == ["3 new runs -> 1 draft"]
    assert len(ws.runs()) == 3


def test_a_pass_that_hangs_does_not_keep_the_watch_from_ending(ws: Workspace) -> None:
    hang = threading.Event()

    def learn(_: Workspace) -> Generator[Event, None, object]:
        yield Began(stage="learn")
        hang.wait(PATIENCE)

    record(ws)
    with Running([ws.root], learn, pace=Pace(poll=0.02, quiet=0.02, grace=0.2)) as running:
        until(lambda: any(isinstance(told.event, Began) and told.event.stage == "learn" for told in running.told))
        assert running.end() < 2.0
        assert not running.watch.stopped
    hang.set()
    until(lambda: running.watch.stopped)


def test_a_watch_that_is_closed_before_it_began_ends_at_once(ws: Workspace) -> None:
    watch = Watch([ws.root], Workspace.open, learn=Script(), pace=PACE, flags=DRAFT)
    watch.close()
    assert list(watch.events()) == []
    assert watch.stopped


def test_once_makes_the_passes_that_are_due_and_ends(tmp_path: Path) -> None:
    script = Script()
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
        Workspace.open(folder).close()
    with Workspace.open(folders[0]) as ws:
        record(ws)
    for expected in (["1 new run -> 1 draft"], []):
        told = list(Watch(folders, Workspace.open, learn=script, once=True, flags=DRAFT).events())
        ended = [one.event.text for one in told if isinstance(one.event, Ended) and one.event.stage == "pass"]
        assert ended == expected


# ---- what is due, without a watch ----------------------------------------------------------------------------------


def test_the_next_pass_can_be_asked_for(ws: Workspace) -> None:
    with Workspace.open(ws.root, flags={"mode": "observe"}) as asked:
        assert isinstance(next_pass(asked.context), Never)
    assert ws.context.config.mode == "observe"
    assert next_pass(ws.context) == Later(why="waits for the next run")  # nobody set it: a watch that is started learns
    with Workspace.open(ws.root, flags=DRAFT) as asked:
        assert next_pass(asked.context) == Later(why="waits for the next run")
        record(ws, 2)
        assert next_pass(asked.context) == Due(why="2 new runs")


def test_a_later_pass_is_not_overwritten_by_an_earlier_one(ws: Workspace) -> None:
    early = passes.begin_pass(ws.context)
    record(ws)
    passes.complete_pass(ws.context, passes.begin_pass(ws.context))
    passes.complete_pass(ws.context, early)
    arrived, passed, fresh = passes.look_at_passes(ws.context)
    assert passed is not None
    assert (passed.seen, fresh) == (arrived, 0)


@pytest.mark.parametrize("text", ["", "no JSON", "[]", "{}", json.dumps({"at": "x", "newest": 1, "revisions": 1})])
def test_a_memory_of_the_last_pass_that_cannot_be_read_is_none(ws: Workspace, text: str) -> None:
    from metier.store.tables import meta

    with ws.context.store.write() as transaction:
        meta.put(transaction, f"{passes.FACT}:{ws.name}", text)
    assert passes.look_at_passes(ws.context)[1] is None


def test_folders_are_the_workspaces_they_belong_to_each_once(ws: Workspace, tmp_path: Path) -> None:
    inside = ws.root / "src"
    inside.mkdir()
    assert places([str(inside), str(ws.root)], {}, {"HOME": str(tmp_path / "home")}) == (ws.root,)
    with pytest.raises(ConfigError, match="metier init"):
        places([str(tmp_path)], {}, {"HOME": str(tmp_path / "home")})
