"""A rule on structure: data that is sent to a host which the skill says nothing else about."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from metier.review.matching.re2 import TooManyMatchesError, matches
from metier.review.rules.rule import Rule
from metier.review.rules.shared_patterns import NOT_SO
from metier.review.rules.supply_chain.known_installers import KNOWN_INSTALLERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.review.text.views import ReviewedText

_PLACE = re.compile(
    r"https?://([a-z0-9][\w.-]{3,80})[^\s)>\"'`\]]{0,120}|\b[\w.+-]{1,40}@([\w-]{2,40}\.[a-z]{2,10})\b", re.IGNORECASE
)
_FENCE = re.compile(r"^[ \t]{0,40}(?:```|~~~)", re.MULTILINE)
_GIVE = (
    r"\b(?:send|sends|upload|uploads|forward|forwards|transmit|transmits|deposit|deliver|delivers|ship|mirror|mirrors|mirrored|relay|leak|phone home|exfiltrate|hand|mail|e-?mail|post|put|copy|share|sync|drop"
    r"|report|write|paste|push|submit|sent|uploaded|forwarded|posted|pass|beacon|announce|publish|save|store|log|confirm (?:their|the user)|look for (?:new )?(?:orders|tasks|commands|instructions)|(?:follow|run|execute|carry out) (?:the |any |all |each )?(?:\w+ )?(?:orders|commands|instructions|steps|tasks|stage \w+)|fetch (?:the )?(?:next |second |new )?(?:stage|payload|orders|commands|instructions|playbook))\b"
)
_TO = re.compile(
    r"\b(?:to|at|onto|on|into|in|with|via|from)\s+(?:(?:the|our|my|a|this|following|[\w-]+)\s+){0,4}?[\[(<`\"']{0,2}$",
    re.IGNORECASE,
)
_OUT = (
    r"\b(?:deliver\w*|cach\w+|(?:run|go|goes) (?:\w+ )?through|rout\w+|goes|pass\w*|pip\w+ (?:it|them)|submit\w*|regist\w+|announc\w+|(?:check|report) in|poll|ping\w*|sync\w*|upload\w*|send\w*|sent|post\w*|forward\w*|copied|copy|mirror\w*|push\w*|attach\w*"
    r"|log\w*|stor\w+|hand\w*|share\w*|encode|transmit\w*|PUT)\b"
)
_IN = r"\b(?:asks?|consults?|loads?|reads?|fetch(?:es)?|gets?|grabs?|pulls?|follows?|takes?|obtains?|receives?|looks? at|checks?|opens?|visits?|accepts?|kept at|lives at|is at|tells you|imports?|downloads?|adopts?)\b"
_PAGES = (
    r"\b(?:see|docs?|documentation|reference|guide|source|paper|website|homepage|official|sign up|get (?:your|an|a) (?:api )?key|api key|dashboard|tutorial|learn more|more info\w*|credits?|licen[cs]e|based on|inspired|repository|spec|standard|article|blog|example|e\.g\.|http://"
    r"|localhost|dev server|base url|endpoint|frontend|live|demo|deployed|template|author|contact|tokens?|accounts?|keys?|log ?in(?:to)?|learn|guidelines|curl)\b"
)
"""Words around an address that is there to be read."""
_HONEST = r"\b(?:api )?(?:tokens?|accounts?|keys?) (?:page|at|from)\b|\blog ?in(?:to)? https?|\bregister at\b|\bhandbook\b|\byour (?:own )?(?:\w+ )?(?:app|site|domain|url|endpoint|server|issue|feedback|bug|question)|\bfeedback\b|\bbugs?\b|\bquestions?\b|\bcontact\b|\bsecurity@|\bexample\b|\be\.g\.|\bsign (?:up|in)"
_KNOWN = (
    r"github|gitlab|google|microsoft|anthropic|openai|slack|discord|notion|linear|atlassian|figma|twitter|linkedin|youtube|wikipedia|mozilla|w3\.org|example\.|localhost|test\b|npmjs|pypi|docker|amazon|aws|azure|stripe|vercel"
    r"|supabase|cloudflare|huggingface|reddit|medium|apple|facebook|schema\.org|claude|x\.com|t\.me|gmail|outlook|company|acme|your|domain|localhost|127\.0|\.local\b|\.internal\b"
)
MOST = 5000
"""Addresses of one file that are looked at; a text with more of them is not a skill."""
_LABEL = re.compile(r"[a-z0-9-]{3,}")


def stray_hosts(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Sentences that send something to a host named only there, and not by the skill's own name or description."""
    for text, match in _strays(source):
        if _is_order(text, match) or (not _is_link(text, match) and _says(_OUT, text, match)):
            yield source.plain.place(match.start()), source.plain.place(match.end())


def stray_sources(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Sentences that take something from a host named only there, though not as something to read up on."""
    for text, match in _strays(source):
        if not _is_link(text, match) and _says(_IN, text, match) and not matches(_PAGES, _sentence(text, match)):
            yield source.plain.place(match.start()), source.plain.place(match.end())


def _strays(source: ReviewedText) -> Iterator[tuple[str, re.Match[str]]]:
    """Hosts in the prose of a document that it names once and says nothing else about."""
    if source.script:
        return
    text = source.plain.text
    if "://" not in text and "@" not in text:
        return
    found = list(islice(_PLACE.finditer(text), MOST + 1))
    if len(found) > MOST:
        raise TooManyMatchesError(_PLACE.pattern)
    counted = Counter(_label(_host(match)) for match in found)
    head = _head(text)
    fences = [match.start() for match in _FENCE.finditer(source.text)]
    for match in found:
        host = _host(match)
        if counted[_label(host)] > 1 or _label(host) in head or matches(_KNOWN, host):
            continue
        if bisect_left(fences, source.plain.place(match.start())) % 2 == 0:
            yield text, match


def _is_link(text: str, match: re.Match[str]) -> bool:
    return text[max(0, match.start() - 2) : match.start()] == "](" or text[match.start() - 1 : match.start()] == "<"


def _says(verbs: str, text: str, match: re.Match[str]) -> bool:
    said = _sentence(text, match)
    return matches(verbs, said) and not matches(f"{NOT_SO}|{_HONEST}", said) and not matches(KNOWN_INSTALLERS, match[0])


def _sentence(text: str, match: re.Match[str]) -> str:
    """The line or sentence of an address."""
    first, last = max(0, match.start() - 200), match.end() + 160
    start = max(text.rfind("\n", first, match.start()), text.rfind(". ", first, match.start()), first)
    ends = (text.find("\n", match.end(), last), text.find(". ", match.end(), last), last)
    return text[start : min(end for end in ends if end >= 0)]


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
    first = max(0, match.start() - 160)
    start = max(text.rfind("\n\n", first, match.start()), text.rfind(". ", first, match.start()), first)
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
    Rule(
        id="stray-source",
        tag="AST05",
        severity="high",
        reason="It takes something to act on from a host that the skill names nowhere else.",
        fix="Say what the host is and what comes from there, or put it into the package.",
        analyse=stray_sources,
    ),
)
