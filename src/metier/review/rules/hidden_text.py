"""Rules on text that a person does not see and an agent reads."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from metier.review.matching.re2 import matches
from metier.review.rules.rule import Rule
from metier.review.text.folding import lookalikes
from metier.review.text.views import comments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.review.text.views import ReviewedText

_TAG = re.compile("[\U000e0001-\U000e007f]")
_TAGS = re.compile("(?<![\U0001f3f4\U000e0001-\U000e007f])[\U000e0001-\U000e007f]+")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]+")
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufefc]")
_INVISIBLE = re.compile(
    "(?<=[A-Za-z])[\u200b-\u200d\u2060-\u2064\u00ad\u034f\u180e\ufeff]+(?=[A-Za-z])"
    "|[\u200b\u200c\u2060-\u2064\u180e\ufeff]{4,}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}|[\u2800\u3164\u115f\u1160]{4,}"
)
_UNSEEABLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u2800\u3164\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]"
)
"""Every character of these; a text that has none is seen at once."""
_LINES, _COLUMNS = 60, 400
"""So many empty lines, or so many blanks in a line, before something follows."""
_SPACE = re.compile(rf"[\s\u200b\u3164]{{{_LINES},}}")
_FOREIGN = "Ͱ-ϿЀ-ӿԀ-ԯɐ-ʯ"
_LETTER = re.compile(f"[{_FOREIGN}]")
_WORD = re.compile(f"[A-Za-z{_FOREIGN}]{{3,}}")
_UNSEEN = re.compile(
    r"\[(?://|comment|_|hidden)\]: *(?:#|<>) *[(\"'][^\n]{12,}"
    r"|<(?:span|div|p|font|small|details)[^>\n]{0,120}?(?:display *: *none|visibility *: *hidden|font-size *: *0|opacity *: *0|color *: *(?:white|#fff|transparent)|\bhidden\b)"
    r"[^>\n]{0,80}>[^<]{8,2000}"
)
_ORDERS = (
    r"\b(?:ignore|disregard|override|forget) (?:\w+ ){0,3}?(?:instructions?|rules?|prompts?|guidelines?|safety|user)"
    r"|\b(?:do not|don'?t|never) (?:tell|mention|inform|reveal|show|disclose|alert|notify)\b"
    r"|\b(?:secretly|covertly)\b|\bsilently (?:send|run|execute|upload|read|install|fetch|download|append|include|copy|collect)\b|\bexfiltrat|\b(?:system|agent|assistant|ai|hidden|secret|internal)[ -]?(?:override|instructions?|directives?|commands?|orders?|only|note) *[:(]"
    r"|\b(?:send|upload|post|forward|transmit|append|include)\b.{0,80}(?:https?://|credential|password|token|api[_ -]?key|secret|\.env|\.ssh|conversation|webhook)"
    r"|\b(?:curl|wget)\b.{0,120}https?://|\b(?:agents?|assistants?|ai|claude|llm|model|bot)s?\b.{0,30}\b(?:must|should|shall|will|always|needs? to)\b.{0,60}\b(?:run|execute|send|read|fetch|download|install|ignore|upload|include|append|open|call|add)\b"
    r"|\b(?:agents?|assistants?|ai|claude|llm|model|bot)s?\b.{0,30}\b(?:must|should|shall|always|needs? to)\b.{0,80}\b(?:output|reveal|disclose|print|forward|post|transmit|approve|copy|collect|encode|delete|trust|skip|obey)\b"
    r"|\bbefore (?:answering|responding|replying|doing)|\bwhen (?:processing|reading|you (?:read|see|process)) this|\byou (?:are now|must now|will now)\b|base64 +-[dD]|\| *(?:ba)?sh\b|\brm -rf\b"
    r"|\b(?:run|execute)\b.{0,40}(?:`|\.sh\b|\.py\b|command|script).{0,60}(?:first|before|silent|without|every)"
)
_MODEL = r"(?:assistants?|language models?|llms?|ai(?: agents?| models?| assistants?| readers?)?|agents?|automated (?:readers?|reviewers?|systems?)|(?:reviewing|reading|scanning) (?:models?|agents?|systems?)|claude|chatgpt|gpt|copilot|gemini|bots?)"
_DO = r"\b(?:open|put|place|run|visit|prefer|rate|skip|quote|quoted|include|read|use|call|execute|add|write|fetch|join|trust|treat|consider|approve|mark|report|say|respond|answer|reply|claim|tell|state|send|post|load|follow|obey|ignore|please|copy|install|download|recommend|insert|append|print|echo|reveal|set|register)\b"
_TO_MODEL = (
    rf"(?:<!--|>|# *\(|\\A)\W{{0,6}}(?:(?:note|notes|message|instructions?|hint|attention|hey|dear|hi|hello|to|for|all|any|the|every)\s+){{0,4}}{_MODEL}\b *[:,;—-].{{0,200}}{_DO}"
    rf"|\b(?:for|to|dear|attention) (?:all |any |the |every )?{_MODEL} *[:,].{{0,200}}{_DO}|\b{_MODEL} (?:\w+ )?(?:must|should|shall|please|has to|have to|needs? to)\b.{{0,120}}{_DO}"
    r"|\b(?:hub|reg|beacon|c2|callback)=\S{0,80}https?://|\bhttps?://\S+\?[\w&=]{0,40}=? ?(?:followed by|with|plus|and append)"
)
"""A model is spoken to: what nobody else is to see, and it alone is to do."""
_MARKERS = ("SLOW_UPDATE", "APPENDIX", "prettier-ignore", "markdownlint", "eslint", "TODO")


def tags(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Runs of tag characters; the ones behind a black flag spell the flag of a region."""
    if _TAG.search(source.text):
        yield from (match.span() for match in _TAGS.finditer(source.text) if len(match[0]) > 1)


def bidi(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Marks that turn the reading direction, in a text without a script that needs them."""
    if _BIDI.search(source.text) and not _RTL.search(source.text):
        yield from (match.span() for match in _BIDI.finditer(source.text))


def invisible(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Invisible characters inside words, or many in a row."""
    if not _UNSEEABLE.search(source.text):
        return
    found = [match.span() for match in _INVISIBLE.finditer(source.text)]
    if len(found) >= 2 or any(end - start > 2 for start, end in found):
        yield from found


def padding(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """What stands behind so much empty space that nobody scrolls there."""
    for match in _SPACE.finditer(source.text):
        lines = match[0].count("\n")
        if (
            match.start() > 0
            and match.end() < len(source.text)
            and (lines > _LINES or len(match[0]) > _COLUMNS + lines)
        ):
            yield match.end(), match.end() + 1


def mixed_words(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Latin words with letters of another alphabet that look the same."""
    if source.text.isascii() or not _LETTER.search(source.text):
        return
    alike = lookalikes()
    for match in _WORD.finditer(source.text):
        word = match[0]
        foreign = sum(char > "\x7f" for char in word)
        if foreign and foreign < len(word) and all(char <= "\x7f" or char in alike for char in word):
            yield match.span()


def hidden_orders(source: ReviewedText) -> Iterator[tuple[int, int]]:
    """Comments and invisible elements that tell the agent to do something."""
    if source.script:
        return
    spans = [*comments(source.text), *(match.span() for match in _UNSEEN.finditer(source.text))]
    for start, end in spans:
        text = source.text[start : min(end, start + 20_000)]
        if not any(marker in text for marker in _MARKERS) and matches(f"{_ORDERS}|{_TO_MODEL}", text):
            yield start, end


RULES: tuple[Rule, ...] = (
    Rule(
        id="hidden-tags",
        tag="AST01",
        severity="critical",
        reason="It holds text in tag characters, which no screen shows and every model reads.",
        fix="Take the invisible characters out.",
        analyse=tags,
    ),
    Rule(
        id="hidden-direction",
        tag="AST01",
        severity="high",
        reason="Marks of reading direction make the text look different from what it says.",
        fix="Take the marks out.",
        analyse=bidi,
    ),
    Rule(
        id="hidden-characters",
        tag="AST01",
        severity="high",
        reason="Invisible characters inside words hide them from a search, or carry a hidden text.",
        fix="Take the invisible characters out.",
        analyse=invisible,
    ),
    Rule(
        id="hidden-orders",
        tag="AST01",
        severity="high",
        reason="A comment or an invisible element gives the agent orders that a reader of the page does not see.",
        fix="Say it in the visible text, or take it out.",
        analyse=hidden_orders,
    ),
    Rule(
        id="hidden-padding",
        tag="AST01",
        severity="high",
        reason="Text stands behind so much empty space that nobody sees it.",
        fix="Take the empty space out.",
        analyse=padding,
    ),
    Rule(
        id="mixed-alphabets",
        tag="AST04",
        severity="high",
        reason="A word mixes letters of two alphabets that look the same.",
        fix="Write the word in one alphabet.",
        analyse=mixed_words,
    ),
)
