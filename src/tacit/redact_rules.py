r"""The table of secret shapes, in the syntax `google-re2` and `re` share.

A rule is tried only when one of its words (lower case) is in the text. The last group that matched is the secret.
Patterns see UTF-8 bytes, so every class is spelled in ASCII; `\x00` stands for text already redacted and must never be
part of a secret. No look-around, no back-references, no `\s` or `\w`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tacit.redact_tokens import TOKENS


class Judge(Enum):
    """How a match is looked at before it counts as a secret."""

    PLAIN = "placeholders and the entropy floor only"
    TRUSTED = "the shape alone is proof"
    ASSIGNED = "the name, the form of the assignment and the value together"
    PROSE = "a sentence: the value must hold letters and digits"
    RANDOM = "the value must not read like words"
    URL = "a password in an address"
    COOKIE = "at least one of the cookies looks random"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One shape of secret."""

    name: str
    """Stands in the mark: lower case, digits, hyphens."""
    says: str
    """What it finds, in plain words."""
    words: tuple[str, ...]
    """One of these is part of every match, in lower case; empty: always tried."""
    pattern: str
    floor: float = 0.0
    """Least Shannon entropy in bits per character."""
    judge: Judge = Judge.PLAIN
    across: bool = False
    """Whether a match may go over several lines."""


_L = r"(?:^|[^A-Za-z0-9_]|\\[nrt])"
"""The left edge of a token, also after a line break written as backslash and letter."""
_LW = r"(?:^|[^A-Za-z0-9_-]|\\[nrt])"
_R = r"(?:[^A-Za-z0-9_-]|$)"
_Q = r"(?:\\{0,3}[\"'`])"
_SP = r"[ \t]{0,8}"
_SEP = (
    rf"{_Q}?\]?(?:{_SP}(?:=>|:=|==?|:|,|\(|>)|[ \t]{{1,4}}(?:is|was)[ \t:]|[ \t]{{1,4}}set[ \t]to[ \t]|[ \t])"
    rf"{_SP}{_Q}?"
)
_EOL = r"(?:\\{1,4}[nrt]|[ \t\r\n\"'+,>|#*;\\])"
_B64 = r"[A-Za-z0-9+/=]"


_SHORT = {
    "<uuid>": "HEX{8}-HEX{4}-HEX{4}-HEX{4}-HEX{12}".replace("HEX", "[0-9a-fA-F]"),
    "<a>": "[A-Za-z0-9]",
    "<w>": "[A-Za-z0-9_-]",
    "<up>": "[A-Z0-9]",
    "<hex>": "[a-f0-9]",
    "<b64>": "[A-Za-z0-9+/=]",
}


def _token(line: str) -> Rule:
    """One line of the token table as a rule."""
    where, name, words, shape, says = line.replace("at    ", "at  ", 1).split("  ")
    for short, long in _SHORT.items():
        shape = shape.replace(short, long)
    owner = words.replace(".", r"\.").replace(" ", "|")
    lead = rf"(?i:(?:{owner})[A-Za-z0-9_. \t-]{{0,30}}(?:key|token|secret|auth|pass|pwd|pat|cred)[a-z0-9_-]{{0,20}})"
    patterns = {"at": f"({shape})", "edge": f"{_L}({shape})", "near": f"{lead}{_SEP}({shape}){_R}"}
    judge = Judge.RANDOM if where == "near" else Judge.PLAIN
    return Rule(name=name, says=says, words=tuple(words.split()), pattern=patterns[where], floor=2.7, judge=judge)


_KEYS = (
    Rule(
        name="private-key",
        says="PEM and PGP private key block, whole or cut off, also with written-out line breaks",
        words=("private key",),
        judge=Judge.TRUSTED,
        across=True,
        pattern=rf"(-----BEGIN[A-Z0-9 ]{{0,40}} ?PRIVATE KEY(?: BLOCK)?-----"
        rf"(?:{_EOL}{{0,12}}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\\\r\n\x00]{{1,120}})*"
        rf"(?:{_EOL}{{0,24}}{_B64}{{16,}})+(?:{_EOL}{{1,12}}{_B64}{{1,76}})?"
        rf"(?:{_EOL}{{0,12}}-----END[A-Z0-9 ]{{0,40}}-----)?)",
    ),
    Rule(
        name="putty-key",
        says="PuTTY private key file",
        words=("putty-user-key-file",),
        judge=Judge.TRUSTED,
        across=True,
        pattern=rf"PuTTY-User-Key-File-[0-9][^\x00]{{0,900}}?Private-Lines:[ \t]{{0,4}}[0-9]{{1,4}}"
        rf"((?:{_EOL}{{1,6}}{_B64}{{8,}})+)",
    ),
    Rule(
        name="jwt",
        says="JSON web token",
        words=("eyj",),
        judge=Judge.TRUSTED,
        pattern=rf"{_LW}(eyJ[A-Za-z0-9_-]{{10,}}\.eyJ[A-Za-z0-9_-]{{10,}}(?:\.[A-Za-z0-9_-]+)?)",
    ),
    Rule(
        name="aws-secret-key",
        says="AWS secret access key, after its name",
        words=("secret", "aws"),
        floor=3.5,
        judge=Judge.RANDOM,
        pattern=r"(?i:aws[a-z_. -]{0,24}(?:secret|key)[a-z_ -]{0,20}|secret[_ -]?access[_ -]?key|aws[_ -]?secret)"
        rf"{_SEP}([A-Za-z0-9/+]{{40}})(?:[^A-Za-z0-9/+]|$)",
    ),
    Rule(
        name="aws-session-token",
        says="AWS session token, after its name",
        words=("session", "x-amz-security-token"),
        floor=3.5,
        pattern=rf"(?i:session[_-]?token|x-amz-security-token){_SEP}([A-Za-z0-9/+=%]{{80,}})",
    ),
    Rule(
        name="google-key-id",
        says="Google service-account key id",
        words=("private_key_id",),
        pattern=rf"private_key_id{_SEP}([0-9a-f]{{40}})",
    ),
    Rule(
        name="azure-account-key",
        says="Azure storage, service-bus or event-hub key, in a connection string or after its name",
        words=("accountkey", "sharedaccesskey", "azure"),
        floor=3.5,
        pattern=rf"(?i:AccountKey|SharedAccessKey|azure[a-z0-9_. -]{{0,40}}key){_SEP}([A-Za-z0-9+/]{{40,90}}={{0,2}})",
    ),
    Rule(
        name="azure-sas",
        says="Azure shared access signature (sig= of a signed address)",
        words=("sig=",),
        floor=3.0,
        pattern=r"(?:[?&;]|u0026)sig=([A-Za-z0-9%/+_-]{40,140}={0,2})",
    ),
    Rule(
        name="telegram-bot-token",
        says="Telegram bot token",
        words=(":aa", "bot", "telegram", "tg_"),
        floor=3.3,
        pattern=r"(?:(?:^|[^A-Za-z0-9]|\\[nrt])(?:bot)?([0-9]{8,10}:AA[A-Za-z0-9_-]{31,36})"
        rf"|(?i:bot|telegram|tg_)[A-Za-z0-9_. \t-]{{0,30}}{_SEP}([0-9]{{8,10}}:[A-Za-z0-9_-]{{35}})"
        rf"|/bot([0-9]{{8,10}}:[A-Za-z0-9_-]{{35}})){_R}",
    ),
    Rule(
        name="discord-bot-token",
        says="Discord bot token",
        words=(),
        floor=3.5,
        pattern=rf"{_LW}([MNO][A-Za-z0-9_-]{{22,28}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,45}}){_R}",
    ),
    Rule(
        name="sentry-dsn",
        says="Sentry DSN key",
        words=("sentry", "ingest"),
        pattern=r"://([0-9a-f]{32})(?::[0-9a-f]{32})?@[a-z0-9.-]{0,60}(?:sentry|ingest)",
    ),
    Rule(
        name="npmrc-auth",
        says="npmrc _authToken, _auth and _password",
        words=("_auth", "_password"),
        judge=Judge.RANDOM,
        pattern=rf"(?:_authToken|_auth|_password){_SP}={_SP}{_Q}?([A-Za-z0-9+/=_.-]{{8,}})",
    ),
)

_HTTP = (
    Rule(
        name="authorization",
        says="Authorization header: Bearer, Basic, token and other schemes",
        words=("authorization",),
        judge=Judge.RANDOM,
        pattern=rf"(?i:authorization){_Q}?\]?{_SP}[:=,>]{{1,2}}{_SP}{_Q}?"
        rf"(?i:(?:bearer|basic|token|bot|apikey|api-key|key|negotiate|sso-key|pat|geniekey|splunk)[ \t:=]{{1,4}}{_Q}?)?"
        r"([A-Za-z0-9._~+/=:%-]{8,})",
    ),
    Rule(
        name="bearer",
        says="Bearer token outside a header",
        words=("bearer",),
        judge=Judge.RANDOM,
        pattern=rf"(?i:bearer)[ \t:=]{{1,4}}{_Q}?([A-Za-z0-9._~+/=-]{{16,}})",
    ),
    Rule(
        name="basic-auth",
        says="Basic credentials outside a header",
        words=("basic",),
        judge=Judge.RANDOM,
        pattern=rf"{_Q}(?:Basic|basic)[ \t]([A-Za-z0-9+/]{{12,}}={{0,2}})",
    ),
    Rule(
        name="url-password",
        says="Password in scheme://user:password@host",
        words=("://",),
        judge=Judge.URL,
        pattern=r"://([^ \t\r\n\f\v:@/?#\"'`<>\\\x00]*):([^ \t\r\n\f\v@/\"'`<>\\\x00]+)@[A-Za-z0-9_\[$%{]",
    ),
    Rule(
        name="url-token",
        says="Token in scheme://token@host",
        words=("://",),
        judge=Judge.RANDOM,
        floor=3.0,
        pattern=r"://([A-Za-z0-9_-]{20,})@[A-Za-z0-9]",
    ),
    Rule(
        name="cookie",
        says="Cookie and Set-Cookie headers, curl --cookie",
        words=("cookie",),
        judge=Judge.COOKIE,
        pattern=rf"(?i:cookie){_Q}?(?:{_SP}[:=]{_SP}|[ \t]{{1,4}}){_Q}?([A-Za-z0-9_.$-]+=[^\r\n\"'`\\\x00]+)",
    ),
    Rule(
        name="session-cookie",
        says="Session cookie by its usual name",
        words=("phpsessid", "jsessionid", "connect.sid", "sessionid"),
        judge=Judge.RANDOM,
        pattern=r"(?i:PHPSESSID|JSESSIONID|connect\.sid|ASP\.NET_SessionId|\bsessionid)=([A-Za-z0-9%._~+/-]{16,})",
    ),
)

_VALUE = r"(?:[^ \t\r\n\f\v\"'`\\\x00,;<>|]|\\[^ \t\r\n\f\v\"'`\\\x00nrt])+"
_QUOTED = r"(?:\\{0,3}\"([^\"\r\n\x00]+)|\\{0,3}'([^'\r\n\x00]+)|`([^`\r\n\x00]+))"
_NAME = (
    r"(?i:passwords?|passwd|passphrase|passcode|pwd|[_-]pass|[_-]pw"
    r"|secret(?:[_ -]?(?:access)?[_ -]?(?:key|token|value))?|secrets|token|api[_ -]?key|app[_-]?key|access[_ -]?key"
    r"|auth[_-]?key|account[_-]?key|client[_ -]?secret|private[_ -]?key|[a-z0-9]_key|credentials?|[_-]auth|[_-]pat"
    r"|(?:encryption|signing|master|shared|service|license|storage|session|jwt|hmac|webhook|admin|deploy)[_-]?key)"
    r"(?i:[_-]?(?:prod|production|dev|test|staging|live|old|new|primary|main|backup|base64|b64|[0-9]{1,2}))?"
)
_NAMED = (
    "passw",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "-pass",
    "_pass",
    "_pw",
    "-pw",
)

_ASSIGNED = (
    Rule(
        name="assigned-secret",
        says="password, secret, token, key … = or : a quoted value (code, JSON, YAML, calls)",
        words=(*_NAMED, "_auth", "-auth", "_pat", "-pat"),
        judge=Judge.ASSIGNED,
        pattern=rf"{_NAME}{_Q}?\]?{_SP}(?::[ \t]?(?:str|string|String|SecretStr)[ \t]?=|:=|=>|==?|:|,|\()"
        rf"{_SP}(?:[bBfFrRuU]{{0,2}}){_QUOTED}",
    ),
    Rule(
        name="assigned-value",
        says="PASSWORD=value, token: value and the like without quotes (env, YAML, INI, query, XML)",
        words=(*_NAMED, "_auth", "-auth", "_pat", "-pat"),
        judge=Judge.ASSIGNED,
        pattern=rf"{_NAME}{_Q}?\]?{_SP}(?::=|=>|==?|:|>|%3[dD]){_SP}({_VALUE})",
    ),
    Rule(
        name="option-secret",
        says="--password value, --token=value and the like on a command line",
        words=("--",),
        judge=Judge.ASSIGNED,
        pattern=r"--[a-z0-9-]{0,24}(?:password|passwd|passphrase|pass|secret|token|key|pat|credential|secret-value)"
        rf"(?:=|[ \t]{{1,4}}){_Q}?({_VALUE})",
    ),
    Rule(
        name="stated-secret",
        says="A sentence that tells a password, token or key",
        words=("passw", "passphrase", "passcode", "pwd", "secret", "token", "key", "credential"),
        judge=Judge.PROSE,
        pattern=r"(?i:(?:password|passwd|passphrase|passcode|pwd)(?:[ \t]for[ \t][a-z0-9_@. -]{1,40}?)?"
        r"(?:[ \t](?:is|was|to|of|are|set[ \t]to|is[ \t]now))?"
        r"|(?:secret|token|(?:api|access|auth|secret|license|encryption|signing)[ _-]?key|credentials?)"
        r"(?:[ \t]for[ \t][a-z0-9_@. -]{1,40}?)?[ \t](?:is|was|to|set[ \t]to|is[ \t]now))"
        rf":?[ \t]{{1,2}}{_Q}?({_VALUE})",
    ),
    Rule(
        name="curl-user",
        says="curl, wget or http with -u user:password",
        words=("curl", "http", "wget"),
        judge=Judge.URL,
        pattern=r"(?i:curl|https?|wget)\b[^\r\n\x00]{0,200}?[ \t](?:-u|-U|-a|--user|--proxy-user|--auth)[ \t=]{0,2}"
        rf"{_Q}?([^ \t\r\n:\"'`\x00/]{{1,64}}):([^ \t\r\n\"'`\\\x00]+)",
    ),
    Rule(
        name="client-password",
        says="mysql -p, sshpass -p, redis-cli -a, docker login -p, openssl pass:",
        words=("mysql", "mariadb", "sshpass", "redis-cli", "docker login", "pass:"),
        judge=Judge.ASSIGNED,
        pattern=r"(?:(?:mysql|mariadb)[a-z]{0,8}\b[^\r\n\x00|;]{0,120}?[ \t]-p|sshpass[ \t]{1,4}-p[ \t]?"
        r"|redis-cli\b[^\r\n\x00|;]{0,80}?[ \t]-a[ \t]{1,4}|docker login\b[^\r\n\x00|;]{0,120}?[ \t]-p[ \t]{1,4}"
        rf"|[ \t=]pass:){_Q}?({_VALUE})",
    ),
    Rule(
        name="netrc",
        says="netrc entry",
        words=("login",),
        judge=Judge.URL,
        across=True,
        pattern=r"login(?:[ \t\r\n]|\\[nrt]){1,8}([^ \t\r\n\\\x00]{1,100})(?:[ \t\r\n]|\\[nrt]){1,8}"
        rf"password[ \t]{{1,8}}({_VALUE})",
    ),
    Rule(
        name="pgpass",
        says="pgpass line",
        words=(":5432:", ":5433:", ":6432:", ":*:"),
        judge=Judge.URL,
        pattern=r"(?:^|[^A-Za-z0-9_./:-]|\\[nrt])[A-Za-z0-9_.*-]{1,80}:(?:[0-9]{2,5}|\*):[A-Za-z0-9_*-]{1,60}"
        rf":([A-Za-z0-9_.*@-]{{1,60}}):({_VALUE})",
    ),
)

_TOKENS = tuple(_token(line) for line in TOKENS.splitlines() if line and not line.startswith("#"))

RULES: tuple[Rule, ...] = (*_KEYS, *_TOKENS, *_HTTP, *_ASSIGNED)
"""All rules; where two overlap, the one that stands first names the mark."""

PAIRS = (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro "
    "ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so "
    "rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl "
    "ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov rm ep tt oc "
    "fa ef cu rn sc da cr cl du ga qu ue ff ba ey va um up lu go ru ug ck ew br bi pt ui ki ok ph ub sk "
)
"""Letter pairs that make up most of English and of names in code; random letters rarely follow them."""
