"""Build a run from the pieces that a source finds, within fixed size limits."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from metier.capture.reading.fields import TEXT_LIMIT, clip, decode, elements, mapping
from metier.formats.handed_text import given_skills, is_handed_text
from metier.formats.origins import origin_of
from metier.hooks.agents import selection_id
from metier.types import Exchange, Passage, Run, ShownSkill, SkillTrace, Tokens, ToolCall

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from metier.types import Origin

RUN_LIMIT = 8 * 1024 * 1024
"""Characters that one run may have; after that, each further text is cut to a stub."""
ACT_LIMIT = 2_000
"""Characters that are kept of what surrounds a message of the person."""
_STUB = 160
_SKILL_FILE = re.compile(r"([A-Za-z0-9][\w.-]{0,80})[/\\]{1,2}SKILL\.md\b")
_READERS = re.compile(
    r"^(?:read|bash|shell|exec|exec_command|shell_command|container\.exec|local_shell|read_file|run_shell_command|view"
    r"|functions\.exec_command|functions\.shell|read_many_files|run_terminal_cmd|powershell)$",
    re.IGNORECASE,
)


class RunBuilder:
    """Collects the pieces of one run in order; `build` returns the run."""

    def __init__(
        self, *, source: str, session: str, message: str, external_id: str | None, started: str | None
    ) -> None:
        self._left = RUN_LIMIT
        kept = self._clip(message)
        self._run = Run(message=kept, external_id=external_id, session=session, source=source, agent=source)
        self._started, self._ended, self._model = started, started, ""
        self.status: str | None = None
        self.corrections: list[str] = []
        self.attempted: dict[str, None] = {}
        self._tools: list[ToolCall] = []
        self._calls: dict[str, int] = {}
        self._context: list[Passage] = []
        self._shown: dict[tuple[str, str], ShownSkill] = {}
        self._active: dict[str, None] = {}
        self._given: dict[str, None] = {}
        self._usage: dict[Hashable, Tokens] = {}
        self._answer: list[str] = []
        self._answer_of: Hashable = None
        self._said: list[str] = []
        self._exchanges: list[Exchange] = [Exchange()]
        self._last_act = ""
        self._recent: deque[int] = deque(maxlen=3)

    def add_time(self, moment: str | None) -> None:
        """Note that something in this run happened at this time."""
        if moment and self._started is None:
            self._started = moment
        if moment and (self._ended is None or moment > self._ended):
            self._ended = moment

    def set_model(self, name: str) -> None:
        """Set the model that answers from here on."""
        self._model = name or self._model

    def add_usage(self, key: Hashable, tokens: Tokens) -> None:
        """Set the tokens of one model call; a second value for the same key replaces the first."""
        self._usage[key] = tokens

    def add_answer(self, text: str, key: Hashable = None) -> None:
        """Add text of the agent; pieces of one message have the same key."""
        if not text.strip():
            return
        if key is None or key != self._answer_of:
            self._answer, self._answer_of = [], key
        kept = self._clip(text)
        self._answer.append(kept)
        self._said.append(kept)
        self._last_act = kept[:ACT_LIMIT]
        self._exchanges = [one if one.reply else replace(one, reply=self._last_act) for one in self._exchanges]

    def is_repeated(self, text: str) -> bool:
        """Whether the text equals one of the last three texts that were asked about; remembers the text."""
        mark = hash(text.strip())
        known = mark in self._recent
        self._recent.append(mark)
        return known

    def has_call(self, call_id: str) -> bool:
        """Whether the run has a tool call with this id."""
        return call_id in self._calls

    def call_of_command(self, command: str) -> str:
        """The id of the last tool call that runs exactly this command; empty if there is none."""
        for call_id, index in reversed(list(self._calls.items())[-20:]):
            given = self._tools[index].input
            if command and (given == command or _is_command_in(given, command)):
                return call_id
        return ""

    def add_call(self, call_id: str, name: str, given: str) -> None:
        """Add a tool call; a second one with the same id is ignored."""
        if call_id and call_id in self._calls:
            return
        self._calls[call_id or f"#{len(self._tools)}"] = len(self._tools)
        found = skills_opened_by(name, given)
        self.attempted.update(dict.fromkeys(found))
        said, self._said = self._clip("\n\n".join(self._said)), []
        kept = self._clip(given)
        self._last_act = f"{name} {kept}"[:ACT_LIMIT]
        self._tools.append(ToolCall(name=name or "?", input=kept, origin=origin_of(name), skills=found, said=said))

    def add_result(self, call_id: str, output: str, *, error: str | None = None) -> ToolCall | None:
        """Set the output of a tool call and return the call; None if the run has no such call."""
        index = self._calls.get(call_id)
        if index is None:
            return None
        tool = self._tools[index]
        kept = self._clip(output)
        failed = None if error is None else (kept if error == output else self._clip(error))
        self._tools[index] = replace(tool, ok=failed is None, output=kept, error=failed)
        return self._tools[index]

    def mark_failed(self, call_id: str, reason: str) -> None:
        """Mark a tool call as failed, whatever its output is."""
        index = self._calls.get(call_id)
        if index is not None:
            self._tools[index] = replace(self._tools[index], ok=False, error=self._clip(reason))

    def add_skill_use(self, call_id: str, skill: str) -> None:
        """Note that a tool call uses a skill."""
        index = self._calls.get(call_id)
        if skill:
            self.attempted[skill] = None
        if index is not None and skill and skill not in self._tools[index].skills:
            tool = self._tools[index]
            self._tools[index] = replace(tool, skills=(*tool.skills, skill))

    def skill_of(self, call_id: str) -> str:
        """The skill that a tool call uses; empty if there is none."""
        index = self._calls.get(call_id)
        used = self._tools[index].skills if index is not None else ()
        return used[0] if used else ""

    def add_shown_skill(self, skill: str, body: str) -> None:
        """Note that the agent saw the body of a skill."""
        self.attempted[skill] = None
        kept = self._clip(body)
        self._shown[skill, kept] = ShownSkill(name=skill, body=kept)

    def add_active_skill(self, skill: str) -> None:
        """Note that a skill was active in this run."""
        if skill:
            self._active[skill] = None

    def add_handed_text(self, text: str) -> bool:
        """Note the skills in a text that Metier handed over; False if it is another's text, which then is a passage."""
        self._given.update(dict.fromkeys(given_skills(text)))
        return is_handed_text(text)

    def set_turn(self, turn: str) -> None:
        """Name the selection of this request by the agent's own id of the request."""
        if turn:
            self._run = replace(self._run, selection=selection_id(turn))

    def add_message(self, text: str) -> None:
        """Add a message that the person wrote while the agent was at work."""
        before = len(self._context)
        self.add_passage("person", text)
        if len(self._context) > before:
            self._exchanges.append(Exchange(message=text.strip()[:ACT_LIMIT], before=self._last_act))

    def add_passage(self, origin: Origin, text: str) -> None:
        """Add other text that the agent saw, with its origin."""
        if text.strip():
            piece = Passage(origin=origin, text=self._clip(text))
            if piece not in (self._context if origin == "person" else self._context[-8:]):
                self._context.append(piece)

    @property
    def has_activity(self) -> bool:
        """Whether the agent answered, called a tool or used tokens."""
        return bool(self._tools or self._answer or self._usage)

    @property
    def ends_with_answer(self) -> bool:
        """Whether the agent ended with text and not with a tool call."""
        return bool(self._said)

    def build(self) -> Run:
        """The run from all pieces so far."""
        loaded = tuple(skill.name for skill in self._shown.values())
        used = (name for tool in self._tools if tool.ok for name in tool.skills)
        path = tuple(dict.fromkeys((*used, *loaded))) if self.status == "completed" else ()
        return replace(
            self._run,
            model=self._model,
            started=self._started,
            ended=self._ended,
            output=self._clip("\n\n".join(self._answer)),
            status=self.status,
            tools=tuple(self._tools),
            context=tuple(self._context),
            skills=SkillTrace(
                active=tuple(dict.fromkeys((*self._active, *loaded))),
                attempted=tuple(self.attempted),
                path=path,
                shown=tuple(self._shown.values()),
                given=tuple(self._given),
            ),
            tokens=sum_tokens(self._usage.values()),
            correction="\n".join(dict.fromkeys(self.corrections)) or None,
            exchanges=self._told_exchanges(),
        )

    def _told_exchanges(self) -> tuple[Exchange, ...]:
        """The exchanges, if they say more than the request and the answer do."""
        first, *others = self._exchanges
        answer = "\n\n".join(self._answer)
        first = Exchange() if answer.startswith(first.reply) else first
        return (first, *others) if others or first.reply else ()

    def _clip(self, text: str) -> str:
        """The text, cut to what the run's limit still allows."""
        kept = clip(text, TEXT_LIMIT if self._left > 0 else _STUB)
        self._left -= len(kept)
        return kept


def _is_command_in(given: str, command: str) -> bool:
    """Whether the JSON arguments of a tool call contain a command, as text or as a list of words."""
    if not given.startswith("{"):
        return False
    try:
        asked = mapping(decode(given))
    except ValueError:
        return False
    found = asked.get("cmd", asked.get("command"))
    return found == command or (elements(found) or [None])[-1] == command


def skills_opened_by(tool: str, given: str) -> tuple[str, ...]:
    """The skills whose SKILL.md a tool call reads."""
    if "SKILL.md" not in given or not _READERS.match(tool):
        return ()
    return tuple(dict.fromkeys(match.group(1) for match in _SKILL_FILE.finditer(given[:20_000])))


def sum_tokens(counts: Iterable[Tokens]) -> Tokens:
    """The sum of tokens."""
    given = tuple(counts)
    return Tokens(
        input=sum(one.input for one in given),
        output=sum(one.output for one in given),
        cache_read=sum(one.cache_read for one in given),
        cache_write=sum(one.cache_write for one in given),
    )
