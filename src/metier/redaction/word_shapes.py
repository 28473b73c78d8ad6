"""What a value looks like: words, noise, or something that only stands for a secret."""

from __future__ import annotations

import re
from math import log2

_COMMON = (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri "
    "ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut "
    "ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi "
    "ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov "
    "rm ep tt oc fa ef cu rn sc da cr cl du ga qu ue ff ba ey va um up lu go ru ug ck ew br bi pt ui ki ok ph ub "
    "sk "
)
_PAIRS = frozenset(_COMMON.split())
"""Letter pairs that make up most of English and of names in code; random letters rarely follow them."""
STAND_INS = (
    " none null nil true false undefined empty string str bytes text number int integer bool boolean object any "
    "optional password passwd passphrase pass pwd secret token key apikey api_key bearer basic required default "
    "hidden masked unset test testing foo bar baz foobar user username admin root guest postgres mysql value values "
    "input output env prompt stdin file auto disabled enabled unknown missing invalid expired wrong correct "
    "void self this "
)
_INSIDE = (
    "example", "placeholder", "changeme", "dummy", "redacted", "removed", "insert", "replace", "goeshere",
    "fixme", "123456", "abcdef", "00000000", "abc123", "s3cr3t", "apikey",
)  # fmt: skip
"""Words that give a stand-in away, in lower case and without signs."""
_STAND_IN = re.compile(
    r"(?i)(?:^|[<_-])your|your[_. -]|change[_-]me|goes[_-]here|\*\*\*|\.\.\.|[_-]x{3,}$|\xe2\x80\xa6|\xe2\x80\xa2"
    r"|fake[_-]|^<|^\{|^\[|\$\{|\{\{|\}\}"
    r"|^\$\(|^'?\$[a-z_]\w*'?$|^%(?:[sd]$|\(|\{|[a-z_]+%|env)|^@[a-z./_-]+$|^#\{|\[(?:a-z|0-9|\^)|\\[wdsb][+*{]"
    r"|abc-123|p@ssw0rd|api[_-]key|[#._-](?:password|secret)$|(?-i:^\^[A-Z]+\^)|^\d+[_-](?:char|bit|byte)"
)
_OWN_NAME = re.compile(
    r"(?i)^(?:my|some|test|super|the|a|our|new|old)?[_-]?(?:secret|password|passwd|token|key)"
    r"[_-]?(?:here|value|key|name)?\d{0,3}$"
    r"|^(?:my|some|test|super|the|our|new|old|secret|password|passwd|token|key|here|value|name|[_-])+$"
)
_HEXADECIMAL = re.compile(r"^(?:0x)?(?:[0-9a-f-]{16,}|[0-9A-F-]{16,})$")
_NUMBERS = re.compile(r"[0-9]+")
_HUMPS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_DIGIT = re.compile(r"[0-9]")
_HEAD = 64
"""A stand-in shows within so many characters; further on, noise spells words by chance."""


def is_placeholder(value: str) -> bool:
    """Whether the value only stands for one."""
    lower = value[:_HEAD].lower()
    if len(set(lower)) <= 3 or f" {lower} " in STAND_INS or _OWN_NAME.match(value):
        return True
    if lower.startswith("your") or "xxxx" in value[:_HEAD] or "XXXX" in value[:_HEAD]:
        return True
    for word in _INSIDE:
        if word in lower:
            return True
    return not value.isalnum() and _STAND_IN.search(value) is not None


def is_wordy(value: str) -> bool:
    """Whether most of the letters form words or names rather than noise; long hexadecimal numbers do not."""
    if _HEXADECIMAL.match(value):
        return False
    runs = _HUMPS.findall(value)
    letters = sum(map(len, runs))
    if len(value) >= 24 and value.isalnum() and len(_NUMBERS.findall(value)) >= 3:
        return False
    if (
        len(value) >= 16
        and letters < 3 * len(runs)
        and _DIGIT.search(value)
        and value.lower() != value != value.upper()
    ):
        return False
    return letters > 0 and 2 * sum(len(run) for run in runs if _is_word(run.lower())) >= letters


def entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    total = len(value)
    counts = [value.count(character) for character in set(value)]
    return log2(total) - sum([n * log2(n) for n in counts if n > 1]) / total


def _is_word(run: str) -> bool:
    size = len(run)
    if size < 3:
        return False
    known = sum([run[n : n + 2] in _PAIRS for n in range(size - 1)])
    return known >= (size - 1) * (0.6 if size > 4 else 1.0)
