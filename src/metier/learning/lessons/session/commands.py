"""Command lines of a session: their parts, and their form without what is said only once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from shlex import quote

from metier.text.shell.command import word_set
from metier.text.shell.parse import parse_commands

_PROGRAM = re.compile(r"[a-z_.~/$\[][\w.+/@~-]*\Z|\[\Z")
_PLAIN = re.compile(r"[a-z][a-z0-9_:-]*(?:\.[a-z][a-z_]+)?\Z")
_FILE_END = re.compile(
    r"\.(?:py|js|mjs|cjs|ts|tsx|jsx|sh|rb|go|rs|exs?|md|json|ya?ml|toml|txt|css|html|sql|lock|cfg|ini)\Z"
)
_ID = re.compile(r"(?=.*\d)(?=.*[A-Za-z#])[\w#.:-]{3,}\Z|#?\d+(?:[.:]\d+)*\Z|(?=.*\d)[0-9a-f]{7,}\Z")
_NAME = re.compile(r"[\w@.:/#+=~^-]+\Z")
_USUAL = re.compile(r"\.{1,2}/?\Z|\.?venv/bin/activate\Z|origin/\w+\Z")
"""Paths that are the same in many projects."""
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+|^\w+://|\b\d{1,3}(?:\.\d{1,3}){3}\b")
_REQUIREMENT = re.compile(r"[A-Za-z][\w.-]*(?:\[[\w,.-]+\])?(?:[<>=!~]=?=?[\w.*-]+,?)+\Z")
"""A package and the versions of it that are wanted."""
_SPECIAL = re.compile(r"[\s<>|&;()\"'`\\*?\[\]{}!$]")
"""Signs that mean something to a shell where they are not quoted."""
_SEPARATING = re.compile(r"[\s<>|&;()\"'`\\]")
"""Those of them that no word has, unless it was quoted."""
_BLANK = re.compile(r"\s")
_VERSION = re.compile(r"[\w-]+@[\w.^~-]+\Z")


_WRAPPERS = frozenset(
    (
        "sudo",
        "env",
        "time",
        "nohup",
        "exec",
        "command",
        "nice",
        "timeout",
        "stdbuf",
        "unbuffer",
        "bash -c",
        "sh -c",
        "zsh -c",
    )
)
"""Commands that start another one and change nothing about what it is."""
LONGEST = 4_000
"""Characters of a line that are parsed."""
_ALONE = word_set(
    """pytest cat ls rg grep egrep fgrep echo printf node python python2 python3 cp mv rm mkdir touch sed awk curl wget
    ruby perl bash sh zsh head tail less more wc find tree sort uniq diff chmod chown ln jq tee test [ which type
    source . cd pwd export sqlite3 psql mysql open kill pkill sleep date tsc eslint prettier black mypy pyright jest
    vitest rspec flake8 pylint"""
)
"""Programs whose first word is no subcommand."""
_ONE = word_set(
    """git npm pnpm yarn bun docker podman kubectl alembic uv cargo go make just pip pip3 terraform helm poetry dotnet
    mvn gradle rails bundle composer brew apt apt-get pre-commit flutter hatch tox nox rake conda pdm mix ruff deno
    task"""
)
"""Programs whose first plain word says what they do."""
_RUNNERS = word_set("python python3 node ruby bash sh npx uvx bunx bun deno tsx ts-node perl php")
_NOUNS = word_set("run exec compose remote stash pip config worktree tool")
"""First words that need a second one."""
LOOKING = word_set(
    """cat ls rg grep egrep fgrep head tail less more wc find tree sort uniq diff which type pwd cd echo printf file
    stat du df ps env printenv date whoami true sleep clear jq test [ sed awk man open tee xargs export set column cut
    tr"""
)
"""Programs that look, print or wait: running one settles nothing."""
_LOOKS = word_set(
    "view list show status log diff describe search info inspect logs blame ls branch --version --help help"
)
_EVERYTHING = word_set(". ./... ... -e")
_VALUED = word_set("-o -C -c -k -t -d -m --output --name --config --filter --grep")
"""Flags whose value is left out, and they with it."""
_HELP = word_set("--help -h --version help")
_DESTRUCTIVE = re.compile(
    r"(?:^|[\s;&|(])(?:sudo\s+)?(?:rm|rmdir|shred|dd|mkfs\S*|truncate|kill|pkill|killall)\s"
    r"|--(?:force|hard|no-verify|delete|purge|force-with-lease|overwrite|skip-\w+|no-\w*hooks?|ignore-\w+|insecure|break-system-packages|legacy-peer-deps|trusted-host|disable-\w+|allow-root)\b"
    r"|\bgit\s+(?:clean|reset|checkout\s+(?:--|\.)|restore|stash\s+(?:drop|clear)|branch\s+-D|push\s+\S*\s*\+)"
    r"|\bgit\s+commit\b.*\s-\w*n\w*\b|\bgit\s+push\b.*\s-\w*f\w*\b|\bchmod\s+(?:-R\s+)?777\b|"
    r"\bdrop\s+(?:table|database)\b"
    r"|\b(?:delete|destroy|nuke|wipe|prune|uninstall|abort)\b|\bcurl\b|\bwget\b|>\s*/dev/sd",
    re.IGNORECASE,
)
_FORCED_ADD = re.compile(r"\bgit\s+add\s+(?:-f|--force)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One simple command of a line."""

    words: tuple[str, ...]
    joint: str = ""
    """The sign before it, as the parser gives it."""

    @property
    def text(self) -> str:
        """As it was said."""
        return " ".join(self.words)

    @property
    def head(self) -> str:
        """The program and what it is told to do."""
        return _head(self.words)

    @property
    def looks(self) -> bool:
        """Whether it only looks, prints or waits."""
        return self.words[0] in LOOKING or bool(set(self.words[1:3]) & _LOOKS) or not _HELP.isdisjoint(self.words)

    @property
    def plain(self) -> str:
        """Its words, but for texts: two commits with other messages are the same."""
        return " ".join("TEXT" if word.startswith(("$", '"$')) or _BLANK.search(word) else word for word in self.words)


def _as_it_ran(word: str, line: str) -> str:
    """A word with the quotes that its line gave it; others that mean the same where it is put together of parts."""
    if not _SPECIAL.search(word):
        return word
    found = next((f"{sign}{word}{sign}" for sign in ('"', "'") if f"{sign}{word}{sign}" in line), "")
    if found or not _SEPARATING.search(word):
        return found or word
    return f'"{word}"' if "$" in word and '"' not in word else quote(word)


@lru_cache(maxsize=16384)
def parts_of(line: str) -> tuple[Part, ...]:
    """The simple commands of a line, without redirections, assignments and wrappers such as `sudo`."""
    found: list[Part] = []
    for command in parse_commands(line[:LONGEST]):
        words = tuple(_as_it_ran(word, line) for word in command.words)
        if not words or command.inside == "$()" or "`" in command.inside:
            continue
        if command.depth and command.inside not in ("()", "{}") and found:
            outer = found.pop()
            if command.inside not in _WRAPPERS:
                words = (*outer.words, *words)
            found.append(Part(words=words, joint=outer.joint))
        elif _PROGRAM.match(words[0]):
            found.append(Part(words=words, joint=command.joint))
    return tuple(found)


@lru_cache(maxsize=8192)
def _head(words: tuple[str, ...]) -> str:
    program = words[0] if words[0].startswith("./") else words[0].rsplit("/", 1)[-1]
    if program in _ALONE and program not in _RUNNERS:
        return program
    if program in _RUNNERS and words[1:2] == ("-m",) and len(words) > 2:
        return words[2]
    return " ".join([program, *_told(program, words[1:])])


def _subcommands(program: str) -> int:
    return 1 if program in _ONE or program.startswith("./") else 2


def _told(program: str, words: tuple[str, ...]) -> list[str]:
    """What a program is told to do: its subcommands, or the script that it runs and the script's own."""
    found: list[str] = []
    wanted = _subcommands(program)
    for word in words:
        if not wanted:
            break
        if _is_script(word) and (program in _RUNNERS or found[-1:] == ["run"]):
            wanted = 2
        elif _is_subcommand(word, first=not found or found[-1] == "run"):
            wanted += (word in _NOUNS) - 1
        elif not word.startswith("-") or found:
            break
        if not word.startswith("-"):
            found.append(word)
    return found


def _is_script(word: str) -> bool:
    return bool(_FILE_END.search(word)) or word == "."


def _is_subcommand(word: str, *, first: bool) -> bool:
    if _FILE_END.search(word) or not _PLAIN.match(word):
        return False
    return first or (word.isalpha() and len(word) <= 12)


def is_destructive(line: str) -> bool:
    """Whether a line deletes, forces, switches a guard off or fetches: nothing that may be taught unasked."""
    return bool(_DESTRUCTIVE.search(_FORCED_ADD.sub("git add", line)))


def main_parts(line: str) -> list[Part]:
    """The parts of a line that do something; filters behind a pipe are left out."""
    return [part for part in parts_of(line) if part.joint != "|" and not part.looks]


@lru_cache(maxsize=8192)
def slot_of(word: str) -> str:
    """A word of a command as anybody would say it: what is a value becomes a name in capitals."""
    if word.startswith("-"):
        name, equals, value = word.partition("=")
        return f"{name}={slot_of(value)}" if equals and _is_value(value) else word
    bare = word.strip("\"'")
    if _REQUIREMENT.match(bare):
        return word
    return _slot_of_bare(bare)


def _slot_of_bare(bare: str) -> str:
    if not _NAME.match(bare):
        return "TEXT"
    if _ADDRESS.search(bare):
        return "ADDRESS"
    if "/" in bare or _FILE_END.search(bare):
        return bare if _USUAL.match(bare) else "PATH"
    if bare.lstrip("#").isdigit():
        return "N"
    return "NAME" if _ID.match(bare) and not _VERSION.match(bare) else bare


def _is_value(text: str) -> bool:
    return slot_of(text) != text


def form_of(part: Part) -> str:
    """The command with its flags and plain words; values are slots."""
    found: list[str] = []
    for word in part.words:
        slot = slot_of(word) if found else word
        if not (found and slot == found[-1] and slot.isupper()):
            found.append(slot)
    return " ".join(found)


def bare_form(part: Part) -> str:
    """The command with its flags and `.` alone: what files or names it was given is left out."""
    head = part.head.split()
    start = part.words[: len(head)] if part.words[0].rsplit("/", 1)[-1] == head[0] else part.words[:3]
    kept = (word for word in part.words[1:] if word in _EVERYTHING or (_is_plain_flag(word) and word not in _VALUED))
    found = [*start, *(word for word in kept if word not in start)]
    return " ".join(found[:-1] if found[-1] == "--" else found)


def left_out_of(part: Part) -> str:
    """What the bare form of a command leaves out: `PATH` for files or folders, `NAME` for anything else, or nothing."""
    bare = bare_form(part).split()
    dropped = [word for word in part.words[1:] if word not in bare and word != "--"]
    if not dropped:
        return ""
    return "PATH" if any(slot_of(word) == "PATH" for word in dropped) else "NAME"


def _is_plain_flag(word: str) -> bool:
    return word.startswith("-") and slot_of(word) == word
