"""A proposal is put right against what is there, nothing it says is lost, and every change is noted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from metier.learning.drafting.proposal import Normalised, Proposal, Refusal, There, normalise
from metier.skills.editing.compose import compose
from metier.skills.package import Package
from metier.skills.validation import validate

if TYPE_CHECKING:
    from metier.types import DraftKind

WHOLE = "---\nname: deploy\ndescription: Deploys it.\n---\n\n# Deploy\n\n## Procedure\n\n1. Ship it.\n"
FRAGMENT = "## Procedure\n\n1. Run `make ship`.\n\n## Checks\n\n- `make check`\n"
SKILL = Package(files={"SKILL.md": WHOLE.encode(), "scripts/x.sh": b"echo\n"})


def proposal(kind: DraftKind, body: str, target: str = "deploy") -> Proposal:
    return Proposal(
        target=target, kind=kind, type="shortcut", summary="Deploy: 1 step", body=body,
        uses=("Deploy the shop", "ship it: now"), entry_path=(target,),
    )  # fmt: skip


def done(one: Proposal, there: There) -> Proposal:
    found = normalise(one, there)
    assert isinstance(found, Normalised)
    return found.proposal


def whole_package(one: Proposal) -> Package:
    package = compose("create", one.target, None, one.body)
    assert validate(package, level="strict", folder=one.target).ok
    return package


@pytest.mark.parametrize("kind", ["append", "merge", "replace"])
def test_a_change_of_a_missing_skill_becomes_create_with_a_full_document(kind: DraftKind) -> None:
    made = done(proposal(kind, FRAGMENT), There())
    assert made.kind == "create"
    assert made.notes == (f"deploy is not there: {kind} became create", "the fragment became a full document")
    package = whole_package(made)
    assert package.description == "Deploy the shop. Use when asked for: ship it: now."
    assert FRAGMENT.strip() in package.document.decode()


def test_a_full_document_for_a_missing_skill_only_changes_its_kind() -> None:
    made = done(proposal("merge", WHOLE), There())
    assert (made.kind, made.body, len(made.notes)) == ("create", WHOLE, 1)
    assert done(proposal("create", WHOLE), There()) == proposal("create", WHOLE)


@pytest.mark.parametrize(
    "body",
    [
        FRAGMENT,
        f"# Own title\n\n{FRAGMENT}",
        f"# One\n\n{FRAGMENT}\n# Two\n\nMore.\n",
        f"---\nname: other\ndescription: Own words.\n---\n\n{FRAGMENT}",
        f"---\nname: x\ndescription: broken: yaml: here\n---\n\n# T\n\n{FRAGMENT}",
        f"---\n\n{FRAGMENT}",
        "```\n# not a title\n```\n\n" + FRAGMENT,
    ],
)
def test_a_fragment_of_any_shape_becomes_a_valid_document_and_keeps_its_procedure(body: str) -> None:
    text = whole_package(done(proposal("create", body), There())).document.decode()
    assert "1. Run `make ship`." in text
    assert "- `make check`" in text


def test_a_document_that_names_another_skill_is_renamed_and_that_is_noted() -> None:
    made = done(proposal("create", WHOLE.replace("name: deploy", "name: elsewhere")), There())
    assert made.body == WHOLE
    assert made.notes == ("the document named elsewhere: it names deploy now",)


def test_a_name_that_cannot_be_one_is_put_right_without_losing_letters() -> None:
    made = done(proposal("create", FRAGMENT, "Weather Lookup"), There())
    assert (made.target, made.entry_path) == ("weather-lookup", ("weather-lookup",))
    assert "'Weather Lookup' is no name for a skill: it became weather-lookup" in made.notes
    whole_package(made)


def test_create_with_a_fragment_on_an_existing_skill_becomes_append() -> None:
    made = done(proposal("create", FRAGMENT), There(here=SKILL))
    assert (made.kind, made.body) == ("append", FRAGMENT)
    assert made.notes == ("deploy exists: create with a fragment became append",)


def test_create_with_a_full_document_on_an_existing_skill_stays_and_gets_a_finding_once() -> None:
    made = done(proposal("create", WHOLE), There(here=SKILL))
    assert (made.kind, [one.rule for one in made.findings]) == ("create", ["create-on-existing"])
    assert made.findings[0].severity == "high"
    assert done(made, There(here=SKILL)) == made


def test_replace_with_a_fragment_never_loses_the_rest() -> None:
    made = done(proposal("replace", FRAGMENT), There(here=SKILL))
    assert made.kind == "append"
    assert "would lose the rest" in made.notes[0]


@pytest.mark.parametrize(
    ("kind", "body"), [("append", FRAGMENT), ("merge", FRAGMENT), ("merge", WHOLE), ("replace", WHOLE)]
)
def test_what_fits_is_left_alone(kind: DraftKind, body: str) -> None:
    assert done(proposal(kind, body), There(here=SKILL)) == proposal(kind, body)


@pytest.mark.parametrize("kind", ["append", "merge", "create"])
def test_a_skill_from_elsewhere_is_changed_as_a_copy_of_the_whole(kind: DraftKind) -> None:
    found = normalise(proposal(kind, FRAGMENT), There(elsewhere=SKILL, place="built-in"))
    assert isinstance(found, Normalised)
    assert found.copied == SKILL
    assert "a copy of the whole skill" in found.proposal.notes[-1]
    grown = compose(found.proposal.kind, "deploy", found.copied, found.proposal.body)
    assert grown.files["scripts/x.sh"] == b"echo\n"
    assert "1. Ship it." in grown.document.decode()
    assert "make ship" in grown.document.decode()


@pytest.mark.parametrize("kind", ["create", "replace"])
def test_a_document_that_would_hide_a_skill_from_elsewhere_is_refused_with_the_reason(kind: DraftKind) -> None:
    found = normalise(proposal(kind, WHOLE), There(elsewhere=SKILL))
    assert isinstance(found, Refusal)
    assert "would hide it" in found.reason
    empty = normalise(proposal("append", FRAGMENT), There(elsewhere=Package(files={"notes.txt": b""})))
    assert isinstance(empty, Refusal)


def test_the_workspace_counts_before_elsewhere() -> None:
    found = normalise(proposal("append", FRAGMENT), There(here=SKILL, elsewhere=SKILL))
    assert isinstance(found, Normalised)
    assert found.copied is None


def test_normalising_again_adds_nothing() -> None:
    for kind in ("create", "append", "merge", "replace"):
        for there in (There(), There(here=SKILL)):
            once = done(replace(proposal(kind, FRAGMENT)), there)
            assert done(once, there) == once
