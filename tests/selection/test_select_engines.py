"""Selecting with parts that can fail: PostgreSQL, a model and an embedder behind real sockets."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from loopback import Loopback, answers, completion, embeddings, hangs
from selection_shop import FLAKY, SKILLS, put, stocked

from metier.selection.index.entries import EMBEDDER
from metier.selection.index.remote_vectors import LoadedVectors, VectorsInStore
from metier.store.tables.models import calls
from metier.store.tables.selection import skill_index, skill_nearness
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from loopback import Act, Handler

    from metier.selection.result import Selected


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def asking(folder: Path, server: Loopback, **more: str) -> Workspace:
    flags = {"model": "openai:some-model", "model_url": server.url, "model_key": "none", "select_timeout": "0.5"}
    return stocked(Workspace.open(folder, flags=flags | more))


def embedding(folder: Path, server: Loopback, **more: str) -> Workspace:
    flags = {"embed_model": "openai:some-embedder", "embed_url": server.url, "embed_key": "none"}
    return stocked(Workspace.open(folder, flags=flags | {"select_timeout": "0.5"} | more))


@pytest.mark.xdist_group("postgresql")
def test_selecting_works_the_same_with_postgresql(folder: Path, new_postgres: str) -> None:
    with Workspace.open(folder, flags={"store": new_postgres}) as ws:
        assert stocked(ws).select(FLAKY).names == ("flaky-tests",)
        put(ws, "flaky-tests", SKILLS["flaky-tests"][0], "Another way.")
        found = ws.select(FLAKY)
        assert "Another way." in found.render()
        assert ws.select(FLAKY).choice.stages[-1].stage == "memo"
        assert [event.stage for event in ws.index_skills()] == []


def test_the_configured_model_is_asked_paid_and_written_down(folder: Path) -> None:
    with Loopback(answers(completion(["sql-style"]))) as server, asking(folder, server) as ws:
        found = ws.select(FLAKY)
        assert (found.names, found.notes) == (("sql-style",), ())
        assert found.choice.interactions[0].provider == "openai:some-model"
        assert (server.seen[0].json["temperature"], server.seen[0].json["max_tokens"]) == (0.0, 256)
        assert ws.select(FLAKY).choice.stages[-1].stage == "memo"
        assert len(server.seen) == 1
        with ws.context.store.read() as transaction:
            assert [(one.stage, one.outcome) for one in calls.list_since(transaction)] == [("final", "ok")]


@pytest.mark.parametrize("act", [hangs, answers({"error": {"message": "no"}}, 401), answers(completion("Hm."))])
def test_a_server_of_no_use_leaves_it_to_the_score_in_time(folder: Path, act: Act) -> None:
    with Loopback(act) as server, asking(folder, server) as ws:
        ws.select(FLAKY, model=False)
        began = time.monotonic()
        found = ws.select(FLAKY)
        assert time.monotonic() - began < 3.0
    assert [one.activation_reason for one in found.choice.chosen] == ["score"]
    assert found.choice.interactions[0].problem


def test_a_spent_budget_is_a_reason_to_go_by_the_score(folder: Path) -> None:
    with Loopback(answers(completion("Hm."))) as server, asking(folder, server, budget_calls="1") as ws:
        ws.select(FLAKY)
        found = ws.select(FLAKY)
    assert found.names == ("flaky-tests",)
    assert len(server.seen) == 1
    assert found.choice.interactions[0].finish == "over_budget"


def test_a_model_without_its_key_is_said_and_not_asked(folder: Path) -> None:
    with Workspace.open(folder, flags={"model": "openai:some-model", "model_key": "NO_SUCH_KEY"}) as ws:
        found = stocked(ws).select(FLAKY)
    assert found.names == ("flaky-tests",)
    assert "NO_SUCH_KEY" in found.notes[0]


def table(handler: Handler) -> None:
    """Vectors by what texts are about."""
    texts = handler.asked.json["input"]
    answers(embeddings(*([1.0, 0.0, 0.1] if "flaky" in text else [0.0, 1.0, 0.1] for text in texts)))(handler)


def test_the_configured_embedder_compares_and_each_skill_is_embedded_once(folder: Path) -> None:
    with Loopback(table) as server, embedding(folder, server) as ws:
        found = ws.select(FLAKY)
        assert (found.embedder, found.notes) == ("openai:some-embedder", ())
        sent = [text for seen in server.seen for text in seen.json["input"]]
        assert len(sent) == 4
        put(ws, "sql-style", "How SQL queries are written here.", "Other.")
        ws.select(f"{FLAKY}!")
        assert len([text for seen in server.seen for text in seen.json["input"]]) == 6
        with ws.context.store.read() as transaction:
            contents = [one.content for one in ws.pool.catalogue.in_use.values()]
            name = f"openai:some-embedder {server.url} 3"
            assert len(skill_index.vectors(transaction, name, contents)) == 3


@pytest.fixture
def pgvector(new_postgres: str) -> str:
    """The address of an empty database with pgvector in a schema of its own."""
    import psycopg

    with psycopg.connect(new_postgres, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS extras")
        connection.execute("CREATE EXTENSION vector SCHEMA extras")
    return new_postgres


def scores(found: Selected) -> list[tuple[str, float]]:
    return [(one.skill.name, one.score) for one in found.choice.chosen]


@pytest.mark.xdist_group("postgresql")
def test_pgvector_compares_at_the_server_as_the_process_does(folder: Path, tmp_path: Path, pgvector: str) -> None:
    with Loopback(table) as server:
        with embedding(folder, server) as ws:
            here = ws.select(FLAKY)
        (tmp_path / "other").mkdir()
        with embedding(tmp_path / "other", server, store=pgvector) as ws:
            there = ws.select(FLAKY)
            assert isinstance(ws.pool.vectors, VectorsInStore)
            assert (there.embedder, there.notes, scores(there)) == ("openai:some-embedder", (), scores(here))
            put(ws, "sql-style", "How SQL queries are written here.", "Other.")
            assert ws.select(f"{FLAKY}!").embedder == "openai:some-embedder"
            with ws.context.store.read() as transaction:
                name = f"openai:some-embedder {server.url} 3"
                contents = [one.content for one in ws.pool.catalogue.in_use.values()]
                near = skill_nearness.nearness(transaction, "extras", name, [0.0, 0.0, 1.0], contents)
            assert set(near) == set(contents)
            with ws.context.store.write() as transaction:
                skill_index.forget(transaction, contents)
                assert not skill_nearness.nearness(transaction, "extras", name, [0.0, 0.0, 1.0], contents)


@pytest.mark.xdist_group("postgresql")
def test_an_extension_that_is_taken_away_is_said_and_then_done_without(folder: Path, pgvector: str) -> None:
    import psycopg

    with Loopback(table) as server, embedding(folder, server, store=pgvector) as ws:
        ws.select(FLAKY)
        with psycopg.connect(pgvector, autocommit=True) as connection:
            connection.execute("DROP EXTENSION vector CASCADE")
        assert "the built-in embedder answers" in ws.select(f"{FLAKY} again").notes[0]
        found = ws.select(f"{FLAKY} and again")
        assert (found.embedder, found.notes) == ("openai:some-embedder", ())
        assert isinstance(ws.pool.vectors, LoadedVectors)


@pytest.fixture(params=["down", "hangs", "refuses"])
def useless(request: pytest.FixtureRequest) -> Iterator[Loopback]:
    act = {"down": hangs, "hangs": hangs, "refuses": answers({"error": {"message": "no"}}, 401)}[request.param]
    with Loopback(act) as server:
        if request.param == "down":
            server.shutdown()
            server.server_close()
        yield server


def test_an_embedder_of_no_use_is_said_and_the_built_in_one_answers(folder: Path, useless: Loopback) -> None:
    with embedding(folder, useless) as ws:
        ws.pool.update_if_stale()
        began = time.monotonic()
        found = ws.select(FLAKY)
        assert time.monotonic() - began < 3.0
    assert found.names == ("flaky-tests",)
    assert found.embedder == EMBEDDER.name
    assert "the built-in embedder answers" in found.notes[0]
