"""The three stages against a real server: whatever it answers, the documented fallback and no invented run."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from allowing import allow
from judging import judge_all
from loopback import Loopback, answers, completion, floods, hangs, resets

from metier import config
from metier.context.models.access import asker_of
from metier.context.models.line import ModelAsker
from metier.context.models.spending import spent_today
from metier.learning.clustering.by_model import cluster_with, in_short
from metier.learning.drafting.by_model import ModelDrafter
from metier.learning.drafting.heuristic import HeuristicDrafter
from metier.learning.drafting.proposal import Proposal
from metier.learning.judge_by_model import JudgeAnswer
from metier.learning.procedures.procedure import Lessons
from metier.runs.derive import record_of
from metier.store.tables.models import calls
from metier.types import Pattern, Run, ToolCall
from metier.types.questions import NoAnswer, Question
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopback import Act

    from metier.types import Record

SECONDS = 0.4
KEY = "sk-test-0123456789abcdef"
RUNS = tuple(
    record_of(
        Run(
            message=f"deploy version {n} to staging",
            output="Deployed.",
            status="completed",
            external_id=str(n),
            tools=(
                ToolCall(name="Bash", input='{"command": "make test"}'),
                ToolCall(name="Bash", input=f'{{"command": "make deploy VERSION={n}"}}'),
            ),
        ),
        "w",
        "then",
    )
    for n in range(3)
)
IDS = tuple(one.id for one in RUNS)
PATTERN = Pattern(id="p", workspace="w", label="deploy-staging", summary="deploy to staging", runs=IDS, successes=3)
LESSONS = Lessons(successes=tuple(one.run for one in RUNS))
WRONG_TYPES = {
    "success": "yes", "reason": 7, "clusters": [{"label": 1, "runs": "r1"}], "target": 1, "kind": "create", "body": [],
}  # fmt: skip
BAD: dict[str, Act] = {
    "not JSON": answers(completion("I would rather not.")),
    "half of it": answers(completion('{"success": tr')),
    "empty": answers(completion("")),
    "null": answers(completion("null")),
    "no text": answers(completion(None)),
    "no fields": answers(completion({})),
    "a list": answers(completion([])),
    "deep": answers(completion("[" * 50_000)),
    "wrong types": answers(completion(WRONG_TYPES)),
    "no choices": answers({"choices": []}),
    "another protocol": answers(b"<html>hello</html>"),
    "HTTP 500": answers({"error": "oops"}, 500),
    "HTTP 401": answers({"error": "no"}, 401),
    "HTTP 400": answers({"error": "content"}, 400),
    "HTTP 429": answers({"error": "slow down"}, 429, {"Retry-After": "3600"}),
    "hangs": hangs,
    "cut off": resets,
    "huge": floods,
}
"""What servers do when they do not answer."""
each = pytest.mark.parametrize("act", BAD.values(), ids=BAD.keys())


Asking = tuple[Loopback, ModelAsker, Workspace]


def begun(ws: Workspace, stack: ExitStack, acts: tuple[Act, ...], flags: dict[str, object]) -> Asking:
    """A server with acts, and the asker of the workspace once it is set to ask that server."""
    server = stack.enter_context(Loopback(*acts))
    limits = {f"{stage}_timeout": 30 for stage in ("judge", "cluster", "draft")}
    given = {"model": "openai:m", "model_url": server.url, "model_key": "SOME_KEY", "model_price": "1/2"}
    ws = Workspace(context=replace(ws.context, settings=config.load(ws.root, {**given, **limits, **flags})))
    asker = asker_of(allow(ws).context, {"SOME_KEY": KEY})
    assert isinstance(asker, ModelAsker)
    return server, stack.enter_context(asker), ws


@pytest.fixture
def asking(ws: Workspace) -> Iterator[Callable[..., Asking]]:
    """Starts a server, in a workspace of the test's own."""
    with ExitStack() as stack:
        yield lambda *acts, **flags: begun(ws, stack, acts, flags)


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace for all tests that look only at what comes back; every server has an address of its own."""
    with Workspace.open(tmp_path_factory.mktemp("project")) as ws:
        yield ws


@pytest.fixture
def trying(lasting: Workspace) -> Iterator[Callable[..., ModelAsker]]:
    """The asker for a server with one act and little time for it."""
    with ExitStack() as stack:

        def start(act: Act, seconds: float = SECONDS) -> ModelAsker:
            limits: dict[str, object] = {f"{stage}_timeout": seconds for stage in ("judge", "cluster", "draft")}
            return begun(lasting, stack, (act,), limits)[1]

        yield start


@each
def test_a_judge_that_gives_no_answer_leaves_the_run_unknown_in_time(
    trying: Callable[..., ModelAsker], act: Act
) -> None:
    asker = trying(act)
    began = time.monotonic()
    found = judge_all(RUNS[:1], {}, "now", asker)
    assert time.monotonic() - began < SECONDS + 1.5
    assert found.success == {IDS[0]: None}
    assert (found.new, [one.run for one in found.open]) == ((), [IDS[0]])
    assert found.open[0].reason
    assert KEY not in repr(found)


@each
def test_a_grouping_that_fails_leaves_every_run_to_the_heuristic(trying: Callable[..., ModelAsker], act: Act) -> None:
    asker = trying(act)
    began = time.monotonic()
    found = cluster_with(asker, [in_short(one, success=True) for one in RUNS], known=[PATTERN])
    assert time.monotonic() - began < SECONDS + 1.5
    assert (found.joined, found.formed, found.left) == ({}, (), IDS)
    assert "grouped without a model" in found.notes[0]


@each
def test_a_draft_that_fails_is_the_heuristics_with_a_note(trying: Callable[..., ModelAsker], act: Act) -> None:
    asker = trying(act)
    plain = HeuristicDrafter().draft(PATTERN, LESSONS)
    found = ModelDrafter(asker).draft(PATTERN, LESSONS)
    assert isinstance(plain, Proposal)
    assert isinstance(found, Proposal)
    assert (found.target, found.kind, found.body) == (plain.target, plain.kind, plain.body)
    assert "openai:m gave no usable draft" in found.notes[-1]
    assert found.model in ("heuristic", "heuristic after openai:m")


def test_unknown_ids_and_half_the_ids_place_only_what_was_shown(asking: Callable[..., Asking]) -> None:
    group = {"label": "deploy-staging", "summary": "s", "runs": ["r2", "r77", IDS[0]], "reason": "same"}
    _, asker, _ = asking(answers(completion({"clusters": [group]})))
    found = cluster_with(asker, [in_short(one, success=True) for one in RUNS])
    assert [one.runs for one in found.formed] == [(IDS[1],)]
    assert found.left == (IDS[0], IDS[2])


def test_strange_characters_in_an_answer_can_be_stored(asking: Callable[..., Asking]) -> None:
    body = json.dumps(completion('{"success": true, "reason": "odd \\u0000 \\u001b fine"}')).encode()
    _, asker, _ = asking(answers(body))
    reason = judge_all(RUNS[:1], {}, "now", asker).new[0].reason
    assert reason == "odd \ufffd fine"


def test_an_unusable_answer_is_shown_to_the_model_once_and_then_good(asking: Callable[..., Asking]) -> None:
    good = answers(completion({"success": True, "reason": "done"}))
    server, asker, _ = asking(answers(completion("well …")), good)
    assert judge_all(RUNS[:1], {}, "now", asker).success == {IDS[0]: True}
    assert len(server.seen) == 2
    assert asker.spent().calls == 2


def many(count: int) -> list[Record]:
    runs = [Run(message=f"task {n}", output="Done.", status="completed", external_id=str(n)) for n in range(count)]
    return [record_of(run, "w", "then") for run in runs]


def test_ten_runs_cost_ten_calls_and_a_second_pass_nothing(asking: Callable[..., Asking]) -> None:
    server, asker, ws = asking(answers(completion({"success": True, "reason": "done"})))
    judge_all(many(10), {}, "now", asker, threads=4)
    spent = asker.spent()
    assert (len(server.seen), spent.calls, spent.tokens, spent.kept) == (10, 10, 170, 0)
    assert spent.cost_usd is not None
    assert float(spent.cost_usd) == pytest.approx((12 * 1 + 5 * 2) * 10 / 1e6)
    again = asker_of(ws.context, {"SOME_KEY": KEY})
    assert isinstance(again, ModelAsker)
    with again:
        judge_all(many(10), {}, "later", again, threads=4)
        assert (again.spent().calls, again.spent().kept, len(server.seen)) == (0, 10, 10)
    with ws.context.store.read() as transaction:
        kept = calls.list_since(transaction)
    assert {(one.stage, one.outcome) for one in kept} == {("judge", "ok")}
    assert len(kept) == 10
    assert spent_today(ws.context).spent.calls == 10


def test_an_outage_is_over_quickly_for_two_hundred_runs(asking: Callable[..., Asking]) -> None:
    server, asker, _ = asking(answers({"error": "no such key"}, 401))
    began = time.monotonic()
    found = judge_all(many(200), {}, "now", asker, threads=4)
    assert time.monotonic() - began < 5
    assert len(server.seen) <= 6
    assert len(found.open) == 200


def test_a_budget_ends_the_asking_and_nothing_is_sent_beyond_it(asking: Callable[..., Asking]) -> None:
    server, asker, _ = asking(answers(completion({"success": True, "reason": "done"})), budget_calls=4)
    found = judge_all(many(12), {}, "now", asker, threads=3)
    assert (len(server.seen), len(found.new), len(found.open)) == (4, 4, 8)
    assert "budget of 4 calls" in found.open[0].reason


SPEND = """
import sys
sys.path.insert(0, "SUPPORT")
from metier.runs.derive import record_of
from metier.types import Run
from judging import judge_all
from metier.context.models.access import asker_of
from metier.workspace import Workspace
flags = {"model": "openai:m", "model_url": sys.argv[2], "model_key": "SOME_KEY", "budget_calls": 7}
with Workspace.open(sys.argv[1], flags=flags) as ws, asker_of(ws.context, {"SOME_KEY": "x"}) as asker:
    runs = [Run(message=f"task {n}", output="Done.", status="completed", external_id=str(n)) for n in range(20)]
    records = [record_of(run, "w", "then") for run in runs][:: int(sys.argv[3])]
    found = judge_all(records, {}, "now", asker, threads=2)
    print(len(found.new), asker.spent().calls, asker.spent().kept)
""".replace("SUPPORT", str(Path(__file__).parents[1] / "support"))


def test_two_processes_that_judge_at_once_never_pass_the_budget(asking: Callable[..., Asking]) -> None:
    server, _, ws = asking(answers(completion({"success": True, "reason": "done"})))
    both = [
        subprocess.Popen(
            [sys.executable, "-c", SPEND, str(ws.root), server.url, step],
            stdout=subprocess.PIPE,
            text=True,
        )
        for step in ("1", "-1")
    ]
    outs = [list(map(int, one.communicate(timeout=60)[0].split())) for one in both]
    assert len(server.seen) == 7
    assert sum(calls for _, calls, _ in outs) == 7
    assert spent_today(ws.context).spent.calls == 7


def test_an_unknown_price_is_said_and_never_nothing(asking: Callable[..., Asking]) -> None:
    _, asker, ws = asking(answers(completion({"success": True, "reason": "done"})), model_price="")
    judge_all(many(2), {}, "now", asker)
    assert (asker.spent().calls, asker.spent().cost_usd) == (2, None)
    with ws.context.store.read() as transaction:
        assert [one.cost_usd for one in calls.list_since(transaction)] == [None, None]


def test_a_budget_of_no_money_without_a_price_asks_nothing(asking: Callable[..., Asking]) -> None:
    good = answers(completion({"success": True, "reason": "done"}))
    server, asker, _ = asking(good, model_price="", budget_usd=0)
    found = judge_all(many(2), {}, "now", asker)
    assert (server.seen, found.new) == ([], ())
    assert "price is unknown" in found.open[0].reason


def test_secrets_neither_leave_nor_come_back(asking: Callable[..., Asking]) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    said = {"success": True, "reason": f"it printed {secret}"}
    server, asker, ws = asking(answers(completion(said)))
    run = record_of(Run(message=f"use {secret}", output="Done.", status="completed"), "w", "then")
    verdict = judge_all([run], {}, "now", asker).new[0]
    assert secret.encode() not in server.seen[0].body
    assert verdict.success is True
    assert "[REDACTED:" in verdict.reason
    with ws.context.store.read() as transaction:
        rows = transaction.all("SELECT value FROM memo")
    assert rows
    assert secret.encode() not in b"".join(row[0] for row in rows)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("act", "answered"),
    [
        (answers(completion("no")), True),
        (answers({"error": "too long"}, 413), True),
        (answers({"error": {"message": "Your credit balance is too low"}}, 400), False),
        (answers({"error": "who are you"}, 401), False),
        (answers({}, 500), False),
        (hangs, False),
    ],
)
def test_what_is_wrong_with_the_question_is_told_from_an_outage(
    trying: Callable[..., ModelAsker], act: Act, answered: bool
) -> None:
    found = trying(act, 30 if answered else SECONDS).ask(Question(prompt="Did it work?", stage="judge"), JudgeAnswer)
    assert isinstance(found, NoAnswer)
    assert found.answered is answered


FOREVER = SPEND.replace("range(20)", "range(5_000)").replace('"budget_calls": 7', '"budget_calls": 100_000')


@pytest.mark.slow
def test_however_a_process_is_killed_no_call_that_was_made_goes_uncounted(asking: Callable[..., Asking]) -> None:
    server, _, ws = asking(answers(completion({"success": True, "reason": "done"})))
    random = Random(11)
    for _ in range(8):
        child = subprocess.Popen([sys.executable, "-c", FOREVER, str(ws.root), server.url, "1"])
        before, began = len(server.seen), time.monotonic()
        while len(server.seen) == before and time.monotonic() - began < 60:
            time.sleep(0.01)
        time.sleep(random.random() * 0.5)
        child.kill()
        child.wait(60)
        today = spent_today(ws.context)
        assert len(server.seen) > before
        assert len(server.seen) <= today.spent.calls <= len(server.seen) + today.pending
    with ws.context.store.read() as transaction:
        noted = len(calls.list_since(transaction, limit=100_000))
    assert noted <= len(server.seen)
