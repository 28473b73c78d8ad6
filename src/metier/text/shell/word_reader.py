"""Read the words of a command line: quotes, escapes, variables and substitutions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metier.text.shell.command import SimpleCommand, Word

if TYPE_CHECKING:
    from collections.abc import Callable

DEEPEST = 16
"""Substitutions and shells inside each other that are read; what is deeper is plain text, and unclear."""
SPARE = 4096
"""Characters that variables may add beyond the length of the line: a value can stand in a line many times."""
_RUN = re.compile(r"[^\s\\'\"`$|&;<>()]+")
_IN_DOUBLE = re.compile(r"[^\"\\`$]+")
_IN_BODY = re.compile(r"[^\\`$]+")
_IN_BRACES = re.compile(r"[^}\"'\\`$]+")
_ARITHMETIC = re.compile(r"\$\(\([^()`;\n'\"]*\)\)")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_BACKTICK = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_BASES = {"x": 16, "u": 16, "U": 16}
_LAST_CHARACTER = 0x10FFFF


class UnclosedError(Exception):
    """A quote or bracket that nothing closes; never leaves this folder."""

    def __init__(self, sign: str, at: int) -> None:
        super().__init__(sign)
        self.sign = sign
        self.at = at


@dataclass(slots=True)
class Cursor:
    """A place in a command line, and what is known there."""

    text: str
    at: int = 0
    depth: int = 0
    literal: dict[str, int] = field(default_factory=dict[str, int])
    """Signs that are plain characters from a place on, because nothing closes them."""
    values: dict[str, str] = field(default_factory=dict[str, str])
    """Variables that the line has set to something known."""
    spare: int = SPARE
    nested: list[SimpleCommand] = field(default_factory=list[SimpleCommand])
    """Commands inside the words of the command that is being read."""
    too_deep: bool = False

    def is_literal(self, sign: str) -> bool:
        """Whether a sign is a plain character here."""
        return self.at >= self.literal.get(sign, len(self.text) + 1)

    def rest_starts(self, sign: str) -> bool:
        """Whether the text goes on with a sign."""
        return self.text.startswith(sign, self.at)


@dataclass(slots=True)
class WordReader:
    """Reads one word, or several where an unquoted variable holds several."""

    cursor: Cursor
    read_list: Callable[[Cursor, str], None]
    """Reads the commands of a substitution up to its `)`, into the cursor's nested commands."""
    read_text: Callable[[Cursor, str], None]
    """Reads a text of its own (between backticks) as commands, into the cursor's nested commands."""
    parts: list[str] = field(default_factory=list[str])
    done: list[Word] = field(default_factory=list[Word])
    quoted: bool = False
    dynamic: bool = False

    def read(self) -> list[Word]:
        """The words from here to the next blank or operator; none: an operator stands here."""
        cursor = self.cursor
        start = cursor.at
        while cursor.at < len(cursor.text) and self._step():
            pass
        if cursor.at > start and (self.parts or self.quoted or not self.done):
            self._end_word()
        return self.done

    def read_body(self) -> None:
        """Read the text of a here-document for the substitutions in it."""
        cursor = self.cursor
        while cursor.at < len(cursor.text):
            self.parts.clear()
            if plain := _IN_BODY.match(cursor.text, cursor.at):
                cursor.at = plain.end()
            elif cursor.text[cursor.at] == "$":
                self._dollar(in_quotes=True)
            elif cursor.text[cursor.at] == "`":
                self._backtick()
            else:
                cursor.at += 2

    def _step(self) -> bool:
        cursor = self.cursor
        if run := _RUN.match(cursor.text, cursor.at):
            self.parts.append(run[0])
            cursor.at = run.end()
            return True
        char = cursor.text[cursor.at]
        if char in "'\"":
            self._quote(char)
        elif char == "\\":
            self._backslash()
        elif char == "$":
            self._dollar(in_quotes=False)
        elif char == "`":
            self._backtick()
        elif char in "<>" and cursor.rest_starts(f"{char}(") and not cursor.is_literal("("):
            self._substitution(cursor.at, 2)
        else:
            return False
        return True

    def _end_word(self) -> None:
        self.done.append(Word(text="".join(self.parts), quoted=self.quoted, dynamic=self.dynamic))
        self.parts, self.quoted, self.dynamic = [], False, False

    def _take(self, count: int = 1) -> None:
        """The next characters as they are."""
        cursor = self.cursor
        self.parts.append(cursor.text[cursor.at : cursor.at + count])
        cursor.at += count

    def _backslash(self) -> None:
        escaped = self.cursor.text[self.cursor.at + 1 : self.cursor.at + 2]
        self.cursor.at += 2
        if escaped != "\n":
            self.parts.append(escaped)
            self.quoted = True

    def _quote(self, sign: str) -> None:
        cursor = self.cursor
        if cursor.is_literal(sign):
            self._take()
            return
        self.quoted = True
        if sign == '"':
            self._double()
            return
        end = cursor.text.find("'", cursor.at + 1)
        if end < 0:
            raise UnclosedError("'", cursor.at)
        self.parts.append(cursor.text[cursor.at + 1 : end])
        cursor.at = end + 1

    def _double(self) -> None:
        start = self.cursor.at
        self.cursor.at += 1
        self._until('"', _IN_DOUBLE, start)

    def _until(self, close: str, run: re.Pattern[str], start: int) -> None:
        """What stands in double quotes or braces, with the substitutions in it."""
        cursor = self.cursor
        while cursor.at < len(cursor.text):
            char = cursor.text[cursor.at]
            if char == close:
                cursor.at += 1
                return
            if plain := run.match(cursor.text, cursor.at):
                self.parts.append(plain[0])
                cursor.at = plain.end()
            elif char == "$":
                self._dollar(in_quotes=True)
            elif char == "`":
                self._backtick()
            elif char == "\\":
                self._escape_in_double()
            else:
                self._quote(char)
        raise UnclosedError(close, start)

    def _escape_in_double(self) -> None:
        cursor = self.cursor
        escaped = cursor.text[cursor.at + 1 : cursor.at + 2]
        if escaped in '$`"\\':
            self.parts.append(escaped)
        elif escaped != "\n":
            self.parts.append(f"\\{escaped}")
        cursor.at += 2

    def _dollar(self, *, in_quotes: bool) -> None:
        cursor = self.cursor
        if arithmetic := _ARITHMETIC.match(cursor.text, cursor.at):
            self._expand_unknown(arithmetic[0], len(arithmetic[0]))
        elif cursor.rest_starts("$(") and not cursor.is_literal("("):
            self._substitution(cursor.at, 2)
        elif cursor.rest_starts("${") and not cursor.is_literal("}"):
            self._braces(in_quotes=in_quotes)
        elif not in_quotes and (ansi := _ANSI.match(cursor.text, cursor.at)):
            self.parts.append(_ESCAPE.sub(_unescaped, ansi[1]))
            self.quoted = True
            cursor.at = ansi.end()
        elif name := _NAME.match(cursor.text, cursor.at + 1):
            self._variable(name[0], len(name[0]) + 1, in_quotes=in_quotes)
        elif not in_quotes and cursor.rest_starts('$"'):
            cursor.at += 1
        else:
            self._take()

    def _variable(self, name: str, length: int, *, in_quotes: bool) -> None:
        cursor = self.cursor
        value = cursor.values.get(name)
        if value is None or len(value) > cursor.spare:
            self._expand_unknown(f"${name}", length)
            return
        cursor.spare -= len(value)
        cursor.at += length
        if in_quotes or not value.split():
            self.parts.append(value)
            return
        pieces = value.split()
        for piece in pieces[:-1]:
            self.parts.append(piece)
            self._end_word()
        self.parts.append(pieces[-1])

    def _expand_unknown(self, text: str, length: int) -> None:
        self.parts.append(text)
        self.dynamic = True
        self.cursor.at += length

    def _braces(self, *, in_quotes: bool) -> None:
        """`${NAME}`, or `${NAME:-something}`, in which commands can stand as well."""
        cursor = self.cursor
        start = cursor.at
        name = _NAME.match(cursor.text, start + 2)
        if name and cursor.text[name.end() : name.end() + 1] == "}":
            self._variable(name[0], name.end() + 1 - start, in_quotes=in_quotes)
            return
        if cursor.depth >= DEEPEST:
            cursor.too_deep = True
            self._take(2)
            return
        kept, self.parts = self.parts, []
        cursor.at += 2
        cursor.depth += 1
        self._until("}", _IN_BRACES, start)
        cursor.depth -= 1
        self.parts = [*kept, "${", *self.parts, "}"]
        self.dynamic = True

    def _substitution(self, start: int, opening: int) -> None:
        """`$(…)` and `<(…)`: the commands in it are kept apart, the word says that there was one."""
        cursor = self.cursor
        sign = cursor.text[start : start + opening]
        if cursor.depth >= DEEPEST:
            cursor.too_deep = True
            self._take(opening)
            return
        cursor.at += opening
        self.read_list(cursor, sign + ")")
        self.parts.append(sign + ")")
        self.dynamic = True

    def _backtick(self) -> None:
        cursor = self.cursor
        found = _BACKTICK.match(cursor.text, cursor.at)
        if not found or cursor.depth >= DEEPEST:
            cursor.too_deep = cursor.too_deep or found is not None
            self._take()
            return
        cursor.at = found.end()
        self.read_text(cursor, re.sub(r"\\([`$\\])", r"\1", found[1]))
        self.parts.append("$()")
        self.dynamic = True


def _unescaped(found: re.Match[str]) -> str:
    """A character of a `$'…'` text."""
    code = found[1]
    if code[0] in _BASES and len(code) > 1:
        number = int(code[1:], _BASES[code[0]])
    elif code[0].isdigit() and code[0] in "01234567":
        number = int(code, 8)
    else:
        return _LETTERS.get(code, code)
    is_character = 0 < number <= _LAST_CHARACTER and not 0xD800 <= number < 0xE000
    return chr(number) if is_character else ""
