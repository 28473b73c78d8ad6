"""Rules on scripts that are open to whoever gives them words, or that never come to an end."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.review.matching.re2 import TooManyMatchesError, matches
from metier.review.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.review.text.views import ReviewedText

_LOOP = re.compile(r"^([ \t]{0,40})while[ \t]*\(?[ \t]*(?:True|true|1)[ \t]*\)?[ \t]*[:{][^\n]{0,80}\n", re.MULTILINE)
_ENDS = r"\b(?:break|return|sleep|wait\w*|yield|raise|throw|exit|quit|input|recv\w*|read\w*|get\w*|accept|await|next|poll|select|listen|run|serve|join|stop\w*|timeout)\b"
MOST = 200
"""Loops of one script that are looked at."""
_BODY = 40
"""Lines of a loop that are looked at."""


def endless(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Loops without an end, a pause, or anything that they wait for."""
    text = source.text
    for count, match in enumerate(_LOOP.finditer(text)):
        if count >= MOST:
            raise TooManyMatchesError(_LOOP.pattern)
        before = text[max(0, match.start() - 120) : match.start()].rstrip()
        if not before.endswith(("try:", "try {")) and not matches(_ENDS, _body(text, match.end(), len(match[1]))):
            yield match.span()


def _body(text: str, start: int, indent: int) -> str:
    """The lines of a loop: those that stand further in than its head."""
    lines: list[str] = []
    for line in text[start : start + _BODY * 200].split("\n")[:_BODY]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        lines.append(line)
    return "\n".join(lines)


RULES: tuple[Rule, ...] = (
    Rule(
        id="endless-work",
        tag="AST06",
        severity="high",
        reason="A script has a loop that never ends and never waits, which uses up the machine.",
        fix="Say when the loop ends.",
        place="script",
        analyse=endless,
    ),
    Rule(
        id="magic-word",
        tag="AST01",
        severity="high",
        reason="A script runs what follows a secret word in its input.",
        fix="Take it out. A script does what its document says, whatever the input is.",
        style="command",
        place="script",
        patterns=(
            r"(?:startswith\(|endsWith\(|startsWith\(|==+ *|includes\(| in )[\"'][^\"'\n]{3,60}[\"'][\s\S]{0,200}?(?:getoutput|os\.system|os\.popen|(?:^|[^.\w])eval|(?:^|[^.\w])exec|execSync|subprocess\.\w+|check_output)\(\s*[\w.]{1,40}(?:\[\w*\(?[\"'\w#]*\)? *:|\.slice\(|\.substring?\(|\.replace\(|\.split\(|\.removeprefix\()",
            r"\bif\b[^\n]{0,80}?(?:magic|backdoor|trigger|secret_?(?:word|code|phrase)|activation|unlock)\w*\b[^\n]{0,80}\n[\s\S]{0,200}?(?:getoutput|os\.system|os\.popen|eval|exec|subprocess\.\w+|urlopen|requests\.\w+)\(",
        ),
    ),
    Rule(
        id="unsafe-query",
        tag="AST03",
        severity="high",
        reason="A script puts words from outside into a database query as they are.",
        fix="Give the database the values apart from the query.",
        style="command",
        place="script",
        patterns=(
            r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\b[^\n]{0,200}?= *'(?:[\"'] *(?:\+|\.) *\w+|\{(?:user|name|input|query|id|value|term|text|username|search|email|password)\w*\}')|f[\"'](?:SELECT|DELETE FROM|UPDATE)\b[^\n]{0,200}?= *\{(?:user|input|search)\w*\}",
            r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\b[^\n]{0,200}?'%s'[^\n]{0,20}?[\"'] *% *\(?\w",
        ),
        unless=(r"\b(?:vulnerab\w*|injection|unsafe|bad example|never do)\b",),
        around=200,
    ),
    Rule(
        id="path-climb",
        tag="AST03",
        severity="high",
        reason="A script climbs out of its folder to the files of the system.",
        fix="Keep to the folder of the task.",
        style="command",
        place="script",
        patterns=(
            r"(?:\.\.[/\\]){2,}(?:etc/(?:passwd|shadow|sudoers)|root/|home/|Users/|Windows\\)|(?:open|read_text|readFile(?:Sync)?|cat)\W{0,4}[\"']?/etc/(?:passwd|shadow|sudoers)\b",
        ),
        unless=(r"\b(?:reject\w*|block\w*|traversal|assert|pytest|raises|unsafe|malicious|attack\w*)\b",),
        around=200,
    ),
)
