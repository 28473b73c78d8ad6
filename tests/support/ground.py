"""Folders in which hooks have to find a project, or have to be silent: each row makes one, its name is the sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from launcher import SHELLS, Launcher
from states import state_of

from metier.context.state_folder import Place, make_place

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")


class Ground(Launcher):
    """Folders for a table, and the launcher that is started in them."""

    @property
    def top(self) -> Path:
        return self.home.parent

    def git(self, folder: Path, *words: str | Path) -> None:
        subprocess.run([*GIT, *map(str, words)], cwd=folder, check=True, capture_output=True, timeout=60)

    def checkout(self, name: str) -> Path:
        """What Metier takes for a checkout: it never starts git."""
        folder = self.top / name
        (folder / ".git").mkdir(parents=True)
        return folder

    def project(self, name: str = "proj") -> Path:
        """A checkout whose project has a rule."""
        return self.ruled(self.checkout(name))

    def made(self, folder: Path) -> Place:
        """A project as `metier init` makes it."""
        return make_place(folder, self.state_home, {"HOME": str(self.home)})

    def committed(self, folder: Path) -> Path:
        """The same folder as git itself makes it, with one commit."""
        self.git(folder, "init", "-q")
        self.git(folder, "commit", "-q", "--allow-empty", "-m", "one")
        return folder

    def worktree(self, of: Path, name: str = "tree") -> Path:
        self.git(self.committed(of), "worktree", "add", "-q", "--detach", self.top / name)
        return self.top / name

    def submodule(self, of: Path, name: str = "part") -> Path:
        part = self.committed(self.checkout(f"{name}.git"))
        self.git(self.committed(of), "submodule", "add", "-q", part, name)
        return of / name

    def has_rule(self, folder: Path, *words: str, **variables: str) -> bool:
        """The same by every shell."""
        found: set[bool] = set()
        for self.shell in SHELLS:
            found.add(super().has_rule(folder, *words, **variables))
        (answer,) = found
        return answer

    def id_of(self, project: Path) -> Path:
        return project / ".git/metier-id"


Row = Callable[[Ground], Path]
RULED: list[Row] = []
SILENT: list[Row] = []


def ruled(row: Row) -> None:
    """A row of the table: in the folder that it makes the project's rule holds."""
    RULED.append(row)


def silent(row: Row) -> None:
    """A row of the table: in the folder that it makes no hook says anything."""
    SILENT.append(row)


def give_away(file: Path) -> None:
    """Make a file another user's."""
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    os.chown(file, 12345, 12345)


@ruled
def the_top_of_a_checkout(ground: Ground) -> Path:
    return ground.project()


@ruled
def a_folder_deep_inside(ground: Ground) -> Path:
    deep = ground.project() / "a/b/c"
    deep.mkdir(parents=True)
    return deep


@ruled
def a_folder_reached_through_a_link(ground: Ground) -> Path:
    inner = ground.project() / "src"
    inner.mkdir()
    (ground.top / "link").symlink_to(inner)
    return ground.top / "link"


@ruled
def a_folder_without_git_reached_through_a_link_above_it(ground: Ground) -> Path:
    ground.ruled(ground.top / "real/proj")
    (ground.top / "link").symlink_to(ground.top / "real")
    return ground.top / "link/proj"


@silent
def a_link_in_a_project_that_leads_out_of_it(ground: Ground) -> Path:
    (ground.top / "outside").mkdir()
    link = ground.project() / "link"
    link.symlink_to(ground.top / "outside")
    return link


@ruled
def a_worktree(ground: Ground) -> Path:
    return ground.worktree(ground.project())


@ruled
def a_worktree_whose_git_file_is_relative(ground: Ground) -> Path:
    tree = ground.worktree(ground.project())
    (tree / ".git").write_text("gitdir: ../proj/.git/worktrees/tree\n")
    (ground.top / "proj/.git/worktrees/tree/gitdir").write_text("../../../../tree/.git\n")
    return tree


@ruled
def a_worktree_whose_git_file_ends_without_a_newline(ground: Ground) -> Path:
    tree = ground.worktree(ground.project())
    (tree / ".git").write_text((tree / ".git").read_text().rstrip("\n"))
    return tree


@ruled
def a_worktree_of_a_repository_with_an_odd_name(ground: Ground) -> Path:
    return ground.worktree(ground.project("a\nb $(touch executed) worktrees"))


@ruled
def a_checkout_whose_worktree_was_made_the_project_first(ground: Ground) -> Path:
    main = ground.checkout("main")
    ground.ruled(ground.worktree(main))
    return main


@silent
def a_submodule(ground: Ground) -> Path:
    return ground.submodule(ground.project())


@ruled
def a_submodule_that_was_made_a_project(ground: Ground) -> Path:
    return ground.ruled(ground.submodule(ground.checkout("above")))


@silent
def a_checkout_inside_a_project(ground: Ground) -> Path:
    ground.project()
    return ground.checkout("proj/inner")


@silent
def a_git_file_that_points_at_a_repository_which_does_not_point_back(ground: Ground) -> Path:
    ground.worktree(ground.project())
    thief = ground.top / "thief"
    thief.mkdir()
    shutil.copy(ground.top / "tree/.git", thief / ".git")
    return thief


@silent
def a_git_file_that_points_at_the_repository_itself(ground: Ground) -> Path:
    thief = ground.top / "thief"
    thief.mkdir()
    (thief / ".git").write_text(f"gitdir: {ground.project()}/.git\n")
    return thief


@silent
def a_git_folder_that_is_a_link_to_that_of_a_project(ground: Ground) -> Path:
    thief = ground.top / "thief"
    thief.mkdir()
    (thief / ".git").symlink_to(ground.project() / ".git")
    return thief


@silent
def a_git_file_without_end(ground: Ground) -> Path:
    place = ground.top / "place"
    place.mkdir()
    (place / ".git").write_text("gitdir: x\n" * 10_000_000)
    return place


@silent
def a_git_file_that_is_a_fifo_in_a_project(ground: Ground) -> Path:
    inner = ground.project() / "inner"
    inner.mkdir()
    os.mkfifo(inner / ".git")
    return inner


@silent
def an_id_that_is_a_fifo(ground: Ground) -> Path:
    project = ground.project()
    ground.id_of(project).unlink()
    os.mkfifo(ground.id_of(project))
    return project


@silent
def an_id_that_is_a_link_to_the_id(ground: Ground) -> Path:
    project = ground.project()
    ground.id_of(project).rename(project / "id")
    ground.id_of(project).symlink_to(project / "id")
    return project


@silent
def an_id_that_is_a_link_to_what_never_ends(ground: Ground) -> Path:
    project = ground.project()
    ground.id_of(project).unlink()
    ground.id_of(project).symlink_to("/dev/zero")
    return project


@silent
def an_id_that_is_a_folder(ground: Ground) -> Path:
    project = ground.project()
    ground.id_of(project).unlink()
    ground.id_of(project).mkdir()
    return project


@silent
def an_id_with_a_hundred_megabytes_behind_it(ground: Ground) -> Path:
    project = ground.project()
    with ground.id_of(project).open("a") as file:
        file.write("more\n")
        file.truncate(100_000_000)
    return project


@silent
def an_id_that_leads_out_of_the_state_home(ground: Ground) -> Path:
    project = ground.project()
    state = state_of(project)
    shutil.copytree(state, state.parent.parent / state.name)
    ground.id_of(project).write_text(f"../{state.name}\n")
    return project


@silent
def an_id_that_names_the_persons_own_folder(ground: Ground) -> Path:
    project = ground.project()
    user = ground.state_home / "user"
    shutil.copytree(state_of(project), user, dirs_exist_ok=True)
    ground.id_of(project).write_text("user\n")
    return project


@silent
def an_id_of_another_user(ground: Ground) -> Path:
    project = ground.project()
    give_away(ground.id_of(project))
    return project


@silent
def a_git_folder_of_another_user(ground: Ground) -> Path:
    project = ground.project()
    give_away(project / ".git")
    return project


@silent
def a_project_whose_python_another_user_named(ground: Ground) -> Path:
    give_away(ground.python_note)
    return ground.project()


@silent
def a_state_folder_that_others_can_write(ground: Ground) -> Path:
    project = ground.project()
    state_of(project).chmod(0o777)
    return project


@silent
def a_state_home_that_others_can_write(ground: Ground) -> Path:
    project = ground.project()
    ground.state_home.chmod(0o777)
    return project


@ruled
def a_checkout_that_was_moved(ground: Ground) -> Path:
    ground.project().rename(ground.top / "moved")
    return ground.top / "moved"


@ruled
def the_original_of_a_copy(ground: Ground) -> Path:
    project = ground.project()
    ground.made(shutil.copytree(project, ground.top / "copy"))
    return project


@silent
def a_copy(ground: Ground) -> Path:
    return shutil.copytree(ground.project(), ground.top / "copy")


@silent
def a_copy_of_a_folder_without_git(ground: Ground) -> Path:
    return shutil.copytree(ground.ruled(ground.top / "proj"), ground.top / "copy")


@silent
def another_repository_at_the_path_of_a_deleted_one(ground: Ground) -> Path:
    project = ground.project()
    shutil.rmtree(project)
    return ground.checkout(project.name)


@ruled
def a_folder_known_by_its_path_that_became_a_checkout(ground: Ground) -> Path:
    project = ground.ruled(ground.top / "proj")
    ground.committed(project)
    return project


@ruled
def a_folder_known_by_its_path_that_became_a_checkout_was_seen_so_and_moved(ground: Ground) -> Path:
    project = ground.ruled(ground.top / "proj")
    ground.committed(project)
    ground.made(project)
    project.rename(ground.top / "moved")
    return ground.top / "moved"


@silent
def a_folder_below_the_home_folder_which_is_a_project(ground: Ground) -> Path:
    inner = ground.ruled(ground.home) / "other"
    inner.mkdir()
    return inner
