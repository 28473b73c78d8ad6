"""The simulated optimiser: the answer has the shape that is asked for, and nothing is made up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from metier.cli.demo.world.optimiser import OptimiserPrompt, WorldOptimiser
from metier.cli.demo.world.proposer import Proposer
from metier.cli.demo.world.world import World, document, line, lines_of

WORLD = World()
OPTIMISER = WorldOptimiser(proposer=Proposer(world=WORLD, edits=3))
SKILL = f"<skill 0a>\n{document([line('N', 5)])}\n</skill 0a>"
FAILED = "FAIL\noutput:\nt0001-open-12ab\n\nPASS\noutput:\nt0002-done-12ab"
ANALYST = ("reasoning", "edits", "failure_patterns")


def answer(words: str, *fields: str, sample: int = 0) -> Any:
    return OPTIMISER.answer(OptimiserPrompt(words=words, fields=fields, sample=sample))


def test_an_analyst_proposes_from_what_failed_and_never_more_than_it_may() -> None:
    made = answer(f"{SKILL}\n{FAILED}", *ANALYST)
    assert made["failure_patterns"] == []
    assert 1 <= len(made["edits"]) <= 3
    assert {edit["op"] for edit in made["edits"]} <= {"append", "delete"}
    assert len(answer(f"Propose at most 1 edits.\n{SKILL}\n{FAILED}", *ANALYST)["edits"]) == 1


def test_what_went_well_teaches_it_nothing() -> None:
    rejected = json.dumps({"op": "append", "content": line("G", 1)})
    assert answer(f"{SKILL}\n{rejected}\nt0002-done-12ab", *ANALYST)["edits"] == []


def test_merging_keeps_each_edit_once_and_adds_none() -> None:
    one, two = {"op": "append", "content": line("G", 1)}, {"op": "delete", "target": line("N", 5)}
    patches = json.dumps([{"proposals": [one, two]}, {"proposals": [{**one, "support_count": 2}]}])
    assert answer(f"{SKILL}\n<patches>\n{patches}\n</patches>", "reasoning", "edits")["edits"] == [one, two]


def test_ranking_names_every_proposal_once() -> None:
    words = f"{SKILL}\n[0] a\n[1] b\n[2] c\n"
    assert sorted(answer(words, "selected_indices")["selected_indices"]) == [0, 1, 2]


def test_a_rewrite_takes_up_the_suggestions_and_keeps_the_rest() -> None:
    suggested = answer(f"{SKILL}\n{FAILED}", "suggestions", "failure_patterns")["suggestions"]
    told = "\n".join(json.dumps(one) for one in [*suggested, {"instruction": f"Add the line: {line('G', 9)}"}])
    text = answer(f"{SKILL}\n{told}", "new_skill")["new_skill"]
    assert text.startswith("---\nname: simulated-work\n")
    assert line("G", 9) in lines_of(text)


def test_one_shot_is_a_document_with_the_edits_made() -> None:
    text = answer(f"{SKILL}\n{FAILED}", "reasoning", "new_skill")["new_skill"]
    assert lines_of(text) != [line("N", 5)]


def test_a_document_written_anew_can_take_up_more_than_one_proposal() -> None:
    asked = OptimiserPrompt(words=f"{SKILL}\n{FAILED} t0003-open-12ab", fields=("reasoning", "new_skill"))
    many = WorldOptimiser(proposer=OPTIMISER.proposer, whole=8).answer(asked)
    assert many
    assert 4 <= len(set(lines_of(str(many["new_skill"]))) ^ {line("N", 5)}) <= 8
    assert many == WorldOptimiser(proposer=OPTIMISER.proposer, whole=8).answer(asked)


@pytest.mark.parametrize("field", ["learning_rate", "slow_update_content", "meta_skill_content", "appendix_notes"])
def test_other_questions_get_the_field_they_ask_for(field: str) -> None:
    assert field in answer(f"{SKILL}\n- one\n- one\n- two", field)


def test_reminders_are_joined_not_lost() -> None:
    assert answer("- keep it\n- keep it\n- count it", "appendix_notes")["appendix_notes"] == ["keep it", "count it"]


def test_without_a_schema_the_prompts_own_words_tell_and_the_classic_shape_is_there_too() -> None:
    made = answer(f'Respond with {{"patch": {{"edits": []}}}}\n{SKILL}\n{FAILED}')
    assert made["patch"]["edits"] == made["edits"] != []


def test_a_job_is_no_question_to_it() -> None:
    assert answer(f"{SKILL}\nJob t0001: do it.") is None


def test_another_sample_is_another_answer_and_the_same_one_the_same() -> None:
    words = f"{SKILL}\n{FAILED}"
    answers = [json.dumps(answer(words, *ANALYST, sample=sample)) for sample in range(8)]
    assert len(set(answers)) > 1
    assert answers[0] == json.dumps(answer(words, *ANALYST))
