"""Read from the texts of a package how far it reaches: programs, hosts, paths, secrets, tools, and what lasts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.review.layers.origin import is_standing
from metier.review.matching.prefilter import Prefilter
from metier.review.text.file_kinds import sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from metier.review.text.views import ReviewedText
    from metier.skills.package import Package


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FENCE = re.compile(
    r"^[ \t]*(?:```|~~~)[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:^[ \t]*(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL
)
_SHELLS = ("", "bash", "sh", "shell", "zsh", "console", "terminal", "fish", "powershell", "ps1", "cmd", "bat")
_SPAN = re.compile(r"`([^`\n]{2,300})`")
_CUT = re.compile(r"\|\||&&|[|;&\n(]|\$\(")
_WORD = re.compile(r"[A-Za-z_./~][\w./+-]{0,80}")
_SKIP = re.compile(
    r"(?:\s*(?:\$|>|#|%|PS>)\s+)?(?:\s*(?:sudo|env|time|nohup|exec|command|xargs|then|do|else|if|while|!|[A-Za-z_]\w{0,60}=\S{0,200})\s+)*"
)
_KEYWORDS = _names(
    """if then else elif fi for while do done case esac in function return local export set unset echo cd pwd true false
    test read source exit shift trap printf declare alias let and or not with as import from def class print const var
    await async"""
)
_KNOWN = _names(
    """git gh npm npx pnpm yarn bun node deno python python3 pip pip3 uv uvx poetry pytest ruff
    make cmake cargo rustc go
    docker
    podman kubectl helm terraform aws gcloud az curl wget ssh scp rsync nc tar zip unzip gzip openssl gpg jq sed
    awk grep rg find xargs cat ls cp mv rm mkdir chmod chown ln touch head tail sort uniq wc diff tee kill pkill ps
    systemctl service crontab launchctl brew apt apt-get yum dnf pacman psql mysql sqlite3 redis-cli mongosh ffmpeg
    convert magick pandoc pdftotext
    bash sh zsh pwsh powershell osascript open perl ruby php java javac mvn gradle dotnet
    swift xcodebuild adb flutter vercel netlify fly heroku wrangler stripe supabase firebase claude codex openclaw
    metier
    eslint tsc prettier vitest jest playwright alembic flask django-admin rails bundle gem base64 xxd dd mkfs nslookup
    dig ping telnet socat tmux screen"""
)


def shell_text(text: str, *, script: bool) -> str:
    """The commands in a text: all of a script; of a document the shell blocks, and spans that begin with a program."""
    if script:
        return (
            text
            if not text.lstrip().startswith(
                ("import ", "from ", '"""', "//", "/*", "const ", "#!/usr/bin/env python", "#!/usr/bin/env node")
            )
            else ""
        )
    blocks = [match[2] for match in _FENCE.finditer(text) if match[1].lower() in _SHELLS]
    spans = [match[1] for match in _SPAN.finditer(text) if match[1].split()[:1] and match[1].split()[0] in _KNOWN]
    return "\n".join([*blocks, *spans])


def programs_in(commands: str) -> Iterator[str]:
    """The programs that command lines start, without their folders."""
    for part in _CUT.split(commands):
        if part.lstrip().startswith("#"):
            continue
        skipped = _SKIP.match(part)
        rest = part[skipped.end() :] if skipped else part
        word = _WORD.match(rest.lstrip())
        if (
            word
            and (name := word[0].rsplit("/", 1)[-1])
            and name not in _KEYWORDS
            and _is_program(word[0], rest.lstrip())
        ):
            yield name


def _is_program(word: str, rest: str) -> bool:
    """Whether a first word is a program: a known one, one with a path, or one with options behind it."""
    behind = rest[len(word) : len(word) + 1]
    if word.startswith(("./", "/", "~/", "../")) or word in _KNOWN:
        return True
    return (
        behind in ("", " ", "\t")
        and word[:1].islower()
        and "." not in word
        and re.search(r" -{1,2}[A-Za-z]", rest[:200]) is not None
    )


__all__ = ["Reach", "hosts_in", "programs_in", "reach_of"]

_HOST = re.compile(
    r"(?:https?|wss?|ftp|ssh|git)://(?:[^\s/@'\"<>]{0,80}@)?([A-Za-z0-9.-]{1,253}\.[A-Za-z]{2,24}|(?:\d{1,3}\.){3}\d{1,3})"
)
_REMOTE = re.compile(r"\b[\w.-]{1,64}@([A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}):")
_BARE = re.compile(
    r"\b(?:curl|wget|ping|ssh|nc|fetch)(?: +-{1,2}[\w-]{1,20})* +['\"]?((?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,12})\b",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"(?<![\w.@:/-])((?:~|\$HOME|\$\{HOME\})/[\w./*-]{1,120}|/(?:etc|usr|var|opt|root|home|Users|bin|sbin|boot|dev|proc|sys|tmp|Library)/[\w./*-]{1,120}|(?:\.\./){1,8}[\w./*-]{1,120}|[A-Z]:\\[\w\\.-]{1,120})"
)
_SHEBANG = re.compile(r"^#![^\n]*", re.MULTILINE)
"""The line that names a script's interpreter, which is a program and no place that is read or written."""
_HARMLESS = frozenset(("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/bin/sh", "/bin/bash"))
"""Paths outside every workspace that hold nothing."""
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


_MAY_LAST = Prefilter(pattern.pattern for _, pattern in _LASTING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far the texts of a package reach."""

    programs: frozenset[str]
    hosts: frozenset[str]
    paths: frozenset[str]
    secrets: frozenset[str]
    tools: frozenset[str]
    persistence: frozenset[str]
    orders: frozenset[str]


def reach_of(package: Package) -> Reach:
    """Everything that can be read from the texts of a package."""
    found = list(sources(package))
    texts = [source.plain.text for source in found]
    return Reach(
        programs=_each(found, lambda one: programs_in(shell_text(one.plain.text, script=one.script))),
        hosts=frozenset(host for text in texts for host in hosts_in(text)),
        paths=_groups(_OUTSIDE, [_SHEBANG.sub("", text) for text in texts]) - _HARMLESS,
        secrets=_groups(_SECRET, texts),
        tools=_groups(_TOOL, texts) | frozenset(_allowed(package)),
        persistence=frozenset(what for text in texts for what in _lasting(text)),
        orders=_each(found, _orders),
    )


def _lasting(text: str) -> Iterator[str]:
    """What of that which outlives a task a text speaks of; most speak of none, which a sieve sees at once."""
    possible = _MAY_LAST.possible(text.encode("utf-8", "replace"))
    yield from (what for what, pattern in _LASTING if pattern.pattern in possible and pattern.search(text))


def _each(found: list[ReviewedText], read: Callable[[ReviewedText], Iterable[str]]) -> frozenset[str]:
    return frozenset(one for source in found for one in read(source))


def _groups(pattern: re.Pattern[str], texts: list[str]) -> frozenset[str]:
    return frozenset(match[1] for text in texts for match in pattern.finditer(text))


def hosts_in(text: str) -> Iterator[str]:
    """The hosts a text names in addresses and commands, in small letters."""
    for sign, pattern in (("://", _HOST), ("@", _REMOTE), (".", _BARE)):
        if sign in text:
            yield from (match[1].lower().rstrip(".") for match in pattern.finditer(text))


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
