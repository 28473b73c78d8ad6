"""Rules on what a program does with a value over many lines: a secret that is sent, a text that is fetched or decoded and run."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.review.matching.data_flow import Flow, flow_ends
from metier.review.matching.re2 import matches
from metier.review.rules.exfiltration.unknown_hosts import is_known, told_of
from metier.review.rules.rule import Rule
from metier.review.rules.supply_chain.known_installers import KNOWN_INSTALLERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.review.text.views import ReviewedText

_KEY_NAME = r"[A-Z0-9_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)[A-Z0-9_]{0,20}"
_ENV_NAME = rf"(?:os\.environ(?:\.get)?|os\.get[e]nv|ENV|Deno\.env\.get)\s*[\[(]\s*[\"']{_KEY_NAME}|process\.env(?:\.|\[[\"']){_KEY_NAME}|\$env:{_KEY_NAME}|\$\{{?{_KEY_NAME}\b"
_ENV_ALL = r"dict\(os\.environ\)|os\.environ\.(?:items|copy)\(|(?:dumps|str|repr)\((?:dict\()?os\.environ\b|stringify\(process\.env\)|Object\.entries\(process\.env|\{ *\.\.\.process\.env|\$\((?:env|printenv)\b|\bprintenv *\|"
_KEY_FILES = r"\.ssh[/\"', ]{1,6}id_\w+|\.aws[/\"', ]{1,6}credentials|\.git-credentials|\.netrc\b|\.npmrc\b|\.pypirc\b|\.kube[/\"', ]{1,6}config|\.docker[/\"', ]{1,6}config|Login Data\b|key4\.db|logins\.json|Local State\b|wallet\.dat|solana[/\"', ]{1,6}id\.json|\.(?:clawdbot|openclaw|claude|codex)[/\"', ]{1,6}(?:\.env|\.?credentials|auth|openclaw\.json)|Library[/\"', ]{1,6}(?:Keychains|Messages[/\"', ]{1,6}chat\.db)|find-(?:generic|internet)-password|gh auth token|/etc/shadow|pyperclip\.paste\(|\bpbpaste\b|keyboard\.(?:read|record)|ImageGrab\.grab\("
_SEND = (
    r"(?:\b(?:requests|httpx|session|_?client|s|http|urllib3|got|superagent)\.(?:post|put|get|patch|request)\s*\(|\burlopen\s*\(|\bRequest\s*\(|\.(?:sendall|sendto|sendmail|send_message|storbinary)\s*\("
    r"|\b(?:sock|socket|conn|s|ws|websocket|client)\.send\s*\(|\bfetch\s*\(|\baxios(?:\.\w+)?\s*\(|\bhttps?\.(?:request|get)\s*\(|\bsendBeacon\s*\(|\bcurl\s|\bwget\s|\b(?:nc|ncat|netcat)\s|\bInvoke-(?:WebRequest|RestMethod)\b|\b(?:iwr|irm)\s|\.Upload(?:String|Data|File)\s*\()"
)
_SENDING = (
    "request",
    "http",
    "client",
    "session",
    "urlopen",
    "Request",
    "send",
    "fetch",
    "axios",
    "curl",
    "wget",
    "nc ",
    "ncat",
    "Invoke-",
    "iwr",
    "irm",
    "Upload",
    "s.",
    "got",
    "superagent",
    "storbinary",
)
_HEADERS = r"(?i)(?:\bheaders?\s*[=:]\s*(?:\{[^}]{0,400}\}?|\w+(?:\([^)]{0,80}\))?)|\bauth\s*[=:]\s*(?:\([^)]{0,120}\)|[\w.]+(?:\([^)]{0,80}\))?)|\s-(?:H|-header|u|-user|-oauth2-bearer)[= ]*(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|\S+)|-Headers +\S+|['\"]?(?:authorization|x-api-key|api-key)['\"]?\s*[:=]\s*[^,}\n]{0,120})"
_VENDORS = {
    "ANTHROPIC": ("anthropic",),
    "OPENAI": ("openai", "azure"),
    "AWS": ("amazonaws", "aws.amazon"),
    "GITHUB": ("github",),
    "GITLAB": ("gitlab",),
    "SLACK": ("slack",),
    "STRIPE": ("stripe",),
    "GOOGLE": ("google",),
    "GEMINI": ("google",),
    "AZURE": ("azure", "microsoft", "windows.net"),
    "DISCORD": ("discord",),
    "TELEGRAM": ("telegram",),
    "NPM": ("npmjs", "npm."),
    "PYPI": ("pypi",),
    "HUGGINGFACE": ("huggingface", "hf.co"),
    "CLOUDFLARE": ("cloudflare",),
    "VERCEL": ("vercel",),
    "SUPABASE": ("supabase",),
    "SOLANA": ("solana",),
    "BINANCE": ("binance",),
    "NOTION": ("notion",),
    "LINEAR": ("linear.app",),
}
"""Names of secrets by the hosts they are for."""
_HOST = re.compile(r"(?:https?|wss?|ftp)://(?:[^/\s@\"'`]*@)?([^/\s:\"'`)>?]+)")
_LOCAL = ("localhost", "127.", "0.0.0.0", "10.", "192.168.", "${", "$", "{", "<")  # noqa: S104 - compared, not bound


def _in_its_place(source: str, call: str) -> bool:
    """A key of a service goes to that service, or to a host that the program does not name."""
    if not re.search(_ENV_NAME, source):
        return False
    hosts = [host.lower() for host in _HOST.findall(call) if not host.startswith(_LOCAL)]
    homes = [home for name, known in _VENDORS.items() if name in source.upper() for home in known]
    return not hosts or not homes or all(any(home in host for home in homes) for host in hosts)


_SECRETS_SENT = Flow(
    sources=f"{_ENV_NAME}|{_ENV_ALL}|{_KEY_FILES}", sinks=_SEND, hints=_SENDING, aside=_HEADERS, harmless=_in_its_place
)


def _from_its_maker(_source: str, call: str) -> bool:
    """A well-known installer, straight from the host of its maker."""
    return matches(KNOWN_INSTALLERS, call)


_RUN = r"(?<![.\w])(?:exec|eval|compile)\s*\(|\bos\.(?:system|popen)\s*\(|\bnew\s+Function\s*\(|\bvm\.run\w+\s*\(|(?<![.\w])execSync\s*\(|\b(?:ba|z)?sh\s+-c\s|(?<![\w.-])eval\s+[\"'$]|\bInvoke-Expression\b|\biex\b"
_RUNNING = ("exec", "eval", "compile", "system", "popen", "Function", "vm.run", "sh -c", "Invoke-Expression", "iex")
_FETCHED_RUN = Flow(
    sources=r"\burlopen\s*\(|\b(?:requests|httpx|session|client)\.get\s*\(|(?:await\s+|=\s*)fetch\s*\(|\baxios(?:\.get)?\s*\(|\bhttps?\.get\s*\(|\.recv\s*\(|\$\((?:curl|wget)\s|\.DownloadString\s*\(",
    sinks=_RUN,
    hints=_RUNNING,
    harmless=_from_its_maker,
)
_DECODED_RUN = Flow(
    sources=r"\b(?:b64|b32|b85|a85|b16|urlsafe_b64|standard_b64)decode\s*\(|\bbytes\.fromhex\s*\(|\bunhexlify\s*\(|\bcodecs\.decode\s*\(|\b(?:zlib|lzma|bz2|gzip)\.decompress\s*\(|\bmarshal\.loads\s*\(|(?<![.\w])atob\s*\(|Buffer\.from\([^)\n]{1,200},\s*[\"'](?:base64|hex)[\"']|base64\s+(?:-d|-D|--decode)|FromBase64String\s*\(|\]\s*\^\s*\w+",
    sinks=_RUN
    + r"|\bsubprocess\.(?:run|call|Popen|check_\w+|getoutput)\s*\(|\b(?:child_process|cp)\.\w+\s*\(|\bimportlib\.import_module\s*\(|\bctypes\.\w*\.?(?:memmove|CFUNCTYPE)\s*\(",
    hints=(*_RUNNING, "subprocess", "child_process", "cp.", "importlib", "ctypes"),
)


def secrets_sent(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Calls that send a secret where it does not belong."""
    told = ""

    def harmless(why: str, call: str) -> bool:
        """A key that goes to its own service, or to a host that the package speaks of or that is called like it."""
        nonlocal told
        if not _in_its_place(why, call):
            return False
        told = told or f"{told_of(source)} "
        words = [word.lower() for word in re.findall(r"[A-Za-z]{4,}", why)]
        hosts = [host.lower() for host in _HOST.findall(call) if not host.startswith(_LOCAL)]
        return all(is_known(host, told) or any(word in host for word in words) for host in hosts)

    yield from flow_ends(source.text, replace(_SECRETS_SENT, harmless=harmless))


def fetched_run(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Calls that run what was read from the network."""
    yield from flow_ends(source.text, _FETCHED_RUN)


def decoded_run(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Calls that run what was decoded."""
    yield from flow_ends(source.text, _DECODED_RUN)


RULES: tuple[Rule, ...] = (
    Rule(
        id="secret-sent",
        tag="AST01",
        severity="critical",
        reason="A program reads a secret and sends it to a host that it is not for.",
        fix="Take it out. A key goes in a header to the service that issued it, and nowhere else.",
        analyse=secrets_sent,
    ),
    Rule(
        id="fetched-code-run",
        tag="AST02",
        severity="high",
        reason="A program runs a text that it has read from the network, so it can be another one every time.",
        fix="Put the code into the package, where it is reviewed.",
        analyse=fetched_run,
    ),
    Rule(
        id="decoded-code-run",
        tag="AST01",
        severity="high",
        reason="A program runs a text that it has decoded, so nobody sees what is run.",
        fix="Write the code out.",
        analyse=decoded_run,
    ),
)
