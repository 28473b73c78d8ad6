"""The table of secret shapes, in the syntax `google-re2` and `re` share: keys, tokens by their shape, and the forms."""

from __future__ import annotations

from metier.redaction.rules.by_context import FORMS
from metier.redaction.rules.by_token_shape import TOKENS
from metier.redaction.rules.rule import (
    EDGE,
    QUOTE,
    RIGHT_EDGE,
    SEPARATOR,
    SPACE,
    WORD_EDGE,
    Plausibility,
    RedactionRule,
)

__all__ = ["RULES", "Plausibility", "RedactionRule"]

_EOL = r"(?:\\{1,4}[nrt]|[ \t\r\n\"'+,>|#*;\\])"
_NUMBER = r"(?:[0-9]{1,5}(?:[ \t:|]|\\{1,4}t|\xe2\x86\x92|\\{1,4}u2192)[ \t]{0,4})?"
"""The number some tools put before a line."""
_B64 = r"[A-Za-z0-9+/=]"

_SHORT = {
    "<uuid>": "HEX{8}-HEX{4}-HEX{4}-HEX{4}-HEX{12}".replace("HEX", "[0-9a-fA-F]"),
    "<a>": "[A-Za-z0-9]",
    "<w>": "[A-Za-z0-9_-]",
    "<up>": "[A-Z0-9]",
    "<hex>": "[a-f0-9]",
    "<b64>": "[A-Za-z0-9+/=]",
}


def _token(line: str) -> RedactionRule:
    """One line of the token table as a rule."""
    where, name, words, shape, says = line.replace("at    ", "at  ", 1).split("  ")
    for short, long in _SHORT.items():
        shape = shape.replace(short, long)
    owner = words.replace(".", r"\.").replace(" ", "|")
    lead = rf"(?i:(?:{owner})[A-Za-z0-9_. \t-]{{0,30}}(?:key|token|secret|auth|pass|pwd|pat|cred)[a-z0-9_-]{{0,20}})"
    patterns = {"at": f"({shape})", "edge": f"{EDGE}({shape})", "near": f"{lead}{SEPARATOR}({shape}){RIGHT_EDGE}"}
    judge = Plausibility.RANDOM if where == "near" else Plausibility.PLAIN
    return RedactionRule(
        name=name, says=says, words=tuple(words.split()), pattern=patterns[where], floor=2.7, judge=judge
    )


_KEYS = (
    RedactionRule(
        name="private-key",
        says="PEM and PGP private key block, whole or cut off, also with written-out line breaks",
        words=("private key",),
        judge=Plausibility.TRUSTED,
        across=True,
        pattern=rf"(-----BEGIN[A-Z0-9 ]{{0,40}} ?PRIVATE KEY(?: BLOCK)?-----"
        rf"(?:{_EOL}{{0,12}}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\\\r\n\x00]{{1,120}})*"
        rf"(?:{_EOL}{{0,24}}{_NUMBER}{_B64}{{16,}})+(?:{_EOL}{{1,12}}{_NUMBER}{_B64}{{1,76}})?"
        rf"(?:{_EOL}{{0,12}}{_NUMBER}-----END[A-Z0-9 ]{{0,40}}-----)?)",
    ),
    RedactionRule(
        name="encoded-private-key",
        says="PEM private key encoded in base64 (kubeconfig, CI variables)",
        words=("ls0tls1crudjti",),
        judge=Plausibility.TRUSTED,
        pattern=rf"(LS0tLS1CRUdJTi(?:BSU0Eg|BQUklW|BFQ|BPUEVO|BFTkNS|BEU0Eg|BQR1AgUFJJ){_B64}{{40,}})",
    ),
    RedactionRule(
        name="putty-key",
        says="PuTTY private key file",
        words=("putty-user-key-file",),
        judge=Plausibility.TRUSTED,
        across=True,
        pattern=rf"PuTTY-User-Key-File-[0-9][^\x00]{{0,900}}?Private-Lines:[ \t]{{0,4}}[0-9]{{1,4}}"
        rf"((?:{_EOL}{{1,6}}{_B64}{{8,}})+)",
    ),
    RedactionRule(
        name="jwt",
        says="JSON web token",
        words=("eyj",),
        judge=Plausibility.TRUSTED,
        pattern=rf"{WORD_EDGE}(eyJ[A-Za-z0-9_-]{{10,}}\.eyJ[A-Za-z0-9_-]{{10,}}(?:\.[A-Za-z0-9_-]+)?)",
    ),
    RedactionRule(
        name="aws-secret-key",
        says="AWS secret access key, after its name",
        words=("secret", "aws"),
        floor=3.5,
        judge=Plausibility.RANDOM,
        pattern=r"(?i:aws[a-z_. -]{0,24}(?:secret|key)[a-z_ -]{0,20}|secret[_ -]?access[_ -]?key|aws[_ -]?secret)"
        rf"{SEPARATOR}([A-Za-z0-9/+]{{40}})(?:[^A-Za-z0-9/+]|$)",
    ),
    RedactionRule(
        name="aws-session-token",
        says="AWS session token, after its name",
        words=("session", "x-amz-security-token"),
        floor=3.5,
        pattern=rf"(?i:session[_-]?token|x-amz-security-token){SEPARATOR}([A-Za-z0-9/+=%]{{80,}})",
    ),
    RedactionRule(
        name="google-key-id",
        says="Google service-account key id",
        words=("private_key_id",),
        pattern=rf"private_key_id{SEPARATOR}([0-9a-f]{{40}})",
    ),
    RedactionRule(
        name="azure-account-key",
        says="Azure storage, service-bus or event-hub key, in a connection string or after its name",
        words=("accountkey", "sharedaccesskey", "azure"),
        floor=3.5,
        pattern=r"(?i:AccountKey|SharedAccessKey|azure[a-z0-9_. -]{0,40}key)"
        rf"{SEPARATOR}([A-Za-z0-9+/]{{40,90}}={{0,2}})",
    ),
    RedactionRule(
        name="azure-sas",
        says="Azure shared access signature (sig= of a signed address)",
        words=("sig=",),
        floor=3.0,
        pattern=r"(?:[?&;]|u0026)sig=([A-Za-z0-9%/+_-]{40,140}={0,2})",
    ),
    RedactionRule(
        name="telegram-bot-token",
        says="Telegram bot token",
        words=(":aa", "bot", "telegram", "tg_"),
        floor=3.3,
        pattern=rf"(?:(?:{EDGE}|_)(?:bot)?([0-9]{{8,10}}:AA[A-Za-z0-9_-]{{31,36}})"
        rf"|(?i:bot|telegram|tg_)[A-Za-z0-9_. \t-]{{0,30}}{SEPARATOR}([0-9]{{8,10}}:[A-Za-z0-9_-]{{35}})"
        rf"|/bot([0-9]{{8,10}}:[A-Za-z0-9_-]{{35}})){RIGHT_EDGE}",
    ),
    RedactionRule(
        name="discord-bot-token",
        says="Discord bot token",
        words=(),
        floor=3.5,
        pattern=rf"{WORD_EDGE}([MNO][A-Za-z0-9_-]{{22,28}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,45}}){RIGHT_EDGE}",
    ),
    RedactionRule(
        name="sentry-dsn",
        says="Sentry DSN key",
        words=("sentry", "ingest"),
        pattern=r"://([0-9a-f]{32})(?::[0-9a-f]{32})?@[a-z0-9.-]{0,60}(?:sentry|ingest)",
    ),
    RedactionRule(
        name="npmrc-auth",
        says="npmrc _authToken, _auth and _password",
        words=("_auth", "_password"),
        judge=Plausibility.RANDOM,
        pattern=rf"(?:_authToken|_auth|_password){SPACE}={SPACE}{QUOTE}?([A-Za-z0-9+/=_.-]{{8,}})",
    ),
)

_TOKENS = tuple(_token(line) for line in TOKENS.splitlines() if line and not line.startswith("#"))

RULES: tuple[RedactionRule, ...] = (*_KEYS, *_TOKENS, *FORMS)
"""All rules; where two overlap, the one that stands first names the mark."""
