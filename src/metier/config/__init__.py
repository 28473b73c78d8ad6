"""Settings: defaults < the person's file < their file for one project < `METIER_*` < flags, checked once, frozen.

No file of a project is a setting: the one for a project lies in its state folder.

Only this module reads the environment. A name or value that is not known is an error that names the nearest one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, cast

from metier.config.files import read_file
from metier.errors import ConfigError

Mode = Literal["observe", "draft", "apply"]
Trigger = Literal["after_run", "scheduled", "manual"]
Order = Literal["standard", "claude-code"]
Links = Literal["auto", "always", "never"]
Thinking = Literal["auto", "on", "off"]
FILE = "metier.toml"
PREFIX = "METIER_"
NOT_SETTINGS = frozenset({"METIER_HOME", "METIER_WORKSPACE"})
"""Variables that say where things are: all state, and the workspace's folder."""
Value = bool | int | float | str | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningConfig:
    """When learning starts, and what it needs."""

    min_runs: int = 2
    """Successful runs a new pattern needs."""
    min_success_ratio: float = 0.7
    """Successes among all evidence that a pattern needs; equal passes."""
    min_sessions: int = 2
    """Different sessions a draft needs to be applied without a person's yes."""
    trigger: Trigger = "after_run"
    """When learning starts by itself: after_run, scheduled (see times), manual."""
    times: tuple[str, ...] = ()
    """Local times for trigger = scheduled, for example 03:05."""
    judge_timeout: float = 15.0
    """Seconds a model may take to judge a run."""
    cluster_timeout: float = 45.0
    """Seconds a model may take to group runs."""
    draft_timeout: float = 60.0
    """Seconds a model may take to write a draft."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """Which models are asked, and how much they may cost."""

    model: str = ""
    """The model that is asked, for example anthropic:claude-haiku-4-5; empty: heuristics alone."""
    model_url: str = ""
    """Its address, if not the provider's own."""
    model_key: str = ""
    """The name of the variable that holds its key, if not the provider's usual one; none: it needs no key."""
    model_headers: tuple[str, ...] = ()
    """Further headers, Name: value; a value $NAME is read from that variable."""
    model_price: str = ""
    """Dollars per million tokens, in/out, where the price table does not know it: 0.25/2."""
    embed_model: str = ""
    """The model for embeddings; empty: the built-in one."""
    embed_url: str = ""
    """As model_url, for embeddings."""
    embed_key: str = ""
    """As model_key, for embeddings."""
    embed_headers: tuple[str, ...] = ()
    """As model_headers, for embeddings."""
    embed_price: str = ""
    """As model_price, for embeddings."""
    budget_calls: int = 0
    """Calls to models a day, at most; 0: no limit besides the one on money."""
    budget_tokens: int = 0
    """Tokens a day, at most; 0: no limit."""
    budget_usd: float = 0.5
    """Dollars a day, at most; 0: nothing may be spent. Where no price is known: 100 calls a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionConfig:
    """How skills are selected for a task."""

    select_top_k: int = 12
    """Skills that come into question for a task after the search."""
    select_max_detailed: int = 5
    """Skills whose bodies the model reads before it chooses, and most that are chosen without a model."""
    select_budget: int = 8_000
    """Tokens of skills handed to an agent, at most."""
    select_thinking: Thinking = "auto"
    """Whether the model that selects thinks first: auto (its own habit), on, off."""
    select_timeout: float = 8.0
    """Seconds a model may take for each of the two questions, and an embedder for a task."""
    select_explore_rate: float = 0.0
    """How often a provisional skill gets a chance it has not earned yet."""
    select_exclude: tuple[str, ...] = ()
    """Skills that are never selected here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting with its effective value; files and variables name them without their group."""

    enabled: bool = True
    """false: nothing is recorded, learned or given here."""
    paused: bool = False
    """true: as enabled = false, whatever a project says; metier pause sets it, metier resume takes it out."""
    mode: Mode = "observe"
    """observe: record only; draft: also write drafts; apply: also ship drafts that a gate or a person confirmed."""
    store: str = ""
    """Empty: SQLite in the state folder; postgresql://… for a fleet."""
    ignore: tuple[str, ...] = ()
    """Folders never recorded, for example ~/private; a pattern such as */secret-* works too."""
    record_headless: bool = False
    """true: runs that a program started (claude -p, codex exec) are recorded, too."""
    retention_days: int = 90
    """Runs older than this are purged, but for those that a skill rests on; 0: kept for ever."""
    max_disk_mb: int = 1_024
    """When this workspace's runs take more, the oldest are purged; 0: no limit."""
    max_record_mb: int = 16
    """A larger run is refused."""
    skill_roots: tuple[str, ...] = ()
    """Further folders of skills, after .agents/skills and .claude/skills; relative to the workspace."""
    skill_order: Order = "standard"
    """Which of two skills of one name wins: standard (the project's) or claude-code (the person's)."""
    claude_links: Links = "auto"
    """Links in .claude/skills to active skills: auto (where Claude Code is used), always, never."""
    second_opinions: tuple[str, ...] = ()
    """Commands that also look at every package under review; they can only make its verdict worse."""
    lock_wait: float = 10.0
    """Seconds to wait for another process that is writing."""
    learning: LearningConfig = LearningConfig()
    models: ModelConfig = ModelConfig()
    selection: SelectionConfig = SelectionConfig()

    @classmethod
    def of(cls, values: Mapping[str, Value]) -> Config:
        """The configuration with these settings, by their flat names; the others have their defaults."""
        grouped: dict[str, dict[str, Value]] = {"": {}, **{name: {} for name in GROUPS}}
        for name, value in values.items():
            grouped[GROUP_OF.get(name, "")][name] = value
        groups = {name: kind(**cast("dict[str, Any]", grouped[name])) for name, kind in GROUPS.items()}
        return cls(**cast("dict[str, Any]", grouped[""] | groups))

    def flat(self) -> dict[str, Value]:
        """Every setting by its flat name."""
        own = {name: getattr(self, name) for name in PARSERS if name not in GROUP_OF}
        return own | {name: getattr(getattr(self, group), name) for name, group in GROUP_OF.items()}


GROUPS: Mapping[str, type[LearningConfig | ModelConfig | SelectionConfig]] = {
    "learning": LearningConfig,
    "models": ModelConfig,
    "selection": SelectionConfig,
}
GROUP_OF = {field.name: group for group, kind in GROUPS.items() for field in fields(kind)}
"""The group that a setting belongs to; the others are the configuration's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The effective configuration, and where each value came from."""

    config: Config
    sources: Mapping[str, str]
    """Setting -> `default`, a file's path, the variable's name, or `flag`."""


NEAR = 0.7
"""How alike two names are of which one may be meant for the other; 1: the same."""

Layer = tuple[Mapping[str, object], Callable[[str], str]]
"""Given values, and where the value of one of them came from."""


def _flag(value: object) -> bool:
    words = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and (word := value.strip().lower()) in words:
        return words[word]
    raise ValueError("true or false")


def _number(low: float, high: float, kind: type[int] | type[float]) -> Callable[[object], Value]:
    def parse(value: object) -> Value:
        expected = f"a {'whole number' if kind is int else 'number'} from {low:g} to {high:g}"
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ValueError(expected)
        try:
            number = kind(value)
        except (ValueError, OverflowError):
            raise ValueError(expected) from None
        if number != float(value) or not low <= number <= high:
            raise ValueError(expected)
        return number

    return parse


def _word(*words: str) -> Callable[[object], Value]:
    def parse(value: object) -> Value:
        word = value.strip().lower() if isinstance(value, str) else ""
        if word not in words:
            hint = _nearest(word, words)
            raise ValueError(f"one of {', '.join(words)}{hint}")
        return word

    return parse


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("text")
    return value.strip()


def _store(value: object) -> str:
    url = _text(value)
    if url and not url.startswith(("postgresql://", "postgres://")):
        raise ValueError("empty (SQLite in the state folder) or postgresql://user@host/database")
    return url


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, (list, tuple)):
        parts = cast("Iterable[object]", value)
        return tuple(_text(part) for part in parts)
    raise ValueError("a list of texts")


def _times(value: object) -> tuple[str, ...]:
    times = _texts(value)
    for time in times:
        if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", time):
            raise ValueError(f"times such as 03:05 (24 hours, two digits each), not '{time}'")
    return tuple(dict.fromkeys(times))


PARSERS: Mapping[str, Callable[[object], Value]] = {
    "enabled": _flag,
    "paused": _flag,
    "mode": _word("observe", "draft", "apply"),
    "store": _store,
    "ignore": _texts,
    "record_headless": _flag,
    **dict.fromkeys(("min_runs", "min_sessions"), _number(1, 1_000_000, int)),
    "min_success_ratio": _number(0, 1, float),
    "trigger": _word("after_run", "scheduled", "manual"),
    "times": _times,
    **dict.fromkeys(("judge_timeout", "cluster_timeout", "draft_timeout"), _number(0.1, 3600, float)),
    "retention_days": _number(0, 36_500, int),
    "max_disk_mb": _number(0, 1_000_000_000, int),
    "max_record_mb": _number(1, 64, int),
    "skill_roots": _texts,
    "skill_order": _word("standard", "claude-code"),
    "claude_links": _word("auto", "always", "never"),
    "model": _text,
    "model_url": _text,
    "model_key": _text,
    "model_headers": _texts,
    "model_price": _text,
    "embed_model": _text,
    "embed_url": _text,
    "embed_key": _text,
    "embed_headers": _texts,
    "embed_price": _text,
    "budget_calls": _number(0, 1_000_000_000, int),
    "budget_tokens": _number(0, 1_000_000_000_000, int),
    "budget_usd": _number(0, 1_000_000, float),
    "second_opinions": _texts,
    "select_top_k": _number(1, 1_000, int),
    "select_max_detailed": _number(1, 100, int),
    "select_budget": _number(0, 1_000_000, int),
    "select_thinking": _word("auto", "on", "off"),
    "select_timeout": _number(0.1, 3600, float),
    "select_explore_rate": _number(0, 1, float),
    "select_exclude": _texts,
    "lock_wait": _number(0, 3600, float),
}


def load(
    state: Path | None,
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """The effective settings for the project of a state folder; None: for no project."""
    environ = os.environ if environ is None else environ
    user, own = user_file(environ), state / FILE if state else None
    layers: list[Layer] = [
        (read_file(user), lambda _: str(user)),
        (read_file(own) if own else {}, lambda _: str(own)),
        (_variables(environ), variable),
        (flags or {}, lambda _: "flag"),
    ]
    values: dict[str, Value] = {}
    sources = dict.fromkeys(PARSERS, "default")
    for given, where in layers:
        for name, value in given.items():
            values[name] = parse_setting(name, value, where(name))
            sources[name] = where(name)
    if values.get("paused"):
        values["enabled"], sources["enabled"] = False, sources["paused"]
    return Settings(config=Config.of(values), sources=sources)


def user_file(environ: Mapping[str, str]) -> Path:
    """The settings file of this user: `~/.config/metier/metier.toml`."""
    base = environ.get("XDG_CONFIG_HOME") or str(Path(environ.get("HOME") or "~").expanduser() / ".config")
    return Path(base) / "metier" / FILE


def variable(name: str) -> str:
    """The environment variable that sets a setting."""
    return PREFIX + name.upper()


def _variables(environ: Mapping[str, str]) -> dict[str, object]:
    given: dict[str, object] = {}
    for name, value in environ.items():
        if name.startswith(PREFIX) and name not in NOT_SETTINGS:
            key = name.removeprefix(PREFIX).lower()
            if key not in PARSERS:
                known = [variable(one) for one in PARSERS]
                raise ConfigError(f"The environment variable {name} is not a setting{_nearest(name, known)}. Unset it.")
            given[key] = value
    return given


def parse_setting(name: str, value: object, where: str) -> Value:
    """The value of a setting, checked; `where` says where it was given."""
    if name not in PARSERS:
        raise ConfigError(
            f"Unknown setting '{name}' in {where}{_nearest(name, PARSERS)}. `metier config` lists them all."
        )
    try:
        return PARSERS[name](value)
    except ValueError as error:
        raise ConfigError(f"Setting '{name}' in {where} is {value!r}; expected {error}.") from None


def _nearest(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, list(known), n=1, cutoff=NEAR)
    return f" (did you mean '{close[0]}'?)" if close else ""
