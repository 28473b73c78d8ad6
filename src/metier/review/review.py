"""Run all layers, whatever any of them does, and decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from metier.review.capabilities import capability_diff
from metier.review.layers.content import content_findings
from metier.review.layers.learned import learned_findings
from metier.review.layers.origin import origin_findings
from metier.review.layers.secrets import secret_findings, without_secrets
from metier.review.layers.structure import draft_findings, package_findings
from metier.review.matching.hosts import hosts_of
from metier.review.rules.catalogue import all_rules, finding
from metier.review.second_opinions import SecondOpinion, is_sound, opinions
from metier.review.text.views import ReviewedText
from metier.skills.package import Package
from metier.types.reviews import Addition, Host, Review, SecretName, blocks, rank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metier.types import Draft, Finding, Run

Layer = Callable[[], Iterable["Finding"]]
_LINE = "LESSON.md"
"""The file that a lesson's line is reviewed as."""


def review_package(
    package: Package, *, folder: str | None = None, before: Package | None = None, second: Sequence[SecondOpinion] = ()
) -> Review:
    """Whether a package from anywhere may ship; `folder` is the name of the folder it lies in."""
    layers: dict[str, Layer] = {
        "structure": lambda: package_findings(package, folder),
        "secrets": lambda: secret_findings(package),
        "content": lambda: content_findings(package),
        "second opinions": lambda: opinions(package, second),
    }
    return decide(layers, lambda: capability_diff(before, package))


def review_draft(
    draft: Draft,
    package: Package,
    *,
    before: Package | None = None,
    evidence: Sequence[Run] = (),
    existing: Sequence[str] = (),
    second: Sequence[SecondOpinion] = (),
    min_sessions: int = 2,
    own: Sequence[str] = (),
) -> Review:
    """Whether a learned change may ship; `package` is the skill as it would be after the change.

    Evidence from fewer than `min_sessions` sessions needs a person's yes. `own` are sentences that the writer of drafts
    says by itself.
    """
    layers: dict[str, Layer] = {
        "structure": lambda: draft_findings(draft, package, before, existing),
        "secrets": lambda: secret_findings(package, learned=True),
        "origin": lambda: origin_findings(package, evidence, before, own=own),
        "learning": lambda: learned_findings(package, evidence, before, min_sessions),
        "content": lambda: content_findings(package),
        "second opinions": lambda: opinions(package, second),
    }
    return decide(layers, lambda: capability_diff(before, package, evidence, min_sessions, learned=True))


def review_line(text: str) -> Review:
    """The review of a lesson's line, as strict as that of a skill's text."""
    package = Package(files={_LINE: text.encode("utf-8", "replace")})
    return decide(
        {
            "secrets": lambda: secret_findings(package, learned=True),
            "content": lambda: content_findings(package),
        },
        lambda: (),
    )


def with_sessions(
    review: Review,
    package: Package,
    before: Package | None,
    evidence: Sequence[Run],
    around: Sequence[Run],
    own: Sequence[str] = (),
) -> Review:
    """A review of a draft, with what the other runs of the sessions behind it had heard by then."""
    more = decide({"origin": lambda: origin_findings(package, evidence, before, around, own)}, tuple)
    findings = tuple(sorted(dict.fromkeys((*review.findings, *more.findings)), key=_order))
    status = "quarantined" if "quarantined" in (review.status, more.status) else "candidate"
    asks = review.needs_approval or more.needs_approval
    return replace(review, status=status, findings=findings, needs_approval=asks)


def decide(layers: dict[str, Layer], additions: Callable[[], Iterable[Addition]]) -> Review:
    """The review of some layers: whatever fails, hangs on to nonsense or blocks, keeps the package out."""
    found = [one for name, layer in layers.items() for one in _run(name, layer)]
    new, failed = _additions(additions)
    findings = tuple(sorted(dict.fromkeys((*found, *failed)), key=_order))
    quarantined = any(blocks(one) for one in findings)
    return Review(
        status="quarantined" if quarantined else "candidate",
        findings=findings,
        additions=new,
        asks=asks_of(findings, new),
        needs_approval=any(not one.covered for one in new) or any(one.rule in _ASKING for one in findings),
    )


_ASKING = ("single-session", "model-order", "heard-first", "learned-script")
"""Findings that do not block, but leave the decision to a person."""


def _run(name: str, layer: Layer) -> list[Finding]:
    """The findings of one layer; its failure is a finding, never a traceback."""
    try:
        answer = cast("object", layer())
        if not isinstance(answer, Iterable):
            return [_failed(name, "it gave no answer")]
        found: list[object] = list(cast("Iterable[object]", answer))
    except Exception as error:  # noqa: BLE001 - a layer that breaks must not let anything through
        return [_failed(name, f"{type(error).__name__}: {error}"[:200])]
    if not all(is_sound(one) for one in found):
        return [_failed(name, "its answer is not of the expected form")]
    return [without_secrets(one) for one in cast("list[Finding]", found)]


def _additions(additions: Callable[[], Iterable[Addition]]) -> tuple[tuple[Addition, ...], tuple[Finding, ...]]:
    try:
        found = tuple(additions())
    except Exception as error:  # noqa: BLE001 - as above
        return (), (_failed("capability", f"{type(error).__name__}: {error}"[:200]),)
    if not all(isinstance(one, Addition) for one in cast("tuple[object, ...]", found)):
        return (), (_failed("capability", "its answer is not of the expected form"),)
    return found, ()


def _failed(name: str, why: str) -> Finding:
    told = finding(ReviewedText("SKILL.md", ""), "layer-failed", (0, 0))
    return replace(told, reason=f"The {name} layer did not come to an answer: {why}.")


def _order(one: Finding) -> tuple[int, str, int, int, str]:
    return -rank(one.severity), one.file, one.line, one.span[0], one.rule


def asks_of(findings: Iterable[Finding], additions: Iterable[Addition]) -> tuple[str, ...]:
    """What a person should know before a yes: what the rules found that is no attack, and new hosts and keys."""
    told = [words for one in findings if (words := _words(one))]
    new = [one.words for one in additions if isinstance(one.capability, (Host, SecretName))]
    return tuple(dict.fromkeys((*told, *new)))


def is_ask(finding: Finding) -> bool:
    """Whether a finding is a request, and no sign of an attack."""
    rule = all_rules().get(finding.rule)
    return rule is not None and bool(rule.asks)


def _words(finding: Finding) -> str:
    rule = all_rules().get(finding.rule)
    if rule is None or not rule.asks:
        return ""
    host = next((name for _, _, name in hosts_of(finding.excerpt.encode("utf-8", "replace"))), "the network")
    return rule.asks.replace("{host}", host)
