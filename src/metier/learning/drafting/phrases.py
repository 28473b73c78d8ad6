"""The sentences of a drafted skill, in the language of those who asked."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, cast

from metier.runs.derive import valid_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.text.words import Language
    from metier.types import Pattern

_TRIGGER = re.compile(r"[A-Za-z][\w.:-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillPhrases:
    """Fixed words about skills that runs used, in one language."""

    one_go: str
    chain: str
    in_turn: str
    in_order: str
    begin_with: str
    late: str
    late_part: str
    on_the_way: tuple[str, str]
    """Without and with what triggered it."""
    at_once: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Headings:
    """The headings of a skill."""

    when: str
    asked: str
    procedure: str
    notes: str
    code: str
    pitfalls: str
    result: str
    example: str
    update: str
    parts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPhrases:
    """How a step is said."""

    run: str
    fails_first: str
    edit: str
    read: str
    tool: str
    when: str
    some: str
    repeated: str
    helps: str
    avoid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Fixed words of one language; `{}` is filled."""

    headings: Headings
    steps: StepPhrases
    asked_like: str
    uses: str
    changes: str
    about: str
    and_: str
    or_: str
    values: str
    others: str
    passes: str
    ends_well: str
    example: str
    example_title: str
    scripts: str
    of_skills: SkillPhrases
    quotes: tuple[str, str]


ENGLISH = Phrases(
    headings=Headings(
        when="When to use",
        asked="What is asked",
        procedure="Procedure",
        notes="Good to know",
        code="Code that recurs",
        pitfalls="Pitfalls",
        result="Expected result",
        example="Example",
        update="what has proved itself",
        parts="What each part does",
    ),
    steps=StepPhrases(
        run="Run {}.",
        fails_first="Run {} to see the failure.",
        edit="Edit {}.",
        read="Read {}.",
        tool="Use the tool {}.",
        when="(when the request says “{}”)",
        some="(in {} of {} runs)",
        repeated="(more than once)",
        helps="If {} fails, run {}, then try again.",
        avoid="Do not use {}: it was only seen where the work went wrong.",
    ),
    asked_like="Use for requests like {}.",
    uses="Uses {}.",
    changes="Changes {}.",
    about="Key words: {}.",
    and_="and",
    or_="or",
    values="Taken from the request: {}.",
    others="Different each time, for you to find: {}.",
    passes="{} ends without an error.",
    ends_well="The last step, {}, ends without an error.",
    example="`references/example.md`: a run that went well, trimmed.",
    example_title="One run that went well",
    scripts="Scripts that runs wrote and ran: {}.",
    of_skills=SkillPhrases(
        one_go="Does the work of {} in one go.",
        chain="Do not replay {} first: this does the whole chain.",
        in_turn="Do what each part below says, in this order, and answer once, at the end.",
        in_order="Use the skills {}, in this order.",
        begin_with="Begin with the skill {}.",
        late="Load the skill {} at the start: {}.",
        late_part="Do the part of {} without delay: {}.",
        on_the_way=("so far it came in only on the way", "so far it came in only on the way, at {}"),
        at_once="Do not begin with {}: go to {} at once.",
    ),
    quotes=("“", "”"),
)

GERMAN = Phrases(
    headings=Headings(
        when="Wann",
        asked="Was verlangt wird",
        procedure="Vorgehen",
        notes="Gut zu wissen",
        code="Code, der wiederkehrt",
        pitfalls="Stolperstellen",
        result="Ergebnis",
        example="Beispiel",
        update="was sich bewährt hat",
        parts="Was die Teile tun",
    ),
    steps=StepPhrases(
        run="{} ausführen.",
        fails_first="{} ausführen, um den Fehler zu sehen.",
        edit="{} anpassen.",
        read="{} lesen.",
        tool="Das Werkzeug {} verwenden.",
        when="(wenn in der Bitte „{}“ steht)",
        some="(in {} von {} Läufen)",
        repeated="(mehrmals)",
        helps="Wenn {} scheitert: {} ausführen, dann noch einmal versuchen.",
        avoid="{} nicht verwenden: Es kam nur vor, wo die Arbeit misslang.",
    ),
    asked_like="Für Bitten dieser Art, zum Beispiel {}.",
    uses="Verwendet {}.",
    changes="Ändert {}.",
    about="Stichworte: {}.",
    and_="und",
    or_="oder",
    values="Aus der Bitte: {}.",
    others="Jedes Mal anders, von dir zu finden: {}.",
    passes="{} endet ohne Fehler.",
    ends_well="Der letzte Schritt, {}, endet ohne Fehler.",
    example="`references/example.md`: ein Lauf, der gelang, gekürzt.",
    example_title="Ein Lauf, der gelang",
    scripts="Skripte, die Läufe geschrieben und ausgeführt haben: {}.",
    of_skills=SkillPhrases(
        one_go="Erledigt die Arbeit von {} in einem Zug.",
        chain="Nicht zuerst {} durchgehen: Das hier ist die ganze Kette.",
        in_turn="Tun, was die Teile unten sagen, in dieser Reihenfolge, und am Ende einmal antworten.",
        in_order="Die Skills {} verwenden, in dieser Reihenfolge.",
        begin_with="Mit dem Skill {} beginnen.",
        late="Den Skill {} gleich zu Beginn laden: {}.",
        late_part="Den Teil von {} ohne Umweg tun: {}.",
        on_the_way=("Bisher kam er erst unterwegs dazu", "Bisher kam er erst unterwegs dazu, bei {}"),
        at_once="Nicht mit {} beginnen: gleich {} verwenden.",
    ),
    quotes=("„", "“"),
)


def phrases_of(language: Language) -> Phrases:
    """The sentences of a language."""
    return GERMAN if language == "de" else ENGLISH


def code_names(names: Sequence[str]) -> str:
    """Names in a row, each as code."""
    return ", ".join(f"`{name}`" for name in names)


def with_full_stop(text: str) -> str:
    """A sentence with its full stop."""
    return text if text.endswith(("…", ".", "!", "?")) else f"{text}."


def join_items(items: Sequence[str], joint: str) -> str:
    """Items in a row, the last one joined by a word."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {joint} {items[-1]}" if items else ""


def names_in(names: Sequence[str]) -> tuple[str, ...]:
    """The names that can be those of skills: what runs call so is not always one."""
    return tuple(name for name in names if valid_name(name))


def trigger_of(pattern: Pattern) -> str:
    """What brought late skills into the context, where that is a plain word; else nothing."""
    return pattern.trigger if _TRIGGER.fullmatch(pattern.trigger) else ""


def late_lines(say: Phrases, names: Sequence[str], trigger: str, parts: Sequence[str] = ()) -> list[str]:
    """What to load, or to do where it is a part of the skill, at once: so far it came in only on the way."""
    why = say.of_skills.on_the_way[bool(trigger)].format(f"`{trigger}`")
    return [
        f"- {(say.of_skills.late_part if name in parts else say.of_skills.late).format(f'`{name}`', why)}"
        for name in names
    ]


def detours(say: Phrases, pattern: Pattern) -> tuple[str, ...]:
    """The skills that runs began with before they had the right ones, as something to avoid."""
    late = names_in(pattern.late_added)
    first = names_in(pattern.winning_path)[: -len(late)] if late else ()
    return (say.of_skills.at_once.format(" -> ".join(first), " -> ".join(late)),) if first else ()


@cache
def fixed_words() -> tuple[str, ...]:
    """Every piece of a sentence that drafting says by itself, in any language, the longest first."""
    pieces = (
        piece.strip(" .:,") for one in (ENGLISH, GERMAN) for text in _texts(asdict(one)) for piece in text.split("{}")
    )
    return tuple(sorted({piece for piece in pieces if " " in piece}, key=lambda piece: (-len(piece), piece)))


def _texts(value: object) -> Iterator[str]:
    """The texts in nested tables and rows."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in cast("dict[str, object]", value).values():
            yield from _texts(one)
    elif isinstance(value, tuple | list):
        for one in cast("Sequence[object]", value):
            yield from _texts(one)
