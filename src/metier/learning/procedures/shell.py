"""Command lines: their words, the program with its subcommand, and how alike two of them are."""

from __future__ import annotations

import re
from functools import lru_cache

from metier.text.shell.command import word_set

_WORD = re.compile(r"(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s\"'])+")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=\S*\Z")
_SUBCOMMAND = re.compile(r"[A-Za-z][\w:.-]*\Z")
_VERB = re.compile(r"[a-z][a-z_:-]*\Z")
_CHANGE_FOLDER = re.compile(r"\A\s*cd\s+(?:\"[^\"]*\"|'[^']*'|[^\s;&|]+)\s*(?:&&|;)\s*")


_WRAPPERS = word_set("sudo env time nohup exec command nice")
_ONE = word_set(
    """git npm npx pnpm yarn bun docker podman kubectl alembic uv uvx cargo go make just pip pip3 terraform helm
    systemctl service certbot poetry dotnet mvn gradle rails bundle php composer brew apt apt-get dnf vercel fly
    wrangler stripe supabase firebase ansible pre-commit flutter twine hatch tox nox task rake conda
    docker-compose pdm"""
)
"""Programs whose first plain word says what they do."""
_TWO = word_set("gh aws gcloud az heroku doctl glab linear jira")
"""Programs that need two."""
_NOUNS = word_set("run exec rollout set config remote stash compose image container")
"""First words that need a second one."""
_LOOKERS = word_set("cat head tail less more grep rg find ls tree env printenv wc file stat du df ps which type jq")
_LOOKS = word_set("view list show status log diff get describe search checks heads history info inspect logs blame ls")
_JOINTS = frozenset(("|", "&&", "||", ";"))
_RUNNERS = word_set("python python3 node deno ruby perl bash sh zsh tsx ts-node php Rscript")
_TAKING = word_set("-n -C -c --namespace --context --prefix --directory --project -p -f -x")
"""Options before a subcommand that take a value."""


@lru_cache(maxsize=4096)
def words_of(command: str) -> tuple[str, ...]:
    """The words of a command line; what stands in quotes is one."""
    return tuple(_WORD.findall(command))


def without_folder(command: str) -> str:
    """The command without the change of folder before it."""
    return _CHANGE_FOLDER.sub("", command).strip()


@lru_cache(maxsize=4096)
def head(command: str) -> str:
    """The program and what it is told to do: `git log`, `gh run view`, `python scripts/report.py`."""
    words = [word for word in words_of(command) if not _ASSIGNED.match(word)]
    while words and words[0] in _WRAPPERS:
        words = words[1:]
    if not words:
        return ""
    program = words[0].rsplit("/", 1)[-1]
    if program in _RUNNERS:
        return _script(program, words[1:])
    wanted = 1 if program in _ONE else 2 if program in _TWO else 0
    said = _plain(words[1:])[:wanted]
    if wanted == 1 and said and said[0] in _NOUNS:
        said = _plain(words[1:])[: wanted + 1]
    return " ".join([program, *said])


def segments(command: str) -> list[tuple[str, ...]]:
    """The commands of a line, as words; each but the first begins with the sign that joins it on."""
    found: list[list[str]] = [[]]
    for word in words_of(command):
        if word in _JOINTS and found[-1]:
            found.append([])
        found[-1].append(word)
    return [tuple(words) for words in found]


def head_of(segment: tuple[str, ...]) -> str:
    """The head of a segment, without the sign before it."""
    return head(" ".join(segment[1:] if segment[:1] and segment[0] in _JOINTS else segment))


def only_looks(command: str) -> bool:
    """Whether a command looks at something and changes nothing."""
    program, _, rest = head(command).partition(" ")
    return program in _LOOKERS or bool(set(rest.split()) & _LOOKS)


@lru_cache(maxsize=16384)
def likeness(one: str, other: str) -> float:
    """How alike two commands are: 0 for other programs, from 0.5 to 1 for the same one told to do the same."""
    if one == other:
        return 1.0
    if head(one) != head(other):
        return 0.0
    mine, theirs = words_of(one), words_of(other)
    common = sum(min(mine.count(word), theirs.count(word)) for word in set(mine))
    return 0.5 + 0.5 * (2 * common / max(1, len(mine) + len(theirs)))


def _script(program: str, rest: list[str]) -> str:
    """A script is what its runner runs; `python -m pytest` is pytest."""
    if rest[:1] == ["-m"] and len(rest) > 1:
        return rest[1]
    said = [word for word in rest if not word.startswith("-")][:1]
    verb = rest[rest.index(said[0]) + 1 :][:1] if said else []
    return " ".join([program, *said, *(word for word in verb if _VERB.match(word))])


def _plain(words: list[str]) -> list[str]:
    """The words that are neither options nor their values, up to the first that is no name."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in _TAKING
        elif _SUBCOMMAND.match(word):
            found.append(word)
        else:
            break
    return found
