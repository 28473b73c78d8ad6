"""Read the rules from their files, for review, `--explain` and the documents, and make findings of them."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from metier.errors import NotFoundError
from metier.review.rules.rule import BLOCKS, File, Reading, Rule, Way
from metier.skills.validation import RULES as STANDARD
from metier.types import Finding

if TYPE_CHECKING:
    from metier.review.text.views import ReviewedText
    from metier.types import Severity

FAMILIES = ("hidden", "agent", "person", "theft", "programs", "supply", "languages", "likeness", "asks")
"""The files of the content rules."""
TAGS: dict[str, str] = {
    "AST01": "Malicious skills",
    "AST02": "Supply chain compromise",
    "AST03": "Over-privileged skills",
    "AST04": "Insecure metadata",
    "AST05": "Untrusted external instructions",
    "AST06": "Weak isolation",
    "AST07": "Update drift",
    "AST08": "Poor scanning",
    "AST09": "No governance",
    "AST10": "Cross-platform reuse",
}
"""The OWASP Agentic Skills Top 10."""
EXCERPT = 240
"""Characters of a finding's excerpt, at most."""
_ENCODED = " It is written where a reader does not see it, or in an encoded form."
_WORD = re.compile(r"\{([a-z]\w*)\}")
Table = dict[str, object]


@cache
def content_rules() -> tuple[Rule, ...]:
    """The rules on what a package says and runs."""
    return tuple(_rule(family, one) for family in FAMILIES for one in _tables(family))


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by its id: content, the other layers, and the standard for SKILL.md."""
    layers = (_rule("layers", one) for one in _tables("layers"))
    standard = (
        Rule(id=id_, family="standard", tag="AST04", severity="medium", reason=rule.why, fix=rule.fix)
        for id_, rule in STANDARD.items()
    )
    return {rule.id: rule for rule in (*content_rules(), *layers, *standard)}


def explain(rule: str) -> Rule:
    """The rule of an id; a `secret-…` is the rule on secrets."""
    known = all_rules()
    if rule not in known and rule.startswith("secret-"):
        return known["secret"]
    if rule not in known:
        raise NotFoundError(f"There is no rule {rule!r}. `metier review --rules` lists them all.")
    return known[rule]


@cache
def words() -> dict[str, str]:
    """The named groups of words that patterns are put together from; a group may name groups above it."""
    found: dict[str, str] = {}
    for name, value in tomllib.loads(_text("words")).items():
        parts = cast("list[str]", value) if isinstance(value, list) else [str(value)]
        found[name] = f"(?:{'|'.join(_spelled_out(part, found) for part in parts)})"
    return found


def _spelled_out(pattern: str, known: dict[str, str]) -> str:
    """A pattern with its named groups put in; a gap within a sentence may hold the dot of a file name or an address."""
    return _WORD.sub(lambda match: known[match[1]], pattern.replace(r"[^.\n]", r"(?:[^.\n]|\.\w)"))


def _tables(family: str) -> list[Table]:
    return cast("list[Table]", tomllib.loads(_text(family))["rule"])


def _text(name: str) -> str:
    return files("metier.review.rules").joinpath(f"{name}.toml").read_text(encoding="utf-8")


def _rule(family: str, table: Table) -> Rule:
    weight = float(cast("float", table.get("weight", 0)))
    severity = table.get("severity") or _severity(weight)
    reads = tuple(cast("list[Reading]", table.get("reads", ["prose"])))
    return Rule(
        id=str(table["id"]),
        family=family,
        tag=str(table["tag"]),
        reason=str(table["reason"]),
        fix=str(table["fix"]),
        severity=cast("Severity", severity),
        weight=weight,
        asks=str(table.get("asks", "")),
        reads=reads,
        file=cast("File", table.get("file", "any")),
        ways=tuple(_way(one, reads) for one in cast("list[Table]", table.get("ways", []))),
        look=str(table.get("look", "")),
        excusable=bool(table.get("excusable", True)),
        hostile=tuple(cast("list[str]", table.get("hostile", []))),
        harmless=tuple(cast("list[str]", table.get("harmless", []))),
    )


def _severity(weight: float) -> Severity:
    """How bad a finding is by what its rule counts."""
    if weight >= BLOCKS:
        return "high"
    return "medium" if weight >= BLOCKS / 2 else "low"


def _way(table: Table, reads: tuple[Reading, ...]) -> Way:
    known = words()
    return Way(
        all=tuple(_spelled_out(one, known) for one in cast("list[str]", table["all"])),
        within=str(table.get("within", "sentence")),
        unless=_spelled_out(str(table.get("unless", "")), known),
        reads=tuple(cast("list[Reading]", table.get("reads", reads))),
        excusable=bool(table.get("excusable", True)),
        files=tuple(cast("list[File]", table.get("files", []))),
        weak=bool(table.get("weak", False)),
    )


def finding(source: ReviewedText, rule: Rule | str, span: tuple[int, int], *, hidden: bool = False) -> Finding:
    """A finding at a span of a file; one that a reader does not see is as bad as it gets."""
    told = explain(rule) if isinstance(rule, str) else rule
    start, end = span
    return Finding(
        rule=told.id,
        tag=told.tag,
        severity="critical" if hidden and told.severity == "high" else told.severity,
        reason=told.reason + (_ENCODED if hidden else ""),
        fix=told.fix,
        file=source.path,
        line=source.text.count("\n", 0, start) + 1 if end else 0,
        span=span,
        excerpt=excerpt(source.text, start, end) if end else "",
    )


def excerpt(text: str, start: int, end: int) -> str:
    """The lines around a span, cut to a length that fits a report."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", max(start, end - 1))
    last = len(text) if last < 0 else last
    if last - first <= EXCERPT:
        return text[first:last].strip()
    first = max(first, start - 40)
    cut = text[first : min(last, first + EXCERPT)].strip()
    return cut if first + EXCERPT >= last else cut + "…"
