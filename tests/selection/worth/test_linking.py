"""Which run a selection served: said by the run, else by session, words and time; in whatever order they come."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoping import in_workspace

from metier.runs.live_run import note_selection
from metier.selection.worth import link_runs as linking
from metier.selection.worth.link_runs import DAY, link_runs, match_requests, parts_of
from metier.store.tables.selection import requests, selections
from metier.store.tables.selection.requests import LinkRequest
from metier.types import Candidate, Outcome, Run, Selection, SkillTrace
from metier.types.selections import Assignment

if TYPE_CHECKING:
    from metier.workspace import Workspace

START = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
numbers = itertools.count()


def at(minutes: float) -> str:
    return (START + timedelta(minutes=minutes)).isoformat()


def select(ws: Workspace, minutes: float, text: str = "ship it", session: str = "s", **more: object) -> str:
    made = Selection(
        id=f"sel-{next(numbers)}", workspace=ws.name, query=text, session=session, created=at(minutes),
        chosen=("deploy",), chosen_hashes=("h1",),
    )  # fmt: skip
    with ws.context.store.write() as transaction:
        selections.put(transaction, replace(made, **more))  # type: ignore[arg-type]
    return made.id


def work(minutes: float, text: str = "ship it", session: str = "s", **more: object) -> Run:
    run = Run(
        message=text, session=session, external_id=f"r{next(numbers)}", started=at(minutes), ended=at(minutes + 1)
    )
    return replace(run, **more)  # type: ignore[arg-type]


def deliver(ws: Workspace, *runs: Run) -> list[str]:
    return [one.id for one in ws.deliver(runs)]


def served(ws: Workspace) -> dict[str, str]:
    link_runs(ws.context)
    with ws.context.store.read() as transaction:
        return {one.id: one.run for one in selections.list_all(transaction)}


def test_a_run_is_linked_to_the_selection_of_its_session_and_words(ws: Workspace) -> None:
    mine = select(ws, 0)
    others = [select(ws, 0, text="ship that"), select(ws, 0, session="other"), select(ws, 2), select(ws, -60 * 24 - 5)]
    run = deliver(ws, work(0))[0]
    assert served(ws) == {mine: run, **dict.fromkeys(others, "")}


def test_of_two_earlier_selections_the_nearer_one_is_the_runs(ws: Workspace) -> None:
    far, near = select(ws, 0), select(ws, 5)
    run = deliver(ws, work(6))[0]
    assert served(ws) == {far: "", near: run}


def test_one_run_has_one_selection_and_one_selection_one_run(ws: Workspace) -> None:
    only = select(ws, 0)
    first, second = deliver(ws, work(1), work(5))
    assert served(ws) == {only: first}
    later = select(ws, 4.5)
    assert served(ws) == {only: first, later: second}


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_arrival_does_not_matter(ws: Workspace, seed: int) -> None:
    when = {"a": 0.0, "b": 10.0, "c": 20.0}
    names: dict[str, str] = {}
    arrivals = [*(("select", key) for key in when), *(("run", key) for key in when)]
    random.Random(seed).shuffle(arrivals)
    runs: dict[str, str] = {}
    for what, key in arrivals:
        if what == "select":
            names[key] = select(ws, when[key])
        else:
            runs[key] = deliver(ws, work(when[key] + 1))[0]
        link_runs(ws.context)
    assert served(ws) == {names[key]: runs[key] for key in when}


def test_a_run_that_arrives_days_later_is_linked_by_when_it_happened(ws: Workspace) -> None:
    mine, last = select(ws, 0), select(ws, 60 * 24 * 3)
    link_runs(ws.context)
    run = deliver(ws, work(1))[0]
    assert served(ws) == {mine: run, last: ""}


def test_a_run_delivered_twice_or_grown_keeps_its_link(ws: Workspace) -> None:
    mine = select(ws, 0)
    run = work(0)
    name = deliver(ws, run)[0]
    assert served(ws) == {mine: name}
    grown = replace(run, output="done", status="completed")
    assert deliver(ws, run, grown) == [name, name]
    link_runs(ws.context, again=True)
    assert served(ws) == {mine: name}


def test_linking_twice_changes_nothing_and_looks_at_nothing_again(ws: Workspace) -> None:
    select(ws, 0)
    deliver(ws, work(0))
    before = served(ws)
    assert not link_runs(ws.context)
    assert served(ws) == before
    with ws.context.store.read() as transaction:
        assert requests.marks(transaction) == requests.ends(transaction)


def test_what_a_run_says_wins_over_words_and_time(ws: Workspace) -> None:
    named, near = select(ws, 0, text="something else", session=""), select(ws, 9)
    guessed, says = deliver(ws, work(9.5), work(10, selection=named))
    assert served(ws) == {named: says, near: guessed}


def test_a_selection_that_was_given_by_guess_goes_to_the_run_that_names_it(ws: Workspace) -> None:
    only = select(ws, 0)
    guess = deliver(ws, work(1))[0]
    assert served(ws) == {only: guess}
    says = deliver(ws, work(5, session="t", selection=only))[0]
    assert served(ws) == {only: says}
    other = select(ws, 0.5)
    assert served(ws) == {only: says, other: guess}


def test_a_name_counts_whether_the_selection_comes_before_or_behind(ws: Workspace) -> None:
    select(ws, 0, text="first of all")
    run = deliver(ws, work(3, text="x", selection="sel-late"))[0]
    link_runs(ws.context)
    select(ws, 0, text="y", id="sel-late")
    assert served(ws)["sel-late"] == run


def test_of_two_runs_that_name_one_selection_the_first_has_it(ws: Workspace) -> None:
    only = select(ws, 0)
    first, _ = deliver(ws, work(1, selection=only), work(2, selection=only))
    assert served(ws) == {only: first}


def test_a_run_of_another_workspace_cannot_claim_a_selection(ws: Workspace) -> None:
    only = select(ws, 0)
    with ws.context.store.write() as transaction:
        selections.put(transaction, Selection(id="foreign", workspace="w2", query="q", created=at(0)))
    run = deliver(ws, work(1, selection="foreign"))[0]
    assert served(ws) == {only: run}, "its own session and words still tell"
    with ws.context.store.read() as transaction:
        assert selections.list_all(in_workspace(transaction, "w2"))[0].run == ""


def test_a_block_that_names_its_selection_is_linked_when_it_ends(ws: Workspace) -> None:
    with ws.record("ship it") as run:
        mine = select(ws, 0, text="a part of it", created=ws.context.now())
        link_runs(ws.context)
        note_selection(ws.context, mine)
        note_selection(ws.context, "a second one")
    assert run.delivery
    assert run.run.selection == mine
    assert served(ws) == {mine: run.delivery.id}
    note_selection(ws.context, "nobody's")


def test_a_selection_made_in_a_block_for_the_same_words_needs_no_name(ws: Workspace) -> None:
    with ws.record("ship it", session="s") as run:
        mine = select(ws, 0, created=ws.context.now())
        link_runs(ws.context)
    assert run.delivery
    assert served(ws) == {mine: run.delivery.id}


def test_a_long_run_finds_its_selection_when_it_has_ended(ws: Workspace) -> None:
    select(ws, -1, text="first of all")
    begun = work(0, ended=None)
    name = deliver(ws, begun)[0]
    mine = select(ws, 30)
    assert served(ws)[mine] == ""
    deliver(ws, replace(begun, ended=at(40), status="completed"))
    link_runs(ws.context, again=True)
    assert served(ws)[mine] == name


def test_runs_from_long_before_the_first_selection_are_not_read(ws: Workspace) -> None:
    deliver(ws, *(work(0, text=f"old {n}") for n in range(5)))
    assert not link_runs(ws.context), "where nothing was selected there is nothing to do"
    select(ws, 0, created=(datetime.now(UTC) + timedelta(days=3)).isoformat())
    link_runs(ws.context)
    with ws.context.store.read() as transaction:
        rows = transaction.all("SELECT count(*) FROM requests WHERE kind = 'run'")
    assert rows[0][0] == 0


def test_more_rows_than_one_transaction_takes_are_linked_all_the_same(ws: Workspace) -> None:
    count = linking.PAGE + 20
    with ws.context.store.write() as transaction:
        for n in range(count):
            made = Selection(id=f"many-{n}", workspace=ws.name, query=f"task {n}", session="s", created=at(n))
            selections.put(transaction, made)
    runs = deliver(ws, *(work(n + 1, text=f"task {n}") for n in range(count)))
    link_runs(ws.context, most=1)
    with ws.context.store.read() as transaction:
        done = requests.marks(transaction)
        assert done
        assert (done.selections, done.runs) == (linking.PAGE, linking.PAGE), "who has no time leaves the rest"
    link_runs(ws.context)
    with ws.context.store.read() as transaction:
        found = {one.id: one.run for one in selections.list_all(transaction, count)}
    assert found == {f"many-{n}": run for n, run in enumerate(runs)}


def test_a_damaged_selection_or_run_is_in_nobodys_way(ws: Workspace) -> None:
    broken, good = select(ws, 0, text="broken"), select(ws, 0)
    with ws.context.store.write() as transaction:
        transaction.all("UPDATE selections SET body = '{' WHERE id = ?", (broken,))
    bad, run = deliver(ws, work(0, text="broken"), work(0))
    with ws.context.store.write() as transaction:
        transaction.all("UPDATE runs SET body = 'x' WHERE key = ?", (bad[16:] + bad[:16],))
    link_runs(ws.context)
    with ws.context.store.read() as transaction:
        found = requests.get(transaction, "selection", good)
    assert found
    assert found.partner == run


def test_what_an_older_version_stored_is_read(ws: Workspace) -> None:
    with ws.context.store.write() as transaction:
        transaction.all(
            "INSERT INTO selections (id, workspace, run, body) VALUES ('old', ?, '', ?)",
            (ws.name, f'{{"id": "old", "workspace": "{ws.name}", "query": "ship it", "chosen": ["a"]}}'),
        )
    deliver(ws, work(0))
    assert served(ws) == {"old": ""}


def test_how_a_run_went_is_its_own_word_unless_somebody_has_to_judge_that(ws: Workspace) -> None:
    def went(**more: object) -> tuple[frozenset[str] | None, bool | None]:
        found = linking.run_outcome(ws.run(deliver(ws, work(0, **more))[0]))
        return found.used, found.stated

    assert went() == (None, None)
    assert went(status="completed") == (None, None), "a claim"
    assert went(status="error") == (None, False)
    assert went(status="completed", outcome=Outcome(success=True, by="test")) == (None, True)
    assert went(status="completed", correction="no") == (None, False)
    assert went(skills=SkillTrace(path=("Deploy",))) == (frozenset({"deploy"}), None)


def test_only_what_chance_decided_about_is_compared() -> None:
    plain = Selection(
        id="1", workspace="w", query="q", chosen=("a", "b"), chosen_hashes=("ha", "hb"), created="2026-01-05T10:00:00Z"
    )
    assert [one.lot for one in parts_of(plain)] == ["", ""]
    drawn = replace(plain, session="s", trials=(Assignment(trial="t", skill="a", arm="with"),))
    assert [bool(one.lot) for one in parts_of(drawn)] == [True, False]
    out = replace(
        drawn,
        withheld=(Candidate(skill="c", score=0.5, hash="hc"),),
        trials=(*drawn.trials, Assignment(trial="u", skill="c", arm="without")),
    )
    assert [(one.skill, one.handed, bool(one.lot)) for one in parts_of(out)] == [
        ("a", True, False),
        ("b", True, False),
        ("c", False, True),
    ], "where one is missing the others are not as they are without it"
    lots = {one.lot for name in ("s", "r") for one in parts_of(replace(drawn, session=name))}
    assert len(lots - {""}) == 2, "another session draws another lot"


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4 * 24)), max_size=12), st.randoms())
def test_any_matching_is_one_to_one_in_time_and_independent_of_order(
    drawn: list[tuple[bool, int]], dice: random.Random
) -> None:
    members = [
        LinkRequest(kind="run" if is_run else "selection", id=f"{n:02}", place="p", moment=hour * 3600.0)
        for n, (is_run, hour) in enumerate(drawn)
    ]
    pairs = match_requests(members)
    moment = {one.id: one.moment for one in members}
    assert len(set(pairs.values())) == len(pairs)
    assert all(0 <= moment[run] - moment[selection] <= DAY for run, selection in pairs.items())
    shuffled = members.copy()
    dice.shuffle(shuffled)
    assert match_requests(shuffled) == pairs
