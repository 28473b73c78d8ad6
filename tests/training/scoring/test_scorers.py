"""What each scorer makes of an answer, and what becomes of one that fails."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.errors import InputError
from metier.models.failures import OverBudget, Unreachable
from metier.models.scripted import Scripted, fails, on, says
from metier.training.rollouts.rollout import BudgetSpent
from metier.training.scoring.near import anls, distance, numbers, token_f1
from metier.training.scoring.registry import KINDS
from metier.training.scoring.scorer import Means, Ran
from metier.training.scoring.scorers import Scorers
from metier.training.targets.target import Attempt, Broken
from metier.types.trials import Case, Scored, Unscored

if TYPE_CHECKING:
    from collections.abc import Mapping


def case(expected: str = "", **scorer: Any) -> Case:
    return Case(id="c", input="do it", expected=expected, scorer=json.dumps(scorer))


def score(of: Case, output: str, means: Means | None = None, **more: Any) -> tuple[float, float]:
    found = Scorers(means).score(of, Attempt(output=output, **more))
    assert isinstance(found, Scored), found
    return found.hard, found.soft


def reason(of: Case, output: str = "x", means: Means | None = None, **more: Any) -> str:
    found = Scorers(means).score(of, Attempt(output=output, **more))
    assert isinstance(found, Unscored), found
    return found.reason


def problem(of: Case, means: Means | None = None) -> str:
    with pytest.raises(InputError) as caught:
        Scorers(means).check([of])
    return str(caught.value)


@pytest.mark.parametrize(
    ("of", "output", "hard", "soft"),
    [
        (case("Paris", kind="exact"), "  Paris\n", 1, 1),
        (case("Paris", kind="exact"), "paris", 0, 0),
        (case("Paris", kind="exact", ignore_case=True), "paris", 1, 1),
        (case("Paris", kind="exact", answers=["Lutetia"]), "Lutetia", 1, 1),
        (case("b", kind="contains"), "abc", 1, 1),
        (case(kind="contains", texts=["a", "z"]), "abc", 0, 0.5),
        (case(r"^\d+$", kind="regex"), " 42 ", 1, 1),
        (case(kind="regex", pattern="ab", full=True), "abc", 0, 0),
        (case(kind="regex", pattern="AB", ignore_case=True), "xabx", 1, 1),
        (case(kind="section", titles=["Steps", "## Notes"]), "# Steps\none\n## notes\ntwo\n", 1, 1),
        (case(kind="section", titles=["Steps", "Notes"]), "# Steps\none\n```\n# Notes\n```\n", 0, 0.5),
        (case(kind="section", titles=["Steps"]), "# Steps\n\n", 0, 0),
        (case(kind="section", titles=["Risks", "Next steps"]), "## 1. Risks\none\n### 2.1) Next steps\ntwo\n", 1, 1),
        (case(kind="section", titles=["## 1. Risks"]), "## 1. Risks\none\n", 1, 1),
        (case(kind="section", titles=["2. Risks"]), "## 1. Risks\none\n", 0, 0),
        (case(kind="section", titles=["Risks"]), "## 3 Risks\none\n", 1, 1),
        (case(kind="section", titles=["results"]), "## 2024 results\none\n", 0, 0),
        (case(kind="not-contains", texts=["TODO", "lorem"]), "All done.", 1, 1),
        (case(kind="not-contains", texts=["TODO", "lorem"]), "TODO: more", 0, 0.5),
        (case("todo", kind="not-contains", ignore_case=True), "TODO: more", 0, 0),
        (case("todo", kind="not-contains"), "TODO: more", 1, 1),
        (case(kind="length", unit="words", max=3), "one two three", 1, 1),
        (case(kind="length", unit="words", max=3), "one two three four", 0, 0),
        (case(kind="length", min=2), "a", 0, 0),
        (case(kind="length", unit="lines", min=2, max=2), "a\nb\n", 1, 1),
        (case(kind="no-refusal"), "Here you are.", 1, 1),
        (case(kind="no-refusal"), "I’m sorry, but I can’t help with that.", 0, 0),
        (case(kind="no-refusal"), "I am unable to assist with this request.", 0, 0),
        (case(kind="no-refusal"), "I'm unable to find a bug; I can't help but admire it.", 1, 1),
        (case(kind="no-refusal"), "  ", 0, 0),
        (case(kind="no-refusal", phrases=["Nö"]), "nö, keine Lust", 0, 0),
        (case("1,234.5", kind="numeric"), "So it is 1234.50.", 1, 1),
        (case("10", kind="numeric"), "between 5-10", 1, 1),
        (case("10", kind="numeric", take="first"), "5 or 10", 0, 0.5),
        (case("10", kind="numeric", take="only"), "5 or 10", 0, 0),
        (case("10", kind="numeric", tolerance=0.5), "10.4", 1, 1),
        (case("200", kind="numeric", relative=0.01), "198", 1, 1),
        (case("200", kind="numeric"), "150", 0, 0.75),
        (case("9007199254740993", kind="numeric"), "9007199254740992", 0, 1),
        (case("0", kind="numeric"), "no number", 0, 0),
        (case("a cat sat down", kind="token-f1"), "The cat sat.", 0, 0.8),
        (case("a cat sat down", kind="token-f1", threshold=0.8), "The cat sat.", 1, 0.8),
        (case("cat", kind="token-f1", answers=["dog"]), "the dog", 1, 1),
        (case("kitten", kind="anls"), "sitting", 1, 4 / 7),
        (case("kitten", kind="anls"), "dog", 0, 0),
        (case("kitten", kind="anls", threshold=0.4), "sitting", 0, 0),
        (
            case('{"a": 1, "b": [true, null]}', kind="json-equal"),
            'Sure:\n```json\n{"b":[true,null],"a":1.0}\n```',
            1,
            1,
        ),
        (case('{"a": 1, "b": 2}', kind="json-equal"), '{"a": 1, "b": 3}', 0, 0.5),
        (case('{"a": 1}', kind="json-equal"), 'so {"a": true} then', 0, 0),
        (case('{"a": 1}', kind="json-equal"), '{"a": 1, "b": 2}', 0, 0.5),
        (case('{"a": 1}', kind="json-equal", subset=True), '{"a": 1, "b": 2}', 1, 1),
        (case("[]", kind="json-equal"), "[]", 1, 1),
        (case("[]", kind="json-equal"), "not JSON", 0, 0),
        (case("1", kind="json-equal"), "[" * 100_000, 0, 0),
    ],
)
def test_an_answer_gets_its_score(of: Case, output: str, hard: float, soft: float) -> None:
    assert score(of, output) == (hard, pytest.approx(soft))


def test_tools_and_exit_codes_are_scored_by_what_the_target_reports() -> None:
    wanted = case(kind="tool-called", tools=["Bash", "Read"], never=["Write"])
    assert score(wanted, "", tools=("Read", "Bash")) == (1, 1)
    assert score(wanted, "", tools=("Read", "Write")) == (0, pytest.approx(1 / 3))
    assert score(case(kind="exit-code", code=3), "", exit_code=3) == (1, 1)
    assert score(case(kind="exit-code"), "", exit_code=3) == (0, 0)
    assert "reports no exit code" in reason(case(kind="exit-code"))


def test_scorers_combine() -> None:
    parts = [{"kind": "contains", "texts": ["a", "b"]}, {"kind": "length", "max": 3}]
    assert score(case(kind="all", of=parts), "a") == (0, 0.75)
    assert score(case(kind="any", of=parts), "a") == (1, 1)
    weighted = case(kind="weighted", of=parts, weights=[1, 3], threshold=0.75)
    assert score(weighted, "a") == (1, pytest.approx(0.875))
    assert "exit code" in reason(case(kind="all", of=[*parts, {"kind": "exit-code"}]))


def test_a_pattern_that_would_hang_other_engines_is_answered_at_once() -> None:
    assert score(case("(a+)+$", kind="regex"), "a" * 50_000 + "!") == (0, 0)


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (case(kind="regx", pattern="a"), "did you mean 'regex'?"),
        (case(kind="zzz"), "known are exact, contains"),
        (case(kind="regex", patern="a"), "did you mean 'pattern'?"),
        (case(kind="regex"), "scorer.pattern: missing"),
        (case("a(", kind="regex"), "scorer.pattern: missing )"),
        (case("(?=a)", kind="regex"), "no look-around and no back references"),
        (case(kind="exact"), "give the case an 'expected'"),
        (case("x", kind="numeric"), "must hold one number"),
        (case("1", kind="numeric", take="middle"), "write one of last, first, only"),
        (case("1", kind="numeric", tolerance=-1), "scorer.tolerance"),
        (case("{", kind="json-equal"), "must be JSON"),
        (case("x", kind="anls", threshold=1.5), "from 0 to 1"),
        (case(kind="length"), "write a min, a max, or both"),
        (case(kind="length", min=3, max=2), "the min no larger than the max"),
        (case(kind="length", max=2, unit="yards"), "characters, words, lines"),
        (case(kind="tool-called"), "name the tools"),
        (case(kind="command"), "scorer.command: missing"),
        (case(kind="command", command="'"), "No closing quotation"),
        (case(kind="rubric"), "list what a good answer does"),
        (case(kind="all", of=[]), "list the scorers to combine"),
        (case(kind="all", of=[{"kind": "exat"}]), "scorer.of[0].kind"),
        (case(kind="weighted", of=[{"kind": "length", "max": 1}], weights=[]), "one number of at least 0 for each"),
        (case("x", kind="rubric"), "a rubric needs a model"),
        (case(kind="command", command="true"), "allow it with --allow-commands"),
        (case(kind="python", name="mine"), "there is no function 'mine'; none is given. Write MODULE:FUNCTION"),
        (case(kind="python", name="mine:f"), "its scorer is the function mine:f; read it, then allow it"),
        (Case(id="c", input="i", expected="e", scorer="{"), "not JSON"),
    ],
)
def test_wrong_settings_are_named_before_anything_is_spent(of: Case, said: str) -> None:
    assert said in problem(of)
    assert problem(of).startswith("Some cases cannot be scored:\nc: ")


def test_a_bare_word_is_a_kind() -> None:
    Scorers().check([Case(id="c", input="i", expected="e", scorer="exact")])


def test_many_problems_are_listed_up_to_a_point() -> None:
    cases = [Case(id=f"c{number}", input="i", scorer="zzz") for number in range(30)]
    with pytest.raises(InputError, match=r"c3, c4 and 25 more: scorer\.kind"):
        Scorers().check(cases)
    cases = [Case(id=f"c{number}", input="i", scorer=f"zz{number}") for number in range(30)]
    with pytest.raises(InputError, match="… and 10 more"):
        Scorers().check(cases)


RUBRIC = case("42", kind="rubric", criteria=["It is right.", "It is brief."], threshold=0.5)


def verdicts(*met: bool) -> dict[str, object]:
    return {"verdicts": [{"criterion": n, "met": one, "why": "so"} for n, one in enumerate(met, 1)]}


def test_a_rubric_is_judged_criterion_by_criterion() -> None:
    model = Scripted(on("score", says(verdicts(True, False))))
    assert score(RUBRIC, "forty-two", Means(model=model)) == (1, 0.5)
    shown = model.requests[0].messages[0].text
    assert "1. It is right.\n2. It is brief." in shown
    assert "<answer>\nforty-two\n</answer>" in shown
    Scorers(Means(model=model)).check([RUBRIC])


@pytest.mark.parametrize("answer", [verdicts(True), verdicts(True, True, True), {"verdicts": []}, "not JSON"])
def test_a_judge_that_does_not_answer_every_criterion_leaves_the_attempt_unscored(answer: object) -> None:
    assert reason(RUBRIC, means=Means(model=Scripted(on("score", says(answer)))))


def test_a_judge_that_is_down_leaves_the_attempt_unscored_and_one_without_money_stops_the_run() -> None:
    down = Scripted(otherwise=fails(Unreachable(reason="down")))
    assert reason(RUBRIC, means=Means(model=down)) == "the rubric could not be judged: down"
    poor = Scripted(otherwise=fails(OverBudget(reason="10 calls are spent")))
    assert Scorers(Means(model=poor)).score(RUBRIC, Attempt(output="x")) == BudgetSpent(reason="10 calls are spent")


def test_the_judge_is_part_of_what_determines_a_score_and_for_other_kinds_it_is_not() -> None:
    one, other = (Scorers(Means(model=Scripted(identity=name))) for name in ("one", "other"))
    nested = case(kind="all", of=[json.loads(RUBRIC.scorer)])
    assert one.identity(RUBRIC) != other.identity(RUBRIC)
    assert one.identity(nested) == one.identity(RUBRIC)
    assert one.identity(case("x", kind="exact")) == ""


def mine(_: Case, attempt: Attempt) -> object:
    return {"half": 0.5, "pair": (1, 0.25), "yes": True, "score": Scored(hard=1, soft=1)}.get(
        attempt.output, {"no": "score"}
    )


def test_a_function_of_ones_own_scores() -> None:
    means = Means(functions={"mine": mine})
    of = case(kind="python", name="mine")
    assert score(of, "half", means) == (0.5, 0.5)
    assert score(of, "pair", means) == (1, 0.25)
    assert score(of, "yes", means) == (1, 1)
    assert score(of, "score", means) == (1, 1)
    assert "the scorer gave dict" in reason(of, "other", means)
    assert Scorers(means).identity(of).endswith(".mine")


@pytest.mark.parametrize("given", [2, -0.1, float("nan"), float("inf"), (1, 7)])
def test_nonsense_from_a_function_is_no_score(given: object) -> None:
    assert "both must be from 0 to 1" in reason(
        case(kind="python", name="f"), means=Means(functions={"f": lambda *_: given})
    )


def test_a_function_that_raises_leaves_the_attempt_unscored() -> None:
    def broken(_: Case, __: Attempt) -> object:
        raise ZeroDivisionError("oh")

    assert (
        reason(case(kind="python", name="f"), means=Means(functions={"f": broken}))
        == "the scorer failed: ZeroDivisionError: oh"
    )


@dataclass
class Fake:
    """Commands that end as told, and keep what they were given."""

    result: Ran | Broken
    seen: list[tuple[tuple[str, ...], dict[str, str], float]] = field(default_factory=list)

    def check(self, command: tuple[str, ...], files: Mapping[str, str], seconds: float) -> Ran | Broken:
        self.seen.append((command, dict(files), seconds))
        return self.result


def test_a_check_finds_the_answer_the_task_and_the_files() -> None:
    of = Case(
        id="c",
        input="task",
        expected="want",
        files=(("a.txt", "old"), ("b.txt", "kept")),
        scorer='{"kind": "command", "command": ["python", "check.py"], "seconds": 5}',
    )
    commands = Fake(Ran(code=0))
    assert score(of, "said", Means(commands=commands), files=(("a.txt", "new"),)) == (1, 1)
    files = {"a.txt": "new", "b.txt": "kept", "output.txt": "said", "input.txt": "task", "expected.txt": "want"}
    assert commands.seen == [(("python", "check.py"), files, 5.0)]
    assert score(of, "said", Means(commands=Fake(Ran(code=1)))) == (0, 0)
    assert reason(of, means=Means(commands=Fake(Broken(reason="it hung")))) == "the check: it hung"


def test_token_f1_has_the_values_the_benchmarks_publish() -> None:
    assert token_f1("the cat sat", "a cat sat down") == pytest.approx(0.8)
    assert token_f1("Paris, France", "paris") == pytest.approx(2 / 3)
    assert token_f1("to be or not to be", "to be") == pytest.approx(0.5)
    assert (token_f1("", ""), token_f1("the", "a"), token_f1("x", ""), token_f1("", "x")) == (1, 1, 0, 0)


def test_anls_has_the_values_the_benchmarks_publish() -> None:
    assert anls("Hello World", "hello w0rld") == pytest.approx(10 / 11)
    assert anls("ab", "ax") == 0
    assert anls("abc", "abx") == pytest.approx(2 / 3)
    assert (anls("", ""), anls("", "a"), anls(" A ", "a")) == (1, 0, 1)


WORDS = st.text(alphabet="abcä ", max_size=12)


@given(WORDS, WORDS)
def test_the_distance_is_that_of_the_table(left: str, right: str) -> None:
    row = list(range(len(right) + 1))
    for i, one in enumerate(left, 1):
        new = [i]
        for j, other in enumerate(right, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (one != other)))
        row = new
    assert distance(left, right) == row[-1]


@given(WORDS, WORDS)
def test_nearness_is_the_same_from_both_sides_and_1_only_for_the_same(left: str, right: str) -> None:
    assert token_f1(left, right) == token_f1(right, left)
    assert anls(left, right) == anls(right, left)
    assert 0 <= anls(left, right) <= 1
    assert (anls(left, right) == 1) == (left.strip().casefold() == right.strip().casefold())


@given(st.integers(-(10**30), 10**30), st.integers(0, 6))
def test_a_number_is_found_however_it_is_written(value: int, places: int) -> None:
    from decimal import Decimal

    number = Decimal(value).scaleb(-places)
    for text in (f"{number:f}", f"{number:,f}", f"$ {number:f} in all", f"{number:f}."):
        assert numbers(text) == (number,)


@given(st.text(max_size=200), st.sampled_from(sorted(KINDS)))
def test_no_answer_makes_a_scorer_raise(output: str, kind: str) -> None:
    settings: dict[str, object] = {
        "section": {"titles": ["a"]},
        "not-contains": {"texts": ["a"]},
        "length": {"max": 3},
        "tool-called": {"tools": ["x"]},
        "command": {"command": "true"},
        "python": {"name": "f"},
        "all": {"of": [{"kind": "exact"}]},
        "any": {"of": [{"kind": "exact"}]},
        "weighted": {"of": [{"kind": "exact"}], "weights": [1]},
    }.get(kind, {})
    found = Scorers().score(case("1", kind=kind, **settings), Attempt(output=output))
    assert isinstance(found, Scored | Unscored)
    assert not isinstance(found, Unscored) or "failed" not in found.reason
