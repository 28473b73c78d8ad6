"""Tables of outcomes: they come to a store that has selections and runs already, and keep what they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoping import in_workspace

from metier.store.engines.migrate import known_migrations, migrate
from metier.store.tables.selection import outcomes, requests, selections
from metier.store.tables.selection.requests import LinkRequest, Marks
from metier.types import Selection
from metier.types.selections import RunOutcome, SelectionOutcome

if TYPE_CHECKING:
    from metier.store.engines.engine import Engine

NOW = "2026-01-05T12:00:00.000000Z"


def test_a_store_of_the_version_before_gets_the_tables_and_keeps_its_rows(bare_engine: Engine) -> None:
    migrate(bare_engine, "then", [step for step in known_migrations() if step.number < 6])
    with bare_engine.write() as transaction:
        transaction.all(
            "INSERT INTO selections (id, workspace, run, body) VALUES ('old', 'w', '', ?)",
            ('{"id": "old", "workspace": "w", "query": "q", "chosen": ["a"]}',),
        )
        transaction.all(
            "INSERT INTO verdicts (run, success, reason, judge, prompt_hash, decided)"
            " VALUES ('r', 1, '', 'person', '', ?)",
            (NOW,),
        )
    migrate(bare_engine, NOW)
    with bare_engine.read() as transaction:
        found, mark = requests.selections_behind(transaction, 0, 10)
        assert [(one.id, one.chosen, one.chosen_hashes, one.withheld) for one in found] == [("old", ("a",), (), ())]
        assert requests.ends(transaction) == Marks(selections=mark or 0)
        assert outcomes.reported_runs(transaction, 0) == ([], 0)
        assert not outcomes.tallies(transaction)


def test_of_one_lot_the_first_run_is_compared_and_freeing_forgets(engine: Engine) -> None:
    def part(selection: str) -> SelectionOutcome:
        return SelectionOutcome(selection=selection, skill="a", hash="h", handed=True, lot="l")

    with engine.write() as transaction:
        outcomes.put(transaction, [part("s1"), part("s2"), part("s1")])
        outcomes.serve(
            transaction, {"s2": RunOutcome("r2", frozenset({"a"}), stated=True), "s1": RunOutcome("r1", stated=False)}
        )
        outcomes.tally(transaction)
        sums = outcomes.tallies(transaction)["a", "h"]
        assert (sums["selected"], sums["told"], sums["used"], sums["succeeded"]) == (2, 1, 1, 1)
        assert (sums["with_runs"], sums["with_successes"]) == (1, 1), "the one that was served first"
        outcomes.refresh(transaction, {"r2": RunOutcome("r2", frozenset(), stated=False)})
        outcomes.tally(transaction)
        assert outcomes.tallies(transaction)["a", "h"]["with_successes"] == 0
        outcomes.free(transaction, ["s2"])
        outcomes.tally(transaction)
        sums = outcomes.tallies(transaction)["a", "h"]
        assert (sums["selected"], sums["used"], sums["with_runs"]) == (1, 0, 0)


def test_given_is_what_reached_a_session_or_a_run(bare_engine: Engine) -> None:
    number = next(step.number for step in known_migrations() if step.name == "given_to_somebody")
    migrate(bare_engine, "then", [step for step in known_migrations() if step.number < number])
    parts = [SelectionOutcome(selection=name, skill="a", hash="h", handed=True) for name in ("tried", "hook", "named")]
    with bare_engine.write() as transaction:
        for name, session in (("tried", ""), ("hook", "s1"), ("named", "")):
            selections.put(transaction, Selection(id=name, workspace=transaction.workspace, query="q", session=session))
        outcomes.put(transaction, parts)
        outcomes.serve(transaction, {"named": RunOutcome("r1")})
        outcomes.tally(transaction)
        transaction.all("UPDATE tallies SET selected = 3")  # as it was counted before
    migrate(bare_engine, NOW)
    with bare_engine.write() as transaction:
        assert outcomes.is_stale(transaction), "what was counted before is counted again"
        outcomes.tally(transaction)
        assert outcomes.tallies(transaction)["a", "h"]["selected"] == 2


def test_requests_are_kept_once_and_found_by_place_and_time(engine: Engine) -> None:
    first = LinkRequest(kind="selection", id="s", place="p", moment=10.0)
    with engine.write() as transaction:
        requests.put(transaction, [first, LinkRequest(kind="run", id="r", place="p", moment=20.5)])
        requests.put(transaction, [LinkRequest(kind="selection", id="s", place="other", moment=0.0)])
        assert requests.get(transaction, "selection", "s") == first
        assert [one.id for one in requests.at(transaction, "p", 5, 20)] == ["s"]
        requests.pair(transaction, "selection", [("s", "r")], named=True)
        found = requests.get(transaction, "selection", "s")
        assert found
        assert (found.partner, found.named) == ("r", True)


def test_a_claim_is_kept_once_and_waits_for_its_selection(engine: Engine) -> None:
    with engine.write() as transaction:
        requests.claim(transaction, [("s", "r1"), ("s", "r2"), ("s", "r1")])
        found, mark = requests.claims_behind(transaction, 0, 10)
        assert found == [], "nobody knows the selection yet"
        assert mark == requests.ends(transaction).claims
        assert requests.claims_of(transaction, ["s", "t"]) == [("s", "r1"), ("s", "r2")]
        assert requests.claims_of(in_workspace(transaction, "elsewhere"), ["s"]) == []
