"""The sentences of a drafted skill, in the language of those who asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.text.terms import Language


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
    procedure: str
    checks: str
    pitfalls: str
    result: str
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
    optional: str
    repeated: str
    verbs: Mapping[str, str]
    """What a command is for, by program and subcommand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TroublePhrases:
    """What went wrong, and what helped."""

    fails: str
    run: str
    edit: str
    again: str
    instead: str
    avoid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Fixed words of one language; `{}` is filled."""

    headings: Headings
    steps: StepPhrases
    troubles: TroublePhrases
    asked: str
    asked_like: str
    uses: str
    changes: str
    about: str
    directly: str
    such_as: str
    and_: str
    or_: str
    values: str
    files: str
    before_report: str
    passes: tuple[str, str]
    """For one, and for several; so is `changed`."""
    changed: tuple[str, str]
    ends_well: str
    answered: str
    of_skills: SkillPhrases
    quotes: tuple[str, str]


ENGLISH = Phrases(
    headings=Headings(
        when="When to use",
        procedure="Procedure",
        checks="Checks",
        pitfalls="Pitfalls",
        result="Expected result",
        update="what has proved itself",
        parts="What each part does",
    ),
    steps=StepPhrases(
        run="Run {}.",
        fails_first="Run {}. This shows the failure to fix.",
        edit="Edit {}.",
        read="Read {}.",
        tool="Use the tool {}.",
        optional="(only where it applies)",
        repeated="(once for each)",
        verbs={
            "git log": "Look at the history",
            "git checkout": "Work on a branch",
            "git switch": "Work on a branch",
            "git commit": "Commit",
            "git push": "Push",
            "git diff": "Look at the change",
            "git rebase": "Rebase",
            "gh run list": "Find the run",
            "gh run view": "Read its log",
            "gh run watch": "Wait for the run",
            "gh pr view": "Read the pull request",
            "gh pr checks": "Look at the checks",
            "gh pr create": "Open a pull request",
            "gh issue view": "Read the issue",
            "alembic heads": "See where the migrations stand",
            "alembic revision": "Create the revision",
            "alembic upgrade": "Run the migration",
            "alembic downgrade": "Try the way back",
            "docker build": "Build the image",
            "docker push": "Push the image",
            "docker compose": "Handle the containers",
            "kubectl set image": "Switch to the new image",
            "kubectl rollout status": "Wait for the rollout",
            "kubectl apply": "Apply the manifests",
            "terraform plan": "Look at what would change",
            "terraform apply": "Apply the change",
            "uv lock": "Update the lock file",
            "uv sync": "Install what is locked",
            "npm ci": "Install what is locked",
            "npm install": "Install",
            "pip-audit": "Look for known vulnerabilities",
            "pytest": "Run the tests",
            "npm test": "Run the tests",
            "cargo test": "Run the tests",
            "go test": "Run the tests",
            "make test": "Run the tests",
            "psql": "Query the database",
            "pg_restore": "Restore the dump",
            "dropdb": "Drop the old database",
            "createdb": "Create the database",
            "nginx": "Test the configuration",
            "systemctl reload": "Reload the service",
            "systemctl restart": "Restart the service",
            "certbot renew": "Renew the certificate",
            "wc": "Count the lines",
        },
    ),
    troubles=TroublePhrases(
        fails="If {} fails, {}",
        run="run {}",
        edit="correct {}",
        again="{}, then try again.",
        instead="use {} instead.",
        avoid="Do not use {}: it was only seen where the work went wrong.",
    ),
    asked="People ask for it in words such as:",
    asked_like="Use when asked for this or the like, for example {}.",
    uses="Uses {}.",
    changes="Changes {}.",
    about="Key words: {}.",
    directly="No tool was needed so far: answer directly.",
    such_as="Answer as the people who asked wanted it:",
    and_="and",
    or_="or",
    values="Taken from the request: {}.",
    files="Files usually changed: {}.",
    before_report="Before you report:",
    passes=("{} ends without an error", "{} end without an error"),
    changed=("{} is changed as asked", "{} are changed as asked"),
    answered="The answer itself; nothing else was changed so far.",
    ends_well="The last step, {}, ends without an error.",
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
        procedure="Vorgehen",
        checks="Prüfen",
        pitfalls="Stolperstellen",
        result="Ergebnis",
        update="was sich bewährt hat",
        parts="Was die Teile tun",
    ),
    steps=StepPhrases(
        run="{} ausführen.",
        fails_first="{} ausführen. Das zeigt den Fehler, der zu beheben ist.",
        edit="{} anpassen.",
        read="{} lesen.",
        tool="Das Werkzeug {} verwenden.",
        optional="(nur wo es passt)",
        repeated="(einmal für jeden Fall)",
        verbs={
            "git log": "Den Verlauf ansehen",
            "git checkout": "Einen Zweig anlegen",
            "git commit": "Festschreiben",
            "git push": "Hochladen",
            "docker build": "Das Abbild bauen",
            "docker push": "Das Abbild hochladen",
            "pytest": "Die Tests ausführen",
            "npm test": "Die Tests ausführen",
            "psql": "Die Datenbank befragen",
            "pg_restore": "Die Sicherung einspielen",
            "dropdb": "Die alte Datenbank entfernen",
            "createdb": "Die Datenbank anlegen",
            "nginx": "Die Einstellungen prüfen",
            "systemctl reload": "Den Dienst neu laden",
            "systemctl restart": "Den Dienst neu starten",
            "certbot certificates": "Den Stand ansehen",
            "certbot renew": "Das Zertifikat erneuern",
            "pdfinfo": "Das PDF ansehen",
        },
    ),
    troubles=TroublePhrases(
        fails="Wenn {} scheitert: {}",
        run="{} ausführen",
        edit="{} berichtigen",
        again="{}, dann noch einmal versuchen.",
        instead="stattdessen {} verwenden.",
        avoid="{} nicht verwenden: Es kam nur vor, wo die Arbeit misslang.",
    ),
    asked="Gefragt wird danach etwa so:",
    asked_like="Für Bitten dieser Art, zum Beispiel {}.",
    uses="Verwendet {}.",
    changes="Ändert {}.",
    about="Stichworte: {}.",
    directly="Bisher war kein Werkzeug nötig: direkt antworten.",
    such_as="So antworten, wie es gewünscht wurde:",
    and_="und",
    or_="oder",
    values="Aus der Bitte: {}.",
    files="Meist geänderte Dateien: {}.",
    before_report="Vor der Antwort:",
    passes=("{} endet ohne Fehler", "{} enden ohne Fehler"),
    changed=("{} ist wie gewünscht geändert", "{} sind wie gewünscht geändert"),
    answered="Die Antwort selbst; sonst wurde bisher nichts geändert.",
    ends_well="Der letzte Schritt, {}, endet ohne Fehler.",
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
