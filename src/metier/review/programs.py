"""Which programs a text runs: the first word of every command in its shell blocks, code spans and scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


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
