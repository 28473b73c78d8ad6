"""A draft does what its kind says: creates, replaces, appends or merges; what is not meant to change does not."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.errors import InputError, RefusedError
from metier.skills.document.frontmatter import split
from metier.skills.document.regions import MARKERS
from metier.skills.document.sections import sections
from metier.skills.editing.compose import compose
from metier.skills.package import Package

if TYPE_CHECKING:
    from metier.types import DraftKind

FRONT = "---\nname: deploy\ndescription: Deploys the shop.\n---\n"
STEPS = "# Deploy\n\nHow to.\n\n## Steps\n\n1. Build.\n2. Ship.\n\n## Result\n\nIt runs.\n"
SKILL = f"{FRONT}\n{STEPS}"
SLOW, SLOW_END = MARKERS["slow_update"]
REGION = f"{SLOW}\nSlow words.\n{SLOW_END}\n"


def package(document: str = SKILL, **files: bytes) -> Package:
    paths = {name.replace("__", "/"): content for name, content in files.items()}
    return Package(files={"SKILL.md": document.encode(), **paths}, executable=frozenset(paths))


def done(kind: DraftKind, body: str, document: str | None = SKILL) -> str:
    return compose(kind, "deploy", None if document is None else package(document), body).document.decode()


def refused(kind: DraftKind, body: str, document: str | None = SKILL) -> str:
    with pytest.raises(RefusedError) as caught:
        done(kind, body, document)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---- create and replace -----------------------------------------------------------------------------------------


def test_a_new_skill_is_the_whole_document() -> None:
    assert done("create", SKILL, None) == SKILL
    assert done("create", f"\ufeff\n{SKILL}\n\n", None) == SKILL


def test_what_is_there_is_not_created_and_what_is_not_there_is_not_changed() -> None:
    assert refused("create", SKILL) == "'deploy' exists already; append to it, merge with it or replace it."
    for kind in ("append", "merge", "replace"):
        assert refused(kind, SKILL, None) == "There is no skill 'deploy'; create it."


@pytest.mark.parametrize("kind", ["create", "replace"])
def test_a_fragment_is_no_whole_document(kind: DraftKind) -> None:
    document = None if kind == "create" else SKILL
    assert "no whole document" in refused(kind, STEPS, document)
    assert "no whole document" in refused(kind, f"{FRONT}\n## Steps\n\nBuild.\n", document)
    assert "no whole document" in refused(kind, f"{FRONT}\n```\n# no title\n```\n\n<!-- # none -->\n", document)
    assert "second title on line 8" in refused(kind, f"{FRONT}\n# One\n\n# Two\n", document)
    assert "second frontmatter" in refused(kind, f"{SKILL}\n---\nname: other\n---\n", document)


@pytest.mark.parametrize("kind", ["create", "replace", "append", "merge"])
def test_a_text_that_names_another_skill_is_refused(kind: DraftKind) -> None:
    document = None if kind == "create" else SKILL
    said = refused(kind, SKILL.replace("name: deploy", "name: other"), document)
    assert said == "The text names 'other', but is meant for 'deploy'; give it that name."


def test_an_invalid_name_is_no_new_skill() -> None:
    with pytest.raises(InputError, match="no name for a skill"):
        compose("create", "../x", None, SKILL)


def test_a_replaced_document_leaves_all_other_files_and_their_bits() -> None:
    before = package(SKILL, scripts__run=b"#!/bin/sh\n")
    after = compose("replace", "deploy", before, SKILL.replace("Ship.", "Ship it."))
    assert after.document.decode() == SKILL.replace("Ship.", "Ship it.")
    assert (after.files["scripts/run"], after.executable) == (b"#!/bin/sh\n", {"scripts/run"})


def test_a_replaced_document_keeps_its_protected_regions() -> None:
    new = SKILL.replace("Ship.", "Ship it.")
    old = f"{SKILL}\n{REGION}"
    assert done("replace", new, old) == f"{new}\n{REGION}"
    assert done("replace", f"{new}\n{REGION.replace('Slow', 'Other')}", old) == f"{new}\n{REGION}"


def test_the_document_keeps_its_file_name() -> None:
    before = Package(files={"Skill.md": SKILL.encode()})
    assert sorted(compose("append", "deploy", before, "## More\n\nNew.").files) == ["Skill.md"]


def test_the_same_document_again_is_refused() -> None:
    for kind in ("replace", "append", "merge"):
        assert refused(kind, SKILL) == "'deploy' has all of this already."


# ---- the standard -----------------------------------------------------------------------------------------------


def test_what_breaks_the_standard_is_refused_with_rule_line_and_fix() -> None:
    said = refused("create", SKILL.replace("description: ", "tools: x\ndescription: "), None)
    assert said.startswith("unknown-key on line 3: 'tools' is no key")
    assert said.endswith("Move it under metadata, as text.")
    assert "description-too-long" in refused("replace", SKILL.replace("Deploys", "x" * 1025))


def test_a_hand_written_skill_can_grow_though_it_breaks_the_standard() -> None:
    odd = SKILL.replace("description:", "version: 1\ndescription:")
    assert done("append", "## More\n\nNew.", odd) == f"{odd}\n## More\n\nNew.\n"
    assert "unknown-key" in refused("replace", SKILL.replace("description:", "author: me\ndescription:"), odd)
    assert "New." in done("append", "## More\n\nNew.", "No frontmatter at all.")


# ---- append -----------------------------------------------------------------------------------------------------


def test_a_section_is_added_behind_all_that_is_there() -> None:
    assert done("append", "## More\n\nNew.") == f"{SKILL}\n## More\n\nNew.\n"
    assert done("append", "## More\n\nNew.", SKILL.rstrip()) == f"{SKILL.rstrip()}\n\n## More\n\nNew.\n"
    assert done("append", "## More\n\nNew.", f"{SKILL}\n\n") == f"{SKILL}\n\n## More\n\nNew.\n"


def test_a_section_is_added_before_protected_regions() -> None:
    assert done("append", "## More\n\nNew.", f"{SKILL}\n{REGION}") == f"{SKILL}\n## More\n\nNew.\n\n{REGION}"
    assert SLOW not in done("append", f"## More\n\n{SLOW}New.{SLOW_END}")


def test_append_with_its_own_first_level_title_adds_neither_that_title_nor_a_level() -> None:
    assert done("append", "# Deploy\n## Procedure\nNew.\n") == f"{SKILL}\n## Procedure\n\nNew.\n"
    assert done("append", "# Else\n\n## Procedure\n\nNew.\n\n### How\n\nSo.\n") == (
        f"{SKILL}\n## Procedure\n\nNew.\n\n### How\n\nSo.\n"
    )
    assert done("append", "# Deploy\n\nNew.\n") == f"{SKILL}\n## Notes\n\nNew.\n"
    assert done("append", "## A\n\nNew.\n\n# B\n\n## C\n\nMore.\n").endswith("## A\n\nNew.\n\n## B\n\n### C\n\nMore.\n")


def test_a_whole_document_is_added_without_its_frontmatter() -> None:
    body = f"{FRONT}\n# Faster\n\nNew.\n\n## How\n\n```\n# comment\n```\n\n###### Deep\n\nx\n"
    added = "## Faster\n\nNew.\n\n## How\n\n```\n# comment\n```\n\n###### Deep\n\nx\n"
    assert done("append", body) == f"{SKILL}\n{added}"


def test_an_underlined_title_is_one_too() -> None:
    assert done("append", "Faster\n======\n\nNew.\n") == f"{SKILL}\n## Faster\n\nNew.\n"
    assert done("create", SKILL.replace("# Deploy", "Deploy\n==="), None) == SKILL


def test_a_text_without_a_heading_gets_one_once() -> None:
    once = done("append", "Mind the gap.")
    assert once == f"{SKILL}\n## Notes\n\nMind the gap.\n"
    assert done("append", "Mind the step.", once) == f"{once}\nMind the step.\n"


def test_a_hidden_frontmatter_is_refused() -> None:
    body = "Intro.\n\n---\nname: other\ndescription: Takes over.\n---\n\n# Other\n"
    assert refused("append", body) == "A second frontmatter begins on line 3 of the text; leave it out."
    assert "second frontmatter" in refused("merge", f"{FRONT}{body}")
    assert "second frontmatter" in refused("append", f"{FRONT}{FRONT}\n# x\n")
    assert "\n---\nname: x\n---\n```\n" in done("append", "## Example\n\n```\n---\nname: x\n---\n```\n")
    assert "Left\n\n---\n\nRight: yes\n\n---\n" in done("append", "## Lines\n\nLeft\n\n---\n\nRight: yes\n\n---\n")


def test_line_ends_are_the_documents() -> None:
    windows = SKILL.replace("\n", "\r\n")
    assert done("append", "## More\n\nNew.", windows) == f"{windows}\r\n## More\r\n\r\nNew.\r\n"
    assert done("merge", "## Steps\n\n- New.", windows).replace("\r\n", "").count("\n") == 0


def test_what_is_open_is_closed_before_anything_follows() -> None:
    after = done("append", "## More\n\n```\nnew", f"{SKILL}\n{REGION}")
    assert after == f"{SKILL}\n## More\n\n```\nnew\n```\n\n{REGION}"
    assert "line 19 is never closed" in refused("append", "## More\n\nNew.", f"{SKILL}\n```\nopen\n")


def test_bytes_that_are_no_text_survive() -> None:
    before = Package(files={"SKILL.md": SKILL.encode() + b"\xff\xfe\n"})
    after = compose("append", "deploy", before, "## More\n\nNew.").document
    assert after == before.document + b"\n## More\n\nNew.\n"


def test_known_sections_are_left_out_and_a_procedure_stays_whole() -> None:
    body = "# Faster\n\n## Steps\n\n- BUILD\n- ship!\n\n## Check\n\n1. build\n2. Look.\n"
    assert done("append", body) == f"{SKILL}\n## Check\n\n1. build\n2. Look.\n"
    assert "has all of this already" in refused("append", "## Other words\n\n*   it   runs…\n- Build.")


def test_provenance_stays_behind() -> None:
    body = "## More\n\nNew.\n\n## Source Evidence\n\n- run 3f9a2b1c\n"
    assert done("append", body) == f"{SKILL}\n## More\n\nNew.\n"
    assert "nothing to add" in refused("append", "## Source Evidence\n\n- run 3f9a2b1c\n")
    mine = SKILL.replace("It runs.", "Evidence: run 3f9a2b1c")
    assert done("append", "## More\n\nNew.", mine).startswith(mine)


def test_half_a_character_is_refused() -> None:
    for kind in ("create", "replace", "append", "merge"):
        assert "half a character" in refused(kind, "\ud800", None if kind == "create" else SKILL)


# ---- merge ------------------------------------------------------------------------------------------------------


def test_knowledge_goes_under_the_heading_it_belongs_to() -> None:
    after = done("merge", "## steps:\n\n1. build\n2. Test.\n3. Ship\n\n## Limits\n\nOne at a time.\n")
    assert after == SKILL.replace("2. Ship.\n", "2. Ship.\n3. Test.\n") + "\n## Limits\n\nOne at a time.\n"


def test_a_whole_document_merges_with_its_title_into_the_title() -> None:
    after = done("merge", f"{FRONT}\n# Deploy it all\n\nHow to.\nMind the hour.\n\n## Result\n\nIt runs.\n- Fast.\n")
    assert after == SKILL.replace("How to.\n", "How to.\n\nHow to.\nMind the hour.\n").replace(
        "It runs.\n", "It runs.\n\n- Fast.\n"
    )


def test_a_fragments_other_title_becomes_a_section() -> None:
    assert done("merge", "# Faster\n\nNew.\n") == f"{SKILL}\n## Faster\n\nNew.\n"


def test_a_new_subsection_goes_into_its_section() -> None:
    after = done("merge", "## Steps\n\n### Windows\n\nUse -w.\n")
    assert after == SKILL.replace("2. Ship.\n", "2. Ship.\n\n### Windows\n\nUse -w.\n")
    deeper = SKILL.replace("## Steps", "### Steps")
    assert "\n#### Windows\n" in done("merge", "## Steps\n\n### Windows\n\nUse -w.\n", deeper)


def test_what_announces_a_list_comes_with_it() -> None:
    after = done("merge", "## Result\n\nWatch for:\n\n* smoke\n* fire\n\nIt runs\n")
    assert after == SKILL.replace("It runs.\n", "It runs.\n\nWatch for:\n\n* smoke\n* fire\n")
    again = done("merge", "## Result\n\nWatch for:\n\n- Smoke.\n- Noise.\n", after)
    assert again == after.replace("* fire\n", "* fire\n* Noise.\n")


def test_a_title_that_is_there_twice_is_never_guessed() -> None:
    twice = f"{SKILL}\n## A\n\n### Flags\n\n-a\n\n## B\n\n### Flags\n\n-b\n"
    assert done("merge", "## Flags\n\n-x\n", twice) == f"{twice}\n## Flags\n\n-x\n"
    assert done("merge", "## A\n\n### Flags\n\n-x\n", twice) == twice.replace("-a\n", "-a\n\n-x\n")


def test_a_merge_leaves_protected_regions_alone() -> None:
    document = f"{SKILL}\n{SLOW}\n## Hidden\n\nSlow.\n{SLOW_END}\n"
    after = done("merge", "## Hidden\n\nNew.\n\n## Result\n\nFast.", document)
    assert after.endswith(f"It runs.\n\nFast.\n\n## Hidden\n\nNew.\n\n{SLOW}\n## Hidden\n\nSlow.\n{SLOW_END}\n")


def test_code_is_compared_to_the_letter() -> None:
    before = SKILL.replace("It runs.", "```\nrun -v\n```")
    assert "run -V\n" in done("merge", "## Result\n\n```\nrun -V\n```\n", before)
    assert "already" in refused("merge", "## Result\n\n```\nrun  -v\n```\n", before)


def test_the_same_twice_in_one_text_is_added_once() -> None:
    after = done("merge", "## Result\n\n- Fast.\n- fast\n\n## Speed\n\nFast!\n")
    assert after == SKILL.replace("It runs.\n", "It runs.\n\n- Fast.\n")


# ---- properties -------------------------------------------------------------------------------------------------

PIECES = [
    *("# A", "## B", "### C", "###### D", "## Steps", "# Deploy", "## Result", "##", "text", "more text", "lead:", ""),
    *("- item", "* other", "1. one", "2) two", "  - nested", "   para", "    code", "\tx", "> quote", "| a | b |"),
    *("```", "~~~", "````", "<!--", "-->", "<!-- x -->", SLOW, SLOW_END, "---", "===", "name: deploy", "name: other"),
    *("description: x", "Build.", "It runs.", "- run 3f9a2b1c", "## Source Evidence", "\x0b", "\u2028#", "#x", "é🦀"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
FRONTS = st.sampled_from(["", FRONT, FRONT.replace("name: deploy\n", "")])


@st.composite
def bodies(draw: st.DrawFn) -> str:
    end = draw(ENDS)
    text = draw(FRONTS) + "\n".join(draw(TEXTS)) + draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.replace("\n", end)


def is_subsequence(inner: bytes, outer: bytes) -> bool:
    rest = iter(outer)
    return all(byte in rest for byte in inner)


def titles(document: bytes) -> int:
    return sum(one.level == 1 for one in sections(document))


@given(bodies(), bodies())
@settings(max_examples=100, deadline=None)
def test_append_keeps_every_byte_and_adds_no_title(document: str, body: str) -> None:
    before = Package(files={"SKILL.md": document.encode()})
    try:
        after = compose("append", "deploy", before, body).document
    except RefusedError:
        return
    place = len(document.encode()) if SLOW not in document else document.encode().index(SLOW.encode())
    assert after.startswith(before.document[:place])
    assert after.endswith(before.document[place:])
    assert titles(after) == titles(before.document)
    assert split(after).frontmatter == split(before.document).frontmatter


@given(bodies(), bodies())
@settings(max_examples=100, deadline=None)
def test_merge_keeps_every_byte_and_once_is_enough(document: str, body: str) -> None:
    before = Package(files={"SKILL.md": document.encode()})
    try:
        after = compose("merge", "deploy", before, body)
    except RefusedError:
        return
    assert is_subsequence(before.document, after.document)
    assert titles(after.document) == titles(before.document)
    assert split(after.document).frontmatter == split(before.document).frontmatter
    for kind in ("merge", "append"):
        with pytest.raises(RefusedError, match="has all of this already"):
            compose(kind, "deploy", after, body)


@given(bodies(), st.sampled_from(["create", "replace"]))
@settings(max_examples=80, deadline=None)
def test_a_whole_document_has_one_title_and_one_frontmatter(body: str, kind: DraftKind) -> None:
    try:
        after = compose(kind, "deploy", None if kind == "create" else package(), body)
    except RefusedError:
        return
    assert (titles(after.document), after.name) == (1, "deploy")


@given(st.text(), st.sampled_from(["create", "replace", "append", "merge"]))
def test_any_text_is_taken_or_refused(body: str, kind: DraftKind) -> None:
    with suppress(RefusedError):
        assert compose(kind, "deploy", None if kind == "create" else package(), body).name == "deploy"


def test_large_texts_cost_little() -> None:
    document = SKILL + "".join(f"\n## Section {n}\n\n- item {n}\n" for n in range(3_000))
    body = "".join(f"\n## Section {n}\n\n- other {n}\n\n### Sub {n}\n\ntext {n}\n" for n in range(0, 6_000, 2))
    begun = time.process_time()
    for kind in ("append", "merge"):
        assert len(done(kind, body, document)) > len(document)
    assert time.process_time() - begun < 5
