"""How a project is built, tested and run: commands that keep working, by what they are for."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.learning.lessons.session.commands import bare_form, is_destructive, left_out_of
from metier.types.sightings import Worked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from metier.learning.lessons.session.commands import Part
    from metier.learning.lessons.session.steps import SessionStep

LEAST = 2
"""Sessions in which a command has to work."""
CORE = frozenset(("test", "lint", "build", "types", "coverage", "check"))
"""What a project is asked for in nearly every session."""
USUAL = 5
"""Sessions after which a command is worth a line that anybody who knows the tool would try first."""
OFTEN = 2
"""How much more often another command has to work that was there before."""
PLAIN = 2
"""Words of a command that says nothing of the project: the tool and what it is told to do."""
ON_FILES = frozenset(("format", "lint", "types"))
"""Purposes whose commands often do nothing without a file."""
_RUNNERS = (
    r"(?:npm|pnpm|yarn|bun|make|just|task|mix|rake|cargo|go|gradle|\./gradlew|mvn|dotnet|"
    r"uv|poetry|pdm|hatch|bundle|composer|deno|pip3?)"
)
_ROLES = (
    ("coverage", r"--cov\b|--cov=|--coverage|\bcoverage\b", "Measure test coverage with `{}`."),
    ("types", r"\b(?:mypy|pyright|tsc|type-?check|check-types|dialyzer)\b", "Check types with `{}`."),
    (
        "lint",
        (
            r"\b(?:lint|lint[:_-]\w+|eslint|ruff check|flake8|pylint|clippy|credo|golangci-lint|"
            r"rubocop|shellcheck|biome|vet)\b|\bpre-commit run\b"
        ),
        "Lint with `{}`.",
    ),
    ("format", r"\b(?:format|fmt|prettier|black|gofmt|gofumpt|isort)\b", "Format code with `{}`."),
    (
        "test",
        r"(?:^|\s|/)(?:tests?|pytest|jest|vitest|rspec|unittest|ctest|phpunit|mocha|tox|nox|e2e|test[:_-]\w+)(?:\s|$)",
        "Run the tests with `{}`.",
    ),
    ("migrate", r"\bmigrat\w*\b", "Migrate the database with `{}`."),
    ("generate", r"\b(?:\w*codegen|generate|gen)\b", "Generate code with `{}`."),
    ("build", r"\b(?:build|build[:_-]\w+|compile|assemble)\b", "Build with `{}`."),
    (
        "install",
        rf"^{_RUNNERS} (?:install|sync|ci|deps\.get|restore|bootstrap)(?: -e|$)",
        "Install what the project needs with `{}`.",
    ),
    ("check", rf"^{_RUNNERS} (?:run )?(?:check|verify|validate|qa|precommit)\b", "Check everything with `{}`."),
    ("serve", rf"^{_RUNNERS} (?:run )?(?:dev|serve|start|preview|phx\.server)\b", "Start it with `{}`."),
)
_PATTERNS = tuple((role, re.compile(pattern), text) for role, pattern, text in _ROLES)
_VERBOSE = re.compile(
    r" (?:-[vxsq]+|--tb=\w+|--verbose|--quiet|--silent|-rf|--no-header|--color=\w+|-p|-k|-n|-run|-count=\d+)(?= |$)"
)
"""Flags that only change what is printed, or which part is run."""
_STARTERS = re.compile(
    r"npm|pnpm|yarn|bunx?|npx|make|just|task|mix|rake|cargo|go|gradle|mvn|dotnet|uvx?|poetry|pdm|hatch|bundle|composer|deno|"
    r"python3?|node|php|ruby|rails|pipenv|nx|turbo|lerna|conda|swift|flutter|dart|\./.*"
)
"""Programs that start others: what is done stands in a later word."""
RUN_BY = 4
"""Words in which it stands there; elsewhere it is the program or its first word."""
_ABSOLUTE = re.compile(r" [/~$]")
"""A place on one machine."""
_FOREIGN = frozenset(("git", "gh", "docker", "kubectl", "brew", "apt", "apt-get", "curl", "ssh", "source", "."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A command that works in this project, and what it is for."""

    role: str
    command: str
    text: str
    sightings: tuple[Worked, ...]
    sessions: int
    ratio: float
    """How often it went well."""


def commands_in(steps: Sequence[SessionStep], session: str) -> list[Worked]:
    """The commands of a session that may say how the project works, each with how often it went well."""
    counts: dict[str, list[int]] = {}
    where: dict[str, SessionStep] = {}
    left: dict[str, set[str]] = defaultdict(set)
    for step in steps:
        if step.kind != "command":
            continue
        for command, slot in _commands(step):
            counts.setdefault(command, [0, 0])[0 if step.ok else 1] += 1
            where[command] = step
            if step.ok:
                left[command].add(slot)
    return [
        Worked(
            run=where[one].run,
            session=session,
            moment=where[one].moment,
            command=one,
            ok=ok,
            failed=failed,
            whole="" in left[one],
            slot="PATH" if left[one] == {"PATH"} else "",
        )
        for one, (ok, failed) in counts.items()
    ]


def _commands(step: SessionStep) -> Iterable[tuple[str, str]]:
    """The commands of a step in their bare form, and what that leaves out."""
    entering = ""
    for part in step.parts:
        if part.words[0] in ("source", "."):
            entering = f"{part.text} && " if not _ABSOLUTE.search(part.text) else ""
        elif part.words[0] not in _FOREIGN:
            command = _VERBOSE.sub("", bare_form(part))
            role = role_of(command)
            if role and not (role == "install" and _adds_packages(part)) and not is_destructive(part.text):
                yield entering + command, left_out_of(part)


def _adds_packages(part: Part) -> bool:
    """Whether an install names packages: that changes the project instead of setting it up."""
    given = part.words[len(part.head.split()) :]
    return any(not word.startswith("-") and word not in (".", "./") for word in given)


def role_of(command: str) -> str:
    """What a command is for; empty: nothing that a project has a usual command for."""
    words = _bare(command).split()
    plain = [word for word in words if not word.startswith("-")]
    reach = RUN_BY if words and _STARTERS.fullmatch(words[0]) else 2
    text = " ".join([*plain[:reach], *(word for word in words if word.startswith("-"))])
    return next((role for role, pattern, _ in _PATTERNS if pattern.search(text)), "")


def _bare(command: str) -> str:
    """A command without what enters its environment."""
    return command.rpartition(" && ")[2]


def facts_from(worked: Iterable[Worked], entering: Mapping[str, str] | None = None) -> list[Fact]:
    """The command for each purpose that works in most sessions; the newer of two equals.

    `entering` has what programs need before them on the line, where they failed without it.
    """
    programs: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for command, seen in _by_command(worked).items():
        role = role_of(command)
        sessions = len({one.session for one in seen if one.ok})
        if role and sessions >= LEAST and (sessions >= USUAL or not _is_expected(role, seen)):
            whole = _within_its_environment(_entered(seen), entering or {})
            programs[role, command.split()[0]].append(_fact(role, whole + _slot(role, seen), seen, sessions))
    best = [max(found, key=_worth) for found in programs.values()]
    return [one for one in best if not any(_was_replaced(one, other) for other in best)]


def _by_command(worked: Iterable[Worked]) -> dict[str, list[Worked]]:
    found: dict[str, list[Worked]] = defaultdict(list)
    for one in worked:
        found[_bare(one.command)].append(one)
    return found


def _is_expected(role: str, seen: Sequence[Worked]) -> bool:
    """Whether a command is the plain one of its tool, for something that is not asked for every day (`mix format`)."""
    words = _entered(seen).split()
    return role not in CORE and len(words) == PLAIN and not words[-1].startswith("-")


def _within_its_environment(command: str, entering: Mapping[str, str]) -> str:
    program = command.split(maxsplit=1)[0]
    return f"{entering[program]} && {command}" if program in entering and " && " not in command else command


def _was_replaced(fact: Fact, other: Fact) -> bool:
    """Whether another command for the same purpose is used since this one was last seen."""
    if fact.role != other.role or other.sessions < fact.sessions:
        return False
    last = max(one.moment for one in fact.sightings)
    moments = sorted(one.moment for one in other.sightings)
    often = other.sessions >= OFTEN * fact.sessions
    return bool(last) and last < moments[len(moments) // 2 if often else 0]


def _slot(role: str, seen: Sequence[Worked]) -> str:
    """A place for the files that a command was given each time; nothing where it was run without."""
    return " PATH" if role in ON_FILES and all(one.slot == "PATH" and not one.whole for one in seen if one.ok) else ""


def _entered(seen: Sequence[Worked]) -> str:
    """The command with what most sessions put before it, if they put anything."""
    sessions: dict[str, set[str]] = defaultdict(set)
    for one in seen:
        if one.ok:
            sessions[one.command].add(one.session)
    return max(sessions, key=lambda command: (len(sessions[command]), command))


def _fact(role: str, command: str, seen: Sequence[Worked], sessions: int) -> Fact:
    text = next(text for name, _, text in _PATTERNS if name == role)
    total = Counter(ok=sum(one.ok for one in seen), failed=sum(one.failed for one in seen))
    return Fact(
        role=role,
        command=command,
        text=text.format(command),
        sightings=tuple(one for one in seen if one.ok),
        sessions=sessions,
        ratio=total["ok"] / max(1, total["ok"] + total["failed"]),
    )


def _worth(fact: Fact) -> tuple[bool, float, str, str]:
    """A command that was run as it stands in several sessions comes first: others are about a part of the project."""
    whole = len({one.session for one in fact.sightings if one.whole}) >= LEAST
    return whole, fact.sessions, fact.sightings[-1].moment, fact.command
