"""A command line as its simple commands, however they are nested; any text is read, in linear time."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from metier.text.shell.command import Redirection, SimpleCommand, Word
from metier.text.shell.started import started_commands
from metier.text.shell.word_reader import DEEPEST, Cursor, UnclosedError, WordReader

if TYPE_CHECKING:
    from metier.text.shell.command import Joint

_LINE = re.compile(r"[^\n]*\n?")


@dataclass(slots=True)
class HereDocuments:
    """Finds the ends of here-documents in a text; its lines are read once, however many there are."""

    text: str
    _starts: dict[str, list[int]] | None = None
    """Where the lines of the text begin, by their words."""

    def read(self, at: int, word: str) -> tuple[str, int] | None:
        """The document that begins at a place and the place behind its last line; None: it has no end."""
        if self._starts is None:
            self._starts = {}
            for line in _LINE.finditer(self.text):
                self._starts.setdefault(line[0].strip(), []).append(line.start())
        places = self._starts.get(word.strip(), [])
        found = bisect_left(places, at)
        if found == len(places):
            return None
        end = places[found]
        behind = self.text.find("\n", end)
        return self.text[at:end], len(self.text) if behind < 0 else behind + 1


TRIES = 10
"""How often a line is read again because something in it is not closed; after that no quote counts."""
_QUOTES = ("'", '"', "(", "}")
_BLANK = re.compile(r"(?:[^\S\n]|\\\n)+")
_OPERATOR = re.compile(r"&&|\|\||\|&|;;&|;;|;&|;|\||&(?!>)|\n")
_REDIRECTION = re.compile(r"(\d{0,3}|\{\w{1,60}\}|&)(<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)(?!\()")
_IN_TEST = re.compile(r"&&|\|\||[<>()]")
"""Operators that are words of `[[ … ]]`."""
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=", re.ASCII)
_DROPPED = frozenset(
    ["if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "fi", "done", "esac", "coproc"]
)
"""Words of the shell's own grammar before a command."""
_HEADERS = frozenset(["for", "select", "case", "function"])
"""Words that begin something which is no command up to the next separator."""
_SETTERS = frozenset(["export", "declare", "local", "readonly", "typeset"])
_JOINTS: dict[str, Joint] = {"|": "|", "|&": "|", "&&": "&&", "||": "||", "&": "&"}
_OPEN = "Something in the line is opened and not closed."
_DEEP = "The line is nested too deeply to be read."


def parse_commands(text: str) -> tuple[SimpleCommand, ...]:
    """The simple commands of a command line or script, outer ones before those inside them."""
    return tuple(_commands_of(text, 0, {}))


def _commands_of(text: str, depth: int, values: dict[str, str]) -> list[SimpleCommand]:
    literal: dict[str, int] = {}
    for _ in range(TRIES):
        try:
            return _read_all(text, depth, dict(values), literal)
        except UnclosedError as error:
            literal[error.sign] = min(error.at, literal.get(error.sign, error.at))
    return _read_all(text, depth, dict(values), dict.fromkeys(_QUOTES, 0))


def _read_all(text: str, depth: int, values: dict[str, str], literal: dict[str, int]) -> list[SimpleCommand]:
    cursor = Cursor(text=text, depth=depth, values=values, literal=literal, spare=len(text) + 4096)
    return _ListReader(cursor, HereDocuments(text)).read()


@dataclass(slots=True)
class _Unfinished:
    """A command while it is being read."""

    words: list[Word] = field(default_factory=list[Word])
    redirections: list[Redirection] = field(default_factory=list[Redirection])
    header: str = ""
    """`for`, `case` …: what follows up to the next separator is no command."""
    unclear: str = ""


@dataclass(slots=True)
class _ListReader:
    """Reads commands up to the end of the text, or up to the sign that closes a substitution."""

    cursor: Cursor
    documents: HereDocuments
    close: str = ""
    inside: str = ""
    start: int = 0
    found: list[SimpleCommand] = field(default_factory=list[SimpleCommand])
    command: _Unfinished = field(default_factory=_Unfinished)
    joint: Joint = ""
    pipe: int = 0
    cases: int = 0
    """`case` blocks that are open."""
    pattern: bool = False
    """Whether what comes next is a pattern of a `case`, up to its `)`."""
    waiting: list[tuple[_Unfinished, int, Word]] = field(default_factory=list[tuple[_Unfinished, int, Word]])
    """Here-documents that begin with the next line: the command, the place among its redirections, the word."""
    outer: list[SimpleCommand] = field(default_factory=list[SimpleCommand])

    def read(self) -> list[SimpleCommand]:
        """All commands; the cursor stands behind them."""
        cursor = self.cursor
        self.outer, cursor.nested = cursor.nested, []
        while cursor.at < len(cursor.text):
            if self._step():
                break
        else:
            if self.close:
                raise UnclosedError("(", self.start)
        self._end("")
        cursor.nested = self.outer
        return self.found

    def _step(self) -> bool:
        """Read one thing; true: it was the sign that closes the list."""
        cursor = self.cursor
        if blank := _BLANK.match(cursor.text, cursor.at):
            cursor.at = blank.end()
        elif self._is_test() and (sign := _IN_TEST.match(cursor.text, cursor.at)):
            self.command.words.append(Word(text=sign[0], quoted=True))
            cursor.at = sign.end()
        elif self.pattern and cursor.text[cursor.at] in "|(":
            cursor.at += 1
        elif cursor.text[cursor.at] == "#":
            end = cursor.text.find("\n", cursor.at)
            cursor.at = len(cursor.text) if end < 0 else end
        elif sign := _REDIRECTION.match(cursor.text, cursor.at):
            self._redirect(sign)
        elif sign := _OPERATOR.match(cursor.text, cursor.at):
            cursor.at = sign.end()
            self._end(sign[0])
        elif cursor.text[cursor.at] == ")":
            return self._closing()
        elif cursor.text[cursor.at] == "(":
            self._opening()
        else:
            self._words()
        return False

    def _words(self) -> None:
        cursor = self.cursor
        start = cursor.at
        for word in self._reader().read():
            self._add(word)
        if cursor.at == start:  # a sign that begins nothing: it is a character
            self._add(Word(text=cursor.text[cursor.at]))
            cursor.at += 1

    def _reader(self) -> WordReader:
        return WordReader(cursor=self.cursor, read_list=self._read_nested, read_text=self._read_apart)

    def _add(self, word: Word) -> None:
        command = self.command
        if not command.words and not word.quoted and not command.header:
            if word.text in _HEADERS:
                command.header = word.text
                self.cases += word.text == "case"
                return
            if word.text in _DROPPED:
                if word.text == "esac":
                    self.cases, self.pattern = max(0, self.cases - 1), False
                return
        if command.header == "case" and word.text == "in":
            self._end(";")
            self.pattern = True
        elif command.header == "function":
            command.header = ""
        else:
            command.words.append(word)

    def _redirect(self, sign: re.Match[str]) -> None:
        cursor = self.cursor
        cursor.at = sign.end()
        if blank := _BLANK.match(cursor.text, cursor.at):
            cursor.at = blank.end()
        given = "&" if sign[2] in (">&", "<&") and cursor.text[cursor.at : cursor.at + 1].isdigit() else ""
        first, *others = self._reader().read() or [Word(text="")]
        kept = sign[2].rstrip("&") if given else sign[2]
        redirection = Redirection(sign=f"{sign[1]}{kept}", target=f"{given}{first.text}")
        self.command.redirections.append(redirection)
        if sign[2] in ("<<", "<<-"):
            self.waiting.append((self.command, len(self.command.redirections) - 1, first))
        for word in others:
            self._add(word)

    def _opening(self) -> None:
        """`(` begins a sub-shell, the body of a function or an array; elsewhere it only separates."""
        cursor, command = self.cursor, self.command
        if command.words and cursor.rest_starts("()"):
            command.words.clear()
            cursor.at += 2
        elif cursor.is_literal("(") or cursor.depth >= DEEPEST:
            cursor.too_deep = cursor.too_deep or not cursor.is_literal("(")
            cursor.at += 1
            self._end(";")
        else:
            is_array = bool(command.words) and command.words[-1].text.endswith("=")
            if command.words and not is_array:
                self._end(";")
            cursor.at += 1
            self._read_nested(cursor, "()")

    def _closing(self) -> bool:
        self.cursor.at += 1
        if self.pattern:
            self.pattern = False
            self.command = _Unfinished()
            return False
        if self.close:
            return True
        self.command.unclear = self.command.unclear or _OPEN
        self._end(";")
        return False

    def _read_nested(self, cursor: Cursor, inside: str) -> None:
        start = cursor.at - len(inside) + 1
        cursor.depth += 1
        documents = self.documents if cursor is self.cursor else HereDocuments(cursor.text)
        try:
            found = _ListReader(cursor, documents, close=")", inside=inside, start=start).read()
        except UnclosedError as error:  # what holds it is not closed either, and that is where it began
            raise UnclosedError("(", start) if error.sign == "(" else error from None
        cursor.depth -= 1
        cursor.nested += found

    def _read_apart(self, cursor: Cursor, text: str) -> None:
        found = _commands_of(text, cursor.depth + 1, cursor.values)
        cursor.nested += (one if one.inside else replace(one, inside="$()") for one in found)

    def _end(self, sign: str) -> None:
        """Finish the command before a separator."""
        command, cursor = self.command, self.cursor
        if sign == "\n" and self.waiting:
            self._read_documents()
        if self._is_test():
            command.unclear = _OPEN
        if (command.words or command.redirections) and not command.header:
            self.found += self._finished(command)
            self.joint = ";"
        self._join(sign, written=bool(command.words or command.redirections))
        self.found += cursor.nested
        cursor.nested = []
        if command.words or sign != "\n":
            self.pattern = bool(self.cases) and sign.startswith(";;")
        self.command = _Unfinished()

    def _join(self, sign: str, *, written: bool) -> None:
        """Remember how the next command hangs on this one; an empty line changes nothing."""
        if written or sign in _JOINTS:
            self.joint = _JOINTS.get(sign, ";")
            self.pipe = self.pipe + 1 if self.joint == "|" else 0

    def _is_test(self) -> bool:
        """Whether the command is a `[[ …` that has not ended yet."""
        words = self.command.words
        return bool(words) and words[0].text == "[[" and words[-1].text != "]]" and not self.command.header

    def _read_documents(self) -> None:
        for command, place, word in self.waiting:
            read = self.documents.read(self.cursor.at, word.text)
            if read is None:
                command.unclear = _OPEN
                continue
            body, self.cursor.at = read
            command.redirections[place] = replace(command.redirections[place], body=body)
            if not word.quoted and not self._read_body(body):
                command.unclear = _OPEN
        self.waiting.clear()

    def _read_body(self, body: str) -> bool:
        """Read the substitutions in a here-document, which the shell runs; false: one of them is not closed."""
        outer = self.cursor
        inner = Cursor(text=body, depth=outer.depth, values=outer.values, spare=len(body) + 4096)
        try:
            WordReader(cursor=inner, read_list=self._read_nested, read_text=self._read_apart).read_body()
        except UnclosedError:
            return False
        finally:
            outer.nested += inner.nested
        return True

    def _finished(self, command: _Unfinished) -> list[SimpleCommand]:
        """The command and those it starts (`sudo make`)."""
        count = 0
        assigned: list[tuple[str, str]] = []
        for word in command.words:
            found = _ASSIGNMENT.match(word.text)
            if not found:
                break
            assigned.append((found[1], word.text[found.end() :]))
            count += 1
        self._remember(command.words[count:], assigned, command.words[:count])
        simple = SimpleCommand(
            assignments=tuple(assigned),
            redirections=tuple(command.redirections),
            joint=self.joint if self.found else "",
            pipe=self.pipe,
            depth=self.cursor.depth,
            inside=self.inside,
            unclear=command.unclear or self._doubt(),
        )
        return started_commands(simple, tuple(command.words[count:]), self._parse_deeper)

    def _doubt(self) -> str:
        cursor = self.cursor
        if cursor.literal and cursor.at > min(cursor.literal.values()):
            return _OPEN
        return _DEEP if cursor.too_deep else ""

    def _parse_deeper(self, text: str, depth: int) -> list[SimpleCommand]:
        return _commands_of(text, depth, self.cursor.values)

    def _remember(self, words: list[Word], assigned: list[tuple[str, str]], setting: list[Word]) -> None:
        """Keep what variables are set to, where that is known."""
        values = self.cursor.values
        pairs = list(zip(assigned, setting, strict=True)) if not words else []
        if words and words[0].text in _SETTERS:
            for word in words[1:]:
                if found := _ASSIGNMENT.match(word.text):
                    pairs.append(((found[1], word.text[found.end() :]), word))
        for (name, value), word in pairs:
            if word.dynamic or "+=" in word.text[: len(name) + 2]:
                values.pop(name, None)
            else:
                values[name] = value
