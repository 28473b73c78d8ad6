"""Which model to call and how: one line of text, and a few options, as a frozen value.

openai:gpt-5-mini                          a known provider and a model's name
anthropic:claude-haiku-4-5
ollama:llama3.2                            on this machine, no key
openai:my-model@http://127.0.0.1:8000/v1   any server that speaks a provider's protocol
completion:my-model@http://127.0.0.1:8080/v1   raw completions, for targets of training
claude-code:haiku                          the agent on this machine, with the person's own login
codex:default
bedrock:us.amazon.nova-lite-v1:0           through `metier[providers]`
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from metier.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Where a provider answers, and the variable its key usually stands in."""

    url: str
    key_variable: str = ""
    protocol: str = "openai"
    """The module in `models/wire/` that speaks it."""
    prices: str = ""
    """Its name in the price table; empty: not in it."""
    is_program: bool = False
    """Whether it is a coding agent on this machine; its module is in `models/programs/` instead."""
    extra: int = 0
    """The most tokens that it adds to a request."""


KNOWN: dict[str, Provider] = {
    "openai": Provider(url="https://api.openai.com/v1", key_variable="OPENAI_API_KEY", prices="openai"),
    "anthropic": Provider(
        url="https://api.anthropic.com", key_variable="ANTHROPIC_API_KEY", protocol="anthropic", prices="anthropic"
    ),
    "openrouter": Provider(url="https://openrouter.ai/api/v1", key_variable="OPENROUTER_API_KEY", prices="openrouter"),
    "gemini": Provider(
        url="https://generativelanguage.googleapis.com/v1beta/openai", key_variable="GEMINI_API_KEY", prices="google"
    ),
    "mistral": Provider(url="https://api.mistral.ai/v1", key_variable="MISTRAL_API_KEY", prices="mistral"),
    "groq": Provider(url="https://api.groq.com/openai/v1", key_variable="GROQ_API_KEY", prices="groq"),
    "deepseek": Provider(url="https://api.deepseek.com/v1", key_variable="DEEPSEEK_API_KEY", prices="deepseek"),
    "together": Provider(url="https://api.together.xyz/v1", key_variable="TOGETHER_API_KEY", prices="together"),
    "fireworks": Provider(
        url="https://api.fireworks.ai/inference/v1", key_variable="FIREWORKS_API_KEY", prices="fireworks"
    ),
    "xai": Provider(url="https://api.x.ai/v1", key_variable="XAI_API_KEY", prices="x-ai"),
    "ollama": Provider(url="http://127.0.0.1:11434/v1"),
    "lmstudio": Provider(url="http://127.0.0.1:1234/v1"),
    "vllm": Provider(url="http://127.0.0.1:8000/v1"),
    "completion": Provider(url="http://127.0.0.1:8080/v1", protocol="completion"),
    "claude-code": Provider(url="", protocol="claude-code", prices="anthropic", is_program=True, extra=2_500),
    "codex": Provider(url="", protocol="codex", is_program=True, extra=26_000),
}
"""Spoken to directly, the most used first."""

OTHERS: dict[str, str] = {
    "alibaba": "",
    "azure": "azure",
    "bedrock": "aws",
    "cerebras": "cerebras",
    "cohere": "cohere",
    "github": "",
    "google": "google",
    "google-cloud": "google",
    "heroku": "",
    "huggingface": "",
    "moonshotai": "moonshotai",
    "nebius": "",
    "ovhcloud": "ovhcloud",
    "sambanova": "",
    "vercel": "",
    "voyageai": "voyageai",
    "zai": "zai",
}
"""Reached through `metier[providers]`, each with its name in the price table."""


PRICED_AS = {"haiku": "claude-haiku-4-5", "sonnet": "claude-sonnet-4-5", "opus": "claude-opus-4-1"}
"""The short names of Claude Code, each with a model that costs no less."""


def price_name(provider: str) -> str:
    """The provider's name in the price table; empty when it is not there."""
    return KNOWN[provider].prices if provider in KNOWN else OTHERS.get(provider, "")


VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
SECRET_HEADERS = frozenset({"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"})
OWN_HEADERS = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "accept-encoding", "connection"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PerMillion:
    """A price in US dollars for a million tokens."""

    input: Decimal
    output: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """A model that can be called; holds the name of the key's variable, never the key."""

    protocol: str
    """A module in `models/wire/` or `models/programs/`, or `pydantic-ai`."""
    provider: str
    name: str
    base_url: str = ""
    key_variable: str = ""
    """Empty: no key is sent."""
    headers: tuple[tuple[str, str], ...] = ()
    """Further headers; a value `$NAME` is read from that variable."""
    price: PerMillion | None = None
    """Overrides the price table."""

    @property
    def identity(self) -> str:
        """What determines replies: protocol, address, name."""
        return f"{self.protocol} {self.base_url or self.provider} {self.name}"

    @property
    def is_program(self) -> bool:
        """Whether a coding agent on this machine answers."""
        return self.provider in KNOWN and KNOWN[self.provider].is_program

    @property
    def extra_tokens(self) -> int:
        """The most tokens that whoever answers adds to a request."""
        return KNOWN[self.provider].extra if self.provider in KNOWN else 0

    @property
    def is_own_address(self) -> bool:
        """Whether the provider itself answers; a server elsewhere may ask for any price, and belong to anybody."""
        return self.protocol == "pydantic-ai" or self.base_url == KNOWN[self.provider].url


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What can be set beside a model's text; each is empty for the provider's default."""

    url: str = ""
    key_variable: str = ""
    """`none`: send no key."""
    headers: tuple[str, ...] = ()
    """Lines such as `X-Team: search` or `X-Token: $MY_TOKEN`."""
    price: str = ""
    """`INPUT/OUTPUT` in US dollars per million tokens, such as `0.25/2`."""


def parse_spec(text: str, options: ModelOptions | None = None) -> ModelSpec:
    """The spec a text and its options mean; a `ConfigError` says what is wrong with them."""
    options = options or ModelOptions()
    provider, colon, rest = text.strip().partition(":")
    name, address = _split_address(rest)
    if not colon or not name:
        raise ConfigError(f"A model is written PROVIDER:NAME, for example openai:gpt-5-mini, not '{text}'.")
    spec = _known(provider.lower(), name)
    url = options.url.strip() or address
    if url or options.key_variable or options.headers:
        _check_reach(spec, provider)
    return replace(
        spec,
        base_url=_checked_url(url) if url else spec.base_url,
        key_variable=_key_variable(options.key_variable, spec, url),
        headers=tuple(_header(line) for line in options.headers),
        price=_price(options.price),
    )


def _check_reach(spec: ModelSpec, provider: str) -> None:
    """Refuse an address, a key or headers where somebody else sets them."""
    if spec.protocol == "pydantic-ai":
        raise ConfigError(f"'{provider}' is reached through pydantic-ai: address, key and headers are set as it says.")
    if spec.is_program:
        raise ConfigError(f"'{provider}' uses the agent's own login: it takes no address, key or headers.")


def keys_of(spec: ModelSpec, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Every secret value the spec points at, to keep it out of what is shown."""
    names = [spec.key_variable, *(value[1:] for _, value in spec.headers if value.startswith("$"))]
    return tuple(value for name in names if name and (value := environ.get(name, "").strip()))


def _split_address(rest: str) -> tuple[str, str]:
    found = re.search(r"@(?=https?://)", rest)
    return (rest[: found.start()].strip(), rest[found.end() :].strip()) if found else (rest.strip(), "")


def _known(provider: str, name: str) -> ModelSpec:
    if provider in KNOWN:
        known = KNOWN[provider]
        return ModelSpec(
            protocol=known.protocol,
            provider=provider,
            name=name,
            base_url=known.url,
            key_variable=known.key_variable,
        )
    if provider in OTHERS:
        return ModelSpec(protocol="pydantic-ai", provider=provider, name=name)
    close = get_close_matches(provider, [*KNOWN, *OTHERS], n=1, cutoff=0.5)
    hint = f"did you mean '{close[0]}'?" if close else f"known are {', '.join(KNOWN)}"
    raise ConfigError(f"Unknown model provider '{provider}': {hint}; for any other server write openai:NAME@URL.")


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ConfigError("The model's address is no URL; write one like http://127.0.0.1:8000/v1.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise ConfigError("The model's address must begin with http:// or https:// and name a host.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError("The model's address may hold no user, password or query: put the key into a variable.")
    if not url.isascii() or any(char.isspace() for char in url):
        raise ConfigError("The model's address may hold neither spaces nor letters beyond ASCII.")
    return url.rstrip("/")


def _key_variable(given: str, spec: ModelSpec, url: str) -> str:
    name = given.strip()
    if name.lower() == "none":
        return ""
    if not name:  # a provider's own key is never sent to another address unless somebody says so
        return "" if url and url.rstrip("/") != spec.base_url else spec.key_variable
    if not VARIABLE.fullmatch(name):
        raise ConfigError("model_key names an environment variable, such as OPENAI_API_KEY; the key itself stays out.")
    if name.startswith("METIER_"):
        raise ConfigError(f"The key's variable may not begin with METIER_, which is for settings: rename {name}.")
    return name


def _header(line: str) -> tuple[str, str]:
    name, colon, value = (part.strip() for part in line.partition(":"))
    if not colon or not HEADER.fullmatch(name) or not value.isascii() or not value.isprintable():
        raise ConfigError("A header is written 'Name: value', on one line and in ASCII.")
    if name.lower() in OWN_HEADERS:
        raise ConfigError(f"The header '{name}' is set by Metier itself.")
    if value.startswith("$") and not VARIABLE.fullmatch(value[1:]):
        raise ConfigError(f"The header '{name}' names no variable: write $NAME.")
    if name.lower() in SECRET_HEADERS and not value.startswith("$"):
        raise ConfigError(f"The header '{name}' carries a secret: put it into a variable, and write {name}: $VARIABLE.")
    return name, value


def _price(text: str) -> PerMillion | None:
    if not text.strip():
        return None
    try:
        given = [Decimal(part.strip()) for part in text.split("/")]
    except InvalidOperation:
        given = []
    if len(given) != 2 or not all(one.is_finite() and 0 <= one <= 1_000_000 for one in given):
        raise ConfigError(
            f"A price is written INPUT/OUTPUT in dollars per million tokens, such as 0.25/2, not '{text}'."
        )
    return PerMillion(input=given[0], output=given[1])
