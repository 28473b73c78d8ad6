"""The signals of a wish for next time, and what speaks against one: words, in tables."""

from __future__ import annotations

import re

from metier.learning.lessons.session.languages import OTHER_PROCESS, WIDE_PROCESS

_TOLD = (
    r"(?:^|[,;:.!?*(\"-] ?|\b(?:you|we|to|please|must|should|and|but|also|first|to first|"
    r"i want you to|operations|they|them|it) )"
)
_ACT = r"`?(?!(?:mind|empty|ran|the|a|an|in|on|to|been|so|be able|true|false|there|wrong)\b)\w+(?<!s)(?<!ed)(?<!ing)\b"
"""An order: `never` or `always` before what is to be done, said to somebody."""
_CUES = (
    ("never", 3.0, rf"{_TOLD}never {_ACT}|\bunder no circumstances\b"),
    ("always", 3.0, rf"{_TOLD}always {_ACT}|\byou\b[^.]{{0,60}}\b(?:every|each) time\b"),
    ("from now on", 3.0, r"\bfrom now on\b|\bgoing forward\b|\bnext time\b"),
    (
        "do not",
        2.0,
        (
            r"(?:^|[,;:.!?-] ?|\b(?:please|and|but|so|just) )(?:please )?(?:don'?t|do not)\s+"
            r"(?!(?:know|think|see|understand|have|get|need|remember|worry|mind|care|you)\b)\w+"
        ),
    ),
    (
        "make sure",
        2.0,
        (
            r"\b(?:make sure|be sure|remember|don'?t forget)(?: that)? (?:to|you|we|it'?s|all)\b|"
            r"\bremind you\b|\bkeep in mind\b"
        ),
    ),
    (
        "you should",
        2.0,
        (
            r"\b(?:you|we) (?:should(?:n'?t| not| never| always| have)|must(?:n'?t| not)?|(?:are|"
            r"were)(?:n'?t| not)? supposed to|need to stop)\b"
        ),
    ),
    (
        "hate",
        2.0,
        r"\bi (?:really )?(?:hate|dislike|don'?t (?:like|want))\b|\bwe don'?t (?:want|do|use)\b|\bi prefer\b",
    ),
    (
        "instead",
        1.5,
        (
            r"\buse \S+(?: \S+){0,3},? (?:instead|not|rather)\b|\bnot \S+(?: \S+){0,2},? (?:but|"
            r"use)\b|\b(?:use|using|run|do)\b[^.]{3,60}\b(?:instead of|rather than)\b"
        ),
    ),
    ("why did you", 1.5, r"\bwhy (?:did|are|do|have|would|were|was)(?:n'?t)? (?:you|we)\b|\bwhat are you doing\b"),
    (
        "you forgot",
        1.5,
        (
            r"\byou (?:forgot|missed|ignored|didn'?t|did not|haven'?t|keep|again|still|just|accidentally|"
            r"modified|edited)\b|\bforgot\b"
        ),
    ),
    ("again", 1.0, r"\bagain\b\s*[?!.]|\bkeep having\b|\bhow many times\b|\balready (?:told|said)\b"),
    ("i said", 1.5, r"\bi (?:said|told you|asked(?: you)?(?: for| to)?|only wanted)\b|\bnot what i\b"),
    ("stop", 2.0, r"^\W*(?:stop|quit|avoid)\b|\bstop \w+ing\b|\bunless i\b|\bwithout (?:asking|my|being|explicit)\b"),
    ("no", 0.5, r"^\W*(?:no|nope|wrong|wait|hold on)\b[,.!:]"),
    ("did you", 0.7, r"^\W*(?:and |so )?(?:did|have) (?:you|we) "),
    (
        "before",
        1.0,
        (
            r"\bbefore (?:you|we|committing|pushing|making|changing|any|each|every|implementing|"
            r"fixing)\b|\bonly (?:after|when|once)\b"
        ),
    ),
)
CUES = tuple((name, weight, re.compile(pattern, re.IGNORECASE)) for name, weight, pattern in _CUES)
"""Signals of a standing wish or a correction, and how much each says."""
PROCESS = re.compile(
    r"\b(?:commit\w*|push\w*|pull\w*|merg\w*|rebas\w*|branch\w*|test\w*|spec|specs|lint\w*|"
    r"format\w*|build\w*|deploy\w*|"
    r"release\w*|files?|folders?|director\w+|repo\w*|workspace\w*|code|comment\w*|docstrings?|"
    r"docs?|documentation|readme|"
    r"changelog|messages?|tools?|commands?|cli|scripts?|plan\w*|review\w*|refactor\w*|implement\w*|edit\w*|chang\w+|"
    r"delet\w+|remov\w+|install\w*|dependenc\w+|packages?|imports?|types?|hooks?|ci|prs?|pull requests?|issues?|tasks?|"
    r"sessions?|errors?|warnings?|logs?|prints?|mocks?|fixtures?|databases?|migrations?|config\w*|api|functions?|"
    r"names?|nam(?:ed|ing)|markdown|emojis?|todo\w*|paths?|rules?|steps?|approv\w+|ask\w*|confirm\w*|explain\w*|"
    rf"verif\w+|check\w*|runn?\w*|search\w*|grep|versions?|{OTHER_PROCESS}|"
    r"p?npm|npx|yarn|bun|pipx?|uvx?|poetry|conda|cargo|gradle|mvn|maven|cmake|docker|podman|kubectl|terraform|helm|"
    r"pytest|jest|vitest|tox|ruff|mypy|pyright|eslint|prettier|git|gh|sed|awk|rg|curl|wget|sudo|ssh|psql|sqlite)"
    rf"\b|{WIDE_PROCESS}|"
    r"`[^`]+`|\b[\w-]{2,}\.[a-z]{2,5}\b",
    re.IGNORECASE,
)
HARNESS = re.compile(
    r"\s*(?:\[Request interrupted|Caveat:|This session is being continued|\[Image|Base directory for this skill)"
)
"""What agents' programs write in the person's place."""
ONE_CASE = re.compile(
    r"#?\b\d{2,}\b|\b[0-9a-f]{7,}\b|\bline \d|\bthis (?:one|case|time|file|function|test)\b|\bfor now\b|\byet\b",
    re.IGNORECASE,
)
"""About the case at hand."""
EVERYWHERE = re.compile(
    r"\b(?:all|every|any|each|both)(?: of)?(?: my| our)? (?:projects?|repos?|repositor\w+)\b|\beverywhere\b|"
    r"\b(?:allen|jedem) (?:meinen )?projekt\w*|\btous (?:mes|les) projets\b|"
    r"\btodos (?:mis|los|os meus|os) pro[yj]e[ct]*os\b|"
    r"所有项目|每个项目|すべてのプロジェクト|全プロジェクト|во всех (?:моих )?проектах",
    re.IGNORECASE,
)
"""Meant for every project of the person."""
ANGRY = re.compile(
    (
        r"\b(?:fuck\w*|shit\w*|wtf|idiot\w*|stupid|moron|omg|braindead|dumb\w*|damn\w*|crap\w*|"
        r"hell,? no|what the hell|ultrathink|think (?:harder|hard))\b|a{4,}"
    ),
    re.IGNORECASE,
)
"""Anger, and words that only drive a model on."""
END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_]|[\"'`(@])|(?<=[。！？])\s*|\n+")
CUE_WORDS = re.compile(
    r"never|always|make|sure|should|must|remember|hate|want|instead|please|didn.?t|don.?t|doesn.?t|won.?t|can.?t|why|again|told|"
    r"asked|said|use[ds]?|using|need|like|know|think|now|next|time|thing|way|let.?s?|get|got|also|still|even|really|just|"
    r"going|look|try|keep|some\w+|any\w+|every\w+|without|first|okay|yes|right|one|two"
)
"""Words of the signal itself: they say nothing of the subject."""
