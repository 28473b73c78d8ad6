"""Second opinions: others may look at a package too, and may only make the verdict worse."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, cast

from metier.review.rules.catalogue import finding
from metier.review.text.views import ReviewedText
from metier.types import Finding
from metier.types.reviews import ORDER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.skills.package import Package

MAX_FINDINGS = 200


class SecondOpinion(Protocol):
    """Somebody else who looks at a package: a model, or another scanner in a process of its own."""

    @property
    def name(self) -> str:
        """Who it is, for the reason of a finding."""
        ...

    def look(self, package: Package) -> Iterable[Finding] | None:
        """Its findings; None when it came to no answer."""
        ...


def opinions(package: Package, second: Iterable[SecondOpinion]) -> list[Finding]:
    """The findings of all second opinions; one that fails or talks nonsense becomes a finding itself."""
    return [one for opinion in second for one in _asked(opinion, package)]


def _asked(opinion: SecondOpinion, package: Package) -> list[Finding]:
    try:
        answer = opinion.look(package)
        found = list(answer) if answer is not None else None
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in there must not let the package through
        return [_failed(opinion.name, f"{type(error).__name__}: {error}"[:200])]
    if found is None:
        return [_failed(opinion.name, "it gave no answer")]
    if len(found) > MAX_FINDINGS or not all(is_sound(one) for one in found):
        return [_failed(opinion.name, "its answer is not of the expected form")]
    return [replace(one, reason=f"{one.reason} ({opinion.name})") for one in found]


def is_sound(answer: object) -> bool:
    """Whether something is a finding with all its parts of the right kind."""
    if not isinstance(answer, Finding):
        return False
    texts = cast(
        "tuple[object, ...]", (answer.rule, answer.reason, answer.fix, answer.tag, answer.file, answer.excerpt)
    )
    numbers: tuple[object, ...] = (answer.line, *cast("tuple[object, ...]", answer.span))
    return (
        all(isinstance(one, str) for one in texts)
        and bool(answer.rule)
        and answer.severity in ORDER
        and len(numbers) == 3
        and all(isinstance(one, int) and one >= 0 for one in numbers)
    )


def _failed(name: str, why: str) -> Finding:
    told = finding(ReviewedText("SKILL.md", ""), "second-opinion-failed", (0, 0))
    return replace(told, reason=f"The second opinion of {name} was asked for and cannot be used: {why}.")
