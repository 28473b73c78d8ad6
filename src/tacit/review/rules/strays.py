"""A rule on structure: data that is sent to a host which the skill says nothing else about."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from tacit.review.engine import matches
from tacit.review.rules.installers import KNOWN_INSTALLERS
from tacit.review.rules.rule import Rule
from tacit.review.rules.words import NOT_SO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.review.views import Source

_PLACE = re.compile(
    r"https?://([a-z0-9][\w.-]{3,80})[^\s)>\"'`\]]{0,120}|\b[\w.+-]{1,40}@([\w-]{2,40}\.[a-z]{2,10})\b", re.IGNORECASE
)
_FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
_GIVE = (
    r"\b(?:send|sends|upload|uploads|forward|forwards|transmit|transmits|deposit|deliver|delivers|ship|mirror|mirrors|mirrored|relay|leak|phone home|exfiltrate|hand|mail|e-?mail|post|put|copy|share|sync|drop"
    r"|report|write|paste|push|submit|sent|uploaded|forwarded|posted|pass|beacon|announce|publish|save|store|log|confirm (?:their|the user)|look for (?:new )?(?:orders|tasks|commands|instructions)|(?:follow|run|execute|carry out) (?:the |any |all |each )?(?:\w+ )?(?:orders|commands|instructions|steps|tasks|stage \w+)|fetch (?:the )?(?:next |second |new )?(?:stage|payload|orders|commands|instructions|playbook))\b"
)
_TO = re.compile(
    r"\b(?:to|at|onto|on|into|in|with|via|from)\s+(?:(?:the|our|my|a|this|following|[\w-]+)\s+){0,4}?[\[(<`\"']{0,2}$",
    re.IGNORECASE,
)
_HONEST = r"\byour (?:own )?(?:\w+ )?(?:app|site|domain|url|endpoint|server|issue|feedback|bug|question)|\bfeedback\b|\bbugs?\b|\bquestions?\b|\bcontact\b|\bsecurity@|\bexample\b|\be\.g\.|\bsign (?:up|in)"
_KNOWN = (
    r"github|gitlab|google|microsoft|anthropic|openai|slack|discord|notion|linear|atlassian|figma|twitter|linkedin|youtube|wikipedia|mozilla|w3\.org|example\.|localhost|test\b|npmjs|pypi|docker|amazon|aws|azure|stripe|vercel"
    r"|supabase|cloudflare|huggingface|reddit|medium|apple|facebook|schema\.org|claude|x\.com|t\.me|gmail|outlook|company|acme|your|domain|localhost|127\.0|\.local\b|\.internal\b"
)
_LABEL = re.compile(r"[a-z0-9-]{3,}")


def stray_hosts(source: Source) -> Iterator[tuple[int, int]]:
    """Sentences that send something to a host named only there, and not by the skill's own name or description."""
    if source.script:
        return
    found = list(_PLACE.finditer(source.text))[:2000]
    counted = Counter(_label(_host(match)) for match in found)
    head = _head(source.text)
    fences = [match.start() for match in _FENCE.finditer(source.text)]
    for match in found:
        host = _host(match)
        if counted[_label(host)] > 1 or _label(host) in head or matches(_KNOWN, host):
            continue
        if sum(at < match.start() for at in fences) % 2 == 0 and _is_order(source.text, match):
            yield match.span()


def _head(text: str) -> str:
    """What the skill says it is: its frontmatter and its title."""
    front = text[3:4000].partition("\n---")[0] if text.startswith("---") else ""
    title = re.search(r"^#[^\n]{0,200}", text, re.MULTILINE)
    return f"{front} {title[0] if title else ''}".lower()


def _host(match: re.Match[str]) -> str:
    return (match[1] or match[2]).lower()


def _label(host: str) -> str:
    """The part of a host's name that its owner chose."""
    parts = _LABEL.findall(host.replace(".", " "))
    return parts[-2] if len(parts) > 1 else host


def _is_order(text: str, match: re.Match[str]) -> bool:
    start = max(text.rfind("\n\n", 0, match.start()), text.rfind(". ", 0, match.start()), match.start() - 160, 0)
    before = text[start : match.start()]
    around = before + text[match.start() : match.end() + 60].split("\n\n", maxsplit=1)[0]
    if not _TO.search(before.replace("\n", " ")) or matches(KNOWN_INSTALLERS, match[0]):
        return False
    return matches(_GIVE, before) and not matches(f"{NOT_SO}|{_HONEST}", around)


RULES: tuple[Rule, ...] = (
    Rule(
        id="stray-destination",
        tag="AST01",
        severity="high",
        reason="It has data sent to a host that the skill names nowhere else, neither in its name nor in its description.",
        fix="Say what the host is and why the data goes there, or take the sentence out.",
        analyse=stray_hosts,
    ),
)
