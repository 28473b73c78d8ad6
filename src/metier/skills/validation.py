"""Whether a skill package keeps the standard: strictly, for what we publish; leniently, for what we load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from unicodedata import normalize

from metier.skills.document.frontmatter import BOM, Frontmatter, line_of, read
from metier.skills.names import MAX_LENGTH, name_problem
from metier.types import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.skills.document.yaml_values import Oddity
    from metier.skills.package import Package

KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""All top-level keys the standard knows."""
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
MAX_BODY_LINES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRule:
    """Why a rule is there, and what to do."""

    why: str
    fix: str


_UNREADABLE = "Without its description no agent knows when to use the skill."

RULES: dict[str, SkillRule] = {
    "no-skill-file": SkillRule(
        why="A folder is a skill because of its SKILL.md.", fix="Add a SKILL.md at the top of the folder."
    ),
    "skill-file-name": SkillRule(why="Some agents look for SKILL.md only.", fix="Rename the file to SKILL.md."),
    "byte-order-mark": SkillRule(
        why="Some readers do not see the frontmatter behind it.",
        fix="Save the file as UTF-8 without a byte order mark.",
    ),
    "not-utf8": SkillRule(why="Agents read a skill as UTF-8.", fix="Save the file as UTF-8."),
    "no-frontmatter": SkillRule(
        why=_UNREADABLE, fix="Begin the file with a line ---, the lines name: … and description: …, and a line ---."
    ),
    "unterminated-frontmatter": SkillRule(why=_UNREADABLE, fix="Put a line --- behind the last key."),
    "frontmatter-too-large": SkillRule(
        why="Frontmatter of every skill is read at every start.",
        fix="Move text into the body or into a reference file.",
    ),
    "yaml-unreadable": SkillRule(
        why=_UNREADABLE, fix='Put the value in double quotes ("…") if it holds a colon, a quote or a #.'
    ),
    "yaml-alias": SkillRule(
        why="A few aliases can stand for gigabytes, so they are not followed.", fix="Write the value out in its place."
    ),
    "yaml-too-deep": SkillRule(why="No known key needs it.", fix="Flatten the value."),
    "yaml-too-large": SkillRule(why="No known key needs so many values.", fix="Move them into a reference file."),
    "yaml-not-a-mapping": SkillRule(why=_UNREADABLE, fix="Write one key: value on each line."),
    "yaml-tab": SkillRule(why="YAML does not allow tabs there.", fix="Use spaces in place of tabs."),
    "yaml-flow": SkillRule(
        why="The reference validator reads neither {…} nor […].",
        fix="Write one key: value, or one - item, on each line.",
    ),
    "yaml-anchor": SkillRule(why="The reference validator refuses anchors.", fix="Take the &name out."),
    "yaml-tag": SkillRule(why="The reference validator refuses tags.", fix="Take the !tag out."),
    "duplicate-key": SkillRule(why="Readers do not agree on which one counts.", fix="Keep one of them."),
    "unknown-key": SkillRule(
        why="The standard refuses other keys, and uploads fail on them.", fix="Move it under metadata, as text."
    ),
    "name-missing": SkillRule(
        why="Agents call a skill by its name.", fix="Add name: followed by the name of the folder."
    ),
    "name-invalid": SkillRule(
        why="A name must be the same on every system and in every agent.",
        fix="Use 1 to 64 of a to z, 0 to 9 and single hyphens between them.",
    ),
    "name-too-long": SkillRule(why="Agents cut or refuse longer names.", fix="Use at most 64 characters."),
    "name-folder-mismatch": SkillRule(
        why="Agents go by the one or by the other.",
        fix="Give the folder the name of the skill, or the skill that of the folder.",
    ),
    "description-missing": SkillRule(why=_UNREADABLE, fix="Add description: what the skill does, and when to use it."),
    "description-too-long": SkillRule(
        why="Agents cut or refuse longer descriptions.", fix=f"Use at most {MAX_DESCRIPTION:,} characters."
    ),
    "license-not-text": SkillRule(
        why="The standard asks for text.", fix="Write the license's name, or the name of its file."
    ),
    "compatibility-invalid": SkillRule(
        why="The standard asks for a short text.", fix=f"Write 1 to {MAX_COMPATIBILITY} characters."
    ),
    "metadata-invalid": SkillRule(
        why="The standard asks for texts under keys.", fix="Write one key: text on each line under metadata."
    ),
    "metadata-reserved": SkillRule(
        why="Keys of that prefix belong to the MCP skills extension.", fix="Use a prefix of your own."
    ),
    "allowed-tools-invalid": SkillRule(
        why="The standard asks for one text.", fix="Write the tools on one line with spaces between them."
    ),
    "body-long": SkillRule(
        why="Every line is read each time the skill is used.", fix="Move details into files under references/."
    ),
}


Level = Literal["strict", "lenient"]
_PROBLEM: Severity = "high"
_WARNING: Severity = "low"
_ODD: dict[Oddity, tuple[str, str]] = {
    "tab": ("yaml-tab", "Tabs stand where YAML wants spaces."),
    "duplicate": ("duplicate-key", "A key is there twice."),
    "flow": ("yaml-flow", "A value is written in braces or brackets."),
    "anchor": ("yaml-anchor", "A value has an anchor (&name)."),
    "tag": ("yaml-tag", "A value has a tag (!name)."),
}
_RESERVED = "io.modelcontextprotocol/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What was found at one level; findings of high severity are problems, the others warnings."""

    level: Level
    findings: tuple[Finding, ...]

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What keeps the skill from being loaded, or at the strict level from being published."""
        return tuple(finding for finding in self.findings if finding.severity == _PROBLEM)

    @property
    def ok(self) -> bool:
        """Whether there is no problem; there may be warnings."""
        return not self.problems

    @property
    def verdict(self) -> str:
        """`ok`, or the rule of the first problem."""
        return self.problems[0].rule if self.problems else "ok"


def validate(package: Package, *, level: Level, folder: str | None = None) -> Validation:
    """Every rule the package breaks, by line; `folder` is the name of the folder it lies in, if it lies in one."""
    file = package.skill_file
    check = _Check(strict=level == "strict", file=file or "SKILL.md", document=package.document)
    found = check.all(folder) if file else [check.problem("no-skill-file", 0, "There is no SKILL.md.")]
    return Validation(level=level, findings=tuple(sorted(found, key=lambda one: (one.severity != _PROBLEM, one.line))))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    strict: bool
    file: str
    document: bytes

    def all(self, folder: str | None) -> list[Finding]:
        front = read(self.document)
        found = list(self._file())
        if (broken := self._unreadable(front)) is not None:
            return [*found, broken]
        found += [*self._shape(front), *self._name(front, folder), *self._description(front)]
        if self.strict:
            found += [*self._keys(front), *self._optional(front), *self._metadata(front), *self._body(front)]
        return found

    def problem(self, rule: str, line: int, what: str) -> Finding:
        return self._finding(rule, line, what, _PROBLEM)

    def _strictly(self, rule: str, line: int, what: str) -> Finding:
        """A problem at the strict level, a warning at the lenient one."""
        return self._finding(rule, line, what, _PROBLEM if self.strict else _WARNING)

    def _finding(self, rule: str, line: int, what: str, severity: Severity) -> Finding:
        known = RULES[rule]
        reason = f"{what} {known.why}"
        return Finding(rule=rule, severity=severity, reason=reason, fix=known.fix, file=self.file, line=line)

    def _file(self) -> Iterator[Finding]:
        if self.file != "SKILL.md":
            yield self._strictly("skill-file-name", 0, f"The document is called {self.file}.")
        if self.document.startswith(BOM):
            yield self._strictly("byte-order-mark", 1, "The file begins with a byte order mark.")
        try:
            self.document.decode()
        except UnicodeDecodeError as error:
            line = line_of(self.document, error.start)
            yield self._strictly("not-utf8", line, "The file holds bytes that are no UTF-8.")

    def _unreadable(self, front: Frontmatter) -> Finding | None:
        if front.layout.state == "absent":
            return self.problem("no-frontmatter", 1, "The file does not begin with a line of three dashes.")
        if front.layout.state == "unterminated":
            return self.problem("unterminated-frontmatter", 1, "No line of three dashes ends the frontmatter.")
        if front.problem:
            what = f"The frontmatter cannot be read: {front.problem.detail}."
            return self.problem(front.problem.rule, front.problem.line, what)
        return None

    def _shape(self, front: Frontmatter) -> Iterator[Finding]:
        for odd, line in front.odd.items():
            rule, what = _ODD[odd]
            if self.strict or odd in ("tab", "duplicate"):
                yield self._strictly(rule, line, what)

    def _name(self, front: Frontmatter, folder: str | None) -> Iterator[Finding]:
        entry = front.entry("name")
        if entry is None or not isinstance(entry.value, str) or not (name := entry.value.strip()):
            yield self._strictly("name-missing", entry.line if entry else 1, "There is no name that is a text.")
            return
        if reason := name_problem(name):
            rule = "name-too-long" if len(name) > MAX_LENGTH else "name-invalid"
            yield self._strictly(rule, entry.line, f"{name[:80]!r} is no name for a skill: {reason}.")
        if folder is not None and normalize("NFKC", folder) != normalize("NFKC", name):
            what = f"The skill is called {name[:80]!r}, its folder {folder[:80]!r}."
            yield self._strictly("name-folder-mismatch", entry.line, what)

    def _description(self, front: Frontmatter) -> Iterator[Finding]:
        entry = front.entry("description")
        if entry is None or not isinstance(entry.value, str) or not entry.value.strip():
            yield self.problem("description-missing", entry.line if entry else 1, "No description that is a text.")
        elif len(entry.value) > MAX_DESCRIPTION:
            what = f"The description has {len(entry.value):,} characters, {MAX_DESCRIPTION:,} are allowed."
            yield self._strictly("description-too-long", entry.line, what)

    def _keys(self, front: Frontmatter) -> Iterator[Finding]:
        for entry in front.entries:
            if entry.key not in KEYS:
                yield self.problem("unknown-key", entry.line, f"{entry.key[:80]!r} is no key of the standard.")

    def _optional(self, front: Frontmatter) -> Iterator[Finding]:
        entry = front.entry("license")
        if entry and not isinstance(entry.value, str):
            yield self.problem("license-not-text", entry.line, "The license is no text.")
        entry = front.entry("allowed-tools")
        if entry and not isinstance(entry.value, str):
            yield self.problem("allowed-tools-invalid", entry.line, "The allowed tools are no text.")
        entry = front.entry("compatibility")
        if entry and not (isinstance(entry.value, str) and 1 <= len(entry.value) <= MAX_COMPATIBILITY):
            yield self.problem("compatibility-invalid", entry.line, "The compatibility is no text of the right length.")

    def _metadata(self, front: Frontmatter) -> Iterator[Finding]:
        entry = front.entry("metadata")
        if entry is None:
            return
        if not isinstance(entry.value, dict) or not all(isinstance(one, str) for one in entry.value.values()):
            yield self.problem("metadata-invalid", entry.line, "The metadata are no texts under keys.")
        elif any(key.startswith(_RESERVED) for key in entry.value):
            yield self._finding("metadata-reserved", entry.line, f"A key begins with {_RESERVED}.", _WARNING)

    def _body(self, front: Frontmatter) -> Iterator[Finding]:
        start, end = front.layout.body
        lines = len(self.document[start:end].splitlines())
        if lines > MAX_BODY_LINES:
            what = f"The body has {lines:,} lines; about {MAX_BODY_LINES} are advised."
            yield self._finding("body-long", line_of(self.document, start), what, _WARNING)
