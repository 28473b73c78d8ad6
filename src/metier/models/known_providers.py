"""The providers whose protocol we speak ourselves, and those that pydantic-ai reaches."""

from __future__ import annotations

from dataclasses import dataclass


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
