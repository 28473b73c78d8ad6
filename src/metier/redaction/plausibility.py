"""Decide whether what a rule matched is a secret or only looks like one."""

from __future__ import annotations

import functools
import re
from typing import assert_never

from metier.redaction.rules.rule import Plausibility, RedactionRule
from metier.redaction.word_shapes import STAND_INS, entropy, is_placeholder, is_wordy

_CALL = re.compile(r"^[!&*(]*([A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*)[\[(]")
_DOTTED = re.compile(r"^[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+$")
_MEMBER = re.compile(
    r"^(?:self|this|cls|ctx|args|opts|options|config|settings|process|os|env|req|request|app|data|params|state|props)\."
)
_SNAKE = re.compile(r"^_*[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+$")
_PATH = re.compile(r"^(?:/|~/|\.{1,2}/|[A-Za-z]:[\\/]|[\w.-]+/[\w./-]*\.\w{1,6}$)")
_LETTER_PATH = re.compile(r"^[a-z._-]{1,30}(?:/[a-z._-]{1,30})+$")
_SYSTEM_PATH = re.compile(
    r"^/(?:(?:usr|home|etc|var|opt|tmp|bin|root|mnt|dev|proc|srv|run|lib|Users|workspace)/.*|[A-Za-z_-]+$)"
)
_PLAIN_DATA = re.compile(
    r"(?i)^(?:\d{1,4}[-/.:]\d{1,2}[-/.:T\d].*|v?\d+\.\d+.*|#[0-9a-f]{3,8}|0x(?:[0-9a-f]{1,16}|[0-9a-f]{40})"
    r"|[\d,.]+(?:px|em|ms|s|kb|mb|gb|k|m|tokens?)?"
    r"|(?:sha-?\d+|md5|bcrypt|argon2\w*|utf-?\d+|[hre]s\d+|ed25519|aes-?\d+|pbkdf2|oauth2?|x509)(?:[-_:].*)?"
    r"|base\d+(?:[-_:].{0,20})?|arn:.*|pk_(?:live|test)_.*|ssh-(?:rsa|ed25519|dss).*|op:.*|vault:.*)$"
)
_PASSWORD = re.compile(r"(?i)pass|pwd|[_-]pw\b|mysql|mariadb|redis-cli|docker login")
_IDENTIFIER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_ENOUGH = 512
"""So many characters of a long value are looked at."""
_NO_SECRET_NAME = re.compile(
    r"(?i)(?:public|publishable|primary|foreign|cache|sort|partition|object|row|group|index|hash|dedup\w*|idempotency"
    r"|i18n|map|dict|json|query|route|routing|event|message|translation|label|field|column|unique|s3|registry|hot|short\w*"
    r"|param\w*|state|region|lookup|site|file|issue|project|build|bucket|config|data|lock)[_ -]?key\b"
    r"|(?:next|page|cursor|continuation|sync|cancel\w*|max|min|num|total|stop|eos|bos|pad|special|last|first|state"
    r"|public[_ -]?key)[_ -]?token\b"
)
_ENV = re.compile(r"(?:^|[^\w])[A-Z][A-Z0-9_]*=[\"'`\\]*$")
_ARN = re.compile(rb"arn:aws[a-z-]*:[^ \t\r\n\"']*$")
_NO_ASSIGNMENT = re.compile(r"NOPASSWD|(?:^|[^A-Za-z0-9_-]|\\[nrt])PASS[^=A-Za-z0-9]*$")
"""A word of sudoers; PASS before a colon, which tells how a test went."""
_CONSTANT = re.compile(r"^[A-Z]{2,}(?:_[A-Z]{2,})+_?\d{0,2}$")
_NAME_OF_CODE = re.compile(r"^(?:[a-z]{3,}(?:[A-Z][a-z]{2,})+|[a-z]{3,}(?:_[a-z]{3,})+)\d{0,2}$")
_NUMBERED = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{3,}")
_NO_PASSPHRASE = re.compile(
    r"(?i)(?:^|[_-])(?:my|pass\w*|secrets?|keys?|tokens?|user|name|auth|creds?|credentials?|login|value|here|test|prod|db|admin"
    r"|app|service|config|env|var|file|default|v\d)(?:[_-]|$)"
)
_END = re.compile(r"&(?:quot|#3[49]|apos|lt);|</|[\"']\s*[,}]")
_NEXT_FIELD = re.compile(_END.pattern + r"|(?:&(?:amp;)?|\\u0026|[;,|][ ]?)[A-Za-z_. -]+=")
_PHRASE = re.compile(
    r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])(?=[A-Za-z0-9 .,:'()/-]*[^A-Za-z0-9 .,:'()/-])(?:[^ ]* ){1,4}[^ ]*$"
)
"""Up to five words with a letter, a digit and a sign."""
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_LEAST = dict.fromkeys((judge.name for judge in Plausibility), 6) | {"URL": 3, "RANDOM": 8}
"""Shorter values are never secrets."""
_REMEMBERED = 1024
"""Longer values are judged anew each time."""
_LETTER = re.compile(r"[A-Za-z]")
_DIGIT = re.compile(r"[0-9]")
_USER = re.compile(r"([^ \t\r\n:/\"'`=]*):$")


_DIFFERENT = 6
"""Different words of a wallet's phrase; the phrases that tools publish for tests say one word over and over."""


def accept(rule: RedactionRule, data: bytes, lead: int, start: int, end: int) -> tuple[int, int] | None:
    """The span of the secret inside a match that begins at `lead`, or None if it is none."""
    if end - start < _LEAST[rule.judge.name]:
        return None
    judged = _secret_length if end - start <= _REMEMBERED else _secret_length.__wrapped__
    head, between = data[max(0, lead - 40) : lead], data[max(lead, start - 200) : start]
    length = judged(rule.judge, rule.floor, head, between, data[start:end])
    if not length or _is_elided(data, start, start + length) or _is_in_arn(rule, data, start):
        return None
    if rule.name == "wallet-phrase" and len(set(data[start : start + length].split())) < _DIFFERENT:
        return None
    return start, start + length


@functools.lru_cache(maxsize=4096)
def _secret_length(judge: Plausibility, floor: float, head: bytes, between: bytes, matched: bytes) -> int:
    """How much of what matched is a secret, given what stands before it: text that repeats is judged once."""
    name = head[len(head.rstrip(_IDENTIFIER)) :]
    context = (name + between).decode("latin-1")
    value = matched.decode("latin-1")
    if judge is Plausibility.COOKIE or context.endswith(('"', "'", "`")):
        value = value.rstrip("\\")
    else:
        value = _trimmed(value, _NEXT_FIELD if context.endswith("=") else _END)
    return len(value) if value and _is_secret(judge, floor, value[:_ENOUGH], context) else 0


def _is_elided(data: bytes, start: int, stop: int) -> bool:
    """Whether only the beginning of a token is shown."""
    return data[stop : stop + 3] == b"..." and (stop - start < 12 or data[start : start + 3] == b"eyJ")


def _is_in_arn(rule: RedactionRule, data: bytes, start: int) -> bool:
    if rule.judge is not Plausibility.ASSIGNED or data.find(b"arn:", max(0, start - 120), start) < 0:
        return False
    return _ARN.search(data, max(0, start - 120), start) is not None


def _is_secret(judge: Plausibility, floor: float, value: str, context: str) -> bool:
    if judge is Plausibility.ASSIGNED and " " in value and not _PHRASE.match(value):
        return False
    weak = is_placeholder(value) or (floor and entropy(value) < floor)
    return not weak and _holds(judge, value, context)


def _holds(judge: Plausibility, value: str, context: str) -> bool:
    match judge:
        case Plausibility.PLAIN | Plausibility.TRUSTED:
            return True
        case Plausibility.RANDOM:
            return _is_random(value)
        case Plausibility.URL:
            return _is_in_url(value, context)
        case Plausibility.COOKIE:
            return _is_cookie(value)
        case Plausibility.PROSE:
            return _is_stated(value, context)
        case Plausibility.ASSIGNED:
            return _is_assigned(value, context)
        case Plausibility.PASSWORD:
            return _is_typed_password(value, context)
        case _:
            assert_never(judge)


def _is_cookie(value: str) -> bool:
    return any(_is_token(part.partition("=")[2]) for part in value.split(";"))


def _is_typed_password(value: str, context: str) -> bool:
    return not (_is_plain(value) or _is_place(value) or _is_number(value)) and _is_password(value, context)


def _is_random(value: str) -> bool:
    return not _is_code(value) and not is_wordy(value) and not value.isdigit()


def _is_in_url(value: str, context: str) -> bool:
    """Whether the second half of `user:value@host` is a password: no path, no port, not the user's name again."""
    user = _USER.search(context)
    if value in {"x-oauth-basic", "x-access-token"}:
        return False
    return len(value) >= 3 and value[0] != "/" and not (user and user[1] == value) and not _is_port(value)


def _is_assigned(value: str, context: str) -> bool:
    if _is_plain(value):
        return value.isdigit() and _is_number_password(value, context)
    if _NO_ASSIGNMENT.search(context) or _is_place(value) or _is_name(value, context):
        return False
    if " " in value or "\t" in value:
        return _is_phrase(value, context)
    if _PASSWORD.search(context):
        return _is_password(value, context)
    return not _NO_SECRET_NAME.search(context) and _is_token(value)


def _is_name(value: str, context: str) -> bool:
    """Whether a value is the name of a constant, or of something in code where no quote says otherwise."""
    if _CONSTANT.match(value):
        return True
    return _NAME_OF_CODE.match(value) is not None and context[-1:] not in "\"'`" and not _ENV.search(context)


def _is_plain(value: str) -> bool:
    """Whether an assigned value is code, a date, a size, an address, or next to nothing."""
    if value.isalnum():
        return _PLAIN_DATA.match(value) is not None
    known = _is_code(value) or _PLAIN_DATA.match(value) is not None
    return known or "://" in value or sum(map(str.isalnum, value)) < 4


def _is_place(value: str) -> bool:
    """Whether a value is the path of a file."""
    if value.isalnum():
        return False
    if _SYSTEM_PATH.match(value) or _LETTER_PATH.match(value):
        return True
    return _PATH.match(value) is not None and ("." in value or value[:2] == "//" or is_wordy(value))


def _is_password(value: str, context: str) -> bool:
    """Words alone count only in an environment assignment; letters with digits nearly always."""
    if _SNAKE.match(value) and is_wordy(value):
        return _is_passphrase(value, context)
    if _has_letter(value) and _has_digit(value):
        return len(value) >= 6
    if len(value) < 8 or not (value.isascii() or _has_digit(value)):
        return False
    return not is_wordy(value) or _ENV.search(context) is not None or any(c in "!@#$%^&*?" for c in value[:-1])


def _is_passphrase(value: str, context: str) -> bool:
    """Whether hyphenated words are a password: with a number that is no year, or four words in an environment file."""
    if _NO_PASSPHRASE.search(value):
        return False
    return _NUMBERED.search(value) is not None or (value.count("-") >= 3 and _ENV.search(context) is not None)


def _is_token(value: str) -> bool:
    least = 10 if _has_digit(value) and _has_letter(value) else 12
    return len(value) >= least and entropy(value) >= 2.5 and not is_wordy(value) and not _is_number(value)


def _is_stated(value: str, context: str) -> bool:
    if (
        not (_has_letter(value) and _has_digit(value))
        or _is_plain(value)
        or _is_place(value)
        or _NAME_OF_CODE.match(value)
    ):
        return False
    return (
        _is_password(value, context) and (len(value) >= 8 or "is" in context)
        if _PASSWORD.search(context)
        else _is_token(value)
    )


def _is_phrase(value: str, context: str) -> bool:
    return _PHRASE.match(value) is not None and _PASSWORD.search(context) is not None and not is_wordy(value)


def _is_number_password(value: str, context: str) -> bool:
    return len(value) >= 6 and _PASSWORD.search(context) is not None and context[-1:] in "=\"'`"


def _is_code(value: str) -> bool:
    call = _CALL.match(value)
    if call:
        return _is_call(call[1], value)
    if value[0] == ":" or (value[0] == "(" and ")." in value):
        return True
    return _MEMBER.match(value) is not None or (_DOTTED.match(value) is not None and is_wordy(value))


def _is_call(name: str, value: str) -> bool:
    short = len(name) < 3 and value[-1] in "()[]"
    known = f" {name.lower()} " in STAND_INS or value.endswith("()")
    return short or known or "." in name or is_wordy(name)


def _is_port(value: str) -> bool:
    return value.isdigit() and len(value) < 6


def _is_number(value: str) -> bool:
    return _LETTER.search(value) is None


def _has_letter(value: str) -> bool:
    return _LETTER.search(value) is not None


def _has_digit(value: str) -> bool:
    return _DIGIT.search(value) is not None


def _trimmed(value: str, behind: re.Pattern[str]) -> str:
    """The value without what stands behind it, and without punctuation and brackets that only follow."""
    cut = behind.search(value)
    value = (value[: cut.start()] if cut else value).rstrip("\\.,:;?")
    return value[: _without_closers(value)] if value[-1:] in _CLOSERS else value


def _without_closers(value: str) -> int:
    """Where a value ends if brackets it did not open are left out."""
    spare = {closing: value.count(closing) - value.count(opening) for closing, opening in _CLOSERS.items()}
    end, least = len(value), max(0, len(value) - 64)
    while end > least and (value[end - 1] in ".,:;?" or spare.get(value[end - 1], 0) > 0):
        spare[value[end - 1]] = spare.get(value[end - 1], 0) - 1
        end -= 1
    return end
