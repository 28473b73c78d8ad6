"""Rules on programs that send something private to a host which the package says nothing about."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.review.matching.re2 import TooManyMatchesError, matches
from metier.review.rules.rule import Rule
from metier.review.rules.shared_patterns import ENV_DUMP, KEY_COMMAND, KEY_FILE, UPLOAD
from metier.review.rules.supply_chain.known_installers import KNOWN_INSTALLERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.review.text.views import ReviewedText

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n(.*?)(?:^[ \t]*(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL)
_PLACE = re.compile(
    r"(?:https?|wss?|ftp)://(?:[^/\s@\"'`]{1,60}@)?([a-z0-9][\w.-]{2,80}\.[a-z]{2,12})\b"
    r"|\bhost(?:name)?[\"']?\s*[:=]\s*[\"']([a-z0-9][\w-]*(?:\.[\w-]+)*\.[a-z]{2,12})[\"']"
    r"|(?:connect|create_connection|TCPSocket\.new|Socket|inet_aton|net\.connect|createConnection|SMTP|SMTP_SSL|FTP|FTP_TLS|HTTPS?Connection)\s*\(\(?\s*(?:\d{2,5}\s*,\s*)?[\"']([\w-]+(?:\.[\w-]+)+)[\"']"
    r"|\b[\w.-]+@([a-z0-9][\w-]*(?:\.[\w-]+)*\.[a-z]{2,12}):",
    re.IGNORECASE,
)
_KNOWN = (
    r"github|gitlab|google|microsoft|anthropic|openai|slack|discord|notion|linear|atlassian|figma|twitter|linkedin|youtube|wikipedia|mozilla|w3\.org|(?:^|\.)(?:(?:api|www|app|docs|my\w*|staging|prod\w*|test|cdn|static|auth|git|registry|mail|db|host|server|hooks?|blog|shop|store|dev|media|images?|data)\.)?example\.(?:com|org|net|io|dev)$|localhost|^target\.com$|mysite|httpbin|readthedocs|python\.org|opengroup|\.test$|npmjs|pypi|docker|amazon|aws|azure|stripe|vercel"
    r"|supabase|cloudflare|huggingface|reddit|apple|facebook|schema\.org|claude|telegram|gmail|outlook|company|acme|your|domain|\.local$|\.internal$|sentry|datadog|elastic|honeycomb|posthog|segment|mixpanel|grafana|twilio|sendgrid|resend|mailgun"
)
_PRIVATE = (
    rf"{KEY_FILE}|{KEY_COMMAND}|{ENV_DUMP}"
    r"|for \w+(?:, *\w+)? in (?:os\.environ|process\.env)\b|Object\.(?:entries|keys|values|assign)\([^)\n]{0,20}process\.env|\benv\.items\(\)"
    r"|\bfind +(?:\"?\$HOME|~|/home|/Users|/)\S* [^\n]{0,160}?-name|Path\.home\(\)\.(?:r?glob|iterdir)\(|(?:~|\$HOME)/(?:Documents|Desktop|Downloads|Pictures)\b|os\.walk\([^\n]{0,40}?(?:expanduser|home)"
    r"|\.openclaw\b|\.clawdbot\b|\.claude\.json|\.codex/auth|\bopenclaw\.json|\.npmrc\b|\.netrc\b|\.pypirc\b|hosts\.yml\b|\.kube\b|\.config/(?:gh|gcloud)\b"
    r"|\b(?:pyperclip|pbpaste|xclip|GetClipboard|clipboard\.read\w*|pynput|keyboard\.(?:Listener|on_press)|ImageGrab|mss\.mss|screencapture)\b"
    r"|\bgit (?:show|diff|log|bundle|archive)\b[^\n|]{0,60}?\||\bhistory *\||\.(?:bash|zsh)_history\b|find-generic-password|Safe Storage|Application Support/|AppData[/\\]+(?:Local|Roaming)|VirtualAlloc|/Cookies\b"
)
_IDENTITY = (
    r"\b(?:hostname|whoami|gethostname|getlogin|getuser|os\.userInfo|os\.hostname|uname -a|ifconfig|ipconfig|ip addr)\b"
)
_QUIET = r"daemon *= *True|except(?: \w+)?:\s*pass|>/dev/null 2>&1|2>/dev/null|\.catch\(\(\) *=> *\{? *\}?\)|-WindowStyle +Hidden|nohup\b|&\s*$|stdio: *[\"']ignore"
_OUT = rf"{UPLOAD}|\bhttps?\.request\(|\.write\([^)\n]{{0,80}}\)[;\s]*\w+\.end\(|\.get\(\s*[\"'`]https?://[^\"'`\n]{{0,120}}\?\w{{1,20}}=[\"'`$]|\burlopen\s*\(|\bRequest\s*\(|\bfetch\s*\(|(?:requests|httpx|axios|session|client)\.(?:get|post|put|request)\s*\(|\bcurl\b[^\n]{{0,200}}?(?:@|--upload-file|--data|-G\b|\?\w+=)|\brsync\b|\bscp\b|\bssh\b[^\n]{{0,80}}?[\"']?cat *>|\.send\s*\(|\.sendall\s*\("
_SHELL = r"\b(?:os\.popen|os\.system|subprocess\.\w+|IO\.popen|Open3\.\w+|child_process|exec(?:Sync|File)?|spawn(?:Sync)?|pty\.spawn|backtick|system)\s*\("
_HEARD = r"\.recv\s*\(|\.gets\b|\.readline\s*\(|dup2\s*\(|\.pipe\s*\(|on\(\s*[\"']data[\"']|STDIN|socket\.on\("
_PIPED = (
    r"\| *(?:base64[^|\n]{0,30}\| *|gzip[^|\n]{0,20}\| *|xargs [^\n]{0,60})?(?:curl|nc|ncat|wget)\b|(?:-d|--data\S*|-F|-T|--form|--upload-file)[ =]*[\"']?[\w=]{0,20}@[\w/~.$\"'-]"
    r"|https?://[^\s\"']{0,120}(?:\$[({]?\w+|`)"
)
_FETCHED = (
    r"\b(?:curl|wget|iwr|Invoke-WebRequest)\b[^\n]{0,240}?(?:&&|;|\||\n)[^\n]{0,80}?(?:chmod (?:\+x|[aug]+\+x|7\d\d)|\./\w|\b(?:ba|z|da)?sh\b|\bpython3? *(?:-? *(?:$|[;&|)\"'\n])|[/~.$]\S+)|\bnode +(?:-? *$|[/~.$]\S+))|\b(?:curl|wget)\b[^\n]{0,200}?(?:/usr/local/bin|/\.local/bin)/"
    r"|\b(?:pip3?|uv pip|uvx|pipx|npm|npx|pnpm|bunx)\b[^\n]{0,60}?(?:--from[ =]|https?://\S{1,160}?\.(?:whl|tgz|tar\.gz|zip)\b)|--(?:extra-)?index-url[ =]+https?://|--registry[ =]+https?://|\b(?:mshta|rundll32|regsvr32|msiexec)\b[^\n]{0,60}?https?://"
)
_ODD_END = r"\.(?:xyz|top|click|buzz|lol|site|online|pro|shop|icu|tk|ml|cf|ga|pw|cc|ws|live|fun|space|website|store|rest|quest|bond|cfd|sbs|monster|zip|mov)$"
"""Ends of names that cost next to nothing, and that services seldom have."""
_LABEL = re.compile(r"[a-z0-9-]{2,}")
_COMMENT = re.compile(r"\s*(?:#|//|\*|/\*|--|<|\.\. )")
_NEAR = 1500
"""Characters around a host in a long program that belong to what is done with it."""
TOLD = 200_000
"""Characters of prose that are searched for the name of a host."""
MOST = 1500
"""Hosts of one file that are looked at."""


def data_for_stranger(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Hosts that nobody has told of, in code that sends them something."""
    for code, match in _strange(source):
        around = _around(code, match)
        if matches(_OUT, around) and _is_telling(source, match, around):
            yield match.span(_group(match))


def _is_telling(source: ReviewedText, match: re.Match[str], around: str) -> bool:
    """Whether what is sent is private; a document that posts to an unknown host at all says enough."""
    if matches(f"{_PRIVATE}|{_IDENTITY}|{_PIPED}", around):
        return True
    if not matches(UPLOAD, around):
        return False
    return not source.script or matches(_QUIET, around) or matches(_ODD_END, match[_group(match)].lower())


def program_of_stranger(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Hosts that nobody has told of, in code that fetches a program from them and runs it."""
    for code, match in _strange(source):
        line = _line(code, match)
        if matches(_FETCHED, line):
            yield match.span(_group(match))


def shell_for_stranger(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Hosts that nobody has told of, in code that runs what it hears from them."""
    for code, match in _strange(source):
        around = _around(code, match)
        if matches(_SHELL, around) and matches(_HEARD, around) and matches(r"socket|\bnet\.|connect", around):
            yield match.span(_group(match))


def meets_stranger(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Hosts that nobody has told of, in code that talks to them at all."""
    for code, match in _strange(source):
        if matches(_OUT, _around(code, match)):
            yield match.span(_group(match))


def _strange(source: ReviewedText) -> Iterator[tuple[tuple[int, int, str], re.Match[str]]]:
    """Hosts in the code of a file which neither its prose nor the package's document names."""
    known: str | None = None
    count = 0
    for start, end in _code(source):
        for match in _PLACE.finditer(source.text, start, end):
            count += 1
            if count > MOST:
                raise TooManyMatchesError(_PLACE.pattern)
            host = match[_group(match)].lower()
            if source.script and _COMMENT.match(_line((start, end, source.text), match)):
                continue
            known = told_of(source) if known is None else known
            if not is_known(host, known) and not matches(KNOWN_INSTALLERS, match[0]):
                yield (start, end, source.text), match


def _group(match: re.Match[str]) -> int:
    return match.lastindex or 0


def _around(code: tuple[int, int, str], match: re.Match[str]) -> str:
    start, end, text = code
    return text[max(start, match.start() - _NEAR) : min(end, match.end() + _NEAR)]


def _line(code: tuple[int, int, str], match: re.Match[str]) -> str:
    """The line of a host and the next one."""
    start, end, text = code
    first = max(start, text.rfind("\n", start, match.start()) + 1)
    stop = text.find("\n", match.end(), end)
    last = text.find("\n", stop + 1, end) if stop >= 0 else -1
    return text[first : last if last >= 0 else end][:_NEAR]


def _code(source: ReviewedText) -> list[tuple[int, int]]:
    """The parts of a file that are a program: all of a script, the fenced blocks of a document."""
    if source.script:
        return [(0, len(source.text))]
    return [match.span(1) for match in _FENCE.finditer(source.text)]


def told_of(source: ReviewedText) -> str:
    """What the package says in words: its document without the code, and the file's own prose."""
    prose = _FENCE.sub(" ", source.about)
    return (prose if source.script else f"{prose} {_FENCE.sub(' ', source.text)}")[:TOLD].lower()


def is_known(host: str, told: str) -> bool:
    """Whether a host is everybody's, or one that a text speaks of."""
    return _label(host) in told or matches(_KNOWN, host)


def _label(host: str) -> str:
    """The part of a host's name that its owner chose."""
    parts = _LABEL.findall(host.replace(".", " "))
    if len(parts) > 2 and parts[-2] == "example":
        return parts[-3]
    return parts[-2] if len(parts) > 1 else host


RULES: tuple[Rule, ...] = (
    Rule(
        id="stranger-gets-data",
        tag="AST01",
        severity="high",
        reason="Its code sends data to a host that the skill never speaks of.",
        fix="Say in the document which host gets what, and why; or take the code out.",
        style="command",
        analyse=data_for_stranger,
    ),
    Rule(
        id="stranger-program-run",
        tag="AST02",
        severity="high",
        reason="Its code fetches a program from a host that the skill never speaks of, and runs it.",
        fix="Name a package with its version and where it comes from, or ship the source.",
        style="command",
        analyse=program_of_stranger,
    ),
    Rule(
        id="stranger-gets-shell",
        tag="AST01",
        severity="critical",
        reason="Its code runs what it hears from a host that the skill never speaks of.",
        fix="Take it out. No task of a skill needs it.",
        style="command",
        analyse=shell_for_stranger,
    ),
)
