"""`metier models check`: what works, what does not, what to do; never a key."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from loopback import Loopback, answers, completion, embeddings, message
from states import has_state
from typer.testing import CliRunner

from metier.cli.commands.models import app
from metier.cli.options import GlobalOptions
from metier.context.models.spending import StoreLedger
from metier.models.check import CheckResult, check_budget, check_models
from metier.models.ledger import Amount, Limits, Reservation
from metier.models.spec import ModelOptions, parse_spec

if TYPE_CHECKING:
    from metier.workspace import Workspace

NOW = datetime(2026, 1, 5, tzinfo=UTC)
KEY = "sk-test-0123456789abcdef"
PROBE = completion({"word": "seven", "number": 7})


def tried(*acts: Any, text: str = "openai:m", embed: str = "", price: str = "1/1") -> list[CheckResult]:
    with Loopback(*acts) as server:
        url = server.url.removesuffix("/v1") if text.startswith("anthropic") else server.url
        spec = parse_spec(text, ModelOptions(url=url, key_variable="SOME_KEY", price=price))
        embedder = parse_spec(embed, ModelOptions(url=server.url)) if embed else None
        return check_models(spec, {"SOME_KEY": KEY}, NOW, embedder)


def test_a_model_that_works_is_ok_in_every_line() -> None:
    results = tried(
        answers(completion("ready")), answers(PROBE), answers(embeddings([1.0] * 3, [1.0] * 3)), embed="openai:e"
    )
    assert [(one.name, one.state) for one in results] == [
        ("model", "ok"),
        ("completion", "ok"),
        ("structured", "ok"),
        ("embedding", "ok"),
    ]
    assert results[-1].text.startswith("3 numbers a text")


def test_the_other_protocol_is_tried_alike() -> None:
    probe = answers(message({"word": "seven", "number": 7}))
    assert {one.state for one in tried(answers(message("ready")), probe, text="anthropic:m")} == {"ok"}


@pytest.mark.parametrize(
    ("acts", "name", "says", "fix"),
    [
        ([answers({"error": {"message": f"bad key {KEY}"}}, 401)], "completion", "not accepted", "Check the key"),
        ([answers({}, 404)], "completion", "no such model", "/v1"),
        ([answers({}, 500)], "completion", "HTTP 500", "Is the server running"),
        ([answers({}, 429)], "completion", "too many", "higher limit"),
        ([answers({}, 402)], "completion", "no credit", "Add credit"),
        ([answers(b"<html>")], "completion", "protocol's form", "speak this protocol"),
        ([answers(completion("hi")), answers(completion("hi"))], "structured", "two answers", "stronger model"),
    ],
)
def test_what_is_wrong_has_its_line_and_its_fix(acts: list[Any], name: str, says: str, fix: str) -> None:
    results = tried(*acts)
    last = results[-1]
    assert (last.name, last.state) == (name, "problem")
    assert says in last.text
    assert fix in last.fix
    assert KEY not in repr(results)


def test_a_repaired_answer_is_said_to_be_one() -> None:
    assert "one repair" in tried(answers(completion("ready")), answers(completion("no")), answers(PROBE))[-1].text


def test_nobody_listening_is_a_problem_with_a_fix() -> None:
    with Loopback(answers({})) as server:
        url = server.url
    results = check_models(parse_spec(f"openai:m@{url}"), {}, NOW)
    assert results[-1].state == "problem"
    assert "cannot connect" in results[-1].text


def test_an_unknown_price_is_a_note_and_no_problem() -> None:
    results = tried(answers(completion("ready")), answers(PROBE), price="")
    assert [one.name for one in results if one.state == "warning"] == ["price"]


def test_a_key_on_an_unencrypted_way_is_noted() -> None:
    spec = parse_spec("openai:m", ModelOptions(url="http://no-such-host.invalid/v1", key_variable="SOME_KEY"))
    assert "unencrypted" in repr(check_models(spec, {"SOME_KEY": KEY}, NOW))


def test_a_missing_key_is_a_problem_that_names_the_variable() -> None:
    results = check_models(parse_spec("openai:m"), {}, NOW)
    assert results[-1].state == "problem"
    assert "OPENAI_API_KEY is not set" in results[-1].text


def test_with_nothing_configured_heuristics_are_named_and_all_is_well(tmp_path: Any) -> None:
    options = GlobalOptions(folder=str(tmp_path), flags={})
    shown = CliRunner().invoke(app, ["check"], obj=options)
    assert shown.exit_code == 0, shown.output
    assert "heuristics" in shown.output
    as_json = CliRunner().invoke(app, ["check", "--json"], obj=options)
    assert json.loads(as_json.stdout) == {
        "checks": [{"name": "model", "state": "ok", "text": "no model is set: learning uses heuristics", "fix": ""}],
        "today": None,
    }
    assert not has_state(tmp_path)  # looking makes no workspace


def test_what_was_spent_today_stands_beside_the_budget(ws: Workspace) -> None:
    ledger = StoreLedger(ws.context)
    held = ledger.reserve(Amount(calls=1, tokens=9_000, usd=Decimal("0.5")), Limits())
    assert isinstance(held, Reservation)
    ledger.settle(held, Amount(calls=1, tokens=1_234, usd=Decimal("0.0125")))
    ledger.reserve(Amount(calls=1, tokens=100, unpriced=1), Limits())
    options = GlobalOptions(folder=str(ws.root), flags={"budget_calls": 10, "budget_tokens": 2_000})
    shown = CliRunner().invoke(app, ["check"], obj=options)
    assert (
        "2 of 10 calls (1 under way, or cut off), 1,334 of 2,000 tokens, $0.0125 of $0.5 and 1 calls of unknown price"
        in shown.output
    )
    today = json.loads(CliRunner().invoke(app, ["check", "--json"], obj=options).stdout)["today"]
    day = today.pop("day")
    assert day == ws.context.now()[:10]
    assert today == {
        "calls": 2,
        "tokens": 1_334,
        "cost_usd": None,
        "known_usd": 0.0125,
        "unpriced": 1,
        "pending": 1,
        "budget": {"calls": 10, "tokens": 2_000, "usd": 0.5},
    }


@pytest.mark.parametrize(
    ("spent", "limits", "text", "fix"),
    [
        (Amount(), Limits(), "0 calls, 0 tokens, $0.0000", ""),
        (Amount(calls=3, tokens=9), Limits(calls=3), "3 of 3 calls, 9 tokens, $0.0000", "budget_calls"),
        (Amount(tokens=9), Limits(tokens=9), "0 calls, 9 of 9 tokens, $0.0000", "budget_tokens"),
        (Amount(usd=Decimal("0.5")), Limits(usd=Decimal("0.5")), "0 calls, 0 tokens, $0.5000 of $0.5", "budget_usd"),
        (Amount(calls=1, unpriced=1), Limits(), "1 calls, 0 tokens, 1 calls of unknown price", ""),
    ],
)
def test_a_budget_that_is_used_up_is_a_note_that_names_the_setting(
    spent: Amount, limits: Limits, text: str, fix: str
) -> None:
    found = check_budget(spent, limits)
    assert (found.text, found.state) == (text, "warning" if fix else "ok")
    assert fix in found.fix
