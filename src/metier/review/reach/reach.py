"""Read from the texts of a package how far it reaches: programs, hosts, paths, secrets, tools, and what lasts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.review.matching.re2 import Prefilter, matches
from metier.review.reach.document_commands import command_texts, parse_known, programs_of
from metier.review.reach.effects import CommandEffect, effects_of
from metier.review.reach.hosts import bare_hosts_in, hosts_in, hosts_of
from metier.review.text.file_kinds import sources
from metier.text.shell.command import SimpleCommand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from metier.review.text.views import ReviewedText
    from metier.skills.package import Package


_OUTSIDE = re.compile(
    r"(?<![\w.@:/-])((?:~|\$HOME|\$\{HOME\})/[\w./*-]{1,120}|/(?:etc|usr|var|opt|root|home|Users|bin|sbin|boot|dev|proc|sys|tmp|Library)/[\w./*-]{1,120}|(?:\.\./){1,8}[\w./*-]{1,120}|[A-Z]:\\[\w\\.-]{1,120})"
)
_SHEBANG = re.compile(r"^#![^\n]*", re.MULTILINE)
"""The line that names a script's interpreter, which is a program and no place that is read or written."""
_HARMLESS = frozenset(("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/bin/sh", "/bin/bash"))
"""Paths outside every workspace that hold nothing."""
_STANDING = (
    r"\b(?:always|never|every time|whenever|from now on|at all times|in all cases|no matter)\b"
    r"|\bunder no circumstances\b|\bwithout exception\b"
    r"|\b(?:before|after|on|for|at the (?:start|end|beginning) of) (?:every|each|any|all) \w+"
    r"|\b(?:do not|don'?t) (?:ever|tell|mention|ask)\b|\bmust (?:always|never|not)\b"
    r"|\b(?:by default|permanently|for ever|forever)\b,? (?:\w+ ){0,2}?(?:use|run|do|add|send|set)"
)
_RISKY = (
    r"https?://|\b(?:curl|wget|ssh|scp|nc|sudo|eval|exec|chmod|crontab|base64|powershell|npx|pip3? install)\b|\brm -"
    r"|\bnpm i(?:nstall)?\b|\bgit push\b|~/\.|/etc/|\.env\b"
    r"|\b(?:ignore|disregard|override|bypass|disable|delete|send|upload|post|forward|exfiltrate|install|download)\b"
    r"|\b(?:run|execute|grant|approve|trust)\b"
    r"|\b(?:password|token|secret|credential|api[_ -]?key|private key)s?\b"
)
_SECRET = re.compile(
    r"\b([A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){0,6}_(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS|PAT|APIKEY)|[A-Z]{2,20}_API_KEY|API_KEY|(?:GITHUB|GH|NPM|HF)_TOKEN)\b"
)
_TOOL = re.compile(
    r"\b(mcp__\w{1,60}__\w{1,60}|WebFetch|WebSearch|NotebookEdit|MultiEdit|TodoWrite|BashOutput|KillShell|SlashCommand)\b"
)
_LASTING: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("scheduled jobs", re.compile(r"\bcrontab\b|/etc/cron|\bschtasks\b|@reboot|systemd timer", re.IGNORECASE)),
    (
        "services that start by themselves",
        re.compile(r"systemctl (?:--user )?enable|LaunchAgents|LaunchDaemons|launchctl|autostart|CurrentVersion\\Run"),
    ),
    ("the shell's start files", re.compile(r"\.(?:bashrc|zshrc|bash_profile|zprofile|profile|zshenv)\b|rc\.local")),
    ("hooks", re.compile(r"\.git/hooks|\bpre-commit install\b|\"hooks\"\s*:|core\.hooksPath")),
    (
        "the agent's settings",
        re.compile(
            r"\.claude/settings|settings\.local\.json|openclaw\.json|\.codex/config|mcp\.json|claude_desktop_config|bypassPermissions|skip-permissions"
        ),
    ),
    (
        "the agent's memory and instructions",
        re.compile(
            r"\b(?:SOUL|MEMORY|IDENTITY|HEARTBEAT|AGENTS|CLAUDE|GEMINI)\.md\b|\.cursorrules|\.windsurfrules|copilot-instructions"
        ),
    ),
    ("other skills", re.compile(r"\.(?:claude|agents|openclaw|codex|cursor)/skills\b")),
    ("who may log in", re.compile(r"authorized_keys|sudoers|\buseradd\b|\badduser\b")),
)


MOST_READ = 200_000
"""Characters of one text that are read as commands; no script that a person reads is longer."""
_MAY_LAST = Prefilter(pattern.pattern for _, pattern in _LASTING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far the texts of a package reach."""

    programs: frozenset[str]
    effects: frozenset[CommandEffect]
    """Installs, uses of the network, changes of trust, and what cannot be read."""
    hosts: frozenset[str]
    paths: frozenset[str]
    secrets: frozenset[str]
    tools: frozenset[str]
    persistence: frozenset[str]
    orders: frozenset[str]


def reach_of(package: Package, *, learned: bool = False) -> Reach:
    """Everything that can be read from the texts of a package; in a learned one, what may be a command is one."""
    found = list(sources(package))
    texts = [source.plain.text for source in found]
    commands = [one for source in found for one in commands_of(source, learned=learned)]
    return Reach(
        programs=frozenset(programs_of(tuple(commands))),
        effects=frozenset(effect for one in commands for effect in effects_of(one)),
        hosts=frozenset(_hosts(texts, commands)),
        paths=_groups(_OUTSIDE, [_SHEBANG.sub("", text) for text in texts]) - _HARMLESS,
        secrets=_groups(_SECRET, texts),
        tools=_groups(_TOOL, texts) | frozenset(_allowed(package)),
        persistence=frozenset(what for text in texts for what in _lasting(text)),
        orders=_each(found, _orders),
    )


def commands_of(source: ReviewedText, *, learned: bool = False) -> Iterator[SimpleCommand]:
    """The simple commands in one text of a package; of a very long one the first, and word that there are more."""
    whole = source.plain.text
    for text in command_texts(_first_part(whole), script=source.script, learned=learned):
        yield from parse_known(text)
    if len(whole) > MOST_READ:
        yield SimpleCommand(program=source.path, unclear="What program it runs cannot be told: the text is too long.")


def _first_part(text: str) -> str:
    """So much of a text as is read, cut between two lines, else words: a cut inside a quotation takes long to read."""
    if len(text) <= MOST_READ:
        return text
    near = MOST_READ - 4096
    at = text.rfind("\n", near, MOST_READ)
    at = at if at > 0 else max(text.rfind("\n", 0, near), text.rfind(" ", near, MOST_READ))
    return text[: at if at > 0 else MOST_READ]


def _hosts(texts: list[str], commands: list[SimpleCommand]) -> Iterator[str]:
    for text in texts:
        yield from hosts_in(text)
        yield from bare_hosts_in(text)
    for command in commands:
        yield from hosts_of(command)


def _lasting(text: str) -> Iterator[str]:
    """What of that which outlives a task a text speaks of; most speak of none, which a sieve sees at once."""
    possible = _MAY_LAST.possible(text.encode("utf-8", "replace"))
    yield from (what for what, pattern in _LASTING if pattern.pattern in possible and pattern.search(text))


def _each(found: list[ReviewedText], read: Callable[[ReviewedText], Iterable[str]]) -> frozenset[str]:
    return frozenset(one for source in found for one in read(source))


def _groups(pattern: re.Pattern[str], texts: list[str]) -> frozenset[str]:
    return frozenset(match[1] for text in texts for match in pattern.finditer(text))


def _allowed(package: Package) -> Iterator[str]:
    value = package.frontmatter.get("allowed-tools")
    if isinstance(value, str):
        yield from (name for part in re.split(r"[\s,]+(?![^(]*\))", value) if (name := part.strip()))
    elif isinstance(value, list):
        yield from (part.strip() for part in value if isinstance(part, str) and part.strip())


def _orders(source: ReviewedText) -> Iterator[str]:
    """The lines of a document that give standing orders, short enough to be read."""
    if source.script:
        return
    fenced = False
    for line in source.plain.text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and is_standing(line):
            yield " ".join(line.split())[:160]


def is_standing(line: str) -> bool:
    """Whether a line gives an order that holds from now on."""
    return matches(_STANDING, line)


def is_risky(line: str) -> bool:
    """Whether a line orders something that matters: an address, a program, a secret, or an order beyond the task."""
    return matches(_RISKY, line) or is_standing(line)
