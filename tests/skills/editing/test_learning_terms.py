"""Deployable text: a skill does not tell how it was learned, and loses nothing of what it teaches."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metier.skills.editing.compose import compose
from metier.skills.editing.strip_evidence import TITLES, rewrite_learning_terms
from metier.skills.package import Package

FRONT = "---\nname: weather\ndescription: Tells the weather.\n---\n"


@pytest.mark.parametrize("marks", ["##", "###"])
@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("Learned Pattern", "Usage Pattern"),
        ("Learned Evolution", "Usage Notes"),
        ("Learned Evolution:", "Usage Notes:"),
        ("learned context", "Procedure Notes"),
        ("Learned Shortcut", "Shortcut"),
        ("Learned Shortcut Update", "Shortcut Update"),
        ("Source Skills", "Procedure Details"),
    ],
)
def test_text_under_a_title_of_the_learner_stays_and_the_title_is_renamed(marks: str, title: str, plain: str) -> None:
    body = f"Intro.\n\n{marks} {title}\n\nPrefer native names.\n"
    assert rewrite_learning_terms(body).replace(":", "") == body.replace(title, plain).replace(":", "")


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("Learned task: look up the weather", "Task: look up the weather"),
        ("- **Learned task:** look up the weather", "- **Task:** look up the weather"),
        ("- learned pattern: ask by name", "- pattern: ask by name"),
        ("Learned workflow for weather.", "Workflow for weather."),
        ("Create weather from learned pattern: ask by name", "Create weather for: ask by name"),
        ("Learned from `ask by name`; use it directly.", "Based on `ask by name`; use it directly."),
        ("> - Learned from: a rainy day", "> - Based on: a rainy day"),
    ],
)
def test_a_label_of_the_learner_loses_the_word_learned(line: str, plain: str) -> None:
    assert rewrite_learning_terms(f"Do this.\n\n{line}\n") == f"Do this.\n\n{plain}\n"


@pytest.mark.parametrize(
    ("announced", "said"),
    [
        ("Create combined shortcut sums-via-theorems for: Work out sums.", "Work out sums."),
        ('"Create combined shortcut sums-via-theorems for: Work out sums."', '"Work out sums."'),
        ("Refresh shortcut weather for: Work out sums.", "Work out sums."),
        ("Refresh combined shortcut weather", "weather"),
        ("Create weather from learned pattern: ask by name", "ask by name"),
        ("Refresh weather with learned pattern: ask by name", "ask by name"),
        ("Create charts for the team.", "Create charts for the team."),
        ("Create a shortcut for the desktop.", "Create a shortcut for the desktop."),
    ],
)
def test_a_description_says_what_the_skill_does_and_not_that_it_was_made(announced: str, said: str) -> None:
    body = f"---\nname: weather\ndescription: {announced}\n---\n# Weather\n\nAsk by name.\n"
    made = compose("create", "weather", None, body).document.decode()
    assert made == body.replace(announced, said)


def test_prose_that_goes_on_with_learned_from_is_no_label() -> None:
    body = "Write down what we\nlearned from the outage, and what others Learned.\n\nValidated examples:\n\n- a\n"
    assert rewrite_learning_terms(body) == body


@pytest.mark.parametrize(
    "line",
    [
        "source_record_id: rule-1",
        "- source_record_id: rule-1",
        "- **Source record:** rule-1",
        "Seen before (source_record_id rule-1).",
        "- Evidence: 4 cases, success rate 1.00",
        "- Validated examples: 3 runs",
        "- Validated examples: task-1, task-2",
        "Learned from task records: task-1, task-2",
        "- Evidence: learned from the pattern record.",
    ],
)
def test_a_line_about_records_goes(line: str) -> None:
    assert rewrite_learning_terms(f"Do this.\n{line}\nThen that.\n") == "Do this.\nThen that.\n"
    assert rewrite_learning_terms(f"Do this.\n\n{line}\n\nThen that.\n") == "Do this.\n\nThen that.\n"


@pytest.mark.parametrize(
    "body",
    [
        "```\n## Learned Pattern\nsource_record_id: x\n```\n",
        "Keep what you learned from incidents in mind.\n",
        "Evidence: attach a screenshot.\n",
        "## Lessons learned\n\nWrite them down.\n",
        "---\nname: source-records\ndescription: Source records.\n---\n# S\n\nThe source_record_id is a key.\n",
    ],
)
def test_words_that_are_the_skills_own_stay(body: str) -> None:
    assert rewrite_learning_terms(body) == body


def test_a_renamed_section_that_held_nothing_but_records_goes() -> None:
    body = "## Steps\n\n1. a\n\n## Learned Evolution\n\n- source_record_id: r1\n\n## Result\n\nDone.\n"
    assert rewrite_learning_terms(body) == "## Steps\n\n1. a\n\n## Result\n\nDone.\n"


def test_what_a_model_wrote_about_learning_does_not_ship() -> None:
    body = (
        f"{FRONT}\n# Weather\n\n## Learned Pattern\n\nLearned task: weather\n\n## Learned Evolution\n\n"
        "Prefer native names.\n\nsource_record_id: rule-1\n"
    )
    text = compose("create", "weather", None, body).document.decode()
    assert "earned" not in text
    assert "source_record_id" not in text
    assert "## Usage Pattern\n\nTask: weather\n\n## Usage Notes\n\nPrefer native names." in text


def test_a_frontmatter_key_that_names_the_record_goes() -> None:
    body = "---\nname: weather\ndescription: Learned workflow for weather.\nsource_record_id: r1\n---\n\n# W\n\nAsk.\n"
    text = compose("create", "weather", None, body).document.decode()
    assert text == "---\nname: weather\ndescription: Workflow for weather.\n---\n\n# W\n\nAsk.\n"


def test_what_is_there_already_is_not_rewritten() -> None:
    old = f"{FRONT}# Weather\n\n## Learned Pattern\n\nKeep this Learned phrase.\n"
    current = Package(files={"SKILL.md": old.encode()})
    text = compose("append", "weather", current, "## Learned Pattern\n\nPrefer native names.\n").document.decode()
    assert text == f"{old}\n## Usage Pattern\n\nPrefer native names.\n"


PIECES = st.lists(
    st.sampled_from(
        [
            "# A",
            *(f"## {title}" for title in TITLES),
            "text",
            "",
            "- item",
            "```",
            "source_record_id: x",
            "Learned task: y",
        ]
    ),
    max_size=12,
)


@given(PIECES)
@settings(max_examples=100, deadline=None)
def test_once_is_enough(pieces: list[str]) -> None:
    once = rewrite_learning_terms("\n".join(pieces))
    assert rewrite_learning_terms(once) == once


@pytest.mark.parametrize("piece", [" ", "> ", "*", "learned ", "evidence: ", "source ", "- "])
def test_a_hostile_line_costs_little(piece: str) -> None:
    begun = time.process_time()
    rewrite_learning_terms(f"{piece * 60_000}learned\n")
    assert time.process_time() - begun < 2
