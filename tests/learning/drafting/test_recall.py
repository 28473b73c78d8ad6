"""Recall gives the skills a pattern names, else the few most relevant ones."""

from __future__ import annotations

from metier.learning.drafting.similar_skills import Index, KnownSkill, Place, recall
from metier.types import Pattern

PATTERN = Pattern(id="p", workspace="w", label="renew-certificate", summary="renew the TLS certificate of a host")


def skill(name: str, description: str = "", body: str = "", place: Place = "workspace") -> KnownSkill:
    return KnownSkill(name=name, description=description, body=body, place=place)


def names(found: tuple[KnownSkill, ...]) -> list[str]:
    return [one.name for one in found]


def test_named_skills_come_exactly_as_named_and_no_others() -> None:
    named = Pattern(
        id="p", workspace="w", label="x", summary="renew certificate", winning_path=("B", "gone"), late_added=("c",)
    )
    shelf = [skill("a"), skill("b"), skill("c"), skill("renew-certificate", "renew the certificate"), skill("m")]
    assert names(recall(named, Index(shelf), ("M", "b"))) == ["b", "m", "c"]


def test_named_skills_that_do_not_exist_bring_nothing_else() -> None:
    named = Pattern(id="p", workspace="w", label="x", summary="renew certificate", winning_path=("gone",))
    assert recall(named, Index([skill("renew-certificate", "renew the certificate")])) == ()


def test_relevance_is_shared_words_and_a_name_counts_most() -> None:
    shelf = [
        skill("bake-bread", "Bakes bread with the oven.", "knead"),
        skill("tls-notes", "How to renew the TLS certificate of a host.", "certbot renew"),
        skill("renewing-certificates", "Renews certificates for a host with TLS.", "certbot"),
    ]
    assert names(recall(PATTERN, Index(shelf))) == ["renewing-certificates", "tls-notes"]


def test_of_equals_the_workspace_comes_first_then_global_then_built_in() -> None:
    text = "Renew the TLS certificate."
    shelf = [skill("cert-a", text, place="built-in"), skill("cert-b", text, place="global"), skill("cert-c", text)]
    assert names(recall(PATTERN, Index(shelf))) == ["cert-c", "cert-b", "cert-a"]


def test_a_skill_of_the_workspace_hides_the_global_one_of_its_name() -> None:
    shelf = [skill("certificate", "global certificate", place="global"), skill("Certificate", "ours, certificate")]
    assert [one.place for one in recall(PATTERN, Index(shelf))] == ["workspace"]


def test_a_few_are_recalled_and_never_all() -> None:
    shelf = [skill(f"certificate-{number}", "Renew the TLS certificate.") for number in range(50)]
    assert len(recall(PATTERN, Index(shelf))) == 5
    assert len(recall(PATTERN, Index(shelf), limit=2)) == 2


def test_one_shared_word_in_a_body_is_chance() -> None:
    assert recall(PATTERN, Index([skill("bread", "Bakes bread.", "ask the host")])) == ()
