"""Anything in any order, with kills and without the database: the roots and the histories equal a plain model."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from crash import killed
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from shelves import MEMORY, package
from states import state_of

from metier.errors import MetierError
from metier.library.changes import new_version, ship_changes
from metier.library.disk.packages import read_package
from metier.library.disk.slot import ABSENT
from metier.library.hand_edits import record_hand_edit
from metier.library.versions.apply import SkillChange
from metier.library.versions.journal import recover
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from metier.library.skills import FoundSkill
    from metier.skills.package import Package

PLACES = {
    "build": ".agents/skills/build",
    "deploy": ".agents/skills/deploy",
    "notes": ".claude/skills/notes",
    "inner": ".agents/skills/group/inner",
}
"""Skills of two roots, one of them deeper."""
NAMES = st.sampled_from(sorted(PLACES))
TEXTS = st.sampled_from(["", "one", "two", "three\r\n", "\N{SNOWMAN}"])
MOMENTS = st.integers(min_value=1, max_value=120)
"""Calls before which a process is killed; most verbs make fewer, and end."""


@dataclass(kw_only=True)
class Model:
    """What should be there, in plain Python: live packages, and every version as a package and whether it is out."""

    live: dict[str, Package] = field(default_factory=dict)
    past: dict[str, list[tuple[Package, bool]]] = field(default_factory=lambda: {name: [] for name in PLACES})

    def copy(self) -> Model:
        return Model(live=dict(self.live), past={name: list(past) for name, past in self.past.items()})

    def notice(self, name: str) -> None:
        now, past = self.live.get(name), self.past[name]
        if now is None:
            if past and not past[-1][1]:
                past.append((past[-1][0], True))
        elif not past or past[-1] != (now, False):
            past.append((now, False))

    def notice_all(self) -> None:
        for name in PLACES:
            self.notice(name)

    def put(self, name: str, new: Package) -> None:
        self.notice(name)
        self.past[name].append((new, False))
        self.live[name] = new

    def take(self, name: str) -> None:
        self.notice(name)
        self.past[name].append((self.past[name][-1][0], True))
        del self.live[name]


def _package(name: str, text: str) -> Package:
    more = {"run": text.encode(), "more": b"\x00\xff" + text.encode()} if len(text) > 3 else {}
    return package(name, text, **more)


class Library(RuleBasedStateMachine):
    """A workspace and its model, side by side."""

    def __init__(self) -> None:
        super().__init__()
        parent = MEMORY if MEMORY.is_dir() else None
        self.folder = Path(tempfile.mkdtemp(dir=parent))
        self.model = Model()

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @initialize()
    def begin(self) -> None:
        (self.folder / "home").mkdir()
        for name in PLACES:
            self._by_hand(name, _package(name, "first"))
        self.look()

    # What a person does behind Metier's back.

    @rule(name=NAMES, text=TEXTS)
    def hand_edit(self, name: str, text: str) -> None:
        self._by_hand(name, _package(name, text))

    @rule(name=NAMES)
    def hand_delete(self, name: str) -> None:
        shutil.rmtree(self.folder / PLACES[name], ignore_errors=True)
        self.model.live.pop(name, None)

    @rule()
    def lose_the_database(self) -> None:
        for file in state_of(self.folder, {"HOME": str(self.folder / "home")}).glob("metier.db*"):
            file.unlink()

    # What Metier does, undisturbed or killed at some call.

    @rule()
    def look(self) -> None:
        with self._open() as ws:
            ws.record_hand_edits()
        self.model.notice_all()

    @rule(name=NAMES, text=TEXTS)
    def apply(self, name: str, text: str) -> None:
        self._apply([(name, text)])
        self.model.put(name, _package(name, text))

    @rule(text=TEXTS)
    def apply_to_all(self, text: str) -> None:
        self._apply([(name, text) for name in PLACES])
        for name in PLACES:
            self.model.put(name, _package(name, text))

    @rule(name=NAMES, number=st.integers(min_value=1, max_value=6))
    def rollback(self, name: str, number: int) -> None:
        after = self._after_rollback(name, number)
        self._expect(partial(self._do, "rollback", name, number), after)

    @rule(name=NAMES)
    def archive(self, name: str) -> None:
        self._expect(partial(self._do, "archive", name), self._after_archive(name))

    @rule(name=NAMES)
    def restore(self, name: str) -> None:
        self._expect(partial(self._do, "restore", name), self._after_restore(name))
        self.look()  # its neighbours were looked at, so what was done to them by hand may be noted already

    @rule(at=MOMENTS)
    def look_and_die(self, at: int) -> None:
        self._die(partial(self._look), at, self.model.copy())

    @rule(names=st.lists(NAMES, min_size=1, unique=True), text=TEXTS, at=MOMENTS)
    def apply_and_die(self, names: list[str], text: str, at: int) -> None:
        after = self.model.copy()
        for name in names:
            after.put(name, _package(name, text))
        self._die(partial(self._apply, [(name, text) for name in names]), at, after)

    @rule(name=NAMES, number=st.integers(min_value=1, max_value=6), at=MOMENTS)
    def rollback_and_die(self, name: str, number: int, at: int) -> None:
        if after := self._after_rollback(name, number):
            self._die(partial(self._do, "rollback", name, number), at, after)

    @rule(name=NAMES, at=MOMENTS)
    def archive_and_die(self, name: str, at: int) -> None:
        if after := self._after_archive(name):
            self._die(partial(self._do, "archive", name), at, after)

    @rule(name=NAMES, at=MOMENTS)
    def restore_and_die(self, name: str, at: int) -> None:
        if after := self._after_restore(name):
            self._die(partial(self._do, "restore", name), at, after)

    # What must hold.

    @invariant()
    def the_roots_hold_what_the_model_says(self) -> None:
        assert self._live() == self.model.live

    @invariant()
    def every_version_of_the_model_can_be_had(self) -> None:
        with self._open() as ws:
            for name in PLACES:
                self._check_past(ws, name)
            state = ws.library.version_store
        assert not list(state.journal.iterdir())
        assert not [file for file in state.staging.iterdir() if not file.name.startswith("old-")]

    def _check_past(self, ws: Workspace, name: str) -> None:
        found = ws.library.find(str(self.folder / PLACES[name]))
        past = found.history()
        assert not past.damaged
        assert [one.number for one in past.versions] == list(range(1, len(past.versions) + 1))
        assert [(found.load(one), one.out) for one in past.versions] == self.model.past[name], name

    # How it is done.

    @contextmanager
    def _open(self) -> Iterator[Workspace]:
        with Workspace.open(self.folder, environ={"HOME": str(self.folder / "home")}) as ws:
            yield ws

    def _by_hand(self, name: str, new: Package) -> None:
        folder = self.folder / PLACES[name]
        shutil.rmtree(folder, ignore_errors=True)
        for path, content in new.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
            (folder / path).chmod(0o755 if path in new.executable else 0o644)
        self.model.live[name] = new

    def _live(self) -> dict[str, Package]:
        folders = {name: self.folder / place for name, place in PLACES.items()}
        return {name: read_package(folder) for name, folder in folders.items() if folder.exists()}

    def _look(self) -> None:
        with self._open() as ws:
            ws.record_hand_edits()

    def _apply(self, wanted: list[tuple[str, str]]) -> None:
        with self._open() as ws:
            changes = [self._change(ws, name, _package(name, text)) for name, text in wanted]
            ship_changes(ws.context, changes)

    def _change(self, ws: Workspace, name: str, new: Package) -> tuple[FoundSkill, SkillChange]:
        found = ws.library.find(str(self.folder / PLACES[name]))
        record_hand_edit(ws.context, found)
        live, last = found.slot.package(), found.last()
        assert last
        version = new_version(ws.context, found, "apply", status="active", like=last, summary="a test")
        return found, SkillChange(
            root=found.root.real, package=new, base=live.hash() if live else ABSENT, version=version
        )

    def _do(self, verb: str, name: str, *words: object) -> None:
        with self._open() as ws:
            getattr(ws, verb)(str(self.folder / PLACES[name]), *words)

    def _expect(self, action: Callable[[], None], after: Model | None) -> None:
        """The action does what the model says, or refuses where the model has no answer."""
        if after is None:
            with pytest.raises(MetierError):
                action()
            self.look()
        else:
            action()
            self.model = after

    def _die(self, action: Callable[[], None], at: int, after: Model) -> None:
        """The action is killed; the next look finds it done or not begun, in all roots alike."""
        before = self.model.copy()
        done = not killed(action, at)
        self._settle()
        self._look()
        for one in (before, after):
            one.notice_all()
        live = self._live()
        assert live in ([after.live] if done else [before.live, after.live])
        self.model = after if live == after.live and (done or self._is_past(after)) else before

    def _settle(self) -> None:
        """What every command does that is about to write."""
        with self._open() as ws, ws.library.version_store.writing():
            recover(ws.library.version_store)

    def _is_past(self, model: Model) -> bool:
        with self._open() as ws:
            counts = {name: len(ws.library.find(str(self.folder / PLACES[name])).history().versions) for name in PLACES}
        return counts == {name: len(model.past[name]) for name in PLACES}

    def _after_rollback(self, name: str, number: int) -> Model | None:
        after = self.model.copy()
        after.notice(name)
        past = after.past[name]
        if number > len(past) or past[-1][1] or past[number - 1][0] == past[-1][0]:
            return None
        after.put(name, past[number - 1][0])
        return after

    def _after_archive(self, name: str) -> Model | None:
        after = self.model.copy()
        after.notice(name)
        if after.past[name][-1][1]:
            return None
        after.take(name)
        return after

    def _after_restore(self, name: str) -> Model | None:
        after = self.model.copy()
        after.notice(name)
        if not after.past[name][-1][1]:
            return None
        after.put(name, after.past[name][-1][0])
        return after


def _run(examples: int, steps: int) -> None:
    health = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    given = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=health,
        print_blob=True,
        database=None,
    )
    run_state_machine_as_test(Library, settings=given)


def test_anything_in_any_order_equals_the_model() -> None:
    _run(examples=8, steps=10)


@pytest.mark.slow
def test_anything_in_any_order_equals_the_model_at_length() -> None:
    _run(examples=150, steps=40)
