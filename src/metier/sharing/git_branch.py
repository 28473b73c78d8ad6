"""Sharing by git: a branch that holds what was approved, with the evidence in its text.

It is made of git's own objects: the files that are checked out, and what is staged, stay as they are.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from metier.errors import ConfigError, InputError, MetierError, NotFoundError, RefusedError
from metier.library.delivery.notes_file import in_use
from metier.library.package_decisions import was_reviewed_here
from metier.library.proposals.gate import receipt_words
from metier.store.tables.learning import lessons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.library.skills import Library
    from metier.types.lessons import Lesson
    from metier.types.skills import Version

PATIENCE = 60
"""Seconds for one command of git."""
PAGE = ".agents/lessons.md"
SKILLS = ".agents/skills"
QUOTES = 3
"""Quotes of each lesson that are shown."""
LONGEST = 200
"""Characters of a quote."""
BY_HAND = ("hand-edit", "found")
"""What somebody did to a file: it counts on this machine, and is not shared."""
KINDS = {"rule": "Rules", "fix": "Fixes", "fact": "Facts"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedBranch:
    """The branch that was made."""

    name: str
    commit: str
    skills: tuple[str, ...]
    lessons: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchFile:
    """A file of the branch."""

    path: str
    content: bytes
    executable: bool = False


def make_branch(library: Library, name: str = "") -> SharedBranch:
    """Put every approved lesson and skill of the project on a new branch, on top of what is checked out."""
    root = library.ctx.root
    head = _git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", problem=NO_COMMIT)
    used, skills = _lessons(library), _skills(library)
    if not used and not skills:
        raise NotFoundError("Nothing is approved yet, so there is nothing to share. See: metier lessons, metier drafts")
    files = [*_skill_files(library, skills), *([BranchFile(path=PAGE, content=page_of(used).encode())] if used else [])]
    message = message_of(used, skills)
    _refuse_secrets(library, [*files, BranchFile(path="the text of the commit", content=message.encode())])
    tree = _tree(root, head, files, [one.skill for one in skills])
    if tree == _git(root, "rev-parse", f"{head}^{{tree}}"):
        raise RefusedError("Everything that is approved is in what is checked out already. No branch was made.")
    name = name or f"metier/{library.ctx.now()[:10]}-{tree[:8]}"
    _check_name(root, name)
    commit = _git(root, "commit-tree", tree, "-p", head, "-F", "-", given=message.encode(), problem=NO_NAME)
    _git(root, "update-ref", f"refs/heads/{name}", commit, "0" * 40)
    return SharedBranch(name=name, commit=commit, skills=tuple(one.skill for one in skills), lessons=len(used))


NO_COMMIT = "This needs a git repository with a commit: the branch begins at what is checked out."
NO_NAME = "git does not know your name: git config user.name NAME; git config user.email ADDRESS"


def page_of(found: Sequence[Lesson]) -> str:
    """The page of lessons, each with the words it rests on."""
    lines = [
        "# Lessons",
        "",
        "What this project's agents should know. Made by `metier sync --git`; a person approved each.",
        "",
    ]
    for kind, title in KINDS.items():
        those = [one for one in found if one.kind == kind]
        lines += [f"## {title}", ""] if those else []
        for one in those:
            lines += [f"- {one.text}", *(f"  {part}" for part in _evidence(one))]
        lines += [""] if those else []
    return "\n".join(lines)


def message_of(found: Sequence[Lesson], skills: Sequence[Version]) -> str:
    """The text of the commit: what is new, who approved it, and what it rests on."""
    lines = [f"Metier: {_number(len(found), 'lesson')} and {_number(len(skills), 'skill')} that were approved", ""]
    for version in skills:
        lines += [f"Skill {version.skill}, version {version.number} ({version.hash[:12]})"]
        lines += [f"  {version.summary}"] if version.summary else []
        lines += [f"  approved by {version.who}; {receipt_words(version.receipt) or 'no gate'}"]
        runs = len(version.provenance.runs)
        lines += [f"  rests on {_number(runs, 'run')}"] if runs else []
        lines += [f"  review: {one.severity} {one.rule}: {one.reason}" for one in version.findings]
        lines += [""]
    for one in found:
        lines += [f"Lesson {one.id[:8]}: {one.text}", *(f"  {part}" for part in _evidence(one)), ""]
    return "\n".join(lines).rstrip() + "\n"


def _evidence(lesson: Lesson) -> list[str]:
    said = [" ".join(one.text.split()) for one in lesson.quotes]
    quotes = [f'"{one[:LONGEST]}{"…" if len(one) > LONGEST else ""}"' for one in dict.fromkeys(said)][:QUOTES]
    return [f"approved by {lesson.decided_by}; seen in {_number(lesson.sessions, 'session')}", *quotes]


def _lessons(library: Library) -> list[Lesson]:
    """Approved lessons of the project; what a person wants for themselves alone stays with them."""
    with library.ctx.store.read() as transaction:
        found = in_use(library.ctx, lessons.list_all(transaction))
    return sorted((one for one in found if one.scope != "person"), key=lambda one: (one.kind, one.text, one.id))


def _skills(library: Library) -> list[Version]:
    """The version of each of the project's skills that others may have."""
    found: dict[str, Version] = {}
    histories = library.version_store.histories
    for root, name in histories.skills():
        try:
            version = shared_version(library, histories.history_of(root, name).versions)
        except MetierError:
            continue  # a history that is damaged is not shared, and stops nothing else
        if version is not None and "/" not in name:
            found.setdefault(name, version)
    return [found[name] for name in sorted(found)]


def shared_version(library: Library, past: Sequence[Version]) -> Version | None:
    """The newest version that was reviewed or approved here, as long as it was not taken back or away."""
    good = {one.hash for one in past if was_reviewed_here(library.ctx, one)}
    for version in reversed(past):
        if version.out:
            return None
        if version.hash in good:
            return version
        if version.action not in BY_HAND:
            return None
    return None


def _skill_files(library: Library, skills: Sequence[Version]) -> list[BranchFile]:
    return [
        BranchFile(
            path=f"{SKILLS}/{skill.skill}/{file.path}",
            content=library.version_store.objects.get(file.object),
            executable=file.executable,
        )
        for skill in skills
        for file in skill.files
    ]


def _refuse_secrets(library: Library, files: Sequence[BranchFile]) -> None:
    for file in files:
        text = file.content.decode("utf-8", "replace")
        if library.ctx.redact(text) != text:
            raise RefusedError(f"{file.path} holds what looks like a secret. No branch was made; take it out first.")


def _tree(root: Path, head: str, files: Sequence[BranchFile], skills: Sequence[str]) -> str:
    """The tree of the branch: what is checked out, with these files in it; a skill's folder is replaced whole."""
    with tempfile.TemporaryDirectory(prefix="metier-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        _git(root, "read-tree", head, more=index)
        old = [f"{SKILLS}/{name}" for name in skills]
        there = _git(root, "ls-files", "-z", "--", *old, more=index).split("\0") if old else []
        rows = [f"0 {'0' * 40}\t{path}" for path in there if path]  # taken out without a look at the work tree
        for file in files:
            blob = _git(root, "hash-object", "-w", "--stdin", given=file.content)
            rows.append(f"{'100755' if file.executable else '100644'} {blob}\t{file.path}")
        _git(root, "update-index", "-z", "--index-info", given="\0".join([*rows, ""]).encode(), more=index)
        return _git(root, "write-tree", more=index)


def _check_name(root: Path, name: str) -> None:
    _git(root, "check-ref-format", "--branch", name, problem=f"'{name}' cannot be the name of a branch.")
    if _run(root, ["rev-parse", "--verify", "--quiet", f"refs/heads/{name}"], b"", {}).returncode == 0:
        raise RefusedError(f"The branch {name} is there already. Choose another name: metier sync --git --branch NAME")


def _git(root: Path, *words: str, given: bytes = b"", more: dict[str, str] | None = None, problem: str = "") -> str:
    done = _run(root, list(words), given, more or {})
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(problem or f"git {words[0]} failed: {said[-1] if said else done.returncode}")
    return done.stdout.decode("utf-8", "replace").strip()


KEPT = frozenset(f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE"))
"""Variables of git that are handed on: who makes the commit."""


def _run(root: Path, words: list[str], given: bytes, more: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    safe = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "commit.gpgSign=false", "protocol.allow=never"]
    flags = [part for one in safe for part in ("-c", one)]
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in KEPT}
    command = ["git", "-C", str(root), *flags, *words]
    try:
        return subprocess.run(  # noqa: S603 - git itself, and words of our own
            command,
            input=given,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            env={**own, "GIT_NO_LAZY_FETCH": "1", **more},
        )
    except FileNotFoundError:
        raise ConfigError("git is not installed.") from None
    except subprocess.TimeoutExpired:
        raise InputError(f"git {words[0]} took longer than {PATIENCE} s.") from None


def _number(count: int, word: str) -> str:
    return f"{count} {word if count == 1 else word + 's'}"
