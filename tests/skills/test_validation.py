"""Two levels of checks: the strict one agrees with the reference validator, the lenient one loads what others do."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from skills_ref.validator import validate as reference

from metier.skills.document.frontmatter import set_value
from metier.skills.names import name_problem
from metier.skills.package import Package
from metier.skills.validation import RULES, Level, Validation, validate

GOOD = b"---\nname: pdf\ndescription: Fills forms. Use when a form is to be filled.\n---\n# PDF\n"


def validate_document(document: bytes, *, level: Level, folder: str | None = None) -> Validation:
    return validate(Package(files={"SKILL.md": document}), level=level, folder=folder)


def rules(document: bytes, level: str, folder: str | None = None) -> list[tuple[str, int, str]]:
    found = validate_document(document, level="strict" if level == "strict" else "lenient", folder=folder).findings
    return [(finding.rule, finding.line, finding.severity) for finding in found]


def with_lines(*lines: str) -> bytes:
    return "\n".join(["---", "name: pdf", "description: Fills forms.", *lines, "---", "body", ""]).encode()


def test_a_good_skill_has_no_findings_at_either_level() -> None:
    assert rules(GOOD, "strict", "pdf") == []
    assert rules(GOOD, "lenient", "pdf") == []


BROKEN = {
    "no-frontmatter": (b"# Title\n", 1),
    "unterminated-frontmatter": (b"---\nname: pdf\n", 1),
    "yaml-unreadable": (b"---\nname: pdf\ndescription: use: it\n---\n", 3),
    "yaml-alias": (b"---\nname: &a pdf\ndescription: *a\n---\n", 3),
    "yaml-not-a-mapping": (b"---\n- name\n---\n", 2),
    "yaml-too-deep": (b"---\na: " + b"[" * 40 + b"]" * 40 + b"\n---\n", 2),
    "yaml-too-large": (b"---\na:\n" + b"- x\n" * 10_001 + b"---\n", 9_998),
    "frontmatter-too-large": (b"---\na: " + b"x" * 300_000 + b"\n---\n", 1),
    "description-missing": (b"---\nname: pdf\n---\n", 1),
}


@pytest.mark.parametrize(("rule", "case"), BROKEN.items())
def test_what_no_agent_could_use_is_a_problem_at_both_levels(rule: str, case: tuple[bytes, int]) -> None:
    document, line = case
    for level in ("strict", "lenient"):
        assert rules(document, level)[0] == (rule, line, "high")


@pytest.mark.parametrize("value", ["", " ''", " null", " [a]", "\n  a: b", " '  '"])
def test_a_description_that_says_nothing_is_missing(value: str) -> None:
    document = f"---\nname: pdf\ndescription:{value}\n---\n".encode()
    assert validate_document(document, level="lenient").verdict == "description-missing"


TOLERATED = {
    "byte-order-mark": (b"\xef\xbb\xbf" + GOOD, "pdf", 1),
    "not-utf8": (GOOD + b"\xff", "pdf", 6),
    "yaml-tab": (GOOD.replace(b"name: ", b"name:\t"), "pdf", 2),
    "duplicate-key": (with_lines("name: pdf"), "pdf", 4),
    "name-missing": (b"---\ndescription: x\n---\n", "pdf", 1),
    "name-invalid": (GOOD.replace(b"name: pdf", b"name: Pdf"), "Pdf", 2),
    "name-too-long": (GOOD.replace(b"name: pdf", b"name: " + b"x" * 65), "x" * 65, 2),
    "name-folder-mismatch": (GOOD, "other", 2),
    "description-too-long": (set_value(GOOD, "description", "x" * 1025), "pdf", 3),
}


@pytest.mark.parametrize(("rule", "case"), TOLERATED.items())
def test_what_agents_put_up_with_is_a_warning_when_loaded_and_a_problem_when_published(
    rule: str, case: tuple[bytes, str, int]
) -> None:
    document, folder, line = case
    assert rules(document, "lenient", folder) == [(rule, line, "low")]
    assert rules(document, "strict", folder) == [(rule, line, "high")]


PUBLISHED = {
    "unknown-key": (with_lines("model: large"), 4),
    "yaml-flow": (with_lines("metadata: {a: b}"), 4),
    "yaml-anchor": (with_lines("license: &a MIT"), 4),
    "yaml-tag": (with_lines("license: !!str MIT"), 4),
    "license-not-text": (with_lines("license:", "  a: b"), 4),
    "compatibility-invalid": (with_lines(f"compatibility: {'x' * 501}"), 4),
    "metadata-invalid": (with_lines("metadata: text"), 4),
    "allowed-tools-invalid": (with_lines("allowed-tools:", "- Read"), 4),
}


@pytest.mark.parametrize(("rule", "case"), PUBLISHED.items())
def test_what_only_the_standard_asks_for_is_looked_at_only_when_published(rule: str, case: tuple[bytes, int]) -> None:
    document, line = case
    assert rules(document, "lenient", "pdf") == []
    assert rules(document, "strict", "pdf") == [(rule, line, "high")]


def test_long_bodies_and_reserved_keys_are_no_more_than_warnings() -> None:
    document = with_lines("metadata:", "  io.modelcontextprotocol/x: y") + b"line\n" * 500
    validation = validate_document(document, level="strict", folder="pdf")
    assert [finding.rule for finding in validation.findings] == ["metadata-reserved", "body-long"]
    assert validation.ok


def test_a_package_without_a_document_or_with_an_odd_name_for_it_is_told() -> None:
    assert validate(Package(files={"a": b""}), level="lenient").verdict == "no-skill-file"
    odd = Package(files={"Skill.md": GOOD})
    assert validate(odd, level="lenient").verdict == "ok"
    assert validate(odd, level="strict").verdict == "skill-file-name"


def test_every_finding_says_what_why_and_how_to_mend_it() -> None:
    finding = validate_document(GOOD, level="strict", folder="x").findings[0]
    assert finding.reason.startswith("The skill is called 'pdf', its folder 'x'. ")
    assert finding.reason.endswith(RULES[finding.rule].why)
    assert finding.fix == RULES[finding.rule].fix
    assert finding.file == "SKILL.md"


def test_every_rule_is_used_by_some_test() -> None:
    others = {"no-skill-file", "skill-file-name", "metadata-reserved", "body-long"}
    assert RULES.keys() == BROKEN.keys() | TOLERATED.keys() | PUBLISHED.keys() | others


printable = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]), max_size=60)
words = st.text("abcxyz -:#'\"{}[],&*!|>%@`\\/🦀é\n.", max_size=80)
names = st.one_of(
    st.from_regex(r"[a-z]{1,5}(-[a-z0-9]{1,5}){0,2}", fullmatch=True),
    st.sampled_from(["", "Pdf", "-a", "a-", "a--b", "a b", "a_b", "a.b", "x" * 64, "x" * 65, "a/b"]),
)
descriptions = st.one_of(words, printable, st.sampled_from(["", "  ", "x" * 1024, "x" * 1025, "a --- b", "é" * 1024]))
extras = st.fixed_dictionaries(
    {},
    optional={
        "license": words.filter(bool),
        "compatibility": st.one_of(words.filter(bool), st.sampled_from(["x" * 500, "x" * 501])),
        "allowed-tools": words.filter(bool),
        "unknown": words,
    },
)


def written(fields: dict[str, str], drop: str) -> bytes:
    document = b"---\n---\n\n# Body\n"
    for key, value in fields.items():
        if key != drop:
            document = set_value(document, key, value)
    return document


@given(names, descriptions, extras, st.sampled_from(["", "", "", "name", "description"]), st.booleans())
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_strict_level_agrees_with_the_reference_validator_on_what_we_write(
    name: str, description: str, extra: dict[str, str], drop: str, moved: bool
) -> None:
    document = written({"name": name, "description": description} | extra, drop)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / (("other" if moved else name.replace("/", "")) or "empty")
        place.mkdir()
        (place / "SKILL.md").write_bytes(document)
        theirs = reference(place)
    ours = validate_document(document, level="strict", folder=place.name)
    assert ours.ok == (not theirs), (document, theirs, ours.problems)


def test_we_refuse_some_names_that_the_reference_validator_takes() -> None:
    for name in ("123", "con", "é"):
        assert name_problem(name)
