"""Cases from text: one JSON object a line, every refusal with its line and what to write instead."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, cast, get_args

from metier.errors import InputError
from metier.formats.strict_json import StrictObject, clean, word
from metier.skills.names import path_problem
from metier.training.scoring.registry import judge_of, settings_of
from metier.types.trials import EXACT, Case, Split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FIELDS = ("id", "input", "expected", "scorer", "split", "tags", "files", "origin")
SPLITS: tuple[str, ...] = get_args(Split)
MEANT = {"validation": "val", "valid": "val", "dev": "val", "training": "train", "holdout": "test", "eval": "test"}
"""Words that others use for the same."""
NESTED = 8
"""Scorers that may combine scorers that combine scorers."""
SHOWN = 20
"""Problems, and ids of one problem, that an error lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BadCaseLine:
    """A line that is no case, and what to do about it."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What the lines of a text turned out to be."""

    cases: tuple[Case, ...]
    bad: tuple[BadCaseLine, ...] = ()


def read_cases(text: str, name: str = "the file") -> tuple[Case, ...]:
    """The cases of a text; InputError lists every line, and every pair of cases, that is in the way."""
    found = parse_cases(text)
    problems = [f"line {bad.line}: {bad.reason}" for bad in found.bad] or list(conflicts(found.cases))
    if not problems and not found.cases:
        problems = ['it is empty; write one case a line, such as {"id": "c1", "input": "…", "expected": "…"}']
    if problems:
        if len(problems) > 1:  # they may be read in one line
            problems = [one if one.endswith("?") else f"{one}." for one in problems]
        more = [f"… and {len(problems) - SHOWN} more"] if len(problems) > SHOWN else []
        raise InputError("\n".join([f"{name} cannot be used:", *problems[:SHOWN], *more]))
    return found.cases


def parse_cases(text: str) -> Parsed:
    """Each line as a case or as a refusal; empty lines count for nothing."""
    cases: list[Case] = []
    bad: list[BadCaseLine] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip():
            try:
                cases.append(_case(line))
            except InputError as error:
                bad.append(BadCaseLine(line=number, reason=str(error)))
    return Parsed(cases=tuple(cases), bad=tuple(bad))


def dump_case(case: Case) -> str:
    """The line that `read_cases` reads back as the same case."""
    found: dict[str, object] = {"id": case.id, "input": case.input, "expected": case.expected}
    found["scorer"] = next(settings_of(case))
    optional = {"split": case.split, "tags": list(case.tags), "files": dict(case.files)}
    found |= {key: value for key, value in optional.items() if value}
    return json.dumps(found | ({"origin": case.origin} if case.origin != "given" else {}), ensure_ascii=False)


def conflicts(cases: Iterable[Case]) -> Iterator[str]:
    """What cannot be true of a suite: one id twice, one task with two answers, one task on two sides."""
    ids: dict[str, int] = defaultdict(int)
    tasks: dict[object, list[Case]] = defaultdict(list)
    for case in cases:
        ids[case.id] += 1
        tasks[task_of(case)].append(case)
    if twice := [name for name, count in ids.items() if count > 1]:
        yield f"more than one case has the id {_listed(twice)}; give each its own"
    for same in tasks.values():
        yield from _at_odds(same)


def _at_odds(same: list[Case]) -> Iterator[str]:
    """What is wrong between cases that ask the same."""
    exact = [case for case in same if _is_exact(case)]
    if len({case.expected.strip() for case in exact}) > 1:
        advice = "keep one, or list both as 'answers' of a scorer"
        yield f"{_named(exact)} ask the same and expect different answers; {advice}"
    if len({case.split for case in same if case.split}) > 1:
        yield overlap(same)


def _named(cases: list[Case]) -> str:
    """Cases by their ids; those of one id by their number."""
    names = list(dict.fromkeys(case.id for case in cases))
    return _listed(names) if len(names) > 1 else f"{len(cases)} cases with the id {names[0]}"


def overlap(same: Iterable[Case]) -> str:
    """That cases with one task stand on different sides."""
    names = _listed(f"{case.id} ({case.split or 'no split'})" for case in same)
    return f"{names} ask the same but are in different splits; put them in one split, or keep one"


def task_of(case: Case) -> object:
    """What makes two cases the same task: their words, whatever the white space, and their files."""
    return " ".join(case.input.split()), tuple(sorted(case.files))


def canonical(settings: object) -> str:
    """Settings as one text: the same settings are the same text."""
    return clean(json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def _case(line: str) -> Case:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"no JSON ({_said(error)}); write one object a line") from None
    if not isinstance(value, dict):
        raise InputError('not an object; write one such as {"id": "c1", "input": "…", "expected": "…"}')
    fields = StrictObject(cast("object", value), "", FIELDS)
    case = Case(
        id=_id(fields),
        input=_input(fields),
        expected=fields.loose("expected"),
        scorer=_scorer(fields),
        split=_split(fields),
        tags=fields.each("tags", word),
        origin=fields.text("origin") or "given",
        files=_files(fields),
    )
    judge_of(case)
    return case


def _said(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return "nested too deep" if isinstance(error, RecursionError) else "a number has too many digits"


def _id(fields: StrictObject) -> str:
    value = fields.fields.get("id")
    name = str(value) if isinstance(value, int) and not isinstance(value, bool) else fields.text("id").strip()
    if not name:
        raise InputError("id: missing; give every case its own id")
    return name


def _input(fields: StrictObject) -> str:
    text = fields.text("input")
    if not text.strip():
        raise InputError("input: missing; write what the agent is asked to do")
    return text


def _scorer(fields: StrictObject) -> str:
    value = fields.fields.get("scorer")
    if value is None:
        return EXACT
    return canonical(_spelled_out(value))


def _spelled_out(value: object, left: int = NESTED) -> object:
    """A scorer's settings, where a bare word, also among those that are combined, is a kind without any."""
    if isinstance(value, str):
        return {"kind": value}
    fields = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    inner = fields.get("of")
    if not isinstance(inner, list):
        return cast("object", value)
    if not left:
        raise InputError(f"scorer: combines combinations more than {NESTED} deep; write it flatter")
    return {**fields, "of": [_spelled_out(one, left - 1) for one in cast("list[object]", inner)]}


def _split(fields: StrictObject) -> Split | None:
    value = fields.text("split")
    if not value:
        return None
    if value not in SPLITS:
        meant = f"did you mean '{MEANT[value.lower()]}'?" if value.lower() in MEANT else f"write {', '.join(SPLITS)}"
        raise InputError(f"split: {value[:40]!r} is not a split; {meant}, or leave it out")
    return cast("Split", value)


def _files(fields: StrictObject) -> tuple[tuple[str, str], ...]:
    value = fields.fields.get("files")
    if not value:
        return ()
    if not isinstance(value, dict):
        raise InputError('files: must be an object of texts by path, such as {"data.csv": "a,b"}')
    found: list[tuple[str, str]] = []
    for path, text in cast("dict[str, object]", value).items():
        if reason := path_problem(path):
            raise InputError(f"files: {path[:60]!r} cannot be a path: {reason}")
        found.append((path, word(text, f"files.{path[:60]}")))
    folders = {str(above) for path, _ in found for above in PurePosixPath(path).parents}
    if both := next((path for path, _ in found if path in folders), None):
        raise InputError(f"files: {both[:60]!r} is a file and the folder of another; rename one")
    return tuple(sorted(found))


def _is_exact(case: Case) -> bool:
    return next(settings_of(case)).get("kind") == "exact"


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:SHOWN]) + (f" and {len(every) - SHOWN} more" if len(every) > SHOWN else "")
