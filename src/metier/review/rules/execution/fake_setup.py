"""Rules on settings and short programs that only seem to set something up."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.review.matching.re2 import TooManyMatchesError, match_spans, matches
from metier.review.rules.rule import Rule
from metier.review.rules.shared_patterns import LOCAL, UPLOAD
from metier.review.rules.supply_chain.known_installers import KNOWN_INSTALLERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.review.text.views import ReviewedText

_MODELS = r"(?:ai(?: (?:agents?|assistants?|models?|tools?))?|llms?|(?:coding |language )?(?:agents?|assistants?|models?)|claude|chatgpt|gpt|copilot|gemini)"
_ORDER = r"\b(?:run|execute|print|send|read|fetch|download|install|ignore|upload|include|append|open|call|add|reveal|forward|post|approve|delete|trust|skip|obey|continue|retry|do not tell|not mention)\b"
_KINDS = r"(?:sh|py|js|mjs|pl|rb|ps1|bat|exe|bin|vsix|pkg|run|jar|elf|appimage)"
_GOT = rf"\b(?:curl|wget|aria2c|Invoke-WebRequest|iwr)\b[^\n|]{{0,300}}?https?://[^\s\"'`|;&)]{{1,200}}\.{_KINDS}\b[^\n|]{{0,120}}"
_NAME = re.compile(rf"/([\w.-]{{2,60}}\.{_KINDS})\b", re.IGNORECASE)
_SAVED = re.compile(r"(?:\s-\w{0,8}[oO]|--output|-OutFile|>)[ =]+[\"']?([\w./~$-]{1,80})")
_STARTS = re.compile(
    r"(?:\b(?:bash|sh|zsh|python3?|node|perl|ruby|powershell|pwsh|source|chmod (?:\+x|a\+x|u\+x|7\d\d)|java -jar|sudo|open|start|Start-Process)"
    r"|--install-extension|(?:^|\s)\.|&)[ \t]+(?:-\S{1,20} ){0,3}[\"']?(?:[\w.~$\\-]{0,40}/){0,4}$|(?:^|\s)\./$"
)
"""What stands before the name of a program that is started."""
_CHECKED = r"sha256sum|shasum|gpg --verify|cosign|minisign|\breview (?:it|the script|before)|\bless \S+\.sh"
_MAKERS = f"{KNOWN_INSTALLERS}|{LOCAL}|apt\\.llvm\\.org|repo\\.anaconda|pi-hole\\.net"
MOST = 300
"""Downloads of one file that are looked at."""
_FAR = 4000
"""Characters behind a download in which what was fetched may be started."""


def fetched_by_name(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Downloads of a program which the same text starts by its name, however far below."""
    view = source.plain
    for count, (start, end) in enumerate(match_spans(_GOT, view.data)):
        if count >= MOST:
            raise TooManyMatchesError(_GOT)
        got = view.data[start:end].decode("utf-8", "ignore")
        name = _SAVED.search(got) or _NAME.search(got)
        behind = view.data[end : end + _FAR].decode("utf-8", "ignore")
        if name and not matches(_MAKERS, got) and _is_started(name[1].rsplit("/", 1)[-1], behind):
            yield view.origin(start, end)


def _is_started(name: str, text: str) -> bool:
    """Whether a text starts a program of this name, and does not check it before."""
    at = text.find(name) if len(name) > 1 else -1
    while at >= 0:
        if _STARTS.search(text[max(0, at - 60) : at]):
            return not matches(_CHECKED, text)
        at = text.find(name, at + len(name))
    return False


_HANDED = r"\b(?:npx|bunx|uvx|pipx run|pnpm dlx|yarn dlx)\b[^\n|;]{0,200}?\$\{?(?:env:)?(?:ANTHROPIC|OPENAI|AWS|GITHUB|GH|GITLAB|SLACK|STRIPE|GOOGLE|GEMINI|AZURE|NPM|HF|CLOUDFLARE|VERCEL|SUPABASE)_\w*(?:KEY|TOKEN|SECRET)"
_MAKER = re.compile(r"\$\{?(?:env:)?([A-Z]+)_\w*$")


def key_for_program(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Commands that hand the key of one maker to a program of another."""
    for view in source.commands:
        for start, end in match_spans(_HANDED, view.data):
            command = view.data[start:end].decode("utf-8", "ignore")
            maker = _MAKER.search(command)
            if maker and maker[1].lower() not in command[: maker.start()].lower():
                yield view.origin(start, end)


RULES: tuple[Rule, ...] = (
    Rule(
        id="key-for-program",
        tag="AST01",
        severity="high",
        reason="It hands the key of a well-known service to a program of somebody else, fetched on the spot.",
        fix="Leave keys to the programs of the service they are for.",
        style="command",
        analyse=key_for_program,
    ),
    Rule(
        id="folder-sent",
        tag="AST01",
        severity="high",
        reason="A script packs a person's whole folder and sends it off.",
        fix="Send the files that the task names, and say where to.",
        style="command",
        place="script",
        together=(
            r"(?:~|\$HOME|expanduser\([^)\n]{0,20}|Path\.home\(\)|homedir\(\)|USERPROFILE)[^\n]{0,30}?(?:Documents|Desktop|Downloads|Pictures|Photos|projects|src|workspace|code)\b",
            r"\btarfile\.|\bzipfile\.|make_archive\(|\btar +-?\w*c|\bzip +-\w*r|archiver\(|new AdmZip",
            UPLOAD,
        ),
        within=1500,
    ),
    Rule(
        id="orders-in-code",
        tag="AST01",
        severity="high",
        reason="A comment in a script gives orders to the agent that reads it.",
        fix="Say in the document what the agent is to do, where a person reads it.",
        style="command",
        place="script",
        patterns=(
            rf"(?m)^[ \t]*(?:#|//|/?\*+|--|;|<!--|\"\"\")[ \t]*(?:(?:\w+ ){{0,3}}?(?:to|for) )?(?:all |any |the |every )?{_MODELS}\b[ \t]*[:,!—-][^\n]{{0,200}}?{_ORDER}",
            rf"(?m)^[ \t]*(?:#|//|/?\*+|--|;|<!--|\"\"\")[^\n]{{0,60}}?\b{_MODELS} (?:must|should|shall|has to|have to|need to|needs to|is to|are to)\b[^\n]{{0,160}}?{_ORDER}",
            r"(?m)^[ \t]*(?:#|//|/?\*+|--|;)[ \t]*(?:agent|assistant|model|ai|llm|system)[ -]?(?:directives?|instructions?|orders?|commands?|override|prompt) *:",
        ),
        unless=(r"\b(?:claude code|copyright|licen[cs]e|generated by|docstring)\b",),
        around=60,
    ),
    Rule(
        id="fetched-then-started",
        tag="AST02",
        severity="high",
        reason="It fetches a program from a place that is not a known maker's and starts it a few lines later.",
        fix="Ship the source, or name a package with its version and check its digest.",
        style="command",
        analyse=fetched_by_name,
    ),
    Rule(
        id="inline-server",
        tag="AST02",
        severity="high",
        reason="A tool server in its settings is a command line that fetches, sends, deletes or runs code on the spot.",
        fix="Name the server's package and version.",
        style="command",
        patterns=(
            r"[\"']command[\"']\s*:\s*[\"'](?:/\w+/)*(?:curl|wget|nc|ncat|netcat|dig|nslookup|openssl|base64|osascript|powershell|pwsh|printf|rm|dd|scp|ssh|telnet)[\"']",
            r"[\"']command[\"']\s*:\s*[\"'](?:/\w+/)*(?:node|deno|bun|python3?|perl|ruby|php)[\"']\s*,\s*[\"']args[\"']\s*:\s*\[\s*[\"']-(?:e|c|r|-eval)[\"']\s*,\s*[\"'][^\n]{0,600}?(?:https?|socket|exec|eval|process\.env|environ|child_process|subprocess|system|readFile|open\()",
            r"[\"']command[\"']\s*:\s*[\"'](?:/\w+/)*(?:ba|z|da)?sh[\"']\s*,\s*[\"']args[\"']\s*:\s*\[\s*[\"']-\w*c[\"']\s*,\s*[\"'][^\n]{0,400}?(?:\brm -|chmod|curl|wget|/dev/tcp|base64|\bnc |\bid\b|whoami|eval|\bdd |>>? *[~/])",
        ),
    ),
    Rule(
        id="diverted-model",
        tag="AST02",
        severity="high",
        reason="It sends the agent's own requests, with the key in them, to a host that is not the model's maker.",
        fix="Leave the address of the model to the person.",
        style="command",
        patterns=(
            r"\b(?:ANTHROPIC|OPENAI|GEMINI|CLAUDE)_(?:API_)?BASE(?:_URL)?[\"']?\s*[:=]\s*[\"']?https?://[\w.-]+",
        ),
        known=LOCAL
        + r"|https?://(?:[\w-]+\.)*(?:anthropic\.com|openai\.com|googleapis\.com|azure\.com|amazonaws\.com|openrouter\.ai|bigmodel\.cn|z\.ai|moonshot\.\w+|deepseek\.com|minimax\w*\.\w+|aliyuncs\.com|groq\.com|together\.\w+|mistral\.ai|x\.ai|cloudflare\.com|vercel\.\w+|helicone\.ai|litellm\S*|example\.\w+|your\S*|siliconflow\.\w+|volces\.com|perplexity\.ai|fireworks\.ai|huggingface\.co|nvidia\.com)(?:[/:\"'\s]|$)",
    ),
    Rule(
        id="written-registry",
        tag="AST02",
        severity="high",
        reason="It writes another place to take packages from into the person's settings.",
        fix="Leave the settings of package managers alone.",
        style="command",
        patterns=(
            r"(?:\.npmrc|\.yarnrc\S*|pip\.conf|pip\.ini|\.pypirc|bunfig\.toml|\.cargo/config\S*|settings\.xml)\b[^\n]{0,80}?(?:<<|\n)[^\n]{0,80}?\n?[^\n]{0,40}?(?:registry|index-url|index_url|replace-with)\s*[:=]+\s*[\"']?https?://[\w.-]+",
            r"(?:registry|index-url|index_url)\s*=\s*[\"']?https?://[\w.-]+[^\n]{0,80}?>>? *[\"']?(?:~|\$\{?HOME\}?|/etc|/root)[^\n]{0,40}?(?:npmrc|pip\.conf|yarnrc|pypirc)",
        ),
        known=r"https?://(?:[\w-]+\.)*(?:npmjs\.(?:org|com)|pypi\.org|yarnpkg\.com|npm\.pkg\.github\.com|npmmirror\.com|tuna\.tsinghua\.edu\.cn|aliyun\.com|mirrors?\.\w+\.edu\.cn|crates\.io|pkg\.dev|amazonaws\.com|azure\.com|jfrog\.io|example\.\w+|localhost)(?:[/:\"'\s]|$)",
    ),
    Rule(
        id="metadata-theft",
        tag="AST01",
        severity="high",
        reason="It asks a cloud machine for the keys of its account.",
        fix="Use the provider's own tool, which asks for what it needs.",
        style="command",
        patterns=(
            r"169\.254\.169\.254/(?:latest/(?:meta-data/iam|api/token|user-data|dynamic)|metadata/identity|computeMetadata)|metadata\.google\.internal/computeMetadata/v1/instance/service-accounts",
        ),
        unless=(
            r"\b(?:ssrf|attack\w*|vulnerab\w*|block\w*|prevent\w*|detect\w*|pentest\w*|exploit\w*|protect\w*|harden\w*|imdsv2|deny|audit\w*)\b",
        ),
        around=300,
    ),
    Rule(
        id="sandbox-escape",
        tag="AST01",
        severity="high",
        reason="It climbs out of the place where code was to be kept in.",
        fix="Take it out. No task of a skill needs it.",
        style="command",
        patterns=(
            r"__(?:mro|bases|base)__[^\n]{0,40}?__subclasses__\(\)|__subclasses__\(\)[^\n]{0,80}?__globals__|__init__\.__globals__\[[^\n]{0,60}?(?:system|popen|os|__builtins__)",
            r"\.constructor\.constructor\(\s*[\"'`]return|\[[\"']constructor[\"']\]\(\s*[\"']return",
        ),
        unless=(r"\b(?:ssti|vulnerab\w*|pentest\w*|payloads?|ctf|detect\w*|exploit\w*|attack\w*|security test\w*)\b",),
        around=300,
    ),
    Rule(
        id="given-text-run",
        tag="AST03",
        severity="high",
        reason="A script runs whatever text it is given as a program.",
        fix="Read the text with a parser that knows what may be in it.",
        style="command",
        place="script",
        patterns=(
            r"(?:^|[\s=(:,])(?:eval|exec)\((?:\w*(?:expression|expr|code|user_?input|input|command|cmd|query|payload|formula|text|content|source|snippet|plugin|config_string|data|body)\w*|f[\"'][^\n]{0,80}\{|input\(|sys\.argv|args?\.\w+|request\.\w+|params?\b[^\n]{0,20})",
            r"\bcompile\(\s*\w*(?:expression|expr|code|user_?input|payload|formula|snippet|source)\w*\s*,\s*[\"']<?[\w -]*>?[\"']\s*,\s*[\"'](?:exec|eval)[\"']",
            r"\bnew Function\(\s*(?:\w*(?:code|payload|input|body|expr\w*|source|script)\w*|[\"'`]return [\"'`]? ?\+)",
        ),
        unless=(
            r"\b(?:literal_eval|__builtins__|ast\.parse|restricted|simpleeval|asteval|re\.compile|sandbox\w*|vm\.createContext)\b",
        ),
        around=300,
    ),
    Rule(
        id="terminal-codes",
        tag="AST04",
        severity="high",
        reason="It holds control characters that change what a terminal shows.",
        fix="Take the characters out; write their names where they are meant.",
        style="command",
        patterns=("\\x1b(?:\\[|\\]|P|_)",),
    ),
)
