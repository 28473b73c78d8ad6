"""A stable chain of skills becomes one skill that does it in one go."""

from __future__ import annotations

from dataclasses import replace

import pytest

from metier.learning.drafting.proposal import Proposal
from metier.learning.drafting.shortcut import as_shortcut, operations, shortcut_name
from metier.learning.drafting.similar_skills import KnownSkill
from metier.skills.editing.compose import compose
from metier.skills.names import name_problem
from metier.skills.package import Package
from metier.skills.validation import validate
from metier.types import Pattern

PATH = ("fetch-report", "mail-report")
PATTERN = Pattern(
    id="p", workspace="w", label="l", summary="send the weekly figures to finance", winning_path=PATH, successes=4
)
PARTS = (
    KnownSkill(name="fetch-report", description="Fetches a report.", body="# F\n\n1. Run `get`.\n2. Save it.\n"),
    KnownSkill(name="mail-report", description="Mails a report.", body="# M\n\n- Write the mail.\n- Send it.\n"),
)
BODY = (
    "---\nname: weekly\ndescription: d\n---\n\n# Weekly\n\n## Procedure\n\n1. Run `get --week <n>`.\n2. Run `send`.\n\n"
    "## Expected result\n\nThe mail is out.\n"
)
PROPOSAL = Proposal(
    target="weekly", kind="create", type="workflow", summary="s", body=BODY, uses=("Send figures",), avoid=("`cat`",)
)  # fmt: skip


@pytest.mark.parametrize(
    ("summary", "path", "name"),
    [
        ("17", ("square-step", "add-step"), "calculate-17-via-steps"),
        ("計算する 17 を", ("square-step", "add-step"), "calculate-17-via-steps"),
        ("17", ("square-steps", "add-steps"), "calculate-17-via-steps"),
        ("17", ("square-step", "add-stop"), "combined-square-step-add-stop"),
        ("17", ("square-step",), "combined-square-step"),
        ("calculate 100", ("three-one-theorem", "four-two-theorem"), "calculate-100-via-theorems"),
        ("resize 3 images for the web", ("crop-images", "scale-images"), "resize-3-images-via-images"),
        ("run tests", ("unit-tests", "browser-tests"), "run-tests-via-tests"),
        ("deploy", ("build-image", "push-image"), "combined-build-push-images"),
        ("天気", ("three-one-theorem", "four-two-theorem"), "combined-three-one-four-two-theorems"),
        ("compute 17 with steps", ("square-step", "add-step"), "compute-17-with-steps-via-steps"),
        ("compute 17 and 4 now please", ("square-step", "add-step"), "compute-17-and-4-via-steps"),
        ("send the weekly figures to finance", ("fetch-report", "mail-report"), "send-the-weekly-figures-via-reports"),
        ("send the weekly figures", ("fetch-report", "mail-letter"), "send-the-weekly-figures-shortcut"),
        ("Überweise Geld", ("a-x", "b-y"), "uberweise-geld-shortcut"),
        ("Weather Lookup", ("a-x", "b-y"), "weather-lookup-shortcut"),
        ("天気を調べる", ("fetch-x", "mail-y"), "combined-fetch-x-mail-y"),
        (f"{'w' * 70} x", ("fetch-x", "mail-y"), "combined-fetch-x-mail-y"),
        ("天気", ("a" * 20, "b" * 20, "c" * 20), f"{'a' * 20}-to-{'c' * 20}-shortcut"),
    ],
)
def test_the_name_is_the_first_valid_one_of_the_cascade(summary: str, path: tuple[str, ...], name: str) -> None:
    assert shortcut_name(summary, path) == name


def test_component_skills_written_as_prose_are_not_dropped() -> None:
    long = " ".join(f"Step {n}: do thing {n}, keep what it says and go on with the next one." for n in range(1, 8))
    prose = KnownSkill(name="x", description="d", body=f"# X\n\n{long}\n\nThen stop\nand report.\n")
    assert operations(prose) == (long, "Then stop and report.")
    made = as_shortcut(PROPOSAL, PATTERN, (prose, PARTS[1])).body
    assert "Step 7: do thing 7" in made
    assert "Then stop and report." in made
    assert "- Send it." in made


def test_a_command_in_a_code_block_goes_with_the_words_before_it() -> None:
    body = "# X\n\nBuild it:\n\n```sh\nmake build\nmake sign\n```\n\n- Send it.\n"
    assert operations(KnownSkill(name="x", description="", body=body)) == (
        "Build it: `make build` `make sign`",
        "Send it.",
    )


def test_every_part_of_a_long_chain_has_its_say() -> None:
    parts = [KnownSkill(name=f"part-{n}", description="d", body=f"{'Words of it. ' * 80}") for n in range(6)]
    made = as_shortcut(PROPOSAL, PATTERN, parts).body
    assert [name for name in (f"### part-{n}" for n in range(6)) if name not in made] == []
    assert len(made) < 6_000


def test_parts_that_a_generator_copied_into_its_text_are_not_said_twice() -> None:
    body = "Prefer the chain.\n\n## Component Skill Breakdown\n\nraw dump\n\n## Learned Shortcut\n\nNet effect: + 20.\n"
    made = as_shortcut(replace(PROPOSAL, body=body), PATTERN, PARTS)
    document = compose("create", made.target, None, made.body).document.decode()
    assert "raw dump" not in document
    assert "Learned" not in document
    assert "Net effect: + 20." in document


def test_there_is_a_valid_name_even_where_the_whole_cascade_is_too_long() -> None:
    assert name_problem(shortcut_name("天気", ("a" * 64, "b" * 64))) is None


def test_a_new_shortcut_wraps_the_parts_and_keeps_the_own_procedure() -> None:
    made = as_shortcut(PROPOSAL, PATTERN, PARTS)
    name = "send-the-weekly-figures-via-reports"
    assert (made.target, made.kind, made.type, made.entry_path) == (name, "create", "shortcut", (name,))
    assert made.avoid == ("`cat`", "Do not replay fetch-report -> mail-report first: this does the whole chain.")
    assert "Former target: weekly" in made.notes
    package = compose("create", name, None, made.body)
    assert validate(package, level="strict", folder=name).ok
    for text in (
        "1. Run `get --week <n>`.",
        "2. Run `send`.",
        "### fetch-report",
        "- Save it.",
        "- Send it.",
        "The mail is out.",
    ):
        assert text in made.body


def test_an_existing_shortcut_gets_an_update() -> None:
    there = KnownSkill(name="weekly-mail", description="d", body="b")
    made = as_shortcut(PROPOSAL, PATTERN, PARTS, there)
    assert (made.target, made.kind, made.entry_path) == ("weekly-mail", "append", ("weekly-mail",))
    current = Package(files={"SKILL.md": b"---\nname: weekly-mail\ndescription: d\n---\n\n# Weekly mail\n\nOld.\n"})
    text = compose("append", "weekly-mail", current, made.body).document.decode()
    assert "Old." in text
    assert "2. Run `send`." in text


def test_guidance_and_result_are_cut_at_a_readable_place() -> None:
    steps = "\n".join(f"{number}. Run `step {number}` with the flag that belongs to it." for number in range(1, 60))
    body = f"# T\n\n## Procedure\n\n{steps}\n\n## Expected result\n\n{'A sentence that says something. ' * 40}\n"
    made = as_shortcut(replace(PROPOSAL, body=body), PATTERN, PARTS).body
    procedure = made.split("## Procedure\n\n")[1].split("\n\n## ")[0]
    result = made.split("## Expected result\n\n")[1].strip()
    assert 900 < len(procedure) <= 1_200
    assert procedure.endswith("belongs to it.")
    assert 180 < len(result) <= 360
    assert result.endswith("something.")


def test_a_generator_without_a_procedure_section_keeps_all_it_says() -> None:
    made = as_shortcut(replace(PROPOSAL, body="Just run `all`, then look.\n"), PATTERN, PARTS)
    assert "Just run `all`, then look." in made.body


def test_operations_are_few_and_short() -> None:
    long = KnownSkill(name="x", description="", body="\n".join(f"- step {number} {'y' * 500}" for number in range(50)))
    found = operations(long)
    assert len(found) == 8
    assert all(len(one) <= 160 for one in found)
    assert operations(KnownSkill(name="x", description="", body="```\n- not a step\n```\n")) == ()
