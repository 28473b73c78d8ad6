"""Commands that other commands start: `sudo make`, `xargs rm`, `bash -c '…'`, `uv run pytest`, `ssh host ls`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from metier.text.shell.command import SimpleCommand, Word, is_plain_name, word_set

DEEPEST = 16
"""Commands that start each other; what is deeper is unclear."""
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL | re.ASCII)
_COMMAND_OPTION = re.compile(r"-[a-z]*c[a-z]*")
_MADE_UP = "What program is run is only known when it runs."
_UNSEEN = "It runs what another command gives it, which the line does not show."
_DEEP = "Commands start each other too deeply to be read."

ParseText = Callable[[str, int], list[SimpleCommand]]


@dataclass(frozen=True, slots=True)
class _Starter:
    """A command that starts what stands behind its own options."""

    taking: frozenset[str] = frozenset()
    """Options that take a value."""
    before: int = 0
    """Words of its own between the options and the command: the image of `docker run`."""
    dashes: bool = False
    """The command stands behind `--` only."""
    as_text: bool = False
    """The words are joined and read by a shell: `ssh host 'cd x; make'`."""


_READERS = re.compile(r"(?:ba|z|da|k|a|fi)?sh|(?:python|pypy|perl|ruby|node|php)[0-9.]*")
"""Programs that run what they read."""
_SOURCES = word_set("source .")
_SHELLS = word_set("bash sh zsh dash ksh ash fish su script expect")
"""Programs that are given a text to run behind `-c`; the last two run it on a terminal of its own."""
_STARTERS: dict[tuple[str, ...], _Starter] = {
    ("sudo",): _Starter(word_set("-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir")),
    ("doas",): _Starter(word_set("-u -C")),
    ("env",): _Starter(word_set("-u -C --unset --chdir")),
    ("nohup",): _Starter(),
    ("time",): _Starter(word_set("-f -o --format --output")),
    ("nice",): _Starter(word_set("-n --adjustment")),
    ("ionice",): _Starter(word_set("-c -n --class --classdata")),
    ("exec",): _Starter(word_set("-a")),
    ("command",): _Starter(),
    ("builtin",): _Starter(),
    ("setsid",): _Starter(),
    ("stdbuf",): _Starter(word_set("-i -o -e --input --output --error")),
    ("timeout",): _Starter(word_set("-s -k --signal --kill-after"), before=1),
    ("xargs",): _Starter(
        word_set("-I -n -P -L -d -a -s -E --max-args --max-procs --replace --delimiter --arg-file --max-lines")
    ),
    ("parallel",): _Starter(word_set("-j --jobs -N -a --colsep")),
    ("watch",): _Starter(word_set("-n --interval"), as_text=True),
    ("strace",): _Starter(word_set("-o -e -p -s -u -E")),
    ("ltrace",): _Starter(word_set("-o -e -p -s -u")),
    ("flock",): _Starter(word_set("-w -E --timeout"), before=1),
    ("chroot",): _Starter(before=1),
    ("unshare",): _Starter(),
    ("unbuffer",): _Starter(),
    ("spawn",): _Starter(),
    ("eval",): _Starter(as_text=True),
    ("trap",): _Starter(as_text=True),
    ("ssh",): _Starter(word_set("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"), before=1, as_text=True),
    ("uv", "run"): _Starter(
        word_set("--with --with-editable --with-requirements --python -p --extra --group --only-group --directory")
        | word_set("--project --env-file --index --index-url --default-index --package --refresh-package --no-group")
    ),
    ("uv", "tool", "run"): _Starter(word_set("--from --with --python -p --index --index-url --default-index")),
    ("uvx",): _Starter(word_set("--from --with --python -p --index --index-url --default-index")),
    ("pipx", "run"): _Starter(word_set("--spec --python --index-url --pip-args")),
    ("poetry", "run"): _Starter(word_set("-C --directory -P --project")),
    ("pipenv", "run"): _Starter(),
    ("pdm", "run"): _Starter(word_set("-p --project")),
    ("hatch", "run"): _Starter(word_set("-e --env")),
    ("rye", "run"): _Starter(),
    ("pixi", "run"): _Starter(word_set("-e --environment --manifest-path")),
    ("conda", "run"): _Starter(word_set("-n --name -p --prefix --cwd")),
    ("bundle", "exec"): _Starter(),
    ("npx",): _Starter(word_set("-p --package --registry")),
    ("bunx",): _Starter(word_set("-p --package")),
    ("npm", "exec"): _Starter(word_set("-p --package --registry -w --workspace")),
    ("pnpm", "exec"): _Starter(word_set("-C --dir -F --filter")),
    ("pnpm", "dlx"): _Starter(word_set("--package")),
    ("yarn", "dlx"): _Starter(word_set("-p --package")),
    ("yarn", "exec"): _Starter(),
    ("docker", "exec"): _Starter(word_set("-e -u -w --env --user --workdir --env-file"), before=1),
    ("docker", "compose", "exec"): _Starter(word_set("-e -u -w --env --user --workdir --index"), before=1),
    ("docker-compose", "exec"): _Starter(word_set("-e -u -w --env --user --workdir --index"), before=1),
    ("docker", "run"): _Starter(
        word_set("-e -u -w -v -p -h -m -l --env --user --workdir --volume --publish --name --network --net --mount")
        | word_set("--entrypoint --env-file --platform --hostname --memory --cpus --add-host --label --restart --pull"),
        before=1,
    ),
    ("kubectl", "exec"): _Starter(dashes=True),
    ("mise", "exec"): _Starter(dashes=True),
    ("direnv", "exec"): _Starter(before=1),
    ("dotenv", "run"): _Starter(word_set("-f --file")),
    ("find",): _Starter(),
    ("fd",): _Starter(),
}
_SAME = {"podman": "docker", "nerdctl": "docker", "mamba": "conda", "gtimeout": "timeout", "gxargs": "xargs"}
_LONGEST = 3
_EXEC = word_set("-exec -execdir -ok -okdir -x -X --exec --exec-batch")
_MODULES = re.compile(r"(?:python|pypy)[0-9.]*")


def started_commands(outer: SimpleCommand, words: tuple[Word, ...], parse: ParseText) -> list[SimpleCommand]:
    """A command of these words, and every command that it starts in turn."""
    found: list[SimpleCommand] = []
    while True:
        own, inner, inside = _parted(words)
        command = _filled(outer, own)
        found.append(command)
        found += _texts_run(command, own, parse)
        if not inner:
            return found
        if len(found) >= DEEPEST or outer.depth >= DEEPEST:
            found[-1] = replace(found[-1], unclear=found[-1].unclear or _DEEP)
            return found
        set_here = tuple((pair[1], pair[2]) for word in inner if (pair := _ASSIGNMENT.match(word.text)))
        words = _without_assignments(inner)
        if not words:
            return found
        outer = replace(
            outer,
            assignments=set_here[: len(inner) - len(words)],
            redirections=(),
            joint="",
            depth=outer.depth + 1,
            inside=inside,
        )


def _filled(outer: SimpleCommand, words: tuple[Word, ...]) -> SimpleCommand:
    if not words:
        return outer
    program = words[0]
    made_up = program.dynamic or not is_plain_name(program.text)
    arguments = tuple(word.text for word in words[1:])
    command = replace(outer, program=program.text, arguments=arguments)
    unclear = outer.unclear or (_MADE_UP if made_up else _UNSEEN if _runs_unseen(command, words[1:]) else "")
    return replace(command, unclear=unclear)


def _runs_unseen(command: SimpleCommand, arguments: tuple[Word, ...]) -> bool:
    """Whether a program runs what a pipe or a substitution gives it: `curl … | sh`, `bash <(curl …)`."""
    if command.name not in _SOURCES and not _READERS.fullmatch(command.name):
        return False
    files = [word for word in arguments if not word.text.startswith("-") or word.text == "-"]
    if not files or files[0].text == "-":
        return command.pipe > 0 and not any(word.text in ("-m", "--version") for word in arguments)
    return files[0].dynamic and files[0].text.endswith("()")


def _without_assignments(words: tuple[Word, ...]) -> tuple[Word, ...]:
    count = next((at for at, word in enumerate(words) if not _ASSIGNMENT.match(word.text)), len(words))
    return words[count:]


def _parted(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...], str]:
    """The words of a command itself, those of the command it starts, and what starts it."""
    if not words:
        return words, (), ""
    key = _key(words)
    starter = _STARTERS.get(key)
    if starter is None:
        return _module(words)
    label = " ".join(key)
    if key in (("find",), ("fd",)):
        at = next((at for at, word in enumerate(words) if word.text in _EXEC), len(words))
        return words[: at + 1], _until_end(words[at + 1 :]), f"{label} {words[at].text}" if at < len(words) else label
    at = _behind_options(words, len(key), starter)
    if starter.as_text:
        return words, (), ""
    if key == ("command",) and any(word.text in ("-v", "-V") for word in words[1:at]):
        return words, (), ""
    return words[:at], words[at:], label


def _key(words: tuple[Word, ...]) -> tuple[str, ...]:
    """The program and its subcommands as the table of starters knows them; empty: it does not."""
    name = words[0].text.rpartition("/")[2]
    name = _SAME.get(name, name)
    plain = [name]
    for word in words[1:]:
        if len(plain) == _LONGEST or (not word.text.startswith("-") and len(plain) > 1 and tuple(plain) in _STARTERS):
            break
        if not word.text.startswith("-"):
            plain.append(word.text)
    return next((key for size in (3, 2, 1) if (key := tuple(plain[:size])) in _STARTERS), ())


def _behind_options(words: tuple[Word, ...], count: int, starter: _Starter) -> int:
    """Where the started command begins."""
    if starter.dashes:
        return next((at + 1 for at, word in enumerate(words) if word.text == "--"), len(words))
    seen, left, at = 1, starter.before, 1
    while at < len(words):
        text = words[at].text
        if text == "--" and seen >= count:
            return min(at + 1 + left, len(words))
        if text.startswith("-") and len(text) > 1:
            at += 2 if text in starter.taking else 1
            continue
        if seen < count:
            seen += 1
        elif left:
            left -= 1
        else:
            return at
        at += 1
    return len(words)


def _until_end(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The command of `find -exec`, which ends with `;` or `+`."""
    end = next((at for at, word in enumerate(words) if word.text in (";", "+")), len(words))
    return words[:end]


def _module(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...], str]:
    """`python -m pytest` starts pytest."""
    name = words[0].text.rpartition("/")[2]
    if not _MODULES.fullmatch(name):
        return words, (), ""
    at = next((at for at, word in enumerate(words) if at and not word.text.startswith("-")), len(words))
    if at < len(words) and words[at - 1].text == "-m":
        return words[:at], words[at:], f"{name} -m"
    return words, (), ""


def _texts_run(command: SimpleCommand, words: tuple[Word, ...], parse: ParseText) -> list[SimpleCommand]:
    """The commands in a text that a shell is given: after `-c`, as a here-document, behind `eval` or `ssh host`."""
    text, inside = _text_given(command, words)
    if not text.strip():
        return []
    if command.depth >= DEEPEST:
        return [replace(command, program="", arguments=(), inside=inside, unclear=_DEEP)]
    found = parse(text, command.depth + 1)
    return [one if one.inside else replace(one, inside=inside) for one in found]


def _text_given(command: SimpleCommand, words: tuple[Word, ...]) -> tuple[str, str]:
    """The text that a shell is given, empty if there is none, and what runs it."""
    name = command.name
    if name in _SHELLS:
        option = next((at for at, one in enumerate(command.arguments) if _COMMAND_OPTION.fullmatch(one)), None)
        if option is not None and option + 1 < len(command.arguments):
            return command.arguments[option + 1], f"{name} -c"
        documents = (one for one in command.redirections if one.sign.startswith("<<"))
        return "\n".join(one.body or one.target for one in documents), name
    if (name,) in _STARTERS and _STARTERS[(name,)].as_text:
        return " ".join(word.text for word in words[_behind_options(words, 1, _STARTERS[(name,)]) :]), name
    return "", name
