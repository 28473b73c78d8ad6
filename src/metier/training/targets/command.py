"""The target that is a command: an agent in a throw-away folder, with the skill where it looks for skills."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from metier.errors import UsageError
from metier.formats.strict_json import clean
from metier.processes import Failed, ProcessLimits, environment, folder, run, sweep
from metier.skills.names import path_problem
from metier.training.targets.agent_output import NO_END, read, shorten_middle
from metier.training.targets.known_agents import PORTABLE, known_agent
from metier.training.targets.target import Attempt, Broken
from metier.training.targets.work_folder import collect_files, install_skill, write_texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.processes import ProcessResult
    from metier.skills.package import Package
    from metier.training.targets.agent_output import Format
    from metier.training.targets.known_agents import KnownAgent
    from metier.training.targets.target import TargetSetup
    from metier.types.trials import Case

NAMES = ("task", "task_file", "skill_dir")
PLACES = re.compile(rf"\{{({'|'.join(NAMES)})\}}")
LOGIN = "--login"
"""The word behind an agent's name that gives it the person's own login."""
SHOWN = 20_000
"""Characters of what a command complained about that a trace keeps."""
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
LAST_WORDS = 200
"""Characters of the last that a command said before it was ended."""
SHORTEST = 8
"""A passed value of fewer characters is not looked for in what is printed: it could be any word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandTarget:
    """Any command; `{task}`, `{task_file}` and `{skill_dir}` in it stand for what they say.

    A command that names neither task gets it on its standard input. What it prints is the answer, what it complains
    about is the trace. A command that is missing, hangs, ends with an unexpected code or prints no text says nothing
    about the skill.
    """

    words: tuple[str, ...]
    environ: Mapping[str, str] = field(repr=False)
    """Ours, of which it gets `PATH`, the plain variables and those in `passed`."""
    skills: str = PORTABLE
    """The folder in which the agent looks for skills, below the one it is started in."""
    prints: Format = "text"
    shell: bool = False
    """Whether the first word is a line for the shell; what stands in for places is quoted for it."""
    passed: tuple[str, ...] = ()
    """Names of further variables it is given, such as that of a key."""
    login: tuple[str, ...] = ()
    """Files below the person's home that are copied into its own."""
    variables: tuple[tuple[str, str], ...] = ()
    """What its environment says besides."""
    home_files: tuple[tuple[str, str], ...] = ()
    """Files in its own home, path and text."""
    check: tuple[str, ...] = ()
    """The command of a call that shows whether it works at all; empty: nothing is tried before the first attempt."""
    keys: tuple[str, ...] = ()
    """Those of the passed variables that hold a key."""
    may_log_in: bool = False
    """Whether `--login` can be added."""
    exits: tuple[int, ...] = (0,)
    """Exit codes that count as an attempt."""
    collect: tuple[str, ...] = ()
    """Files to take along for the scorer, such as `*.py` or `out/*`."""
    limits: ProcessLimits = field(default_factory=ProcessLimits)

    def __post_init__(self) -> None:
        if not self.words or not self.words[0].strip():
            raise UsageError("A command needs at least one word.")
        for found in re.finditer(r"\{(\w+)\}", " ".join(self.words)):
            near = get_close_matches(found[1], NAMES, n=1, cutoff=0.7)
            if near and found[1] not in NAMES:
                raise UsageError(f"{found[0]} is not a placeholder of a command; did you mean {{{near[0]}}}?")
        if path_problem(self.skills):
            raise UsageError(f"'{self.skills}' is not a folder inside the one the agent works in.")

    @property
    def identity(self) -> str:
        """The program, and all that shapes what it does."""
        about = repr((self.words, self.skills, self.prints, self.shell, self.passed, self.exits))
        about += repr((self.collect, self.limits.seconds))
        program = self.words[0].split()[0] if self.shell else self.words[0]
        return f"command {os.path.basename(program)} {sha256(about.encode('utf-8', 'replace')).hexdigest()[:16]}"  # noqa: PTH119

    def run(self, case: Case, skill: Package | None, sample: int) -> Attempt | Broken:  # noqa: ARG002 - every run is another
        """One run in a folder of its own."""
        if problem := next((path for path, _ in case.files if path_problem(path)), None):
            reason = f"the case's file {problem[:80]!r} cannot be written: {path_problem(problem)}"
            return Broken(reason=reason, again=False)
        try:
            with folder() as place:
                return self._run_in(place, case, skill)
        except OSError as error:
            return Broken(reason=f"the throw-away folder cannot be used: {error.strerror or error}")

    def _run_in(self, place: Path, case: Case, skill: Package | None) -> Attempt | Broken:
        work, home = place / "work", place / "home"
        for one in (work, home):
            one.mkdir()
        write_texts(home, self.home_files)
        copy_login(Path(self.environ.get("HOME", "")), home, self.login)
        write_texts(work, case.files)
        task = place / "task.md"
        task.write_text(case.input, encoding="utf-8", errors="replace")
        try:
            skill_dir = install_skill(skill, work / self.skills, place)
        except (FileExistsError, NotADirectoryError):
            return Broken(reason=f"a file of the case is in the place of the skill, {self.skills}", again=False)
        values = {"task": clean(case.input), "task_file": str(task), "skill_dir": str(skill_dir)}
        words = self._filled(values)
        said = "" if re.search(r"\{task(_file)?\}", " ".join(self.words)) else case.input
        environ = environment(home, self.environ, self.passed) | dict(self.variables)
        ended = run(words, work, environ, self.limits, said)
        if isinstance(ended, Failed):
            return Broken(reason=self._safe(self._failure(ended)), again=ended.again)
        return self._attempt(ended, work)

    def _failure(self, ended: Failed) -> str:
        """Why it did not come to its end, with the last that it said."""
        lines = [line for line in COLOURS.sub("", ended.errors.decode("utf-8", "replace")).splitlines() if line.strip()]
        said = self._complaint(ended) or "".join(lines[-1:])
        return f"{ended.reason}; the last it said was: {said[:LAST_WORDS]}" if said else ended.reason

    def _complaint(self, ended: Failed | ProcessResult) -> str:
        """The problem that an agent tells in what it printed."""
        told = read(ended.output.decode("utf-8", "replace"), self.prints).problem
        return "" if told == NO_END else self._safe(told)

    def _attempt(self, ended: ProcessResult, work: Path) -> Attempt | Broken:
        errors = self._safe(shorten_middle(ended.errors.decode("utf-8", "replace").strip(), SHOWN))
        if ended.code not in self.exits:
            how = f"signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"
            return Broken(reason=f"{how}: {self._complaint(ended) or errors[-500:] or 'no error output'}")
        try:
            text = self._safe(ended.output.decode())
        except UnicodeDecodeError:
            return Broken(reason=f"its output is not text (exit code {ended.code})")
        story = read(text, self.prints)
        if story.problem:
            return Broken(reason=f"{story.problem} (exit code {ended.code})")
        return Attempt(
            output=clean(story.answer),
            trace=clean("\n".join(filter(None, (story.trace, errors)))),
            tools=tuple(story.tools),
            exit_code=ended.code,
            files=tuple(collect_files(work, self.collect)),
            tokens=story.tokens,
            cost_usd=story.cost_usd,
            seconds=ended.seconds,
        )

    def _filled(self, values: Mapping[str, str]) -> list[str]:
        """The command with its places filled, each once: what stands in a task is never a place."""
        if not self.shell:
            return [PLACES.sub(lambda found: values[found[1]], word) for word in self.words]
        line = PLACES.sub(lambda found: shlex.quote(values[found[1]]), self.words[0])
        return ["/bin/sh", "-c", line, *self.words[1:]]

    def _safe(self, text: str) -> str:
        """The text without the values that were passed on."""
        for name in self.keys or self.passed:
            value = self.environ.get(name, "")
            if len(value) >= SHORTEST:
                text = text.replace(value, f"[{name}]")
        return text


def copy_login(source: Path, home: Path, files: tuple[str, ...]) -> None:
    """Copy the files of a login that are there, readable by the person alone."""
    for name in files:
        target = home / name
        if (source / name).is_file():
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            target.touch(mode=0o600)
            target.write_bytes((source / name).read_bytes())


def command_target(
    line: str, environ: Mapping[str, str], passed: tuple[str, ...] = (), limits: ProcessLimits | None = None
) -> CommandTarget:
    """The target for a command written as in a shell, which none reads."""
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise UsageError(f"The command {line!r} cannot be read: {error}.") from None
    sweep()
    return CommandTarget(words=words, environ=environ, passed=passed, limits=limits or ProcessLimits())


def agent_target(text: str, environ: Mapping[str, str], limits: ProcessLimits | None = None) -> CommandTarget:
    """The target for a well-known agent, by its name; words behind it are options of the agent."""
    try:
        name, *extra = shlex.split(text) or [""]
    except ValueError as error:
        raise UsageError(f"The agent {text!r} cannot be read: {error}.") from None
    agent, is_logged_in = known_agent(name), LOGIN in extra
    login = agent.login if is_logged_in else ()
    if is_logged_in and not any(Path(environ.get("HOME", ""), one).is_file() for one in login):
        raise UsageError(f"There is no login of {name} on this machine. Log in with it first, or leave {LOGIN} out.")
    options = tuple(word for word in extra if word != LOGIN)
    options = options if is_logged_in else (*_address_options(agent, environ), *options)
    sweep()
    return CommandTarget(
        words=agent.words_with(options),
        check=agent.words_with((*agent.small, *options)),
        login=login,
        variables=agent.variables,
        home_files=agent.files,
        keys=agent.keys,
        may_log_in=bool(agent.login),
        environ=environ,
        skills=agent.skills,
        prints=agent.prints,
        passed=(*agent.keys, *agent.settings),
        limits=limits or ProcessLimits(),
    )


def _address_options(agent: KnownAgent, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What tells an agent where its model is, if it takes that as an option."""
    if not agent.address_options or not environ.get(agent.address):
        return ()
    key = next((one for one in agent.keys if environ.get(one)), "")
    return tuple(agent.address_options(environ[agent.address], key))


def agent_from(text: str, setup: TargetSetup) -> CommandTarget:
    """The target `agent=NAME`, or `agent=NAME --login --option …`."""
    return agent_target(text, setup.environ, ProcessLimits(seconds=setup.seconds, stop=setup.stop))


def command_from(text: str, setup: TargetSetup) -> CommandTarget:
    """The target `command=WORDS`."""
    return command_target(text, setup.environ, limits=ProcessLimits(seconds=setup.seconds, stop=setup.stop))
