"""The evals that skills carry along become cases."""

from __future__ import annotations

import json

import pytest

from metier.errors import InputError
from metier.training.cases.evals_json import read_evals
from metier.training.scoring.scorers import Scorers

EVAL = {
    "id": 1,
    "prompt": "Chart the sales",
    "expected_output": "A chart",
    "files": ["evals/files/sales.csv"],
    "assertions": ["It has axes", {"text": "It has a title"}],
}
FILES = {"evals/files/sales.csv": b"a,b\n", "evals/files/x.bin": b"\xff\xfe"}


def evals(*listed: object) -> str:
    return json.dumps({"skill_name": "charts", "evals": listed})


def test_an_eval_becomes_a_case_judged_by_its_assertions() -> None:
    (case,) = read_evals(evals(EVAL), FILES)
    assert (case.id, case.input, case.expected, case.origin) == ("eval-1", "Chart the sales", "A chart", "evals")
    assert case.files == (("sales.csv", "a,b\n"),)
    assert json.loads(case.scorer) == {"kind": "rubric", "criteria": ["It has axes", "It has a title"]}
    with pytest.raises(InputError, match="a rubric needs a model"):
        Scorers().check([case])


def test_expectations_are_assertions_and_without_either_the_expected_output_is_the_criterion() -> None:
    plain = {"id": "x", "prompt": "p", "expected_output": "e", "further": True}
    first, second = read_evals(evals(plain | {"expectations": ["so"]}, plain | {"id": "y", "prompt": "q"}), {})
    assert json.loads(first.scorer)["criteria"] == ["so"]
    assert json.loads(second.scorer)["criteria"] == ["e"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not valid JSON"),
        ("[]", "lists no evals"),
        ('{"evals": []}', "lists no evals"),
        (evals("x"), "evals\\[0\\]: must be an object"),
        (evals({"id": 1}), "evals\\[0\\].prompt: missing"),
        (evals({"id": 1, "prompt": "p"}), "needs a prompt, and assertions or an expected_output"),
        (evals(EVAL, EVAL | {"prompt": "another"}), "more than one case has the id eval-1"),
        (evals(EVAL | {"files": ["no.csv"]}), "'no.csv' is not in the package"),
        (evals(EVAL | {"files": ["../../etc/passwd"]}), "is not in the package"),
        (evals(EVAL | {"files": ["evals/files/x.bin"]}), "is not text"),
        (evals(EVAL | {"assertions": [3]}), "assertions\\[0\\]: must be text"),
    ],
)
def test_what_is_wrong_with_a_file_of_evals_is_said(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_evals(text, FILES)
