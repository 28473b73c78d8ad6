"""What the kill sweep disturbs: for each story its beginning, its command, and what must hold after every kill."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from states import has_state
from sweep import Ended, environ_of, hook, leftovers, listed, metier, names, run, spool, state_of, worker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CANARY = "zyxwvcanary"
"""A word that must be gone from every file once its run is deleted."""
OLD = {f"old-{index}" for index in range(3)}


def _nothing(_folder: Path) -> None:
    return


def _old(folder: Path) -> None:
    assert run(worker("record", folder, "old", 3)).code == 0


def _beside(folder: Path, name: str) -> Path:
    """Another folder, not inside the workspace."""
    other = folder.with_name(f"{folder.name}-{name}")
    other.mkdir(exist_ok=True)
    return other


@dataclass(frozen=True, kw_only=True)
class Story:
    """One thing a process does to a workspace, and the promise it makes."""

    name: str
    command: Callable[[Path], list[str]]
    after: Callable[[Path, Ended], None]
    """Must hold right after the kill."""
    end: Callable[[Path], None]
    """Must hold when the same command ran again to its end."""
    begin: Callable[[Path], None] = _nothing
    """Makes the state that the command meets."""
    given: bytes = b""


def _acknowledged(folder: Path, ended: Ended) -> None:
    """What was acknowledged is there; before the workspace is made, nothing was."""
    if has_state(folder, environ_of(folder)):
        assert set(ended.acknowledged) <= names(folder)
    else:
        assert not ended.acknowledged


def _nothing_recorded(_folder: Path, ended: Ended) -> None:
    assert not ended.acknowledged


def _made(folder: Path) -> None:
    """One state folder for the checkout, and nothing else of Metier's in it but its id."""
    assert names(folder / "shop") == set()
    assert leftovers(folder / "shop") == []
    assert [one.name for one in (folder / "shop/.git").iterdir()] == ["metier-id"]


def _recorded(folder: Path) -> None:
    assert names(folder) == {"new-0", "new-1", "new-2"}
    assert leftovers(folder) == []


def _also_recorded(folder: Path) -> None:
    assert names(folder) == OLD | {"new-0", "new-1", "new-2"}
    assert leftovers(folder) == []


def _after_existing(folder: Path, ended: Ended) -> None:
    assert OLD | set(ended.acknowledged) <= names(folder)


def _after_block(folder: Path, ended: Ended) -> None:
    rows = {str(row["id"]): row["status"] for row in listed(folder)}
    for word, run_id in (line.split(":") for line in ended.acknowledged):
        assert run_id in rows
        assert word == "begun" or rows[run_id] == "completed"


def _blocks(folder: Path) -> None:
    assert sum(row["status"] == "completed" for row in listed(folder)) >= 2
    assert leftovers(folder) == []


SPOOLED = json.dumps({"id": "hook-0", "message": "from a hook", "status": "completed"}).encode()


def _after_spool(folder: Path, ended: Ended) -> None:
    visible = bool(list((state_of(folder) / "spool").glob("*.json")))
    assert visible or ended.code != 0, "acknowledged without a file"
    assert names(folder) == OLD | ({"hook-0"} if visible else set())


def _spooled(folder: Path) -> None:
    assert names(folder) == OLD | {"hook-0"}
    spools = state_of(folder) / "spool"
    assert not list(spools.glob("*.json"))
    assert not (spools / "errors.log").exists()
    assert len(list(spools.glob("*.part"))) <= 1, "a killed hook leaves one file, dropped an hour later"


def _fill_spool(folder: Path) -> None:
    _old(folder)
    for index in range(3):
        spool(folder, {"id": f"hook-{index}", "message": f"hook {index}"})
    for index in range(2):
        spool(folder, {"message": f"nameless {index}"})
    spool(folder, {"transcript_path": "/dev/null/home/.claude/projects/x/t.jsonl", "session_id": "s"})
    (state_of(folder) / "spool" / "00000000000000000001-1-torn.json").write_text('{"kind": "ru')


def _ingested(folder: Path) -> None:
    rows = listed(folder)
    assert {row["external_id"] for row in rows} >= OLD | {f"hook-{index}" for index in range(3)}
    assert sorted(str(row["message"]) for row in rows if str(row["message"]).startswith("nameless")) == [
        "nameless 0",
        "nameless 1",
    ]
    assert [file.name for file in (state_of(folder) / "spool").glob("**/*.json")] == [
        "00000000000000000001-1-torn.json"
    ]
    assert leftovers(folder) == []


def _with_canary(folder: Path) -> None:
    runs = [{"id": "old-0", "message": "stays"}, {"id": "canary", "message": CANARY * 3, "output": f"a {CANARY} b"}]
    done = metier(folder, "record", given="\n".join(map(json.dumps, runs)))
    assert done.code == 0, done.err
    (folder / "canary").write_text(next(str(row["id"]) for row in listed(folder) if row["external_id"] == "canary"))


def _delete(folder: Path) -> list[str]:
    return worker("delete", folder, (folder / "canary").read_text())


def _deleted(folder: Path) -> None:
    assert names(folder) == {"old-0"}
    assert leftovers(folder) == []
    for file in state_of(folder).rglob("*"):
        assert not file.is_file() or CANARY.encode() not in file.read_bytes(), f"{file.name} still holds deleted text"


def _backup_is_whole(folder: Path) -> None:
    """A backup that is there can be restored."""
    file = folder / "saved.tar.gz"
    if file.exists():
        other = _beside(folder, "other")
        assert run(worker("restore", other, file)).code == 0
        assert names(other) == OLD


def _after_backup(folder: Path, _ended: Ended) -> None:
    assert names(folder) == OLD
    _backup_is_whole(folder)


def _backed_up(folder: Path) -> None:
    assert (folder / "saved.tar.gz").exists()
    _after_backup(folder, Ended(code=0, out="", err=""))
    assert leftovers(folder) == []


def _two_states(folder: Path) -> None:
    """A backup of another workspace, and a workspace with runs of its own."""
    other = _beside(folder, "other")
    assert run(worker("record", other, "saved", 2)).code == 0
    assert run(worker("backup", other, folder / "saved.tar.gz")).code == 0
    _old(folder)


def _after_restore(folder: Path, _ended: Ended) -> None:
    assert names(folder) in (OLD, {"saved-0", "saved-1"}), "neither the old state nor the restored one"


def _restored(folder: Path) -> None:
    assert names(folder) == {"saved-0", "saved-1"}
    assert leftovers(folder) == []
    kept: list[set[str]] = []
    for index, file in enumerate(sorted((state_of(folder) / "backups").glob("*.tar.gz"))):
        back = _beside(folder, f"back{index}")
        assert run(worker("restore", back, file)).code == 0
        kept.append(names(back))
    assert OLD in kept, "what was there before is in no backup"


STORIES = (
    Story(
        name="a new workspace",
        command=lambda folder: worker("record", folder, "new", 3),
        after=_acknowledged,
        end=_recorded,
    ),
    Story(
        name="a new checkout",
        begin=lambda folder: (folder / "shop/.git").mkdir(parents=True),
        command=lambda folder: worker("placed", folder / "shop"),
        after=_nothing_recorded,
        end=_made,
    ),
    Story(
        name="an existing workspace",
        begin=_old,
        command=lambda folder: worker("record", folder, "new", 3),
        after=_after_existing,
        end=_also_recorded,
    ),
    Story(
        name="a block", begin=_old, command=lambda folder: worker("block", folder, 2), after=_after_block, end=_blocks
    ),
    Story(
        name="spool",
        begin=_old,
        command=hook,
        given=SPOOLED,
        after=_after_spool,
        end=_spooled,
    ),
    Story(
        name="ingest",
        begin=_fill_spool,
        command=lambda folder: worker("opened", folder),
        after=lambda folder, _: None,
        end=_ingested,
    ),
    Story(name="delete", begin=_with_canary, command=_delete, after=lambda folder, _: None, end=_deleted),
    Story(
        name="backup",
        begin=_old,
        command=lambda folder: worker("backup", folder, folder / "saved.tar.gz"),
        after=_after_backup,
        end=_backed_up,
    ),
    Story(
        name="restore",
        begin=_two_states,
        command=lambda folder: worker("restore", folder, folder / "saved.tar.gz"),
        after=_after_restore,
        end=_restored,
    ),
)
