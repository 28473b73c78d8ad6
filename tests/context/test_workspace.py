from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from states import adopt, has_state

import metier
from metier.context.state_folder import container_hint
from metier.errors import ConfigError, SchemaError
from metier.workspace import Workspace


def test_opening_makes_a_private_state_folder_outside_the_project(tmp_path: Path) -> None:
    project = tmp_path / "My Shop!"
    project.mkdir()
    with metier.open(project) as ws:
        assert (ws.state.parent, ws.state.name[:8]) == (tmp_path / "home/.local/state/metier", "my-shop-")
    assert list(project.iterdir()) == []
    for folder in (ws.state, ws.state.parent, ws.context.person):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((ws.context.person / "redact.key").stat().st_mode) == 0o600
    assert not list(ws.state.parent.rglob("*.part"))


def test_opening_again_finds_the_same_workspace_from_below(tmp_path: Path) -> None:
    with metier.open(tmp_path) as first:
        pass
    (tmp_path / "a" / "b").mkdir(parents=True)
    with metier.open(tmp_path / "a" / "b") as second:
        assert (second.root, second.name) == (tmp_path, first.name)


def test_a_new_workspace_goes_to_the_top_of_a_checkout(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / ".git").mkdir()
    with metier.open(project / "src") as ws:
        assert ws.root == project
        assert (project / ".git/metier-id").read_text() == f"{ws.state.name}\n"


def test_the_home_folders_own_state_is_not_a_workspace_for_what_lies_below(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Workspace.open(home, environ={"HOME": str(home)}):
        pass
    project = home / "project"
    project.mkdir()
    with Workspace.open(project, environ={"HOME": str(home)}) as ws:
        assert ws.root == project
    with Workspace.open(home, environ={"HOME": str(home)}) as ws:
        assert ws.root == home


def test_without_leave_to_make_one_a_missing_workspace_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"There is no workspace in .* Run `metier init`"):
        Workspace.open(tmp_path, create=False)
    assert not has_state(tmp_path)


def test_a_moved_workspace_keeps_its_runs_once_it_is_adopted(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    with metier.open(old) as ws:
        ws.finish(metier.Run(message="x"))
    adopt(old.rename(new))
    with metier.open(new) as ws:
        assert len(ws.runs()) == 1


def test_workspaces_of_one_state_home_see_their_own_runs_only(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "METIER_HOME": str(tmp_path / "shared")}
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        with Workspace.open(tmp_path / name, environ=environ) as ws:
            ws.finish(metier.Run(message=f"run of {name}"))
            assert [record.summary for record in ws.runs()] == [f"run of {name}"]
            assert ws.search("run") == ws.runs()


def test_an_unwritable_place_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"is not a folder"):
        Workspace.open(tmp_path / "file")
    with pytest.raises(ConfigError, match=r"State cannot be kept in .*/file/x: .*Not a directory. Name another folder"):
        Workspace.open(tmp_path, environ={"METIER_HOME": str(tmp_path / "file" / "x"), "HOME": str(tmp_path)})


def test_an_older_metier_meets_a_newer_schema_with_a_clear_line(ws: Workspace) -> None:
    with ws.context.store.write() as transaction:
        transaction.all("INSERT INTO migrations (number, name, applied) VALUES (999, 'future', 'x')")
    with pytest.raises(SchemaError, match=r"written by a newer Metier .schema 999"):
        Workspace.open(ws.root)


def test_the_clock_is_given_from_outside(tmp_path: Path) -> None:
    with Workspace.open(tmp_path, clock=lambda: datetime(2026, 1, 5, 12, tzinfo=UTC)) as ws:
        assert ws.context.now() == "2026-01-05T12:00:00.000000Z"


@pytest.mark.xdist_group("postgresql")
def test_a_workspace_in_postgresql_does_the_same(tmp_path: Path, new_postgres: str) -> None:
    with Workspace.open(tmp_path, flags={"store": new_postgres}) as ws:
        with ws.record("fix the login test") as run:
            run.tool("Bash", input="pytest")
        [record] = ws.search("login")
        assert (record.success, record.revision) == (True, 2)
        assert not (ws.state / "metier.db").exists()
    with Workspace.open(tmp_path, flags={"store": new_postgres}) as again:
        assert len(again.runs()) == 1


def test_in_a_dev_container_the_line_that_keeps_the_state_is_named(tmp_path: Path) -> None:
    home = Path("/no/home/.local/state/metier")
    said = container_hint(tmp_path, home, {"REMOTE_CONTAINERS": "true"})
    assert said.endswith(f'"mounts": ["source=metier-state,target={home},type=volume"]')
    assert container_hint(tmp_path, home, {}) == ""
    assert container_hint(tmp_path, Path("/proc/metier"), {"CODESPACES": "true"}) == "", "it lies on a mount"


def test_a_git_folder_with_no_place_for_an_id_leaves_the_project_known_by_its_path(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    with metier.open(project) as first:
        pass
    (project / ".git/metier-id").mkdir(parents=True)  # as an archive can bring it
    for _ in range(2):
        with metier.open(project) as again:
            assert again.state == first.state
    assert has_state(project)
