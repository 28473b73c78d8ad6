"""Who answers a workspace's questions: the configured model, within its time, or nobody and why."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from allowing import allow
from pydantic import BaseModel

from metier.context.models.access import asker_of, embedder_of
from metier.context.models.line import ModelAsker, ModelLine, RemoteEmbedder
from metier.errors import ConfigError
from metier.models.failures import Unreachable
from metier.models.ledger import Limits
from metier.models.scripted import Scripted, fails, on, says
from metier.models.spec import parse_spec
from metier.types.questions import NoAnswer, NoModel, Question
from metier.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Word(BaseModel):
    word: str


ASKED = Question(prompt="Say a word", stage="judge")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Any]:
    """Opens the workspace with settings."""
    made: list[Workspace] = []

    def start(**flags: object) -> Workspace:
        made.append(Workspace.open(tmp_path / "home", flags=flags))
        return made[-1]

    yield start
    for ws in made:
        ws.close()


def scripted(ws: Workspace, model: Scripted, spec: str = "openai:m@http://x/v1", **more: Any) -> ModelAsker:
    line = ModelLine(ws.context, model, parse_spec(spec), Limits())  # type: ignore[arg-type]
    return ModelAsker(line, {"judge": 15.0, "draft": 60.0}, **more)


def test_without_a_model_the_reason_and_the_fix_are_a_value(ws: Workspace) -> None:
    found = asker_of(ws.context, {})
    assert isinstance(found, NoModel)
    assert "heuristics" in found.reason
    assert "metier config set model " in found.fix


def test_a_missing_key_is_no_model_and_names_the_variable(opened: Any) -> None:
    found = asker_of(opened(model="anthropic:claude-haiku-4-5").context, {})
    assert isinstance(found, NoModel)
    assert "ANTHROPIC_API_KEY is not set" in found.reason
    assert "export ANTHROPIC_API_KEY" in found.fix


def test_a_model_that_cannot_be_is_a_config_error(opened: Any) -> None:
    with pytest.raises(ConfigError, match="Unknown model provider 'opnai'"):
        asker_of(opened(model="opnai:gpt").context, {})


def test_an_asker_is_named_by_provider_and_model_without_its_address(opened: Any) -> None:
    asker = asker_of(allow(opened(model="openai:m", model_url="http://127.0.0.1:9/v1")).context, {})
    assert isinstance(asker, ModelAsker)
    with asker:
        assert asker.name == "openai:m"
        assert (asker.spent().calls, asker.spent().cost_usd, asker.spent().kept) == (0, 0, 0)


def test_an_answer_has_its_type_and_what_it_took_is_counted(ws: Workspace) -> None:
    model = Scripted(on("Say", says({"word": "ready"})))
    asker = scripted(ws, model)
    assert [asker.ask(ASKED, Word) for _ in range(2)] == [Word(word="ready")] * 2
    spent = asker.spent()
    assert (spent.calls, spent.kept, spent.cost_usd) == (1, 1, None)
    assert spent.tokens > 0
    assert model.requests[0].max_tokens == 2_048


@pytest.mark.parametrize(
    ("question", "within", "seconds"),
    [
        (Question(prompt="Say", stage="judge"), None, 15),
        (Question(prompt="Say", stage="draft"), None, 60),
        (Question(prompt="Say", stage="judge", timeout=3), None, 3),
        (Question(prompt="Say", stage="judge", timeout=300), None, 15),
        (Question(prompt="Say", stage="draft"), 20, 20),
        (Question(prompt="Say", stage="draft", timeout=4), 20, 4),
        (Question(prompt="Say", stage="some-other"), None, 60),
    ],
)
def test_the_tightest_limit_wins(ws: Workspace, question: Question, within: float | None, seconds: float) -> None:
    model = Scripted(on("Say", says({"word": "x"})))
    asker = scripted(ws, model, within=within, clock=lambda: 0.0)
    asker.ask(question, Word)
    assert model.requests[0].timeout == pytest.approx(seconds, abs=1)


def test_when_the_time_of_a_whole_pass_is_up_nothing_is_asked(ws: Workspace) -> None:
    model = Scripted(on("Say", says({"word": "x"})))
    now = iter([0.0, 11.0])
    asker = scripted(ws, model, within=10.0, clock=lambda: next(now))
    assert asker.ask(ASKED, Word) == NoAnswer(reason="no time is left")
    assert model.requests == []


def test_what_a_server_says_goes_no_further_with_a_secret_in_it(ws: Workspace) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    model = Scripted(on("Say", fails(Unreachable(reason=f"upstream said {secret}"))))
    found = scripted(ws, model).ask(Question(prompt="Say", stage="judge", timeout=0.3), Word)
    assert isinstance(found, NoAnswer)
    assert secret not in found.reason
    assert "[REDACTED:" in found.reason


def test_nobody_listening_is_no_answer_within_the_limit(opened: Any) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        asker = asker_of(allow(opened(model="openai:m", model_url=url, judge_timeout=0.5)).context, {})
        assert isinstance(asker, ModelAsker)
        began = time.monotonic()
        with asker:
            found = asker.ask(ASKED, Word)
    assert isinstance(found, NoAnswer)
    assert not found.answered
    assert time.monotonic() - began < 2
    assert asker.spent().calls == 0


def test_the_settings_of_stages_reach_the_asker(opened: Any) -> None:
    from metier.context.models.access import limits_of

    ws = opened(judge_timeout=1, cluster_timeout=2, draft_timeout=3)
    assert limits_of(ws.config) == {"judge": 1, "cluster": 2, "draft": 3}


def embedder(ws: Workspace, model: Scripted) -> RemoteEmbedder:
    return RemoteEmbedder(ModelLine(ws.context, model, parse_spec("openai:e@http://x/v1"), Limits()))  # type: ignore[arg-type]


def test_vectors_have_length_one_and_are_paid_for_once(ws: Workspace) -> None:
    model = Scripted()
    found = embedder(ws, model).embed(["one", " ", "two", "one"])
    assert not isinstance(found, NoAnswer)
    assert found.shape == (4, 16)
    assert np.allclose(np.linalg.norm(found, axis=1), [1, 0, 1, 1])
    assert (found[0] == found[3]).all()
    again = embedder(ws, model)
    same = again.embed(["two", "one"])
    assert not isinstance(same, NoAnswer)
    assert (same[0] == found[2]).all()
    assert sorted(model.texts) == ["one", "two"]
    assert (again.spent().calls, again.spent().kept) == (0, 2)


def test_texts_without_characters_ask_nothing(ws: Workspace) -> None:
    model = Scripted()
    found = embedder(ws, model).embed(["", " "])
    assert not isinstance(found, NoAnswer)
    assert (len(found), model.texts) == (2, [])


def test_vectors_whose_length_changed_are_no_answer(ws: Workspace) -> None:
    embedder(ws, Scripted(vector=lambda _: (1.0, 0.0))).embed(["one"])
    found = embedder(ws, Scripted(vector=lambda _: (1.0, 0.0, 0.0))).embed(["one", "two"])
    assert isinstance(found, NoAnswer)
    assert "length" in found.reason


def test_without_one_configured_the_built_in_embedder_is_named(opened: Any) -> None:
    found = embedder_of(opened().context, {})
    assert isinstance(found, NoModel)
    assert "built-in" in found.reason
    missing = embedder_of(opened(embed_model="openai:text-embedding-3-small").context, {})
    assert isinstance(missing, NoModel)
    assert "OPENAI_API_KEY" in missing.reason
    assert "embed_key" in missing.fix
    ready = embedder_of(opened(embed_model="openai:e", embed_url="http://127.0.0.1:9/v1").context, {})
    assert isinstance(ready, RemoteEmbedder)
    ready.close()
