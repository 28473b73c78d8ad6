"""A model is one line of text; what is wrong with it is said in one line, too."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metier.errors import ConfigError
from metier.models.builder import build, model_settings
from metier.models.http.client import HttpModel
from metier.models.http.transport import Proxy, proxy_for
from metier.models.ledger import Limits
from metier.models.price import price_of
from metier.models.spec import ModelOptions, ModelSpec, PerMillion, parse_spec
from metier.types import Tokens
from metier.types.questions import NoModel

NOW = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "protocol", "name", "url", "key"),
    [
        ("openai:gpt-5-mini", "openai", "gpt-5-mini", "https://api.openai.com/v1", "OPENAI_API_KEY"),
        (" Anthropic:claude-x ", "anthropic", "claude-x", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
        ("ollama:llama3.2:3b", "openai", "llama3.2:3b", "http://127.0.0.1:11434/v1", ""),
        ("openai:a/b@v2@http://127.0.0.1:9/v1/", "openai", "a/b@v2", "http://127.0.0.1:9/v1", ""),
        ("bedrock:us.amazon.nova-lite-v1:0", "pydantic-ai", "us.amazon.nova-lite-v1:0", "", ""),
    ],
)
def test_a_text_names_provider_model_and_address(text: str, protocol: str, name: str, url: str, key: str) -> None:
    spec = parse_spec(text)
    assert (spec.protocol, spec.name, spec.base_url, spec.key_variable) == (protocol, name, url, key)


def test_a_providers_key_is_not_sent_to_another_address_unless_asked_for() -> None:
    elsewhere = ModelOptions(url="https://proxy.example/v1")
    assert parse_spec("openai:x", elsewhere).key_variable == ""
    assert parse_spec("openai:x", ModelOptions(url=elsewhere.url, key_variable="MINE")).key_variable == "MINE"
    assert parse_spec("openai:x", ModelOptions(key_variable="none")).key_variable == ""


def test_options_are_read() -> None:
    options = ModelOptions(headers=("X-Team: search", "X-Key: $TEAM_KEY"), price="0.25/2")
    spec = parse_spec("openai:x", options)
    assert spec.headers == (("X-Team", "search"), ("X-Key", "$TEAM_KEY"))
    assert spec.price == PerMillion(input=Decimal("0.25"), output=Decimal(2))


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("gpt-5", {}, "PROVIDER:NAME"),
        ("openai:", {}, "PROVIDER:NAME"),
        (":x", {}, "Unknown model provider"),
        ("opneai:x", {}, "did you mean 'openai'"),
        ("qqqq:x", {}, "openai:NAME@URL"),
        ("openai:x", {"url": "ftp://x"}, "http:// or https://"),
        ("openai:x", {"url": "http://"}, "http:// or https://"),
        ("openai:x", {"url": "http://[::1"}, "no URL"),
        ("openai:x", {"url": "http://x:99999/"}, "no URL"),
        ("openai:x", {"url": "https://user:hunter2@host/v1"}, "no user, password"),
        ("openai:x", {"url": "https://host/v1?key=hunter2"}, "no user, password"),
        ("openai:x", {"url": "https://h\nost/v1"}, "neither spaces"),
        ("openai:x", {"key_variable": "sk-hunter2"}, "names an environment variable"),
        ("openai:x", {"key_variable": "METIER_KEY"}, "may not begin with METIER_"),
        ("openai:x", {"headers": ("Authorization: Bearer hunter2",)}, "carries a secret"),
        ("openai:x", {"headers": ("Host: evil",)}, "set by Metier"),
        ("openai:x", {"headers": ("X-A hunter2",)}, "Name: value"),
        ("openai:x", {"headers": ("X-A: a\r\nX-B: b",)}, "Name: value"),
        ("openai:x", {"headers": ("X-A: $1",)}, "names no variable"),
        ("openai:x", {"price": "2"}, "INPUT/OUTPUT"),
        ("openai:x", {"price": "-1/2"}, "INPUT/OUTPUT"),
        ("openai:x", {"price": "nan/2"}, "INPUT/OUTPUT"),
        ("bedrock:x", {"url": "https://x/v1"}, "through pydantic-ai"),
    ],
)
def test_what_is_wrong_is_said_and_no_secret_repeated(text: str, options: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(text, ModelOptions(**options))  # type: ignore[arg-type]
    assert says in str(caught.value)
    assert "hunter2" not in str(caught.value)


@given(st.text(max_size=60), st.text(max_size=30), st.text(max_size=20), st.text(max_size=10))
def test_no_text_breaks_the_parser(text: str, url: str, header: str, price: str) -> None:
    for given_text in (text, f"openai:{text}", f"openai:x@http://{text}"):
        try:
            spec = parse_spec(given_text, ModelOptions(url=url, headers=(header,) if header else (), price=price))
        except ConfigError:
            continue
        assert spec.name


def test_settings_become_specs_and_limits() -> None:
    values = {
        "model": "anthropic:claude-x",
        "model_price": "1/5",
        "embed_model": "openai:text-embedding-3-small",
        "embed_key": "EMBED_KEY",
        "budget_calls": 10,
        "budget_usd": 0.1,
        "budget_tokens": 0,
        "other": True,
    }
    found = model_settings(values)
    assert found.model is not None
    assert found.embedder is not None
    assert found.model.provider == "anthropic"
    assert found.embedder.key_variable == "EMBED_KEY"
    assert found.limits == Limits(calls=10, tokens=None, usd=Decimal("0.1"))
    assert model_settings({}).model is None


def test_a_wrong_setting_is_named() -> None:
    with pytest.raises(ConfigError, match=r"Setting 'embed_model': .*'openai'"):
        model_settings({"embed_model": "opeanai:x"})
    with pytest.raises(ConfigError, match=r"^Setting 'model' in a\.toml: A model is written PROVIDER:NAME"):
        model_settings({"model": "foo"}, {"model": "a.toml", "embed_model": "default"})


def test_no_model_means_heuristics_and_says_so() -> None:
    nothing = build(None, {})
    assert isinstance(nothing, NoModel)
    assert "heuristics" in nothing.reason


@pytest.mark.parametrize(
    ("value", "says"), [("", "is not set"), ("  ", "is not set"), ("a\nb", "no key"), ("ключ", "no key")]
)
def test_a_key_that_cannot_be_used_is_named_by_its_variable(value: str, says: str) -> None:
    nothing = build(parse_spec("openai:x"), {"OPENAI_API_KEY": value})
    assert isinstance(nothing, NoModel)
    assert "OPENAI_API_KEY" in nothing.reason
    assert says in nothing.reason


def test_a_header_whose_variable_is_empty_is_named() -> None:
    nothing = build(parse_spec("ollama:x", ModelOptions(headers=("X-A: $MY_VAR",))), {})
    assert isinstance(nothing, NoModel)
    assert "MY_VAR" in nothing.reason


def test_a_model_without_a_key_is_built_from_nothing_but_its_address() -> None:
    model = build(parse_spec("ollama:x"), {})
    assert isinstance(model, HttpModel)
    model.close()


def test_prices_come_from_the_table() -> None:
    price = price_of(parse_spec("anthropic:claude-sonnet-4-5"), NOW)
    assert price(Tokens(input=100_000, output=10_000)) == Decimal("0.45")
    assert price(Tokens(cache_read=100_000)) == Decimal("0.03")
    assert price(Tokens(input=1_000_000)) == Decimal(6)  # a long context has a price of its own


def test_ones_own_price_is_stronger_than_the_table() -> None:
    spec = parse_spec("anthropic:claude-sonnet-4-5", ModelOptions(price="1/2"))
    assert price_of(spec, NOW)(Tokens(input=500_000, output=1_000_000)) == Decimal("2.5")


@pytest.mark.parametrize(
    "text", ["openai:no-such-model-zz", "ollama:llama3.2", "openai:gpt-5-mini@http://127.0.0.1:8/v1"]
)
def test_a_price_that_nobody_knows_is_none(text: str) -> None:
    assert price_of(parse_spec(text), NOW)(Tokens(input=1000, output=10)) is None


@pytest.mark.parametrize(
    ("url", "environ", "wanted"),
    [
        ("https://api.example/v1", {"HTTPS_PROXY": "http://p:3128"}, Proxy(url="http://p:3128")),
        ("https://api.example/v1", {"https_proxy": "p:3128"}, Proxy(url="http://p:3128")),
        ("https://api.example/v1", {"ALL_PROXY": "http://u:p%40ss@p"}, Proxy(url="http://p:80", login=("u", "p@ss"))),
        ("http://api.example/v1", {"HTTPS_PROXY": "http://p:3128"}, None),
        ("https://api.example/v1", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "x, .example"}, None),
        ("https://api.example/v1", {"HTTPS_PROXY": "http://p:1", "no_proxy": "*"}, None),
        ("http://127.0.0.1:8/v1", {"HTTP_PROXY": "http://p:1"}, None),
        ("https://api.example/v1", {}, None),
    ],
)
def test_the_usual_proxy_variables_hold(url: str, environ: dict[str, str], wanted: Proxy | None) -> None:
    assert proxy_for(url, environ) == wanted


def test_a_spec_can_be_compared_and_shown() -> None:
    assert parse_spec("openai:x") == parse_spec("openai: x ")
    assert isinstance(parse_spec("openai:x"), ModelSpec)
    assert parse_spec("openai:x").identity == "openai https://api.openai.com/v1 x"
