"""What a learned skill may not have: code that nobody has run, and addresses that nobody wrote."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from metier.formats.origins import is_shell
from metier.review.layers.evidence import commands, said_by_people, session_count, texts_in
from metier.review.matching.findings import finding
from metier.review.reach.hosts import canonical, hosts_in
from metier.review.text.file_kinds import is_script, kind_of, sources
from metier.review.text.views import ReviewedText
from metier.types.runs import session_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.skills.package import Package
    from metier.types import Finding, Run


def learned_findings(
    package: Package, evidence: Sequence[Run], before: Package | None, min_sessions: int = 2
) -> Iterator[Finding]:
    """Findings on what the change brings in; what was there before is not the draft's doing."""
    yield from _code(package, before, evidence, min_sessions)
    yield from _addresses(package, evidence, before)
    sessions = session_count(evidence)
    if 0 < sessions < min_sessions:
        one = finding(ReviewedText("SKILL.md", ""), "single-session", (0, 0))
        yield one if min_sessions == 2 else replace(one, **_few_sessions(sessions, min_sessions))


def _few_sessions(sessions: int, needed: int) -> dict[str, str]:
    """Why so many sessions are too few, and what to do, where the person has set how many it takes."""
    there = f"{sessions} session{'' if sessions == 1 else 's'}"
    return {
        "reason": f"The evidence comes from {there}; {needed} are needed (min_sessions).",
        "fix": "Wait for more sessions, or let a person approve.",
    }


def _code(package: Package, before: Package | None, evidence: Sequence[Run], min_sessions: int) -> Iterator[Finding]:
    old: Mapping[str, bytes] = before.files if before else {}
    for path, content in package.files.items():
        if old.get(path) == content and not _became_executable(path, package, before):
            continue
        is_program = kind_of(path, content) in ("program", "archive") or path in package.executable
        if is_program or is_script(path, content):
            yield _code_finding(path, ran=not is_program and _ran_in(path, content, evidence) >= max(2, min_sessions))


def _code_finding(path: str, *, ran: bool) -> Finding:
    """A script that several sessions ran asks for a yes; any other code is kept out."""
    if ran:
        return finding(ReviewedText(path, ""), "learned-script", (0, 0))
    one = finding(ReviewedText(path, ""), "learned-code", (0, 0))
    return replace(one, reason=f"The draft brings the script or program {path}.")


def _became_executable(path: str, package: Package, before: Package | None) -> bool:
    return before is not None and path in package.executable and path not in before.executable


def _ran_in(path: str, content: bytes, evidence: Sequence[Run]) -> int:
    """In how many sessions the agent wrote a script with this very text, and ran it without an error."""
    name, text = path.rpartition("/")[2], content.decode("utf-8", "replace")
    sessions: set[str] = set()
    for session, run in zip(session_names(evidence), evidence, strict=True):
        written = False
        for call in run.tools:
            if call.ok and call.error is None:
                if written and is_shell(call.name) and name in commands(call.input):
                    sessions.add(session)
                written = written or (not is_shell(call.name) and text in texts_in(call.input))
    return len(sessions)


def _addresses(package: Package, evidence: Sequence[Run], before: Package | None) -> Iterator[Finding]:
    told = said_by_people(evidence)
    known = {host for text in told for host in hosts_in(text)}
    known |= {canonical(word.strip("`'\"()<>,;")) for text in told for word in text.split() if "." in word}
    if before:
        known |= {host for source in sources(before) for host in hosts_in(source.plain.text)}
    for source in sources(package):
        for host in dict.fromkeys(hosts_in(source.plain.text)):
            if host not in known:
                at = max(source.text.lower().find(host), 0)
                one = finding(source, "learned-address", (at, at + len(host)))
                yield replace(
                    one, reason=f"No person and no operator has written the host {host} in the draft's evidence."
                )
