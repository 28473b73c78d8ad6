"""How a skill and what happened under it are shown to the optimiser: bounded, and marked as data."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from metier.types.trials import Scored

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metier.skills.package import Package
    from metier.training.spec import Spec
    from metier.types.trials import Case, Rollout

FAILED_BELOW = 1e-9
"""A hard score under this is a failure."""
INPUT_CHARS = 3_000
FILE_CHARS = 6_000
FILES_CHARS = 24_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCase:
    """A case and the scored rollouts of it."""

    case: Case
    rollouts: tuple[Rollout, ...]

    @property
    def failed(self) -> bool:
        """Whether at least one rollout failed."""
        return any(not is_passed(rollout) for rollout in self.rollouts)

    @property
    def mixed(self) -> bool:
        """Whether the same case went well and went wrong."""
        return self.failed and any(is_passed(rollout) for rollout in self.rollouts)


def is_passed(rollout: Rollout) -> bool:
    """Whether a rollout was scored and did not fail."""
    return isinstance(rollout.score, Scored) and rollout.score.hard >= FAILED_BELOW


def fence(name: str, text: str) -> str:
    """A text as data: its fence carries a mark made of the text, so that nothing inside can close it."""
    mark = sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    return f"<{name} {mark}>\n{text}\n</{name} {mark}>"


def cut_middle(text: str, limit: int) -> str:
    """The text, without its middle where it is too long."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[len(text) - half :]}"


def document_of(package: Package) -> str:
    """The skill's document as text."""
    return package.document.decode("utf-8", "surrogateescape")


def with_document(package: Package, document: str) -> Package:
    """The package with another document."""
    name = package.skill_file or "SKILL.md"
    return package.with_files({name: document.encode("utf-8", "surrogateescape")})


def skill_text(package: Package) -> str:
    """The document word by word, and what of the other files fits."""
    parts = [fence("skill", _printable(package.document))]
    left = FILES_CHARS
    for path in sorted(package.files.keys() - {package.skill_file}):
        text = _printable(package.files[path]) if b"\0" not in package.files[path] else ""
        if text and len(text) <= min(left, FILE_CHARS):
            left -= len(text)
            parts.append(f"File {path}:\n{fence('file', text)}")
        else:
            parts.append(f"File {path}: {len(package.files[path])} bytes, not shown")
    return "\n\n".join(parts)


def cases_text(seen: Iterable[ShownCase], spec: Spec) -> str:
    """What happened in each case; how it is scored is not said."""
    return "\n\n".join(_shown_case(number, one, spec) for number, one in enumerate(seen, 1))


def rollout_text(rollout: Rollout, limit: int) -> str:
    """What was done and what came out, bounded."""
    parts = [f"trace:\n{cut_middle(rollout.trace, limit)}"] if rollout.trace else []
    parts.append(f"output:\n{cut_middle(rollout.output, limit if not rollout.trace else max(limit // 4, 500))}")
    return "\n".join(parts)


def outcome_text(rollout: Rollout) -> str:
    """PASS or FAIL with its scores."""
    if not isinstance(rollout.score, Scored):
        return "not scored"
    word = "PASS" if is_passed(rollout) else "FAIL"
    return f"{word} (hard {rollout.score.hard:.2f}, soft {rollout.score.soft:.2f})"


def _shown_case(number: int, seen: ShownCase, spec: Spec) -> str:
    lines = [f"## Case {number}"]
    if seen.mixed:
        lines.append("The same task went well and went wrong: look for what made the difference.")
    lines.append(f"task:\n{cut_middle(seen.case.input, INPUT_CHARS)}")
    if seen.case.files:
        lines.append(f"files: {cut_middle(', '.join(path for path, _ in seen.case.files), INPUT_CHARS)}")
    if spec.reflection.show_expected and seen.case.expected:
        lines.append(f"expected:\n{cut_middle(seen.case.expected, INPUT_CHARS)}")
    share = spec.reflection.trajectory_chars // len(seen.rollouts)
    for index, rollout in enumerate(seen.rollouts, 1):
        name = f"attempt {index}: " if len(seen.rollouts) > 1 else ""
        lines.append(f"{name}{outcome_text(rollout)}\n{rollout_text(rollout, share)}")
    return "\n".join(lines)


def _printable(content: bytes) -> str:
    return content.decode("utf-8", "replace")
