"""Decide whether what a rule matched is a secret or only looks like one."""

from __future__ import annotations

import re
from collections import Counter
from math import log2
from typing import assert_never

from tacit.redact_rules import PAIRS, Judge, Rule

_WORDS = (
    " none null nil true false undefined empty string str bytes text number int integer bool boolean object any "
    "optional password passwd passphrase pass pwd secret token key apikey api_key bearer basic required default "
    "hidden masked unset test testing foo bar baz foobar user username admin root guest postgres mysql value values "
    "input output env prompt stdin file auto disabled enabled unknown missing invalid expired wrong correct "
    "void self this "
)
_PLACEHOLDER = re.compile(
    r"(?i)example|placeholder|your[_. -]?|change[_-]?me|dummy|redacted|removed|insert|replace|goes[_-]?here|\*\*\*"
    r"|\.\.\.|(?-i:x{4}|X{4})|[_-]x{3,}$|\xe2\x80\xa6|\xe2\x80\xa2|fake[_-]|fixme|^<|^\{|^\[|\$\{|\{\{|\}\}|^\$\(|^\$[a-z_]\w*$"
    r"|^%(?:[sd]$|\(|\{|[a-z_]+%)|^@[a-z./_-]+$|^#\{|\[(?:a-z|0-9|\^)|\\[wdsb][+*{]"
    r"|123456|abcdef|0{8}|abc-?123|s3cr3t|p@ssw0rd|api[_-]?key|[#._-](?:password|secret)$"
    r"|^(?:my|some|test|super|the|a|our|new|old)?[_-]?(?:secret|password|passwd|token|key)"
    r"[_-]?(?:here|value|key|name)?\d{0,3}$"
)
_CALL = re.compile(r"^[!&*(]*([A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*)[\[(]")
_DOTTED = re.compile(r"^[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+$")
_MEMBER = re.compile(
    r"^(?:self|this|cls|ctx|args|opts|options|config|settings|process|os|env|req|request|app|data|params|state|props)\."
)
_SNAKE = re.compile(r"^_*[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+$")
_PATH = re.compile(r"^(?:/|~/|\.{1,2}/|[A-Za-z]:[\\/]|[\w.-]+/[\w./-]*\.\w{1,6}$)")
_SYSTEM_PATH = re.compile(
    r"^/(?:(?:usr|home|etc|var|opt|tmp|bin|root|mnt|dev|proc|srv|run|lib|Users|workspace)/.*|[A-Za-z_-]+$)"
)
_PLAIN_DATA = re.compile(
    r"(?i)^(?:\d{1,4}[-/.:]\d{1,2}[-/.:T\d].*|v?\d+\.\d+.*|#[0-9a-f]{3,8}|0x(?:[0-9a-f]{1,16}|[0-9a-f]{40})"
    r"|[\d,.]+(?:px|em|ms|s|kb|mb|gb|k|m|tokens?)?"
    r"|(?:sha-?\d+|md5|bcrypt|argon2\w*|utf-?\d+|base\d+|[hre]s\d+|ed25519|aes-?\d+|pbkdf2|oauth2?|x509)(?:[-_:].*)?)$"
)
_HEXADECIMAL = re.compile(r"^(?:0x)?(?:[0-9a-f-]{16,}|[0-9A-F-]{16,})$")
_HUMPS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_PASSWORD = re.compile(r"(?i)pass|pwd|[_-]pw\b|mysql|mariadb|redis-cli|docker login")
_IDENTIFIER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_ENOUGH = 512
"""So many characters of a long value are looked at."""
_NO_SECRET_NAME = re.compile(
    r"(?i)(?:public|primary|foreign|cache|sort|partition|object|row|group|index|hash|dedup\w*|idempotency|i18n|map|dict"
    r"|json|query|route|event|message|translation|label|field|column|unique|s3|registry|hot|short\w*|param\w*|next|page"
    r"|cursor|continuation|sync|cancel\w*|max|min|num|total|stop|eos|bos|pad|special|last|first|state|region|lookup)"
    r"[_ -]?(?:key|token)\b"
)
_ENV = re.compile(r"(?:^|[^\w])[A-Z][A-Z0-9_]*=[\"'`\\]*$")
_USER = re.compile(r"([^ \t\r\n:/\"'`=]*):$")


def accept(rule: Rule, data: bytes, lead: int, start: int, end: int) -> tuple[int, int] | None:
    """The span of the secret inside a match that begins at `lead`, or None if it is none."""
    head = data[max(0, lead - 40) : lead]
    name = head[len(head.rstrip(_IDENTIFIER)) :]
    context = (name + data[lead:start][-200:]).decode("latin-1")
    value = _trimmed(data[start:end].decode("latin-1"), quoted=context.endswith(('"', "'", "`")))
    return (start, start + len(value)) if value and _is_secret(rule, value[:_ENOUGH], context) else None


def is_placeholder(value: str) -> bool:
    """Whether the value only stands for one."""
    return len(set(value)) <= 3 or f" {value.lower()} " in _WORDS or _PLACEHOLDER.search(value) is not None


def is_wordy(value: str) -> bool:
    """Whether most of the letters form words or names rather than noise; long hexadecimal numbers do not."""
    if _HEXADECIMAL.match(value):
        return False
    runs = _HUMPS.findall(value)
    letters = sum(map(len, runs))
    return letters > 0 and 2 * sum(len(run) for run in runs if _is_word(run.lower())) >= letters


def entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    total = len(value)
    return -sum(n / total * log2(n / total) for n in Counter(value).values())


def _is_secret(rule: Rule, value: str, context: str) -> bool:
    if is_placeholder(value) or (rule.floor and entropy(value) < rule.floor):
        return False
    match rule.judge:
        case Judge.PLAIN | Judge.TRUSTED:
            return True
        case Judge.RANDOM:
            return _is_random(value)
        case Judge.URL:
            return _is_in_url(value, context)
        case Judge.COOKIE:
            return any(_is_token(part.partition("=")[2]) for part in value.split(";"))
        case Judge.PROSE:
            return _is_stated(value, context)
        case Judge.ASSIGNED:
            return _is_assigned(value, context)
        case _:
            assert_never(rule.judge)


def _is_random(value: str) -> bool:
    return not _is_code(value) and not is_wordy(value) and not value.isdigit()


def _is_in_url(value: str, context: str) -> bool:
    """Whether the second half of `user:value@host` is a password: no path, no port, not the user's name again."""
    user = _USER.search(context)
    return len(value) >= 3 and value[0] != "/" and not (user and user[1] == value) and not _is_port(value)


def _is_assigned(value: str, context: str) -> bool:
    if _is_plain(value):
        return value.isdigit() and _is_number_password(value, context)
    if "NOPASSWD" in context or _is_place(value):
        return False
    if " " in value or "\t" in value:
        return _is_phrase(value, context)
    if _PASSWORD.search(context):
        return _is_password(value, context)
    return not _NO_SECRET_NAME.search(context) and _is_token(value)


def _is_plain(value: str) -> bool:
    """Whether an assigned value is code, a date, a size, an address, or next to nothing."""
    known = _is_code(value) or _PLAIN_DATA.match(value) is not None
    return known or "://" in value or sum(map(str.isalnum, value)) < 4


def _is_place(value: str) -> bool:
    """Whether a value is the path of a file."""
    if _SYSTEM_PATH.match(value):
        return True
    return _PATH.match(value) is not None and ("." in value or is_wordy(value))


def _is_password(value: str, context: str) -> bool:
    """Words alone count only in an environment assignment; letters with digits nearly always."""
    if _SNAKE.match(value) and is_wordy(value):
        return False
    if _has_letter(value) and _has_digit(value):
        return len(value) >= 6
    if len(value) < 8:
        return False
    return not is_wordy(value) or _ENV.search(context) is not None or any(c in "!@#$%^&*?" for c in value[:-1])


def _is_token(value: str) -> bool:
    least = 10 if _has_digit(value) and _has_letter(value) else 12
    return len(value) >= least and entropy(value) >= 2.5 and not is_wordy(value) and not _is_number(value)


def _is_stated(value: str, context: str) -> bool:
    if (
        not (_has_letter(value) and _has_digit(value))
        or _is_code(value)
        or _PLAIN_DATA.match(value)
        or "/" in value[:2]
    ):
        return False
    return (
        _is_password(value, context) and (len(value) >= 8 or "is" in context)
        if _PASSWORD.search(context)
        else _is_token(value)
    )


def _is_phrase(value: str, context: str) -> bool:
    mixed = _has_digit(value) and _has_letter(value) and any(not c.isalnum() and c not in " .,:'-()/" for c in value)
    return _PASSWORD.search(context) is not None and mixed and value.count(" ") <= 4 and not is_wordy(value)


def _is_number_password(value: str, context: str) -> bool:
    return len(value) >= 6 and _PASSWORD.search(context) is not None and context[-1:] in "=\"'`"


def _is_code(value: str) -> bool:
    call = _CALL.match(value)
    if call:
        return is_wordy(call[1]) or len(call[1]) < 3 or "." in call[1]
    return _MEMBER.match(value) is not None or (_DOTTED.match(value) is not None and is_wordy(value))


def _is_word(run: str) -> bool:
    known = sum(run[n : n + 2] in PAIRS for n in range(len(run) - 1))
    return len(run) >= 3 and known >= (len(run) - 1) * (0.6 if len(run) > 4 else 1.0)


def _is_port(value: str) -> bool:
    return value.isdigit() and len(value) < 6


def _is_number(value: str) -> bool:
    return not any(c.isalpha() for c in value)


def _has_letter(value: str) -> bool:
    return any("a" <= c <= "z" or "A" <= c <= "Z" for c in value)


def _has_digit(value: str) -> bool:
    return any("0" <= c <= "9" for c in value)


def _trimmed(value: str, *, quoted: bool) -> str:
    """The value without the punctuation, brackets and query parts that only follow it."""
    if quoted:
        return value.rstrip("\\")
    cut = re.search(r"&(?:amp;)?[A-Za-z_.-]+=", value)
    value = (value[: cut.start()] if cut else value).rstrip("\\.,:;?")
    for opening, closing in ("()", "[]", "{}"):
        while value.endswith(closing) and value.count(opening) < value.count(closing):
            value = value[:-1].rstrip(".,:;?")
    return value
