"""What the net keeps of one session, above all what the person said that may be meant for next time, recall first."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, cast

from metier.capture.reading.corrections import is_correction
from metier.formats.strict_json import load_json
from metier.learning.drafting.sanitise import foreign_texts
from metier.learning.lessons.facts import commands_in
from metier.learning.lessons.session.commands import parts_of
from metier.learning.lessons.session.fixes import repairs_of, tool_failures
from metier.learning.lessons.session.languages import OTHER_STOPS, other_cues
from metier.learning.lessons.session.signals import (
    ANGRY,
    CUE_WORDS,
    CUES,
    END,
    HARNESS,
    ONE_CASE,
    PROCESS,
)
from metier.learning.lessons.session.steps import steps_of
from metier.learning.procedures.actions import shell_line
from metier.text.own_words import own_words, stood_in
from metier.text.words import stem
from metier.text.words import terms_of as meaning_words
from metier.types.sightings import Catch, Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.types import Record, Run, ToolCall
    from metier.types.sightings import Repair, Worked

PROGRAMS = 200
"""Programs of a session that are kept."""
AROUND = ("apology", "interrupted", "asked again", "reverted")
"""The names of these signals."""
AGAIN, LEAST = 0.7, 3
"""Share of words that a request has in common with one before when it is asked again; words it needs for that."""
BACK = 3
"""Messages before it that a message is compared with."""
REPLY_OPENING = 200
"""Characters of an answer in which somebody apologises."""
INTERRUPTED = re.compile(r"\s*\[Request interrupted")
APOLOGY = re.compile(
    r"\byou(?:'|’)?(?:re| are) (?:absolutely |completely )?right\b|\bi apologi[sz]e\b|\bmy (?:mistake|apologies)\b|"
    r"\bsorry\b|"
    r"\bdu hast recht\b|\bsie haben recht\b|\bentschuldig\w+|\b(?:tu as|vous avez) raison\b|\bdésolé|\bje m'excuse\b|"
    r"\btienes razón\b|\bdisculpa|\bperdón\b|\bvocê tem razão\b|\bdesculp[ea]|"
    r"\b(?:ты прав|вы правы)|\bизвини|\bпрошу прощения|"
    r"你说得对|您说得对|抱歉|对不起|おっしゃる通り|おっしゃるとおり|申し訳|すみません",
    re.IGNORECASE,
)
_BACKWARDS = frozenset(("revert", "restore", "reset"))


def mine_session(runs: Sequence[Record]) -> Catch:
    """What one session shows; runs without a session stand for themselves."""
    repairs: list[Repair] = []
    worked: list[Worked] = []
    said: list[Said] = []
    programs: set[str] = set()
    for name, group in groupby(runs, key=lambda one: one.run.session or one.id):
        session = list(group)
        steps = steps_of(session)
        repairs += [*repairs_of(steps, name), *tool_failures(session, name)]
        worked += commands_in(steps, name)
        said += said_in(session, name)
        programs |= {part.words[0] for step in steps for part in step.programs}
    return Catch(
        repairs=tuple(repairs), worked=tuple(worked), said=tuple(said), programs=tuple(sorted(programs)[:PROGRAMS])
    )


def surrounding_cues(session: Sequence[Record], at: int) -> tuple[str, ...]:
    """The signals around the message of a run, by its place in the session."""
    run = session[at].run
    before = [one.run for one in session[max(0, at - BACK) : at]]
    return tuple(name for name, found in _signals(run, before) if found)


def _signals(run: Run, before: Sequence[Run]) -> Iterator[tuple[str, bool]]:
    reply = next((one.reply for one in run.exchanges if not one.message and one.reply), run.output)
    yield "apology", bool(before) and APOLOGY.search(reply[:REPLY_OPENING]) is not None
    yield "interrupted", bool(before) and _was_interrupted(before[-1])
    yield "asked again", any(_is_again(run.message, one.message) for one in before)
    yield "reverted", _reverts(run, before)


def _was_interrupted(run: Run) -> bool:
    return INTERRUPTED.match(run.message) is not None or run.status in ("interrupted", "aborted", "cancelled")


def _is_again(message: str, earlier: str) -> bool:
    """Whether a message asks for what was asked before, in other words: a copy is no second time."""
    if message == earlier:
        return False
    mine, theirs = set(meaning_words(message)), set(meaning_words(earlier))
    return len(mine) >= LEAST and len(mine & theirs) >= AGAIN * max(len(mine), LEAST)


def _reverts(run: Run, before: Sequence[Run]) -> bool:
    """Whether the first thing that was done about a message takes back what was done before it."""
    first = run.tools[:3]
    if any(_goes_back(call) for call in first):
        return True
    texts = {texts for one in before for call in one.tools if (texts := _replaced(call))}
    return any((new, old) in texts for call in first if (found := _replaced(call)) for old, new in (found,))


def _goes_back(call: ToolCall) -> bool:
    line = shell_line(call)
    if line is None or "git" not in line:
        return False
    return any(
        part.words[0] == "git" and (_BACKWARDS & set(part.words[1:2]) or part.words[1:3] == ("checkout", "--"))
        for part in parts_of(line)
    )


def _replaced(call: ToolCall) -> tuple[str, str] | None:
    """What an edit took out and what it put in; None: it is no edit of a text."""
    if '"old_string"' not in call.input:
        return None
    try:
        fields = load_json(call.input)
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    old, new = (cast("dict[str, object]", fields).get(name) for name in ("old_string", "new_string"))
    return (old, new) if isinstance(old, str) and isinstance(new, str) and old else None


LOOKED_AT, OPENING = 1_500, 500
"""Characters of a message that are looked at; of a longer one only the opening."""
SHORTEST, LONGEST = 12, 400
"""Characters of a sentence that can be a wish."""
PLAIN = 1.5
"""Weight of a sentence that is plainly a wish or a correction."""
SHORT = 160
"""Characters of a message about which its surroundings say something: a longer one is a task of its own."""
CORRECTED = "corrected"
"""The signal of a sentence by which a run was put right, as who recorded it says."""
CONTRAST, DONE, NAMED = "instead", "done", 2
"""The signals that a sentence asks for another way and names what the agent had just done, and by how many words."""
SWITCHED = "switched"
"""The signal that a sentence names a program, and the agent then does with it what it had just done with another."""
OPPOSED = frozenset((CONTRAST, "do not", "stop", "no", "hate", "again", "i said", "you should", "why did you"))
"""Signals that speak against something: here, against the program that was just run, if the sentence names it."""
FROM_ACTS = frozenset((CORRECTED, DONE, SWITCHED))
"""Signals that rest on what the agent did, not on words alone."""
WEIGHTS = (
    {name: weight for name, weight, _ in CUES} | dict.fromkeys(AROUND, 0.0) | {CORRECTED: 3.0, DONE: 1.5, SWITCHED: 2.0}
)
ACTS = 8
"""Calls before and after a message that are looked at."""
_WORD = re.compile(r"[\w+-]+(?:\.\w+)*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}")
"""A word of Japanese that stands for one thing, however many signs it has."""


def said_in(session: Sequence[Record], name: str) -> Iterator[Said]:
    """The sentences of a session's messages that carry a signal, in their words or around them, and its corrections."""
    heard = {sentence for record in session for sentence in sentences_of(record.run.message)}
    for at, record in enumerate(session):
        for one in _in_message(session, at, name):
            meanwhile = stood_in(one.text, (each.message for each in record.run.exchanges))
            if not _was_shown(one.text, session, at, meanwhile=meanwhile):
                yield one
        stated = record.run.correction or ""
        known = heard if is_correction(stated) else set[str]()  # importers keep what sounds so here, and as a message
        for sentence in sentences_of(stated):
            if (
                sentence not in known
                and PROCESS.search(sentence)
                and not _was_shown(sentence, session, at, meanwhile=True)
            ):
                said = _said(record, name, sentence, (*cues_of(sentence), CORRECTED))
                yield replace(said, before=_last_act(record.run))


def _was_shown(sentence: str, session: Sequence[Record], at: int, *, meanwhile: bool) -> bool:
    """Whether a tool, page or file said a sentence before the person did; `meanwhile`: the run was going on by then."""
    earlier = [one.run for one in session[: at + meanwhile]]
    return stood_in(sentence, foreign_texts(earlier)) and not stood_in(
        sentence, (one.run.message for one in session[:at])
    )


def _in_message(session: Sequence[Record], at: int, name: str) -> Iterator[Said]:
    """The sentences of one message that carry a signal."""
    record, act = session[at], _last_act(session[at - 1].run) if at else ""
    sentences = [one for one in sentences_of(record.run.message) if PROCESS.search(one)]
    if not sentences:
        return
    is_short = length_of(record.run.message) <= SHORT
    around = surrounding_cues(session, at) if is_short else ()
    done = _programs(session[at - 1].run.tools[-ACTS:]) if at and is_short else {}
    then = _programs(record.run.tools[:ACTS]) if done else {}
    for sentence in sentences:
        cues = cues_of(sentence)
        if cues := (*cues, *_cues_of_acts(sentence, cues, act, done, then), *around):
            yield replace(_said(record, name, sentence, cues), before=act, reply=record.run.output[:300])


def _cues_of_acts(
    sentence: str, cues: Sequence[str], act: str, done: Mapping[str, frozenset[str]], then: Mapping[str, frozenset[str]]
) -> Iterator[str]:
    """The signals that a sentence has because of the act before it, and the programs run before and after it."""
    named = set(_WORD.findall(sentence.casefold()))
    names_act = CONTRAST in cues and len({*terms_of(sentence)} & {*terms_of(act)}) >= NAMED
    if names_act or (OPPOSED & set(cues) and named & done.keys()):
        yield DONE
    new = named & then.keys() - done.keys()
    if any(then[one] & words for one in new for words in done.values()):
        yield SWITCHED


def _programs(calls: Sequence[ToolCall]) -> dict[str, frozenset[str]]:
    """The programs that calls run, each with the other words of its commands; options are none."""
    found: dict[str, set[str]] = {}
    for call in calls:
        for part in parts_of(line) if (line := shell_line(call)) else ():
            words = found.setdefault(part.words[0].casefold(), set())
            words.update(word for word in part.words[1:] if not word.startswith("-"))
    return {name: frozenset(words) for name, words in found.items()}


def _said(record: Record, session: str, sentence: str, cues: tuple[str, ...]) -> Said:
    moment = record.run.started or ""
    return Said(run=record.id, session=session, moment=moment, text=sentence, cues=cues, terms=terms_of(sentence))


def _last_act(run: Run) -> str:
    return (run.tools[-1].input if run.tools else run.output)[:300]


def sentences_of(message: str) -> Iterator[str]:
    """What a person wrote themselves, sentence by sentence, as far as the message's structure shows."""
    if HARNESS.match(message):
        return
    for line in END.split(own_words(message if len(message) <= LOOKED_AT else message[:OPENING])):
        text = " ".join(line.split())
        if (
            SHORTEST <= length_of(text) <= LONGEST
            and not HARNESS.match(line)
            and not ANGRY.search(text)
            and text.isprintable()
        ):
            yield text


def cues_of(sentence: str) -> tuple[str, ...]:
    """The signals of a sentence."""
    plain = sentence.replace("’", "'")
    return tuple(dict.fromkeys(name for name, _, pattern in (*CUES, *other_cues(plain)) if pattern.search(plain)))


def weight_of(sentence: str, cues: Sequence[str]) -> float:
    """How much a sentence sounds like a wish for next time; what is about one case only, less."""
    found = sum(WEIGHTS[name] for name in cues)
    if ONE_CASE.search(sentence):
        found *= 0.4
    if not (20 if FROM_ACTS.isdisjoint(cues) else SHORTEST) <= length_of(sentence) <= 180:
        found *= 0.6
    return found


def puts_right(message: str) -> bool:
    """Whether a message within a session says how the work before it should have been done."""
    return length_of(message) <= SHORT and (is_correction(message) or weight_of(message, cues_of(message)) >= PLAIN)


def process_terms(sentence: str) -> frozenset[str]:
    """The words of a sentence that name a way of working, without their endings."""
    return frozenset(stem(found.casefold().strip("`")) for found in PROCESS.findall(sentence))


def terms_of(sentence: str) -> tuple[str, ...]:
    """What a sentence is about: stems of its content words."""
    words = (word for word in meaning_words(_KATAKANA.sub(" ", sentence)) if not CUE_WORDS.fullmatch(word))
    found = (*_KATAKANA.findall(sentence), *(stem(word) for word in words if word not in OTHER_STOPS))
    return tuple(dict.fromkeys(term for term in found if len(term) > 1))


def length_of(text: str) -> int:
    """How long a text is; a sign of a script without spaces says as much as three letters."""
    return len(text) + 2 * len(_WIDE.findall(text))
