"""The command lines in the texts of a package: in scripts, shell blocks and code spans."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from metier.text.shell.command import word_set
from metier.text.shell.parse import parse_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.text.shell.command import SimpleCommand


FENCE = re.compile(
    r"^[ \t>]*(?:```|~~~)[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:^[ \t>]*(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL
)
SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n](?:[^\n]{0,398}?[^`\n])??)\1(?!`)")
_SHELLS = word_set("bash sh shell zsh console terminal fish powershell ps1 cmd bat shell-session sh-session ksh")
_PROMPT = re.compile(r"^[ \t]*(?:\([\w.-]+\) )?(?:[\w.-]+@[\w.-]+[:~/\w.-]*)?[$%#>❯][ \t]+", re.MULTILINE)
_PLACEHOLDER = re.compile(r"<([A-Za-z][\w .|/-]{0,40})>")
_FLAG = re.compile(r"(?:^|\s)-{1,2}[A-Za-z]")
_NAME = re.compile(r"[a-z][a-z0-9_+.-]{0,40}|(?:\.{0,2}|~)/[\w./+-]{1,200}|[a-z][\w-]*/[\w./+-]{1,200}")
_ORDER = re.compile(
    r"(?:\b(?:run|runs|execute|start|call|launch|invoke|use|with|via|then|and|or)|[$:])\W{0,3}\Z", re.IGNORECASE
)
_ORDER_AFTER = re.compile(r"\W{0,3}(?:ausführen|starten|aufrufen)\b", re.IGNORECASE)
"""Words around a span that make it a command, even of one word."""
_BUILT_IN = word_set(
    """if then else elif fi for while do done case esac in function return local export set unset echo cd pwd true
    false test read source exit shift trap printf declare alias let and or not with as import from def class print
    const var await async [ [[ : . break continue wait type eval exec command builtin readonly typeset umask hash
    times pushd popd dirs getopts ulimit jobs fg bg disown let select until time"""
)
"""Words that start no program of their own."""
KNOWN = word_set(
    """git gh npm npx pnpm yarn bun node deno python python3 pip pip3 uv uvx poetry pytest ruff make cmake cargo rustc
    go docker podman kubectl helm terraform aws gcloud az curl wget ssh scp rsync nc tar zip unzip gzip openssl gpg
    jq sed awk grep rg find xargs cat ls cp mv rm mkdir chmod chown ln touch head tail sort uniq wc diff tee kill
    pkill ps systemctl service crontab launchctl brew apt apt-get yum dnf pacman psql mysql sqlite3 redis-cli
    mongosh ffmpeg convert magick pandoc pdftotext bash sh zsh pwsh powershell osascript open perl ruby php java
    javac mvn gradle dotnet swift xcodebuild adb flutter vercel netlify fly heroku wrangler stripe supabase firebase
    claude codex openclaw metier eslint tsc prettier vitest jest playwright alembic flask django-admin rails bundle
    gem base64 xxd dd mkfs nslookup dig ping telnet socat tmux screen sudo env pipx mypy pyright tox nox just task
    duckdb pdfinfo"""
)
"""Programs that are well known: a code span that begins with one is a command."""
_ALSO_WORDS = word_set("open convert find screen task just make go head service flask env sort diff tee host")
"""Known programs that alone are just as well a word."""
_SETTINGS = re.compile(r"(?:[A-Za-z_]\w{0,60}=\S{0,200}\s+)+")
"""Variables set before a command."""
_NO_ARGUMENTS = ("=", ":", "(")
"""What follows a name in code that is no command."""
_CODE_STARTS = ("import ", "from ", '"""', "//", "/*", "const ", "#!/usr/bin/env python", "#!/usr/bin/env node")


def command_texts(text: str, *, script: bool, learned: bool = False) -> Iterator[str]:
    """The command lines of a text: all of a script; of a document its shell blocks and the spans that are commands.

    In a learned text every span that can be a command counts as one: what is not known is asked about.
    """
    if script:
        if not text.lstrip().startswith(_CODE_STARTS):
            yield text
        return
    for block in FENCE.finditer(text):
        kind = block[1].lower()
        if kind in _SHELLS or (not kind and (learned or _starts_program(block[2]))):
            yield _readable(block[2])
    rest = FENCE.sub("\n", text)
    yield from _commands_in_spans(rest, learned=learned)
    if learned:
        indented = (line.strip() for line in rest.splitlines() if line.startswith(("    ", "\t")))
        yield from (_readable(line) for line in indented if line)


def _commands_in_spans(text: str, *, learned: bool) -> Iterator[str]:
    for span in SPAN.finditer(text):
        said = span[2].strip()
        before, after = text[max(0, span.start() - 24) : span.start()], text[span.end() : span.end() + 24]
        ordered = bool(_ORDER.search(before) or _ORDER_AFTER.match(after))
        if _is_command(said, ordered=ordered, learned=learned):
            yield _readable(said)


def programs_of(commands: tuple[SimpleCommand, ...]) -> Iterator[str]:
    """The programs that commands start, without their folders and without the shell's own words."""
    for one in commands:
        if one.name and one.name not in _BUILT_IN and not one.unclear.startswith("What program"):
            yield one.name


def parse_known(text: str) -> tuple[SimpleCommand, ...]:
    """The commands of a text; short ones are remembered, for they are looked at again and again."""
    return _parse_short(text) if len(text) <= 400 else parse_commands(text)


_parse_short = lru_cache(maxsize=8192)(parse_commands)


def _readable(text: str) -> str:
    """Command lines without the prompts of a terminal, and with placeholders that are no redirections."""
    return _PLACEHOLDER.sub(lambda found: f"‹{found[1].replace(' ', '-')}›", _PROMPT.sub("", text))


def _starts_program(block: str) -> bool:
    """Whether a block of no named language is one of commands."""
    return any(
        _is_command(line.strip(), ordered=False, learned=False) for line in _PROMPT.sub("", block).splitlines()[:20]
    )


def _is_command(text: str, *, ordered: bool, learned: bool) -> bool:
    """Whether a text in code is a command: it starts with a known program, a path, or something that is told to run."""
    first, _, rest = _SETTINGS.sub("", text, count=1).partition(" ")
    if first in KNOWN:
        return bool(rest) or ordered or first not in _ALSO_WORDS
    if first.startswith(("./", "../", "~/")):
        return not rest.startswith(_NO_ARGUMENTS)
    if not _NAME.fullmatch(first) or first in _BUILT_IN:
        return False
    if ordered and "." not in first and "/" not in first:
        return True
    return _has_arguments(rest, learned=learned)


def _has_arguments(rest: str, *, learned: bool) -> bool:
    return _FLAG.search(rest) is not None or (learned and bool(rest) and not rest.startswith(_NO_ARGUMENTS))
